"""What drawings are made of: inks, glyphs with ASCII replacements, and the three densities."""

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum, IntFlag
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
from racing_demon_protocol.formatting import limit_marks, printable


class Role(IntEnum):
    """What is written."""

    TEXT = 0
    DIM = 1
    SPADES = 2
    HEARTS = 3
    CLUBS = 4
    DIAMONDS = 5
    BACK = 6
    """Card backs."""
    FRAME = 7
    """Frames, rules and dividers."""
    KEY = 8
    """The names of keys."""
    ACCENT = 9
    """Whatever concerns this player: their name, what to do next."""
    WARNING = 10
    """Refusals and a lost connection."""
    BANNER = 11
    """The countdown and banners."""
    SEAT_1 = 12
    """Players in the color of this number, and of those that follow."""
    SEAT_2 = 13
    SEAT_3 = 14
    SEAT_4 = 15
    SEAT_5 = 16
    SEAT_6 = 17
    SEAT_7 = 18
    SEAT_8 = 19


class Highlight(IntFlag):
    """A cell's marks. An ink is a role combined with any marks: ``Role.HEARTS | Highlight.UNCONFIRMED``."""

    NONE = 0
    FRESH = 32
    """Just changed."""
    UNCONFIRMED = 64
    """Played, not yet confirmed by the server."""
    HELD = 128
    """Picked up."""
    CURSOR = 256
    """Under the cursor."""
    FITS = 512
    """A hint: the held cards fit here."""
    STRONG = 1024
    """A heading."""


SUIT_ROLES: Final = (Role.SPADES, Role.HEARTS, Role.CLUBS, Role.DIAMONDS)


def seat_role(color: int) -> Role:
    """Return the role of a player in a color, from 0."""
    return Role(Role.SEAT_1 + color)


def suit_role(suit: int) -> Role:
    """Return the role of a suit's cards."""
    return SUIT_ROLES[suit]


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
    differs: str
    """Before a house rule."""
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

    def card_text(self, card: Card) -> str:
        """Return a card's name in a sentence."""
        return self.card(card, ten=True)


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
    differs="≠",
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
    differs="!",
    small_reds=True,
)
"""For terminals without UTF-8. Red suits use small letters, a cue that needs no color."""


def screen_text(text: str) -> str:
    """Return untrusted text without characters that move, hide or widen what is drawn."""
    return UNCERTAIN.sub("", limit_marks(printable(text)))


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


@dataclass(frozen=True, slots=True)
class Density:
    """How roomy a table is drawn. All sizes are in cells.

    Attributes:
        name: its name in the settings.
        size: the minimum width and height of the terminal.
        side: the least width of the side panel with players and feed.
        pitch: the maximum distance between the left edges of two columns.
        card: a card's width and height; a height of 1 means no frame.
        column: the same of a column's card, where columns are far enough from each other.
        fan: the maximum rows between two cards of a column.
        slot: a foundation's width and height, including the gap to the next.
        backs: how many face-down cards of a column are drawn; the others become a number.
        player: the most rows of another player: one, or those of a layout.
        footer: the rows of the footer.

    """

    name: str
    size: tuple[int, int]
    side: int
    pitch: int
    card: tuple[int, int]
    column: tuple[int, int]
    fan: int
    slot: tuple[int, int]
    backs: int
    player: int
    footer: int

    def divider(self, width: int) -> int:
        """Return the column between the cards and the side panel, which gets half of what is to spare."""
        return width - self.side - 1 - max(0, width - self.size[0]) // 2


SMALL: Final = Density(
    name="small",
    size=(80, 23),
    side=39,
    pitch=6,
    card=(2, 1),
    column=(5, 3),
    fan=2,
    slot=(4, 1),
    backs=6,
    player=1,
    footer=1,
)
MEDIUM: Final = Density(
    name="medium",
    size=(120, 40),
    side=47,
    pitch=10,
    card=(8, 3),
    column=(8, 3),
    fan=2,
    slot=(8, 3),
    backs=6,
    player=6,
    footer=2,
)
LARGE: Final = Density(
    name="large",
    size=(190, 58),
    side=74,
    pitch=16,
    card=(9, 5),
    column=(9, 5),
    fan=2,
    slot=(14, 4),
    backs=6,
    player=8,
    footer=1,
)
DENSITIES: Final = {density.name: density for density in (SMALL, MEDIUM, LARGE)}
"""All densities by name, smallest first."""

SMALLEST: Final = SMALL.size
"""The smallest terminal that can show the table."""


def fitting_in(width: int, height: int) -> list[Density]:
    """Return the densities that fit a terminal, smallest first; always at least the smallest."""
    return [d for d in DENSITIES.values() if d.size[0] <= width and d.size[1] <= height] or [SMALL]


def choose(wanted: str, width: int, height: int) -> Density:
    """Return the wanted density if it fits, otherwise the roomiest that does."""
    fitting = fitting_in(width, height)
    return next((density for density in fitting if density.name == wanted), fitting[-1])
