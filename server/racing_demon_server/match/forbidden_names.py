"""Names that an operator does not want to read, and what takes their place. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from .names import clean, folded

INSTEAD: Final = "Player"
"""What somebody is called whose name is forbidden."""
ANYWHERE: Final = "*"
"""Begins words that are forbidden within others, too."""
COMMENT: Final = "#"
SEPARATORS: Final = re.compile(r"[\W_]+")


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
        name = clean(name)
        if not (self._whole or self._anywhere):
            return name
        whole, parts = _bare(name), [_bare(part) for part in SEPARATORS.split(folded(name))]
        found = {whole, *parts, *("".join(pair) for pair in pairwise(parts))}
        is_forbidden = not self._whole.isdisjoint(found) or any(word in whole for word in self._anywhere)
        return INSTEAD if is_forbidden else name


def _bare(text: str) -> str:
    """Return what is compared: letters and digits that look alike are the same, and accents are left out."""
    plain = unicodedata.normalize("NFKD", folded(text))
    return SEPARATORS.sub("", "".join(char for char in plain if not unicodedata.combining(char)))
