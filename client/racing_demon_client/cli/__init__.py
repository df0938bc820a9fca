"""The command line: its syntax, and the commands."""

__all__ = [
    "command_line",
    "commands",
    "game_commands",
    "main",
    "parser",
    "record_commands",
    "settings_command",
]
