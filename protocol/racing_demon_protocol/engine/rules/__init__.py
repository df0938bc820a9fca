"""The rules of games built in sequences: what is legal, what it does, and when a hand is dead."""
