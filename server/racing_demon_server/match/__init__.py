"""The judge of one table: a pure state machine. Time, chance and token hashes are arguments."""
