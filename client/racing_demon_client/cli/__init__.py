"""The command line: its syntax, and what each command does."""
