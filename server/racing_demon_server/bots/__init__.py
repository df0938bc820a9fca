"""Bots: players who see only the board."""
