"""How what is counted is said, and what may be printed of a text that somebody else has written."""

__all__ = ["counted", "printable"]


def counted(number: int, what: str) -> str:
    """Return so many of something in words, like ``3 hands``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def printable(text: str) -> str:
    """Return a text without anything that could steer a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)
