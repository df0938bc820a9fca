"""The judge of one table: a pure state machine. Time, randomness and token hashes are arguments."""
