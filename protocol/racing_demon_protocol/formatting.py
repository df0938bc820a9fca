"""Plurals, lists and times in words, and making foreign text printable."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

JOINERS: Final = "\u200c\u200d"
"""The zero-width non-joiner and joiner: Persian, Sinhala and emoji are written with them."""
FLAG_TAGS: Final = re.compile("[\U000e0030-\U000e0039\U000e0061-\U000e007a\U000e007f]")
"""The tags that turn a black flag into the flag of a region."""
STACKING: Final = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
"""Combining marks for letters of any script, which stack up."""
MAX_STACKED_MARKS: Final = 2
MAX_MARKS: Final = 4
"""Pointed Hebrew has three marks on a letter, and four with an accent."""
_NARROW: Final[dict[int, str | int]] = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " "}


def to_halfwidth(text: str) -> str:
    """Return a text with ordinary characters in the place of full-width ones.

    >>> to_halfwidth("ＢＯＴ　２")
    'BOT 2'
    """
    return text.translate(_NARROW)


def pluralize(number: int, what: str, several: str = "") -> str:
    """Return a count in words, such as ``3 hands``; ``several`` is a plural that needs more than an s."""
    return f"{number} {what}" if number == 1 else f"{number} {several or f'{what}s'}"


def there_are(number: int, what: str) -> str:
    """Return a sentence's beginning, such as ``There are 3 cards``."""
    return f"There {'is' if number == 1 else 'are'} {pluralize(number, what)}"


def join_words(names: Sequence[str], joint: str = "and") -> str:
    """Return names as an enumeration, such as ``Ann, Ben and Cyn``."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last


def printable(text: str) -> str:
    """Return a text without control characters."""
    return "".join(char if is_printable(char) else "?" for char in text)


def is_printable(char: str) -> bool:
    """Return whether a character is shown, or changes how its neighbors are shown."""
    return char.isprintable() or char in JOINERS or is_emoji(char) or FLAG_TAGS.match(char) is not None


def is_emoji(char: str) -> bool:
    """Return whether a character is an emoji or another pictograph, or will be one in a later Unicode."""
    return "\U0001f000" <= char <= "\U0001faff" or unicodedata.category(char) == "So"


def limit_marks(text: str) -> str:
    """Return a text without the combining marks that would cover the lines above and below."""
    kept: list[str] = []
    marks = stacking = 0
    for char in text:
        if unicodedata.category(char).startswith("M") and char != "\ufe0f":
            marks, stacking = marks + 1, stacking + bool(STACKING.match(char))
            if marks > MAX_MARKS or stacking > MAX_STACKED_MARKS:
                continue
        elif char not in JOINERS:
            marks = stacking = 0
        kept.append(char)
    return "".join(kept)


def format_duration(microseconds: int) -> str:
    """Return a time in its shortest form: ``0.4 ms``, ``12 ms``, ``1.4 s``, ``2:05``; never as zero."""
    if microseconds < 100:
        return "less than 0.1 ms"
    if microseconds < 10_000:
        return f"{microseconds / 1_000:.1f} ms"
    if microseconds < 1_000_000:
        return f"{microseconds / 1_000:.0f} ms"
    seconds = microseconds / 1_000_000
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds) // 60}:{int(seconds) % 60:02}"
