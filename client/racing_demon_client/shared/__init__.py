"""Shared by the terminal and plain clients: wording, pile names, rules as text."""
