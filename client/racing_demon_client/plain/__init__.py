"""The plain client: one line per event, short typed commands; for pipes, logs and screen readers."""

__all__ = [
    "line_reader",
    "line_wrap",
    "picture",
    "replay",
    "scoreboard",
    "session",
    "solo",
    "table_end",
    "typed_commands",
]
