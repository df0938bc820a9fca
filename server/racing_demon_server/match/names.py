"""Names and chat, cleaned once on arrival."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.limits import LONGEST_CHAT, LONGEST_NAME
from racing_demon_protocol.reasons import Reason

MOST_MARKS: Final = 2
"""Most combining marks in a row. Names in real languages need no more."""

BLANKS: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that Unicode draws as nothing."""

UNSEEN_MARKS: Final = re.compile("[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that are drawn as nothing: the marks among Unicode's Default_Ignorable_Code_Point."""

BOT_NAMES: Final = ("Ada", "Bob", "Cyn", "Dai", "Eve", "Fen", "Gus", "Hal")


def clean(name: str) -> str:
    """Return a name without control, bidirectional and invisible characters, at most 24 long.

    Raises:
        CommandRefused: nothing printable is left.

    """
    return _printable(name, LONGEST_NAME, Reason.BAD_NAME, "A name needs at least one letter, digit or sign.")


def clean_words(text: str) -> str:
    """Return a chat line without the characters that names lose, at most 200 long.

    Raises:
        CommandRefused: nothing printable is left.

    """
    words = " ".join(text.split())
    return _printable(words, LONGEST_CHAT, Reason.BAD_TEXT, "It holds nothing that can be shown.")


def folded(name: str) -> str:
    """Return a key that is equal for names that look alike: folded case and width."""
    plain = unicodedata.normalize("NFKC", UNSEEN_MARKS.sub("", name))
    return unicodedata.normalize("NFKC", plain.casefold())


def unique(name: str, taken: Collection[str]) -> str:
    """Return the name, or the name with the first number that makes it unique."""
    known = {folded(other) for other in taken}
    candidate, number = name, 1
    while folded(candidate) in known:
        number += 1
        candidate = f"{name[: LONGEST_NAME - 2]} {number}"
    return candidate


def _printable(text: str, longest: int, reason: Reason, complaint: str) -> str:
    """Return the visible part of a text, or refuse it for a reason if it is only blanks and marks."""
    kept: list[str] = []
    marks = 0
    # Drop invisible characters first: between two marks they would hide how many there are.
    for char in unicodedata.normalize("NFC", "".join(map(_seen, UNSEEN_MARKS.sub("", text)))):
        marks = marks + 1 if unicodedata.category(char).startswith("M") else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    cleaned = " ".join("".join(kept).split())[:longest].strip()
    if not any(unicodedata.category(char)[0] in "LNPS" for char in cleaned):
        raise CommandRefused(reason, complaint)
    return cleaned


def _seen(char: str) -> str:
    """Return the visible form of a character: itself, a space, or nothing."""
    if char in BLANKS:
        return " "
    return "" if unicodedata.category(char).startswith("C") else char
