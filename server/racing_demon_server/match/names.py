"""Names and chat, cleaned once on arrival, and the names that an operator forbids."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Final

from racing_demon_protocol.constants import MAX_CHAT_LENGTH, MAX_NAME_LENGTH
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import FLAG_TAGS, JOINERS, is_emoji, limit_marks

from .look_alikes import LIKE

REGIONAL: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Regional indicators: two of them make the flag of a country."""

BLANKS: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that are invisible."""

UNSEEN_MARKS: Final = re.compile("[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0e\U000e0100-\U000e01ef]")
"""Invisible marks: those among Unicode's Default_Ignorable_Code_Point, except the one that turns signs into
emoji."""

EMOJI_MARK: Final = "\ufe0f"
IN_CONTEXT: Final = JOINERS + EMOJI_MARK
"""Characters that are invisible by themselves, and are kept where they change how their neighbors look."""
REGIONS: Final = re.compile(
    "(?<=\U0001f3f4)"
    + "(?:"
    + "|".join("".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("gbeng", "gbsct", "gbwls"))
    + ")\U000e007f"
)
"""The flags of England, Scotland and Wales, after the black flag."""
JOINED_SCRIPTS: Final = ("ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "MANDAIC", "ADLAM", "PHAGS-PA")
"""Scripts whose letters are joined, by the beginning of their Unicode names."""
VIRAMA: Final = 9
"""The combining class of viramas: they remove a letter's vowel and join it to the next letter."""

LOOK_ALIKES: Final = str.maketrans(
    {like: plain for plain, letters in LIKE.items() for like in letters}
) | str.maketrans("\u0451\u0454\u064a\u0649\u0643", "\xebe\u06cc\u06cc\u06a9")
"""What looks like ASCII by UTS 39; and letters of Russian, Ukrainian and Arabic keyboards that look like
those of other keyboards."""
SAME_IN_ASCII: Final = str.maketrans("01|l", "oiii")
"""Digits and letters in which people see the same."""

BOT_NAMES: Final = ("Ada", "Bob", "Cyn", "Dai", "Eve", "Fen", "Gus", "Hal")

INSTEAD: Final = "Player"
"""What somebody is called whose name is forbidden."""
ANYWHERE: Final = "*"
"""Begins words that are forbidden within others, too."""
COMMENT: Final = "#"
SEPARATORS: Final = re.compile(r"[\W_]+")


def clean(name: str) -> str:
    """Return a name without control, bidirectional and invisible characters, shortened to the limit.

    Raises:
        CommandRefused: nothing printable is left.

    """
    spaced = name.replace("\t", " ")  # copied from the cells of a table; browsers drop line breaks
    return _printable(
        spaced, MAX_NAME_LENGTH, Reason.BAD_NAME, "A name needs at least one letter, digit or sign."
    )


def clean_words(text: str, most: int = MAX_CHAT_LENGTH) -> str:
    """Return a line of words without the characters that are removed from names, shortened to the limit.

    Raises:
        CommandRefused: nothing printable is left.

    """
    words = " ".join(text.split())
    return _printable(words, most, Reason.BAD_TEXT, "It holds nothing that can be shown.")


def folded(name: str) -> str:
    """Return a key that is equal for names that look alike.

    Case, width, look-alike letters of other scripts and invisible characters make no difference.
    """
    bare = FLAG_TAGS.sub("", UNSEEN_MARKS.sub("", name))
    plain = unicodedata.normalize("NFKC", "".join(char for char in bare if char not in IN_CONTEXT))
    key = unicodedata.normalize("NFKC", plain.casefold()).translate(LOOK_ALIKES).translate(SAME_IN_ASCII)
    return unicodedata.normalize("NFKC", key).replace("rn", "m")


def unique(name: str, taken: Collection[str]) -> str:
    """Return the name, or the name with the first number that makes it unique."""
    known = {folded(other) for other in taken}
    candidate, number = name, 1
    while folded(candidate) in known:
        number += 1
        candidate = f"{_shortened(name, MAX_NAME_LENGTH - 2)} {number}"
    return candidate


class ForbiddenNames:
    """The operator's list of words that no name may have.

    A word is found whatever its case, width, accents and look-alike letters are, and with signs between its
    letters. Within a longer word it is found only if it begins with a ``*``.

    Args:
        lines: a word, or several, in each; nothing counts behind ``#``.

    """

    def __init__(self, lines: Iterable[str]) -> None:
        words = [line.partition(COMMENT)[0].strip() for line in lines]
        self._anywhere = {_bare(word) for word in words if word.startswith(ANYWHERE)} - {""}
        self._whole = {_bare(word) for word in words if not word.startswith(ANYWHERE)} - {""}

    def replaced(self, name: str) -> str:
        """Return what somebody with a name is called: its visible part, or another name if it is forbidden.

        Raises:
            CommandRefused: nothing printable is left of it.

        """
        return self.instead(clean(name))

    def instead(self, name: str) -> str:
        """Return a name, or another one if it is forbidden."""
        if not (self._whole or self._anywhere):
            return name
        whole, parts = _bare(name), [_bare(part) for part in SEPARATORS.split(folded(name))]
        found = {whole, *parts, *("".join(pair) for pair in pairwise(parts))}
        is_forbidden = not self._whole.isdisjoint(found) or any(word in whole for word in self._anywhere)
        return INSTEAD if is_forbidden else name


def _printable(text: str, longest: int, reason: Reason, complaint: str) -> str:
    """Return the visible part of a text; raise if it has only blanks and marks."""
    # Invisible characters are removed first: between two marks they would hide how many there are.
    seen, before = "".join(map(_seen, _without_tags(UNSEEN_MARKS.sub("", text)))), ""
    while seen != before:  # what a joiner joined may have been removed
        before, seen = seen, limit_marks(unicodedata.normalize("NFC", _in_context(seen)))
    cleaned = _shortened(" ".join(seen.split()), longest).strip()
    if not any(unicodedata.category(char)[0] in "LNPS" or is_emoji(char) for char in cleaned):
        raise CommandRefused(reason, complaint)
    return cleaned


def _shortened(text: str, longest: int) -> str:
    """Cut a text, but not within a flag or behind a joiner."""
    cut = _without_tags(text[:longest]).rstrip(JOINERS)
    is_half = len(cut) < len(text) and len(cut) - len(cut.rstrip(REGIONAL)) & 1
    return cut[:-1] if is_half else cut


def _without_tags(text: str) -> str:
    """Remove tags, except those that make a flag."""
    flags = [flag[0] for flag in REGIONS.finditer(text)]
    parts = [FLAG_TAGS.sub("", part) for part in REGIONS.split(text)]
    return "".join(part + flag for part, flag in zip(parts, [*flags, ""], strict=True))


def _in_context(text: str) -> str:
    """Remove characters that have no effect where they are."""
    kept: list[str] = []
    for place, char in enumerate(text):
        if char not in IN_CONTEXT or _has_effect(char, "".join(kept), text[place + 1 : place + 2]):
            kept.append(char)
    return "".join(kept)


def _has_effect(char: str, before: str, after: str) -> bool:
    """Return whether a joiner, or the mark of emoji, changes how its neighbors look."""
    if not before:
        return False
    if char == EMOJI_MARK:
        return is_emoji(before[-1]) or (before[-1] in "0123456789#*" and after == "\u20e3")
    if not after:
        return False
    if char == JOINERS[1] and is_emoji(after):
        return before[-1] == EMOJI_MARK or is_emoji(before[-1])
    if VIRAMA in {unicodedata.combining(before[-1]), unicodedata.combining(after)}:
        return unicodedata.category(after)[0] in "LM"
    letters = [each for each in before if not unicodedata.category(each).startswith("M")]
    return bool(letters) and _is_joined(letters[-1]) and _is_joined(after)


def _is_joined(char: str) -> bool:
    return unicodedata.category(char) == "Lo" and unicodedata.name(char, "").startswith(JOINED_SCRIPTS)


def _seen(char: str) -> str:
    """Return the visible form of a character: itself, a space, or nothing."""
    if char in BLANKS:
        return " "
    if char in IN_CONTEXT or is_emoji(char) or FLAG_TAGS.match(char):
        return char
    return "" if unicodedata.category(char).startswith("C") else char


def _bare(text: str) -> str:
    """Return what is compared: letters and digits that look alike are the same, and accents are left out."""
    plain = unicodedata.normalize("NFKD", folded(text))
    return SEPARATORS.sub("", "".join(char for char in plain if not unicodedata.combining(char)))
