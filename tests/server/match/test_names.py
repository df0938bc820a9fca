"""Names, cleaned once on arrival; and those that the operator forbids, however they are written."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import CaughtUp, Identified
from racing_demon_server.match.names import (
    BOT_NAMES,
    INSTEAD,
    ForbiddenNames,
    clean,
    clean_words,
    folded,
    unique,
)
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.people import SECRETS, enrolled
from tests.support.servers import Peer
from tests.support.whole_servers import whole_server

JOINERS = "\u200c\u200d"
TAGS = "".join(map(chr, (*range(0xE0030, 0xE003A), *range(0xE0061, 0xE007B), 0xE007F)))
"""What regions' flags are written with."""
ZALGO = "\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307"
"""Signs that stack on the letter before them."""
FORBIDDEN = ("\ufeffNasty # as an example", "", "# nothing", "  *grim  ")
"""The lines of an operator's list."""


@for_each(
    "name",
    ["Ann", "Zoë", "Иван", "李小龍", "אבי", "नीलम", "Nguyễn", "O'Neill", "J.-P.", "r2d2", "♠♥", "🦊", "x_X"],
)
def test_a_proper_name_stays_as_it_is(name: str) -> None:
    """Names of all languages pass unchanged."""
    assert name == clean(name)


@for_each(
    "name",
    [
        "می\u200cخواهم",
        "ශ්\u200dරී",
        "क्\u200dष",
        "שָׁלוֹם",
        "שָּׁ֑",
        "مُحَمَّد",
        "น้ำ",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\u2764\ufe0f",
        "\U0001f44b\U0001f3fd",
        "\U0001f1eb\U0001f1f7",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "1\ufe0f\u20e3",
        "\U0001fae8",
        "\U0001fac6",
    ],
    ids=[
        *("Persian", "Sinhala", "Hindi", "pointed", "with an accent", "Arabic", "Thai", "family", "rainbow"),
        *("heart", "skin", "France", "England", "keycap", "Unicode 15", "Unicode 16"),
    ],
)
def test_what_a_living_script_is_written_with_stays(name: str) -> None:
    """Joiners and marks that change how a name looks, and emoji that are newer than this Python."""
    assert unicodedata.normalize("NFC", name) == clean(name)


@for_each(
    ("name", "cleaned"),
    [
        ("An\u200dn", "Ann"),
        ("\u200dAnn\u200c", "Ann"),
        ("\U0001f98a\u200dAnn", "\U0001f98aAnn"),
        ("Ann\u200d\U0001f98a", "Ann\U0001f98a"),
        ("Ann\ufe0f", "Ann"),
        ("א\u200cב", "אב"),
        ("Ann\U000e0067\U000e007f", "Ann"),
        ("\U0001f3f4\U000e0067\U000e0041\U000e007f", "\U0001f3f4"),
    ],
)
def test_a_joiner_that_joins_nothing_is_dropped(name: str, cleaned: str) -> None:
    """What changes nothing where it stands would only make another name of the same."""
    assert cleaned == clean(name)


@for_each(
    "name",
    ["x" * 23 + "\U0001f1eb\U0001f1f7", "x" * 22 + "\U0001f469\u200d\U0001f467", "x" * 22 + "ශ්\u200dරී"],
)
def test_a_name_is_not_cut_within_a_sign(name: str) -> None:
    """No half flag and no joiner is left at the end."""
    assert clean(name)[-1] in "x\U0001f469\u0dca"


@for_each("name", ["[red]Ann[/red]", "<b>Ann</b>", "**Ann**", "`Ann`", "$(reboot)", "%s {0}", "A&B"])
def test_markup_is_only_text(name: str) -> None:
    """Characters that mean something elsewhere stay: whoever shows a name has to quote it."""
    assert name == clean(name)


@for_each(
    ("name", "cleaned"),
    [
        ("A\x00n\x07n\x1b[31m", "Ann[31m"),
        ("A\x7fn\x9bn", "Ann"),
        ("An\u202en\u2066", "Ann"),
        ("\u200fAnn\u061c", "Ann"),
        ("A\u200bn\u200dn\ufeff", "Ann"),
        ("A\u00adnn", "Ann"),
        ("A\ud800nn", "Ann"),
        ("A\ue000nn", "Ann"),
        ("\U000e0041nn", "nn"),
    ],
    ids=[
        "controls",
        "C1",
        "bidi",
        "marks of direction",
        "zero-width",
        "soft hyphen",
        "half",
        "private",
        "tags",
    ],
)
def test_what_cannot_be_seen_is_dropped(name: str, cleaned: str) -> None:
    """Control, bidirectional, zero-width and private characters are taken out."""
    assert cleaned == clean(name)


@for_each("space", [" ", "  ", "\t", "\u00a0", "\u2003", "\u3000", "\u2028"])
def test_spaces_become_one_space(space: str) -> None:
    """Whatever separates two words is one plain space afterwards, and none at the ends."""
    assert clean(f"{space}Ann{space}B{space}") == "Ann B"


@for_each("line", ["\n", "\r\n", "\x0b", "\x85"])
def test_a_name_is_one_line(line: str) -> None:
    """Breaks of a line are dropped like other controls, as browsers do it."""
    assert clean(f"Ann{line}B") == "AnnB"


def test_signs_do_not_stack_up() -> None:
    """Of the signs on one letter two are kept; more cover the lines above and below."""
    assert len(clean("q" + ZALGO + "!")) == 4


def test_signs_without_a_letter_are_counted_too() -> None:
    """Of the signs that a name begins with two are kept."""
    assert ZALGO[:2] + "q" == clean(ZALGO + "q")


@for_each("between", ["\u200b", "\u200d", "\x00", "\u2060"])
def test_hidden_characters_do_not_help_signs_to_stack(between: str) -> None:
    """Characters that are dropped do not separate a letter from its signs."""
    assert len(clean("q" + between.join(ZALGO) + "!")) == 4


def test_hidden_characters_do_not_make_a_name_different() -> None:
    """Two ways to write the same letters are one name."""
    assert clean("Zo\u00eb") == clean("Zoe\u0308") == clean("Zoe\u200b\u0308")


@for_each("size", [24, 25, 64])
def test_a_long_name_is_cut(size: int) -> None:
    """Of a long name 24 characters are kept."""
    assert clean("x" * size) == "x" * 24


def test_a_cut_name_does_not_end_in_a_space() -> None:
    """Where the cut falls on a space, that goes too."""
    assert clean("x" * 23 + " yyy") == "x" * 23


SPACES = ["", " ", "\u3000 \u00a0", "\n\t"]
MARKS = ["\u034f", "\u17b4", "\u180b", "\u180f", "\ufe00", "\ufe0f", "\U000e0100", "\U000e01ef"]
UNSEEN = [*MARKS, "\u200b\u200d", "\u202e", "\u0301\u0301", "\ud800", "\u3164", "\u2800", "\uffa0"]


def _code_points(text: str) -> str:
    """Return a test's id without backslashes: pytest doubles those when it collects twice in a process."""
    return " ".join(f"U+{ord(sign):04X}" for sign in text)


@for_each("name", SPACES + UNSEEN, ids=_code_points)
def test_a_name_must_show_something(name: str) -> None:
    """A name of which nothing can be seen is refused."""
    with pytest.raises(CommandRefused) as caught:
        clean(name)
    assert caught.value.reason == Reason.BAD_NAME


@examples(100)
@given(st.text(max_size=64))
def test_a_cleaned_name_is_clean(name: str) -> None:
    """Whatever comes in, what comes out is short, has no hidden characters, and is not cleaned further."""
    try:
        cleaned = clean(name)
    except CommandRefused:
        return
    assert 1 <= len(cleaned) <= 24
    shown = f"{JOINERS}{TAGS}"
    hidden = [char for char in cleaned if unicodedata.category(char)[0] == "C" and char not in shown]
    assert [char for char in hidden if not "\U0001f000" <= char <= "\U0001faff"] == []  # later emoji
    assert cleaned == cleaned.strip()
    assert cleaned == clean(cleaned)


# Names alike.


def test_a_new_name_is_kept() -> None:
    """A name that nobody has needs no number."""
    assert unique("Ann", ["Ben", "Anna"]) == "Ann"


@for_each("taken", [["Ann"], ["ANN"], ["ann", "Ann 3"]])
def test_a_taken_name_gets_the_first_free_number(taken: list[str]) -> None:
    """The second of a name is number two, in capitals or not."""
    assert unique("Ann", taken) == "Ann 2"


def test_numbers_go_on() -> None:
    """The next one gets the next number."""
    assert unique("Ann", ["Ann", "Ann 2", "Ann 3"]) == "Ann 4"


def test_a_long_name_makes_room_for_its_number() -> None:
    """With a number a name is no longer than without."""
    assert unique("x" * 24, ["x" * 24]) == "x" * 22 + " 2"


@examples(100)
@given(st.text(max_size=24), st.lists(st.text(max_size=24), max_size=7))
def test_a_unique_name_is_unique(name: str, taken: list[str]) -> None:
    """Whatever the others are called, the name is none of theirs, and not too long."""
    found = unique(name, [*taken, name])
    assert found.casefold() not in {other.casefold() for other in taken}
    assert len(found) <= 24


def test_bots_have_a_name_for_every_seat() -> None:
    """There are eight names for bots, all clean."""
    assert len({clean(name) for name in BOT_NAMES}) == 8


@for_each("mark", MARKS, ids=_code_points)
def test_a_mark_that_cannot_be_seen_makes_no_other_name(mark: str) -> None:
    """It is dropped from names and from what is said, and names that were kept with it are still alike."""
    assert clean(f"A{mark}nn{mark}") == "Ann"
    assert clean_words(f"{mark}hel{mark}lo") == "hello"
    assert unique("Ann", [f"An{mark}n"]) == "Ann 2"


@for_each(
    ("one", "other"),
    [
        *[
            ("Ann", "ＡＮＮ"),
            ("Strauß", "STRAUSS"),
            ("ﬁn", "FIN"),
            ("Å", "Å"),
            ("ſam", "Sam"),
            ("ΣΑΣ", "σας"),
        ],
        *[("Boba", "Вова"), ("Ann", "Аnn"), ("Nina", "ΝΙΝΑ"), ("Lisa", "Iisa"), ("Otto", "0tt0")],
        *[("Amy", "ᎪᎷᎩ"), ("Sue", "ѕսе"), ("Zoe", "ꓜꓳꓰ")],
        *[("Arnold", "Amold"), ("علی", "علي"), ("می\u200cر", "میر"), ("\u2764\ufe0f", "\u2764")],
    ],
)
def test_names_that_look_alike_are_folded_alike(one: str, other: str) -> None:
    """Capitals, wide letters and ligatures are compared as the letters that they stand for."""
    assert folded(one) == folded(other)
    assert unique(one, [other]).endswith(" 2")


@for_each("other", ["Anna", "Änn", "Ann 2", "A nn"])
def test_names_that_look_different_stay_so(other: str) -> None:
    """What can be seen is not folded away."""
    assert other == unique(other, ["Ann"])


@examples(100)
@given(st.text(max_size=64))
def test_a_folded_name_is_not_folded_further(name: str) -> None:
    """Names can be compared by what they were folded to before."""
    assert folded(folded(name)) == folded(name)


@for_each(
    "name",
    [
        "nasty",
        "Big NASTY",
        "N a s t y",
        "n.a.s.t.y",
        "ｎａｓｔｙ",
        "nаstу",
        "ñásty",
        "nasty!",
        "Na sty",
        "pilgrim",
        "GR1M",
        "Na\u115fsty",
    ],
)
def test_a_forbidden_word_is_found_in_disguise(name: str) -> None:
    """Case, width, accents, signs and look-alike letters hide nothing; a star finds it within a word."""
    assert ForbiddenNames(line.lstrip("\ufeff") for line in FORBIDDEN).replaced(name) == INSTEAD


@for_each("name", ["Ann", "dynasty", "Nast", "Zoë", "玩家", "🃏", "nas tier"])
def test_a_harmless_name_stays(name: str) -> None:
    """A word within another one is none, and without a list every name stays."""
    assert ForbiddenNames((*FORBIDDEN[1:], "Nasty")).replaced(name) == name
    assert ForbiddenNames(()).replaced("nasty") == "nasty"


async def test_whoever_has_a_forbidden_name_plays_as_another(tmp_path: Path) -> None:
    """At the table, as a new player, and after renaming; a second one has a number."""
    async with whole_server(tmp_path / "journal.sqlite", forbidden_names=("nasty",)) as (server, _):
        async with Peer.connect(server.url) as ann, Peer.connect(server.url) as ben:
            assert (await enrolled(ann, "Nasty", SECRETS[0])).name == INSTEAD
            await enrolled(ben, "Ben", SECRETS[1])
            await ben.say(cl.Rename(name="nаsty"))
            assert (await ben.until(Identified)).name == INSTEAD
            place = await ann.enter(cl.Create(name="nasty"))
            await ben.enter(cl.Join(code=place.code, name="N-A-S-T-Y"))
            await ben.until(CaughtUp)
            assert [state.name for state in ben.view.seats.values()] == [INSTEAD, f"{INSTEAD} 2"]
