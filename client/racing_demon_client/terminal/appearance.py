"""The table's appearance: palettes for every color depth and every kind of color vision, glyphs and density.

Racing Demon requires telling red from black faster than one can read a suit. So red suits are warm and black
ones cold or neutral, and they stay apart for color-blind players. The colors for terminals with fewer colors
are chosen by hand: the smaller palettes contain exactly what the terminal's codes mean.

Measured by ``tests/client/terminal/test_look.py``: the lowest contrast of a suit with its ground
(WCAG), and the lowest Delta E (CIE 1976) of two suits, one red and one black ("red/black") or both of one
color ("family"), over normal, protan, deutan and tritan vision (Machado 2009, full severity). A Delta E of 20
is visible at a glance.

=============  =========  ========  =========  ======
palette        depth      contrast  red/black  family
=============  =========  ========  =========  ======
dark           TRUE            6.1       46.6    30.4
dark           EIGHT_BIT       6.3       49.4    40.1
dark           STANDARD        6.7       28.0    25.6
light          TRUE            4.7       25.7    27.9
light          EIGHT_BIT       4.6       33.3    26.3
light          STANDARD        5.1       27.9    51.3
four-color    TRUE            5.3        8.5    46.3
four-color    EIGHT_BIT       6.3        9.2    46.4
four-color    STANDARD        6.7        7.6    53.2
high-contrast  TRUE            7.5       46.7    37.9
high-contrast  EIGHT_BIT       7.1       49.4    40.1
high-contrast  STANDARD        8.0       28.0    25.6
=============  =========  ========  =========  ======

Some 16-color terminals brighten bold text: there a fresh red card on white is briefly pale (contrast 2.6).
No other mark makes cards on white bold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme

from racing_demon_client.streams import is_ascii_encoding
from racing_demon_protocol.constants import MAX_SEATS

from .style import ASCII, SUIT_ROLES, UNICODE, Glyphs, Highlight, Role, fitting_in

NAMES: Final = ("dark", "light", "four-color", "high-contrast", "mono")

TITLES: Final[Mapping[str, str]] = {
    "dark": "Dark: warm reds, cold blacks",
    "light": "Light: warm reds, cold blacks",
    "four-color": "Four colors, as in poker: does not keep red and black apart",
    "high-contrast": "High contrast on black",
    "mono": "No colors: red cards reversed",
}

OWN: Final = "ansi_default"
"""Textual's name for the terminal's default color."""


class Depth(StrEnum):
    """A terminal's color depth."""

    TRUE = "truecolor"
    EIGHT_BIT = "256"
    STANDARD = "16"
    NONE = "none"


@dataclass(frozen=True, eq=False)
class Palette:
    """The colors of a table.

    Attributes:
        name: one of :data:`NAMES`.
        title: its name for people.
        ground: the common background. Without colors this and all other grounds are :data:`OWN`.
        inks: the foreground color of each role.
        held_ground: the ground of held cards.
        cursor_ground: the ground under the cursor. At depths with only one spare color it equals the ground
            of held cards, and held cards are bold.
        fits_ground: the ground of a hint. At depths without a spare color it is the common ground, and hints
            are bold and underlined.
        is_dark: whether the ground is darker than the inks.
        red_reversed: whether red suits are reversed, as a second cue. Such a card hides its ground; a mark
            changes the color of the block instead.
        colorless: whether only bold, underline, reverse and dim are used. Held cards and the cursor then
            look alike; the signs that the table draws beside them tell them apart.

    """

    name: str
    title: str
    ground: str
    inks: Mapping[Role, str]
    held_ground: str
    cursor_ground: str
    fits_ground: str
    is_dark: bool
    red_reversed: bool
    colorless: bool = False
    _styles: dict[int, Style] = field(default_factory=dict, init=False, repr=False)

    def style(self, ink: int) -> Style:
        """Return the style of an ink."""
        style = self._styles.get(ink)
        if style is None:
            role, mark = Role(ink & ROLE_BITS), Highlight(ink & ~ROLE_BITS)
            style = _plain(role, mark) if self.colorless else self._colored(role, mark)
            self._styles[ink] = style
        return style

    def _colored(self, role: Role, mark: Highlight) -> Style:
        color, ground = self.inks[role], self.ground
        is_reversed = self.red_reversed and role in RED
        bold, underline = bool(mark & BOLD) or role in LOUD, bool(mark & Highlight.UNCONFIRMED)
        place = _place(mark)
        if place:
            lit = {Highlight.HELD: self.held_ground, Highlight.CURSOR: self.cursor_ground}.get(
                place, self.fits_ground
            )
            if place == Highlight.HELD and lit == self.cursor_ground:
                bold = True
            if place == Highlight.FITS and lit == ground:
                bold = underline = True
            if is_reversed:
                color = self.inks[BLOCKS[place]]
            else:
                ground = lit
        return Style(
            color=color,
            bgcolor=ground,
            bold=bold or None,
            underline=underline or None,
            reverse=is_reversed or None,
        )


ROLE_BITS: Final = 31
RED: Final = frozenset({Role.HEARTS, Role.DIAMONDS})
LOUD: Final = frozenset({Role.BANNER, Role.WARNING})
BOLD: Final = Highlight.FRESH | Highlight.STRONG

BLOCKS: Final[Mapping[Highlight, Role]] = {
    Highlight.HELD: Role.TEXT,
    Highlight.CURSOR: Role.DIM,
    Highlight.FITS: Role.BACK,
}
"""The color of a marked card's block when red suits are reversed."""


def _place(mark: Highlight) -> Highlight:
    """Return the mark that decides the ground: held hides cursor, cursor hides hint."""
    return next(
        (place for place in (Highlight.HELD, Highlight.CURSOR, Highlight.FITS) if mark & place),
        Highlight.NONE,
    )


def _plain(role: Role, mark: Highlight) -> Style:
    """Return the style of an ink without colors.

    On a card, reverse means "red" and nothing else, so that no mark turns a red card black. That leaves bold
    for fresh, underline for unconfirmed, both for held or under the cursor, and underline with dim for a
    hint. Other text, such as the key of a hinted pile, becomes bold and reversed by a hint. Dim alone is no
    highlight: many roles are dim already, and some terminals do not support it.
    """
    place = _place(mark)
    chosen = place in (Highlight.HELD, Highlight.CURSOR)
    hint = place == Highlight.FITS
    if hint and role not in SUIT_ROLES:
        return Style(bold=True, reverse=True)
    bold = not hint and (chosen or bool(mark & BOLD) or role in (*LOUD, Role.KEY, Role.ACCENT))
    underline = bool(place or mark & Highlight.UNCONFIRMED)
    faint = hint or (not bold and not underline and role in (Role.DIM, Role.BACK, Role.FRAME))
    return Style(
        bold=bold or None,
        underline=underline or None,
        dim=faint or None,
        reverse=role in RED or None,
    )


SHEETS: Final[Mapping[tuple[str, Depth], tuple[str, str]]] = {
    ("dark", Depth.TRUE): (
        "#0b1f17 #1f3f8a #3f4844 #1c4f22",
        "#e6ece8 #93a89e #f2f2f2 #ff6b4a #6cc4ff #ffb000 #7c93c4 #5c7f70 #7fd8c8 #b4e67c #ff9ad5 #ffe27a",
    ),
    ("dark", Depth.EIGHT_BIT): (
        "#121212 #0000af #444444 #5f005f",
        "#ffffff #949494 #ffffff #ff5f5f #5fafff #ffaf00 #8787d7 #5f875f #5fd7af #afff5f #ff87d7 #ffff87",
    ),
    ("dark", Depth.STANDARD): (
        "#000000 #0000aa #0000aa #000000",
        "#ffffff #aaaaaa #aaaaaa #ff5555 #55ffff #ffff55 #5555ff #00aa00 #00aaaa #55ff55 #ff55ff #ffffff",
    ),
    ("light", Depth.TRUE): (
        "#f4f1e8 #aecbff #ffe08a #bfe8b0",
        "#1c1c1c #666259 #000000 #a00030 #0055a4 #a05a00 #5a6fa0 #857d68 #006468 #2f6600 #a0008a #7a3d00",
    ),
    ("light", Depth.EIGHT_BIT): (
        "#ffffd7 #afd7ff #ffd787 #afffaf",
        "#000000 #626262 #000000 #870000 #005faf #af5f00 #5f5faf #87875f #005f5f #005f00 #870087 #5f0087",
    ),
    ("light", Depth.STANDARD): (
        "#ffffff #55ffff #ffff55 #55ff55",
        "#000000 #555555 #000000 #aa0000 #5555ff #aa00aa #5555ff #555555 #5555ff #0000aa #aa0000 #aa00aa",
    ),
    ("four-color", Depth.TRUE): (
        "#0b1f17 #1f3f8a #38403c #4a2f5c",
        "#e6ece8 #93a89e #f2f2f2 #ff5050 #45c05a #5aa0ff #7c93c4 #5c7f70 #7fd8c8 #b4e67c #ff9ad5 #ffe27a",
    ),
    ("four-color", Depth.EIGHT_BIT): (
        "#121212 #0000af #444444 #5f005f",
        "#ffffff #949494 #ffffff #ff5f5f #5faf5f #5fafff #8787d7 #5f875f #5fd7af #afff5f #ff87d7 #ffff87",
    ),
    ("four-color", Depth.STANDARD): (
        "#000000 #0000aa #0000aa #000000",
        "#ffffff #aaaaaa #ffffff #ff5555 #55ff55 #55ffff #5555ff #00aa00 #00aaaa #ffff55 #ff55ff #ffffff",
    ),
    ("high-contrast", Depth.TRUE): (
        "#000000 #0a3c9c #454545 #0c4a14",
        "#ffffff #b8b8b8 #ffffff #ff6a5a #30b8ff #ffb400 #8f9fff #8a8a8a #5affd0 #a0ff40 #ff8ce0 #ffff66",
    ),
    ("high-contrast", Depth.EIGHT_BIT): (
        "#000000 #0000af #444444 #5f005f",
        "#ffffff #afafd7 #ffffff #ff5f5f #5fafff #ffaf00 #8787ff #8a8a8a #5fffd7 #afff5f #ff87d7 #ffff5f",
    ),
    ("high-contrast", Depth.STANDARD): (
        "#000000 #0000aa #0000aa #000000",
        "#ffffff #aaaaaa #aaaaaa #ff55ff #55ffff #ffff55 #5555ff #00aa00 #00aaaa #55ff55 #ff55ff #ffffff",
    ),
}
"""The grounds (common, held, cursor, hint) and the inks (text dim - spades hearts clubs diamonds - back frame
key - accent warning banner) of a palette at one depth.

In 16 colors the other red suit is magenta or yellow: brown is too close to red (Delta E 11, deutan).
"""


ON_DARK: Final = "#7cc1ff #ff9d83 #6be0ad #c8b2ff #ffa3cf #63dde2 #c8e36a #dbd5c8"
ON_LIGHT: Final = "#0b5aa6 #a5330f #0a6340 #5a38bd #9c1a63 #075e66 #4c6007 #554f44"
SEATS: Final[Mapping[tuple[bool, Depth], str]] = {
    (True, Depth.TRUE): ON_DARK,
    (True, Depth.EIGHT_BIT): "#87d7ff #ffaf87 #5fd7af #d7afff #ffafd7 #5fd7d7 #d7d75f #d7d7af",
    (False, Depth.TRUE): ON_LIGHT,
    (False, Depth.EIGHT_BIT): "#005faf #af0000 #005f00 #5f00af #870087 #005f5f #5f5f00 #444444",
}
"""The colors of players, as on the page, by whether the ground is dark; 16 colors are too few for them."""


def palette(name: str, depth: Depth = Depth.TRUE, *, mark_red: bool = False) -> Palette:
    """Return a palette; the same arguments return the same object, so its styles are computed once.

    Args:
        name: one of :data:`NAMES`.
        depth: the terminal's color depth. At :attr:`Depth.NONE` every palette is without colors.
        mark_red: whether red suits are reversed; without colors they always are.

    Raises:
        KeyError: there is no such palette.

    """
    return _made(name, depth, mark_red)


@cache
def _made(name: str, depth: Depth, mark_red: bool) -> Palette:
    title = TITLES[name]
    if name == "mono" or depth is Depth.NONE:
        inks = dict.fromkeys(Role, OWN)
        return Palette(name, title, OWN, MappingProxyType(inks), OWN, OWN, OWN, True, True, colorless=True)
    grounds, colors = SHEETS[name, depth]
    ground, held, cursor, fits = grounds.split()
    is_dark = name != "light"
    inked = colors.split()
    seats = SEATS.get((is_dark, depth), " ".join(MAX_SEATS * [inked[Role.TEXT]])).split()
    inks = dict(zip(Role, inked + seats, strict=True))
    return Palette(name, title, ground, MappingProxyType(inks), held, cursor, fits, is_dark, mark_red)


def depth_of(color_system: str | None) -> Depth:
    """Return the depth for one of Rich's color system names."""
    return DEPTHS.get(color_system, Depth.NONE)


DEPTHS: Final[Mapping[str | None, Depth]] = {
    "truecolor": Depth.TRUE,
    "256": Depth.EIGHT_BIT,
    "standard": Depth.STANDARD,
    "windows": Depth.STANDARD,
}


def theme(palette: Palette) -> Theme:
    """Return a Textual theme with these colors, for everything but the table.

    With ``NO_COLOR`` set, the ``App`` must be created with ``ansi_color=True``: Textual chooses its filter
    before any theme, and the filter would turn the terminal's own colors into black on black.
    """
    inks = palette.inks
    return Theme(
        name=f"racing-demon-{palette.name}",
        primary=inks[Role.KEY],
        secondary=inks[Role.BACK],
        warning=inks[Role.BANNER],
        error=inks[Role.WARNING],
        success=inks[Role.ACCENT],
        accent=inks[Role.ACCENT],
        foreground=inks[Role.TEXT],
        background=palette.ground,
        surface=palette.ground,
        dark=palette.is_dark,
        ansi=palette.colorless,
        variables=COLORLESS if palette.colorless else {},
    )


OWN_COLORED: Final = (
    *("ansi-background", "ansi-foreground", "block-cursor-background", "border", "border-blurred"),
    *("footer-key-foreground", "input-selection-background"),
    *("link-color", "link-color-hover", "link-background-hover"),
    *("scrollbar", "scrollbar-active", "scrollbar-hover"),
    *("scrollbar-background", "scrollbar-background-active", "scrollbar-background-hover"),
)
COLORLESS: Final = {"block-cursor-text-style": "bold underline"} | dict.fromkeys(OWN_COLORED, OWN)
"""Overrides for the colors that Textual uses even then. Its lists cannot reverse the selected row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Appearance:
    """How the table looks.

    Attributes:
        palette_name: the chosen palette; ``auto`` for the dark one.
        depth: the terminal's color depth.
        density: the chosen density, or ``auto``.
        glyphs: the glyphs.
        mark_red: whether red cards have a second cue beside their color.
        motion: whether changes flash and banners are shown.

    """

    palette_name: str = "auto"
    depth: Depth = Depth.TRUE
    density: str = "auto"
    glyphs: Glyphs = UNICODE
    mark_red: bool = False
    motion: bool = True

    @property
    def palette(self) -> Palette:
        """The palette in use."""
        name = "dark" if self.palette_name == "auto" else self.palette_name
        return palette(name, self.depth, mark_red=self.mark_red)

    def next_palette(self) -> "Appearance":
        """Return this look with the next palette."""
        name = self.palette.name
        return replace(self, palette_name=NAMES[(NAMES.index(name) + 1) % len(NAMES)])

    def next_density(self, width: int, height: int) -> "Appearance":
        """Return this look with the next density that fits the terminal and changes the picture.

        Return it unchanged if there is none: a choice without effect must not be saved.
        """
        fitting = ["auto", *(density.name for density in fitting_in(width, height))]
        if len(fitting) <= len(("auto", "small")):
            return self
        place = fitting.index(self.density) if self.density in fitting else 0
        return replace(self, density=fitting[(place + 1) % len(fitting)])

    def other_motion(self) -> "Appearance":
        """Return this look with motion toggled."""
        return replace(self, motion=not self.motion)


def glyphs_for(wanted: str, encoding: str) -> Glyphs:
    """Return the glyphs for a terminal.

    Args:
        wanted: ``unicode``, ``ascii`` or ``auto``.
        encoding: the encoding of the terminal's output.

    """
    return ASCII if wanted == "ascii" or (wanted == "auto" and is_ascii_encoding(encoding)) else UNICODE


ACROSS: Final = "─━┄┅┈┉╌╍═╴╶╸╺╼╾"
DOWN: Final = "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"
PARTIAL_BLOCKS: Final = {chr(number): " " for number in range(0x2580, 0x25A0)}
"""Frames and partial blocks; their colors remain visible."""
ASCII_SIGNS: Final = str.maketrans(
    {chr(number): "+" for number in range(0x2500, 0x2580)}
    | dict.fromkeys(ACROSS, "-")
    | dict.fromkeys(DOWN, "|")
    | PARTIAL_BLOCKS
    | {"▲": "^", "▼": "v", "▶": ">", "◀": "<", "•": "*", "●": "*", "○": "o", "…": "~"}
    | {"▸": ">", "▾": "v", "←": "<", "→": ">", "≠": "!", "·": "-", "’": "'", "“": '"', "”": '"'}
)


class AsciiFilter(LineFilter):
    """Writes frames, arrows, bars and bullets in ASCII. Names and chat stay as written."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return a line's segments with replaced characters and unchanged widths."""
        return [
            segment if segment.text.isascii() else segment._replace(text=segment.text.translate(ASCII_SIGNS))
            for segment in segments
        ]
