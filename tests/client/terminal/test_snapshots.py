"""What is painted, cell by cell, at fixed moments of fixed tables: read the difference before you accept it.

``pytest tests/client/terminal/test_snapshots.py --snapshot-update`` writes the files anew. Each has the text
of all rows and below it the styles: ``3: a12 b4`` are twelve cells of style ``a`` in row 3 and then four of
``b``; ``5-7:`` are three rows alike. The same paint is looked at with the palette "mono".

Left out: ASCII at 200x60, which only spaces the signs of 120x40 otherwise; the styles of ASCII, which are
those of the other signs; the other palettes, of which test_palette.py tests the colors themselves.
"""

import pytest
from rich.style import Style
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from racing_demon_client.terminal.style import ASCII
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import CallOut, Options
from tests.support.app_harness import AppHarness, app_at_table, painted
from tests.support.effort import covering
from tests.support.matches import log_of


class TextFile(SingleFileSnapshotExtension):
    """A snapshot in a text file of its own."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


LOBBY = (
    ev.Joined(seq=1, seat=0, name="Ann"),
    ev.Hosted(seq=2, seat=0),
    ev.Joined(seq=3, seat=1, name="Ben"),
    ev.Joined(seq=4, seat=2, name="漢字 of Łódź", bot=""),
    ev.Joined(seq=5, seat=4, name="Cyn", bot="hard"),
    ev.Readied(seq=6, seat=1, ready=True),
    ev.Connected(seq=7, seat=2, connected=False),
    ev.OptionsSet(seq=8, options=Options(game="classic", hands=3, call_out=CallOut.SHOUT, hints=True)),
    ev.Said(seq=9, seat=1, text="good luck, everybody"),
)
BEATEN = Refused(counter=1, reason=Reason.BEATEN, text="Too late.", by=2, late_us=43_210)
HINTS: dict[str, object] = {"hints": True}


def until(kind: type[ev.Event]) -> int:
    """Return how many events of the match there are to the first of a kind."""
    return next(n for n, event in enumerate(log_of("racing-demon"), 1) if isinstance(event, kind))


STAGES = {
    "before-the-deal": AppHarness(events=3),
    "countdown": AppHarness(events=5),
    "opening": AppHarness(events=6),
    "eight-players": AppHarness(match="eight", events=332),
    "held": AppHarness(events=31, options=HINTS, keys=["l"]),
    "in-the-air": AppHarness(events=82, keys=["p"]),
    "cursor": AppHarness(events=98, keys=["right", "left", "left", "left"]),
    "beaten": AppHarness(events=82, keys=["p"], answer=BEATEN),
    "spectator": AppHarness(events=200, seat=None, how="watched", keys=["tab"]),
    "demon": AppHarness(match="shouted", events=216),
    "classic": AppHarness(match="shouted", events=127),
    "lobby": AppHarness(log=LOBBY, how="hosted"),
    "tally": AppHarness(events=until(ev.HandOver)),
    "over": AppHarness(events=until(ev.MatchOver)),
    "help": AppHarness(events=6, keys=["?"]),
}
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x60": (200, 60)}


@pytest.fixture
def kept(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Snapshots in text files."""
    return snapshot.use_extension(TextFile)


def has_color(style: Style) -> bool:
    """Tell whether a style has any color but the terminal's own."""
    return any(color is not None and not color.is_default for color in (style.color, style.bgcolor))


@pytest.mark.parametrize(("name", "size"), covering(list(STAGES), list(SIZES)))
async def test_colors(name: str, size: str, kept: SnapshotAssertion) -> None:
    """The same moment is painted the same; "mono" paints the same text, and no color at all."""
    async with app_at_table(STAGES[name], SIZES[size]) as pilot:
        dark = painted(pilot.app)
    async with app_at_table(STAGES[name], SIZES[size], palette="mono") as pilot:
        mono = painted(pilot.app)
    assert mono.rows == dark.rows
    assert not {str(style) for style in mono.styles if has_color(style)}
    assert any(has_color(style) for style in dark.styles)
    assert kept == "\n\n".join([dark.text(), "DARK", dark.inks(), "MONO", mono.inks()]) + "\n"


@pytest.mark.parametrize(("name", "size"), covering(list(STAGES), ["80x24", "120x40"]))
async def test_ascii(name: str, size: str, kept: SnapshotAssertion) -> None:
    """Where the terminal has no other signs the table is drawn with those of ASCII, names apart."""
    async with app_at_table(STAGES[name], SIZES[size], glyphs=ASCII) as pilot:
        text = painted(pilot.app).text()
    foreign = {char for char in text if not char.isascii()}
    assert foreign <= set("漢字Łódź" if name == "lobby" else "")
    assert kept == text + "\n"


@pytest.mark.parametrize("size", SIZES)
async def test_every_row_is_as_wide_as_the_terminal(size: str) -> None:
    """What is painted fills the terminal exactly, wide signs and all."""
    width, height = SIZES[size]
    for stage in (STAGES["lobby"], STAGES["eight-players"]):
        async with app_at_table(stage, SIZES[size]) as pilot:
            cells = painted(pilot.app).cells
        assert [width] * height == [sum(length for length, _ in row) for row in cells]
