"""The command line: its syntax, and the commands."""
