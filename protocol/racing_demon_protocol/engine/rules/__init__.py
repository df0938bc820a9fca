"""The rules of games built in sequences: what is legal, its effects, and when a hand is dead."""
