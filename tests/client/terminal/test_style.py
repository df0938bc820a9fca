"""Signs, and texts from elsewhere."""

import re
import unicodedata
from dataclasses import asdict

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from racing_demon_client.terminal.style import (
    ASCII,
    DENSITIES,
    SMALLEST,
    UNICODE,
    Glyphs,
    choose,
    cut,
    fit,
    screen_text,
    wrapped,
)
from racing_demon_protocol.engine.cards import UNKNOWN, parse
from racing_demon_protocol.formatting import is_printable
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.view_models import HOSTILE

of_both = for_each("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
foreign = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=64))


@of_both
def test_every_sign_is_one_cell_wide(glyphs: Glyphs) -> None:
    """No sign of a set needs more than its cell, and none is invisible."""
    signs = "".join(value for value in asdict(glyphs).values() if isinstance(value, str))
    assert {1} == {cell_len(sign) for sign in signs}
    assert signs.isprintable()


def test_the_letters_are_ascii() -> None:
    """The replacement signs are there on every terminal."""
    assert "".join(value for value in asdict(ASCII).values() if isinstance(value, str)).isascii()


@of_both
def test_both_sets_are_complete(glyphs: Glyphs) -> None:
    """Four suits, four corners, two sides of a small frame, and eight heights of bars."""
    sizes = len(glyphs.suits), len(glyphs.corners), len(glyphs.slot), len(glyphs.bars)
    assert sizes == (4, 4, 2, 8)
    assert len(set(glyphs.suits)) == 4


@of_both
def test_names_of_cards_are_two_cells_wide_and_differ(glyphs: Glyphs) -> None:
    """All 52 names and that of a back are different, and fill two cells."""
    names = {glyphs.card(card) for card in range(UNKNOWN, 52)}
    assert len(names) == 53
    assert {2} == {cell_len(name) for name in names}


def test_how_cards_are_called() -> None:
    """Rank and suit; red suits in small letters where signs are missing; a ten in two digits on demand."""
    cards = [parse(text) for text in ("AS", "TH", "QC", "KD")]
    assert [UNICODE.card(card) for card in cards] == ["A♠", "T♥", "Q♣", "K♦"]
    assert [ASCII.card(card) for card in cards] == ["AS", "th", "QC", "kd"]
    assert [glyphs.card(parse("TH"), ten=True) for glyphs in (UNICODE, ASCII)] == ["10♥", "10h"]
    assert [glyphs.card(UNKNOWN, ten=True) for glyphs in (UNICODE, ASCII)] == ["▒▒", "##"]


def test_the_back_design_is_not_told() -> None:
    """The same card of another pack has the same name."""
    assert UNICODE.card(parse("7D", 3)) == UNICODE.card(parse("7D"))


@examples(300)
@given(foreign)
def test_foreign_texts_cannot_steer_a_terminal(text: str) -> None:
    """What is left is printable, has few marks in a row, and is as wide as its signs together."""
    shown = screen_text(text)
    assert all(map(is_printable, shown))
    assert sum(cell_len(char) for char in shown) == cell_len(shown)
    marks = "".join("m" if unicodedata.category(char).startswith("M") else " " for char in shown)
    assert "mmmmm" not in marks
    assert not re.search("[\u0300-\u036f]{3}", shown)


@for_each(
    ("text", "shown"),
    [
        ("\U0001f469\u200d\U0001f469\u200d\U0001f467 Cy", "\U0001f469 Cy"),
        ("\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3"),
        ("\U0001f44b\U0001f3fd Cy", "\U0001f44b Cy"),
        ("\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\u0dc1\u0dca\u0dbb\u0dd3"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("\u05e9\u05bc\u05c1\u05b8", "\u05e9\u05bc\u05c1\u05b8"),
        ("\U0001f1eb\U0001f1f7", "\U0001f1eb\U0001f1f7"),
        ("\U0001fae8", "\U0001fae8"),
    ],
    ids=["family", "rainbow", "skin", "Sinhala", "Persian", "pointed", "flag", "new emoji"],
)
def test_names_are_as_wide_as_every_terminal_draws_them(text: str, shown: str) -> None:
    """What terminals measure in different ways is left out, and the sign that it belongs to stays."""
    assert shown == screen_text(text)


def test_a_flag_is_not_cut_in_two() -> None:
    """Half a flag would be a letter in a frame."""
    assert cut("Ann\U0001f1eb\U0001f1f7", 4, UNICODE).strip() == "Ann…"
    assert cut("Ann\U0001f1eb\U0001f1f7 Bo", 5, UNICODE) == "Ann…"


@for_each("text", ["Ann", "Renée", "Zoe\u0308", "漢字", "[/]", "[@click=app.bell]x[/]"])
def test_honest_texts_stay(text: str) -> None:
    """Names of real languages, and markup that nobody reads as such, are shown as they are."""
    assert text == screen_text(text)


@examples(300)
@given(foreign, st.integers(1, 70), st.sampled_from([UNICODE, ASCII]))
def test_fit_is_exact(text: str, width: int, glyphs: Glyphs) -> None:
    """A fitted text fills just so many cells; one that is narrow enough is kept, others are marked."""
    shown = screen_text(text)
    fitted = fit(shown, width, glyphs)
    assert width == cell_len(fitted)
    if cell_len(shown) <= width:
        assert shown == fitted[: len(shown)]
    else:
        assert fitted.rstrip(" ").endswith(glyphs.more)


def test_a_wide_sign_is_not_halved() -> None:
    """Where only half of a sign would find room, there is a blank."""
    assert [fit(text, n, UNICODE) for text, n in [("漢字", 3), ("漢字x", 4), ("漢字", 4)]] == [
        "漢…",
        "漢… ",
        "漢字",
    ]


@given(foreign, st.integers(2, 90))
@settings(max_examples=200, deadline=None)
def test_wrapped_lines_hold_everything(text: str, width: int) -> None:
    """Whatever comes is told to its end, in lines that fit, however wide its characters are."""
    text = screen_text(text)
    lines = wrapped(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(text.split()) == "".join("".join(lines).split())


def test_wide_characters_are_two_cells() -> None:
    """Lines of them have half as many; words that fit stay whole."""
    assert wrapped("\u6f22\u5b57" * 2 + "\u6f22", 5) == ["\u6f22\u5b57", "\u6f22\u5b57", "\u6f22"]
    assert wrapped("Ben says: one two", 10) == ["Ben says:", "one two"]


sides = st.integers(1, 300)


def test_the_three_sizes() -> None:
    """Every density is what the smallest terminal that it is made for gets."""
    names = [choose("auto", *size).name for size in [(80, 24), (120, 40), (190, 58), (200, 60)]]
    assert names == ["small", "medium", "large", "large"]


def test_one_cell_less_is_the_next_density() -> None:
    """Width and height must both suffice."""
    sizes = [(119, 40), (120, 39), (189, 58), (190, 57), (79, 99)]
    assert [choose("auto", *size).name for size in sizes] == ["small", "small", "medium", "medium", "small"]


@examples(100)
@given(st.sampled_from(["auto", "small", "medium", "large", "no such"]), sides, sides)
def test_what_is_asked_for_is_given_where_it_fits(wanted: str, width: int, height: int) -> None:
    """A density that fits is taken when it is wanted; else it is the roomiest that does."""
    chosen, auto = choose(wanted, width, height), choose("auto", width, height)
    asked = DENSITIES.get(wanted)
    fits = asked is not None and asked.size[0] <= width and asked.size[1] <= height
    assert chosen is (asked if fits else auto)
    if width >= SMALLEST[0] and height >= SMALLEST[1]:
        assert chosen.size[0] <= width
        assert chosen.size[1] <= height


def test_more_room_is_used() -> None:
    """From one density to the next nothing shrinks but the footer."""
    for smaller, larger in [("small", "medium"), ("medium", "large")]:
        one, other = DENSITIES[smaller], DENSITIES[larger]
        for name in ("size", "side", "pitch", "card", "fan", "slot", "backs", "player"):
            assert getattr(one, name) <= getattr(other, name), name
