"""Bots: players who see only the board, and whole matches of them in virtual time."""
