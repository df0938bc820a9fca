"""The wire protocol: messages, their encodings, and a table's options."""

__all__ = ["codec", "counters", "messages", "options"]
