"""The terminal table."""
