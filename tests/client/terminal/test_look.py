"""How everything looks: palette, glyphs, density."""

from enum import Enum
from itertools import combinations, product

import pytest
from rich._palettes import EIGHT_BIT_PALETTE, STANDARD_PALETTE
from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.style import Style
from textual.app import App, ComposeResult
from textual.widgets import OptionList

from racing_demon_client.settings import PlayerSettings
from racing_demon_client.terminal import appearance as palettes
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import (
    ASCII_SIGNS,
    NAMES,
    Appearance,
    Depth,
    Palette,
    depth_of,
    glyphs_for,
    palette,
    theme,
)
from racing_demon_client.terminal.screens.dialogs import QuestionScreen
from racing_demon_client.terminal.screens.options import OptionsScreen
from racing_demon_client.terminal.style import ASCII, UNICODE, Highlight, Role, suit_role
from racing_demon_protocol.engine.cards import CLUBS, DIAMONDS, HEARTS, SPADES
from racing_demon_protocol.wire.options import Options
from tests.support.app_harness import painted
from tests.support.cases import for_each
from tests.support.screens import field

Light = tuple[float, float, float]
"""Red, green and blue, linear, 0 to 1."""

D65: Light = (0.95047, 1.0, 1.08883)

XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
"""From linear sRGB (IEC 61966-2-1)."""


class Sight(Enum):
    """A kind of sight, with its matrix from Machado's table for severity 1."""

    FULL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    PROTAN = (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    )
    DEUTAN = (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    )
    TRITAN = (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    )


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast of two colors: 1 (none) to 21 (black on white)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def difference(one: str, other: str, sight: Sight = Sight.FULL) -> float:
    """Return Delta E (CIE 1976) of two colors as that sight has them."""
    pairs = zip(_lab(_seen(one, sight)), _lab(_seen(other, sight)), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def families(red: tuple[str, str], black: tuple[str, str]) -> float:
    """Return the least Delta E of any red and any black suit, over all kinds of sight."""
    return min(difference(*pair, sight) for sight in Sight for pair in product(red, black))


def apart(*colors: str) -> float:
    """Return the least Delta E of any two of these colors, over all kinds of sight."""
    return min(difference(*pair, sight) for sight in Sight for pair in combinations(colors, 2))


def _linear(color: str) -> Light:
    red, green, blue = (_unbend(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return red, green, blue


def _unbend(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _luminance(color: str) -> float:
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _seen(color: str, sight: Sight) -> Light:
    red, green, blue = (min(max(value, 0.0), 1.0) for value in _times(sight.value, _linear(color)))
    return red, green, blue


def _lab(light: Light) -> Light:
    x, y, z = (_root(value / white) for value, white in zip(_times(XYZ, light), D65, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(value: float) -> float:
    return float(value ** (1 / 3)) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def _times(matrix: tuple[Light, Light, Light], light: Light) -> Light:
    red, green, blue = (sum(a * b for a, b in zip(row, light, strict=True)) for row in matrix)
    return red, green, blue


@pytest.fixture
def utf8(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Pretend a locale that is not poor."""
    for name in ("LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    return monkeypatch


def test_the_dark_palette_is_the_first() -> None:
    """Nothing asked for is the dark palette in all colors."""
    assert palette("dark", Depth.TRUE) is Appearance().palette


def test_palettes_go_round() -> None:
    """Asking for the next palette as often as there are some comes back, and shows each once."""
    appearance, seen = Appearance(), []
    for _ in NAMES:
        seen.append(appearance.palette.name)
        appearance = appearance.next_palette()
    assert sorted(NAMES) == sorted(seen)
    assert appearance.palette.name == "dark"


def test_the_next_palette_keeps_everything_else() -> None:
    """Depth, second cue for red, density, glyphs and motion stay."""
    appearance = Appearance(depth=Depth.STANDARD, mark_red=True, density="large", glyphs=ASCII, motion=False)
    other = appearance.next_palette()
    assert (
        other.depth,
        other.mark_red,
        other.density,
        other.glyphs,
        other.motion,
    ) == (Depth.STANDARD, True, "large", ASCII, False)
    assert other.palette.red_reversed


def test_densities_go_round() -> None:
    """Automatic, and all that there is room for, and automatic again."""
    for size, expected in (((200, 60), ["small", "medium", "large"]), ((120, 40), ["small", "medium"])):
        appearance, seen = Appearance(), []
        for _ in range(len(expected) + 2):
            seen.append(appearance.density)
            appearance = appearance.next_density(*size)
        assert ["auto", *expected, "auto"] == seen


def test_a_density_without_effect_is_not_taken() -> None:
    """Where there is room for but one, what was chosen stays, for terminals where it can be seen."""
    assert [Appearance()] * 2 == [Appearance().next_density(*size) for size in ((80, 24), (119, 60))]
    assert Appearance(density="large").next_density(80, 24).density == "large"
    assert Appearance(density="large").next_density(120, 40).density == "small"


def test_motion_is_off_and_on_again() -> None:
    """Twice is as before."""
    assert not Appearance().other_motion().motion
    assert Appearance() == Appearance().other_motion().other_motion()


def test_glyphs_that_were_asked_for(utf8: pytest.MonkeyPatch) -> None:
    """What the player wants is given, whatever the terminal says."""
    assert UNICODE is glyphs_for("unicode", "ascii")
    assert ASCII is glyphs_for("ascii", "utf-8")


@for_each(("encoding", "poor"), [("utf-8", False), ("UTF8", False), ("cp437", True), ("", True)])
def test_glyphs_of_an_encoding(utf8: pytest.MonkeyPatch, encoding: str, poor: bool) -> None:
    """Left open, signs are for terminals with UTF-8."""
    assert (ASCII if poor else UNICODE) is glyphs_for("auto", encoding)


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_glyphs_of_a_poor_locale(utf8: pytest.MonkeyPatch, locale: str) -> None:
    """Where the locale knows no signs, letters are used; the first variable that is set decides."""
    utf8.setenv("LC_CTYPE", locale)
    assert ASCII is glyphs_for("auto", "utf-8")
    utf8.setenv("LC_ALL", "C.UTF-8")
    assert UNICODE is glyphs_for("auto", "utf-8")


SUITS = tuple(suit_role(suit) for suit in (SPADES, HEARTS, CLUBS, DIAMONDS))
REDS, BLACKS = (Role.HEARTS, Role.DIAMONDS), (Role.SPADES, Role.CLUBS)
QUIET = (Role.DIM, Role.BACK, Role.FRAME)
MARKS = (
    Highlight.NONE,
    Highlight.FRESH,
    Highlight.UNCONFIRMED,
    Highlight.HELD,
    Highlight.CURSOR,
    Highlight.FITS,
)
COLORED = (Depth.TRUE, Depth.EIGHT_BIT, Depth.STANDARD)
SAFE = ("dark", "light", "high-contrast")
"""The palettes that keep red and black apart by color."""

of_every_sheet = for_each(
    "shown", [palette(name, depth) for name in NAMES[:4] for depth in COLORED], ids=lambda p: p.name
)
of_every_safe_sheet = for_each(("name", "depth"), [(n, d) for n in SAFE for d in COLORED])
PALETTES = {
    f"{shown.name}-{'reversed' if shown.red_reversed else 'plain'}": shown
    for shown in (
        palette(name, depth, mark_red=red) for name in NAMES for depth in Depth for red in (False, True)
    )
}


def grounds(shown: Palette) -> tuple[str, ...]:
    """Return the grounds of the marks."""
    return shown.held_ground, shown.cursor_ground, shown.fits_ground


def figures(shown: Palette) -> tuple[float, float, float]:
    """Return what the table in the palette's docstring tells."""
    spades, hearts, clubs, diamonds = (shown.inks[role] for role in SUITS)
    return (
        min(contrast(shown.inks[role], shown.ground) for role in SUITS),
        families((hearts, diamonds), (spades, clubs)),
        min(apart(hearts, diamonds), apart(spades, clubs)),
    )


def said(style: Style) -> str:
    """Return what a terminal of millions of colors is told."""
    return style.render("x", color_system=ColorSystem.TRUECOLOR)


# Colors.


@of_every_sheet
def test_everything_is_readable(shown: Palette) -> None:
    """Contrast is 4.5 or more, and 3 or more for what need not be read."""
    for role in Role:
        assert contrast(shown.inks[role], shown.ground) >= (3 if role in QUIET else 4.5), role


@for_each("depth", COLORED)
def test_high_contrast_is_high(depth: Depth) -> None:
    """Whatever must be read has a contrast of 7 or more."""
    shown = palette("high-contrast", depth)
    for role in set(Role) - set(QUIET):
        assert contrast(shown.inks[role], shown.ground) >= 7, role


@of_every_sheet
def test_marked_cards_are_readable(shown: Palette) -> None:
    """On the ground of every mark each suit has a contrast of 3 or more."""
    for ground in grounds(shown):
        assert min(contrast(shown.inks[role], ground) for role in SUITS) >= 3, ground


@of_every_safe_sheet
def test_red_is_apart_from_black(name: str, depth: Depth) -> None:
    """For every kind of sight, 25 or more are between red and black, and 20 or more within a family."""
    _, between, within = figures(palette(name, depth))
    assert between >= 25
    assert within >= 20


@for_each("depth", [Depth.TRUE, Depth.EIGHT_BIT])
def test_four_colors_mislead_some(depth: Depth) -> None:
    """Poker's hearts and clubs are within 10 of each other in deutan sight: why it is not the default."""
    inks = palette("four-color", depth).inks
    assert difference(inks[Role.HEARTS], inks[Role.CLUBS], Sight.DEUTAN) < 10


@of_every_sheet
def test_grounds_are_apart(shown: Palette) -> None:
    """Grounds that differ do so for every kind of sight: by 10 or more, and by 7 in the light 16 colors."""
    different = {shown.ground, *grounds(shown)}
    assert apart(*different) >= (7 if shown is palette("light", Depth.STANDARD) else 10)


@of_every_sheet
def test_blocks_are_apart(shown: Palette) -> None:
    """Reversed red cards in any two marks or suits differ by 20 or more."""
    blocks = [shown.inks[role] for role in (*palettes.BLOCKS.values(), *REDS)]
    assert min(difference(one, other) for one, other in combinations(blocks, 2)) >= 20


def test_docstring_tells_what_is_measured() -> None:
    """The figures in the palette's docstring are those of its colors."""
    rows = [line.split() for line in str(palettes.__doc__).splitlines()]
    told = {(row[0], row[1]): row[2:] for row in rows if row and row[0] in NAMES}
    measured = {
        (name, depth.name): [f"{figure:.1f}" for figure in figures(palette(name, depth))]
        for name in NAMES[:4]
        for depth in COLORED
    }
    assert told == measured


# What terminals make of them.


@for_each("name", NAMES[:4])
def test_256_colors_are_exact(name: str) -> None:
    """What Rich sends to a terminal of 256 colors is the color meant."""
    shown = palette(name, Depth.EIGHT_BIT)
    for color in (shown.ground, *grounds(shown), *shown.inks.values()):
        number = Color.parse(color).downgrade(ColorSystem.EIGHT_BIT).number
        assert number is not None
        assert EIGHT_BIT_PALETTE[number].hex == color


@for_each("name", NAMES[:4])
def test_16_colors_are_exact(name: str) -> None:
    """What Rich sends to a terminal of 16 colors is the color meant."""
    shown = palette(name, Depth.STANDARD)
    for color in (shown.ground, *grounds(shown), *shown.inks.values()):
        number = Color.parse(color).downgrade(ColorSystem.STANDARD).number
        assert number is not None
        assert STANDARD_PALETTE[number].hex == color


@for_each(
    ("system", "depth"),
    [
        ("truecolor", Depth.TRUE),
        ("256", Depth.EIGHT_BIT),
        ("standard", Depth.STANDARD),
        ("windows", Depth.STANDARD),
        (None, Depth.NONE),
        ("unheard-of", Depth.NONE),
    ],
)
def test_depth_follows_rich(system: str | None, depth: Depth) -> None:
    """Each of Rich's color systems means a depth; none, or one yet unknown, means no colors."""
    assert depth_of(system) is depth


# Marks.


def test_marks_differ() -> None:
    """Any two marks of a card look different; without colors the table's signs tell held from the cursor."""
    for (name, shown), role, (one, other) in product(PALETTES.items(), SUITS, combinations(MARKS, 2)):
        if shown.colorless and {one, other} == {Highlight.HELD, Highlight.CURSOR}:
            continue
        assert said(shown.style(role | one)) != said(shown.style(role | other)), (name, role, one, other)


def test_marks_of_piles_differ() -> None:
    """An empty pile, the label of a pile and a card's back show the cursor and a hint, and which it is."""
    for (name, shown), role in product(PALETTES.items(), (Role.DIM, Role.KEY, Role.BACK)):
        looks = {
            said(shown.style(role | mark)) for mark in (Highlight.NONE, Highlight.CURSOR, Highlight.FITS)
        }
        assert len(looks) == 3, (name, role)


def test_marks_keep_red_and_black() -> None:
    """No marked red card looks like any black card, whatever their marks."""
    for name, shown in PALETTES.items():
        reds, blacks = (
            {said(shown.style(role | mark)) for role in roles for mark in MARKS} for roles in (REDS, BLACKS)
        )
        assert not reds & blacks, name


def test_reversed_is_red() -> None:
    """Where red is reversed, every red card is, marked or not, and no black one; elsewhere nothing is."""
    for (name, shown), role, mark in product(PALETTES.items(), SUITS, MARKS):
        reverse = shown.red_reversed and role in REDS
        assert bool(shown.style(role | mark).reverse) == reverse, (name, role, mark)


def test_held_hides_the_cursor_and_the_cursor_a_hint() -> None:
    """Of two marks that need the ground, the one nearer to the hand gets it."""
    for (name, shown), role in product(PALETTES.items(), SUITS):
        assert shown.style(role | Highlight.HELD | Highlight.CURSOR) == shown.style(role | Highlight.HELD), (
            name,
            role,
        )
        assert shown.style(role | Highlight.CURSOR | Highlight.FITS) == shown.style(
            role | Highlight.CURSOR
        ), (name, role)


def test_flight_shows_under_the_cursor() -> None:
    """A card that is in the air is underlined on every ground."""
    shown = palette("dark")
    assert shown.style(Role.CLUBS | Highlight.UNCONFIRMED | Highlight.CURSOR) == shown.style(
        Role.CLUBS | Highlight.CURSOR
    ) + Style(underline=True)


@for_each("shown", [palette("mono"), *(palette(name, Depth.NONE) for name in NAMES)])
def test_mono_has_no_colors(shown: Palette) -> None:
    """Without colors, no ink has any, whatever its marks; and red cards are reversed."""
    marks = sum(MARKS) | Highlight.STRONG
    styles = [
        shown.style(ink) for ink in range(marks | palettes.ROLE_BITS) if ink & palettes.ROLE_BITS < len(Role)
    ]
    assert {(style.color, style.bgcolor) for style in styles} == {(None, None)}
    assert shown.red_reversed


@for_each("role", [Role.KEY, Role.DIM])
def test_a_hint_stands_out_without_colors(role: Role) -> None:
    """The key of a hinted pile, and its place when it is empty, are bold and reversed."""
    assert Style(bold=True, reverse=True) == palette("mono").style(role | Highlight.FITS)


def test_mono_needs_no_rare_attributes() -> None:
    """Nothing but bold, underline, reverse and dim is used, and bold and dim never together."""
    for ink in (role | mark for role in Role for mark in range(0, 2048, 32)):
        style = palette("mono").style(ink)
        common = Style(bold=style.bold, underline=style.underline, reverse=style.reverse, dim=style.dim)
        assert style == common
        assert not (style.bold and style.dim)


# The rest.


def test_a_style_is_made_once() -> None:
    """Asking again gives the same palette, and the same style."""
    ink = Role.HEARTS | Highlight.HELD
    assert palette("light").style(ink) is palette("light", Depth.TRUE, mark_red=False).style(ink)


def test_every_palette_has_a_title() -> None:
    """Titles differ, and that of the four colors warns."""
    assert len({palette(name).title for name in NAMES}) == len(NAMES)
    assert "not keep red and black apart" in palette("four-color").title


def test_unknown_palettes_are_refused() -> None:
    """A name that is none raises KeyError."""
    with pytest.raises(KeyError):
        palette("pink")


@pytest.mark.long
@for_each("depth", Depth)
async def test_themes_are_textuals(depth: Depth) -> None:
    """Textual draws with the theme of every palette, on its ground."""
    app: App[None] = App()
    async with app.run_test() as pilot:
        for name in NAMES:
            shown = palette(name, depth)
            app.register_theme(theme(shown))
            app.theme = f"racing-demon-{name}"
            await pilot.pause()
            assert app.current_theme.background == shown.ground
            assert app.native_ansi_color == shown.colorless
            assert app.current_theme.dark == shown.is_dark


class Choosing(App[None]):
    """A list in the theme without colors."""

    def compose(self) -> ComposeResult:
        """Offer two things."""
        yield OptionList("one", "two")

    def on_mount(self) -> None:
        """Take the theme."""
        self.register_theme(theme(palette("mono")))
        self.theme = "racing-demon-mono"


async def test_choices_show_without_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR, the line of a list that is chosen is underlined, and nothing has a color."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = Choosing(ansi_color=True)
    async with app.run_test() as pilot:
        await pilot.press("down")
        await pilot.pause()
        styled = [
            (cell.text.strip(), cell.style)
            for strip in app.screen._compositor.render_strips()
            for cell in strip
            if cell.style is not None
        ]
    assert {text for text, style in styled if style.underline} == {"two", ""}
    for _, style in styled:
        assert {style.color, style.bgcolor} <= {None, Color.default()}


def foreign(app: App[None]) -> set[str]:
    """Return the signs on the screen that are none of ASCII."""
    return {sign for row in painted(app).rows for sign in row if not sign.isascii()}


@pytest.mark.long
async def test_no_widget_draws_more_than_ascii() -> None:
    """Arrows, bullets, a list with its bar, a question's frame, and a form's groups and marks are ASCII."""
    app = TerminalApp(None, PlayerSettings(name="Ann", sound=False), Appearance(glyphs=ASCII))
    async with app.run_test(size=(80, 24)) as pilot:
        field(app, "passphrase").value = "secret"
        await pilot.pause()
        assert "******" in painted(app).text()
        app.screen.query_one("#game").focus()
        await pilot.press("enter")
        await pilot.pause()
        assert set() == foreign(app)
        await pilot.press("escape")
        app.push_screen(QuestionScreen("Leave?", "Leave", "Stay"))
        await pilot.pause()
        assert set() == foreign(app)
        app.push_screen(OptionsScreen(Options(hints=True)))
        await pilot.press("end", "enter")
        await pilot.pause()
        assert "! hints" in painted(app).text()
        assert set() == foreign(app)


@pytest.mark.long
async def test_names_stay_as_they_are_written() -> None:
    """Letters beyond ASCII are no signs of ours; and where UTF-8 is shown nothing is replaced."""
    for appearance, arrow in ((Appearance(glyphs=ASCII), "v"), (Appearance(), "▼")):
        app = TerminalApp(None, PlayerSettings(name="Zoë", sound=False), appearance)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert "Zoë" in painted(app).text()
            assert any(row.rstrip().endswith(arrow) for row in painted(app).rows)


def test_every_sign_is_as_wide_as_before() -> None:
    """No line grows or shrinks by it."""
    for sign, other in ASCII_SIGNS.items():
        assert (cell_len(chr(sign)), True) == (cell_len(other), other.isascii())
