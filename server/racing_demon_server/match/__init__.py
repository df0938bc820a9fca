"""The judge of one table: a pure state machine. Time, randomness and token hashes are arguments."""

__all__ = [
    "bans",
    "chat_limit",
    "commands",
    "contributions",
    "dead_hand",
    "event_log",
    "flow",
    "hand",
    "hand_clock",
    "names",
    "option_check",
    "pauses",
    "race_log",
    "seat_tokens",
    "seats",
    "table",
]
