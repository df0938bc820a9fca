"""Some screens as they are painted, to look at: read the difference before you accept it.

``pytest tests/client/terminal/test_snapshots.py --snapshot-update`` writes the files anew.
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
from tests.support.cases import for_each
from tests.support.matches import log_of
from tests.support.solitaire import Alone, moments


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


SCREENS = {
    "lobby": AppHarness(log=LOBBY, how="hosted"),
    "countdown": AppHarness(events=5),
    "eight-players": AppHarness(match="eight", events=332),
    "held": AppHarness(events=31, options=HINTS, keys=["l"]),
    "beaten": AppHarness(events=82, keys=["p"], answer=BEATEN),
    "spectator": AppHarness(events=200, seat=None, how="watched", keys=["tab"]),
    "demon": AppHarness(match="shouted", events=216),
    "over": AppHarness(events=until(ev.MatchOver)),
    "help": AppHarness(events=6, keys=["?"]),
}
SMALL, LARGE = (80, 24), (200, 60)


@pytest.fixture
def kept(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Snapshots in text files."""
    return snapshot.use_extension(TextFile)


def has_color(style: Style) -> bool:
    """Tell whether a style has any color but the terminal's own."""
    return any(color is not None and not color.is_default for color in (style.color, style.bgcolor))


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_is_painted_as_it_was(name: str, kept: SnapshotAssertion) -> None:
    """At a fixed moment of a fixed match."""
    async with app_at_table(SCREENS[name], SMALL) as pilot:
        assert kept == painted(pilot.app).text() + "\n"


@pytest.mark.parametrize("game", ["clock", "windmill", "knaves-dial", "push-pin"])
def test_a_solo_game_is_drawn_as_it_was(game: str, kept: SnapshotAssertion) -> None:
    """After twenty plays of the same deal."""
    *_, table = moments(game, 1, 20, 1)
    assert kept == Alone(table).draw(SMALL).text() + "\n"


@pytest.mark.long
@for_each("name", ["beaten", "held", "over"])
async def test_without_colors_the_text_is_the_same(name: str) -> None:
    """The palette "mono" paints the same text, and no color at all."""
    async with app_at_table(SCREENS[name], SMALL) as pilot:
        dark = painted(pilot.app)
    async with app_at_table(SCREENS[name], SMALL, palette="mono") as pilot:
        mono = painted(pilot.app)
    assert mono.rows == dark.rows
    assert not {str(style) for style in mono.styles if has_color(style)}
    assert any(has_color(style) for style in dark.styles)


@pytest.mark.long
@for_each("name", ["lobby", "held", "help", "eight-players"])
async def test_ascii_draws_with_no_other_signs(name: str) -> None:
    """Where the terminal has no other signs, only names have some."""
    async with app_at_table(SCREENS[name], SMALL, glyphs=ASCII) as pilot:
        text = painted(pilot.app).text()
    foreign = {char for char in text if not char.isascii()}
    assert foreign <= set("漢字Łódź" if name == "lobby" else "")


@pytest.mark.long
@for_each("size", [SMALL, LARGE])
async def test_every_row_is_as_wide_as_the_terminal(size: tuple[int, int]) -> None:
    """What is painted fills the terminal exactly, wide signs and all."""
    width, height = size
    for name in ("lobby", "eight-players"):
        async with app_at_table(SCREENS[name], size) as pilot:
            cells = painted(pilot.app).cells
        assert [width] * height == [sum(length for length, _ in row) for row in cells]
