"""The characters that the table is drawn with, with ASCII replacements."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, chop_cells

from racing_demon_protocol.engine.cards import (
    RANK_NAMES,
    SUIT_LETTERS,
    SUIT_NAMES,
    UNKNOWN,
    Card,
    is_red,
    rank,
    suit,
)
from racing_demon_protocol.formatting import printable, unstacked

UNCERTAIN: Final = re.compile(
    "(\u200d[\u2190-\u2bff\U0001f000-\U0001faff]"
    "|[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f])+"
)
"""What terminals give no cell, or one, or two: what is joined to an emoji, and what changes its looks. The
emoji itself stays."""


MAYBE_SPACING: Final = re.compile("[\u0900-\u1cff\u302e\u302f\ua800-\uabff\U00011000-\U0001dfff]")
"""Among these are all spacing vowel signs."""
REGIONAL: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Letters, two of which make the flag of a country."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A set of glyphs, each a single cell wide."""

    suits: str
    back: str
    dot: str
    rule: str
    divider: str
    cross: str
    corners: str
    """Top left, top right, bottom left, bottom right."""
    side: str
    gap: str
    gap_side: str
    slot: str
    """Left and right of a card in a small frame."""
    held: str
    """Beside picked-up cards."""
    cursor: str
    """Beside the cards under the cursor."""
    between: str
    more: str
    bars: str
    block: str
    small_reds: bool = False
    """Whether red suits use small letters."""

    def suit(self, number: int) -> str:
        """Return the sign of a suit."""
        return self.suits[number]

    def card(self, card: Card, *, ten: bool = False) -> str:
        """Return a card's name in two cells; with ``ten``, write a ten as ``10``."""
        if card == UNKNOWN:
            return self.back * 2
        name = "10" if ten and rank(card) == 10 else RANK_NAMES[rank(card) - 1]
        return (name.lower() if self.small_reds and is_red(card) else name) + self.suits[suit(card)]


UNICODE: Final = Glyphs(
    suits=SUIT_NAMES,
    back="▒",
    dot="·",
    rule="─",
    divider="│",
    cross="├",
    corners="╭╮╰╯",
    side="│",
    gap="╌",
    gap_side="╎",
    slot="▕▏",
    held="▸",
    cursor="»",
    between="·",
    more="…",
    bars="▁▂▃▄▅▆▇█",
    block="█",
)

ASCII: Final = Glyphs(
    suits=SUIT_LETTERS[0] + SUIT_LETTERS[1].lower() + SUIT_LETTERS[2] + SUIT_LETTERS[3].lower(),
    back="#",
    dot=".",
    rule="-",
    divider="|",
    cross="+",
    corners="....",
    side="|",
    gap="-",
    gap_side=":",
    slot="[]",
    held=">",
    cursor="*",
    between="-",
    more="~",
    bars="_.,-=+*#",
    block="#",
    small_reds=True,
)
"""For terminals without UTF-8. Red suits use small letters, a cue that needs no color."""


def screen_text(text: str) -> str:
    """Return untrusted text without characters that move, hide or widen what is drawn."""
    return UNCERTAIN.sub("", unstacked(printable(text)))


def spacing_marks(text: str) -> int:
    """Return how many spacing vowel signs a text has. Most terminals give each a cell, and Rich none."""
    return sum(unicodedata.category(char) == "Mc" for char in MAYBE_SPACING.findall(text))


def drawn_width(text: str) -> int:
    """Return the width in cells that terminals draw."""
    return cell_len(text) + spacing_marks(text)


def wrapped(text: str, width: int) -> list[str]:
    """Wrap text to a width in cells, at least two; longer words are split.

    Text that fits is returned unchanged.
    """
    if drawn_width(text) <= (width := max(2, width)):
        return [text]
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if drawn_width(longer) > width >= drawn_width(word):
            lines.append(line)
            longer = word
        *full, line = _chopped(longer, width) or [longer]
        lines += full
    return [*lines, line]


def _chopped(text: str, width: int) -> list[str]:
    """Split text into lines of a width, wherever they end."""
    if not spacing_marks(text):
        return chop_cells(text, width)
    lines = [""]
    for char in text:
        if drawn_width(lines[-1] + char) > width:
            lines.append("")
        lines[-1] += char
    return lines


def shortened(text: str, width: int, most: int, glyphs: Glyphs) -> list[str]:
    """Wrap text to a width and cut it after a number of lines."""
    lines = wrapped(text, width)
    return [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), width, glyphs)][: len(lines)]


def fit(text: str, width: int, glyphs: Glyphs) -> str:
    """Cut or pad text to a width in cells."""
    text = cut(text, width, glyphs)
    return text + " " * (width - drawn_width(text))


def cut(text: str, most: int, glyphs: Glyphs) -> str:
    """Cut text to a width in cells; cut text ends with an ellipsis glyph."""
    if drawn_width(text) <= most:
        return text
    while text and drawn_width(text) > most - 1:
        text = text[:-1]
    if len(text) - len(text.rstrip(REGIONAL)) & 1:  # half a flag
        text = text[:-1]
    return text + glyphs.more if most > 0 else ""
