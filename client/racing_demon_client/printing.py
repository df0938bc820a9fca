"""What may be printed of a text that somebody else has written, or a user typed."""

__all__ = ["printable"]


def printable(text: str) -> str:
    """Return a text without anything that could steer a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)
