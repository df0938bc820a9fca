"""Names and what is said, cleaned once at the door."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from racing_demon_protocol.errors import LONGEST_NAME, CommandRefused
from racing_demon_protocol.reasons import Reason

__all__ = ["BOT_NAMES", "clean", "clean_words", "folded", "unique"]

LONGEST_WORDS: Final = 200
MOST_MARKS: Final = 2
"""Combining marks in a row that names of real languages need."""

BLANKS: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs, as Unicode has it, of which nothing is to be seen."""

UNSEEN_MARKS: Final = re.compile("[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks of which nothing is to be seen: of Unicode's Default_Ignorable_Code_Point those that are marks."""

BOT_NAMES: Final = ("Ada", "Bob", "Cyn", "Dai", "Eve", "Fen", "Gus", "Hal")


def clean(name: str) -> str:
    """Return a name without control, bidirectional and invisible characters, at most 24 long.

    Raises:
        CommandRefused: nothing printable is left.

    """
    cleaned = _printable(name, LONGEST_NAME)
    if not cleaned:
        raise CommandRefused(Reason.BAD_NAME, "A name needs at least one letter, digit or sign.")
    return cleaned


def clean_words(text: str) -> str:
    """Return what was said without the characters that names lose, at most 200 long.

    Raises:
        CommandRefused: nothing printable is left.

    """
    cleaned = _printable(" ".join(text.split()), LONGEST_WORDS)
    if not cleaned:
        raise CommandRefused(Reason.BAD_TEXT, "There is nothing in it that can be shown.")
    return cleaned


def folded(name: str) -> str:
    """Return what names have in common that look alike: in capitals or small, wide or narrow letters."""
    plain = unicodedata.normalize("NFKC", UNSEEN_MARKS.sub("", name))
    return unicodedata.normalize("NFKC", plain.casefold())


def unique(name: str, taken: Collection[str]) -> str:
    """Return the name, or the name with the first number that makes it unlike those taken."""
    known = {folded(other) for other in taken}
    candidate, number = name, 1
    while folded(candidate) in known:
        number += 1
        candidate = f"{name[: LONGEST_NAME - 2]} {number}"
    return candidate


def _printable(text: str, longest: int) -> str:
    """Return what is seen of a text; nothing, if that is blanks and marks only."""
    kept: list[str] = []
    marks = 0
    # What is dropped goes first: between two marks it would hide how many there are.
    for char in unicodedata.normalize("NFC", "".join(map(_seen, UNSEEN_MARKS.sub("", text)))):
        marks = marks + 1 if unicodedata.category(char).startswith("M") else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    cleaned = " ".join("".join(kept).split())[:longest].strip()
    return cleaned if any(unicodedata.category(char)[0] in "LNPS" for char in cleaned) else ""


def _seen(char: str) -> str:
    """Return what is seen of a character: itself, a space, or nothing."""
    category = unicodedata.category(char)
    if category.startswith("Z") or char in BLANKS:
        return " "
    return "" if category.startswith("C") else char
