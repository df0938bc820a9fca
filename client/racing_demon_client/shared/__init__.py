"""Shared by the terminal and plain clients: wording, pile names, rules as text."""

__all__ = [
    "analysis_text",
    "briefing",
    "links",
    "message_text",
    "option_errors",
    "option_text",
    "phrases",
    "pile_labels",
    "pile_names",
    "rivals",
    "rules_text",
    "special_rules_text",
]
