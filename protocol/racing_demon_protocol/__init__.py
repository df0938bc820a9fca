"""Shared by server and client: cards, board, rules, games, messages. Pure: no I/O, no clock."""

__version__ = "0.1.0"
"""The version of all three packages, which are released together."""
