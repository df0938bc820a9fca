"""Plurals, lists and times in words, and making foreign text printable."""

from collections.abc import Sequence
from typing import Final

_NARROW: Final[dict[int, str | int]] = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " "}


def narrow(text: str) -> str:
    """Return a text with ordinary characters in the place of full-width ones.

    >>> narrow("ＢＯＴ　２")
    'BOT 2'
    """
    return text.translate(_NARROW)


def counted(number: int, what: str, several: str = "") -> str:
    """Return a count in words, such as ``3 hands``; ``several`` is a plural that needs more than an s."""
    return f"{number} {what}" if number == 1 else f"{number} {several or f'{what}s'}"


def there_are(number: int, what: str) -> str:
    """Return a sentence's beginning, such as ``There are 3 cards``."""
    return f"There {'is' if number == 1 else 'are'} {counted(number, what)}"


def listing(names: Sequence[str], joint: str = "and") -> str:
    """Return names as an enumeration, such as ``Ann, Ben and Cyn``."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last


def printable(text: str) -> str:
    """Return a text without control characters."""
    return "".join(char if char.isprintable() else "?" for char in text)


def span(microseconds: int) -> str:
    """Return a time in its shortest form: ``0.4 ms``, ``12 ms``, ``1.4 s``, ``2:05``."""
    if microseconds < 10_000:
        return f"{microseconds / 1_000:.1f} ms"
    if microseconds < 1_000_000:
        return f"{microseconds / 1_000:.0f} ms"
    seconds = microseconds / 1_000_000
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds) // 60}:{int(seconds) % 60:02}"
