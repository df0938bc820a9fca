"""A replay at the terminal table, key by key, in the real application."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from racing_demon_client.records.timeline import Timeline
from racing_demon_client.settings import PlayerSettings
from racing_demon_client.sources.opened_table import ReplayedTable
from racing_demon_client.sources.replay import POSITIONS, ReplayClient
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.screens.table import AnalysisScreen, TableScreen, TallyScreen
from racing_demon_client.terminal.style import ASCII
from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages import events as ev
from tests.support.app_harness import painted
from tests.support.cases import for_each
from tests.support.matches import final_view
from tests.support.recordings import recording_of
from tests.support.servers import PATIENCE


class Watched:
    """Somebody who plays a record back.

    Attributes:
        app: the application.
        replay: the replay.

    """

    def __init__(self, app: TerminalApp, replay: ReplayClient, pilot: Pilot[None]) -> None:
        self.app = app
        self.replay = replay
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until what they do is done."""
        await self._pilot.press(*keys)
        await self._pilot.pause()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await self._pilot.pause()

    def text(self) -> str:
        """Return what the terminal shows."""
        return painted(self.app).text()


@asynccontextmanager
async def watched(
    name: str = "racing-demon",
    *,
    size: tuple[int, int] = (80, 24),
    position: int | None = None,
    seat: int | None = None,
    speed: float = 1.0,
    paused: bool = True,
) -> AsyncIterator[Watched]:
    """Run the application with a replay."""
    replay = ReplayClient(Timeline(recording_of(name)), speed=speed, paused=paused, position=position)
    appearance, settings = Appearance(glyphs=ASCII), PlayerSettings(sound=False)
    app = TerminalApp(ReplayedTable(replay), settings, appearance, watched=seat)
    async with app.run_test(size=size) as pilot:
        yield Watched(app, replay, pilot)


async def test_it_begins_at_the_first_deal() -> None:
    """The cards lie there, the line below says where the tape stands, and the keys are the replay's."""
    async with watched() as user:
        await user.until(lambda: "event" in user.text())
        timeline = user.replay.timeline
        assert isinstance(user.app.screen, TableScreen)
        assert f"event {timeline.seq_at(timeline.start)} of {timeline.last_seq}, paused" in user.text()
        assert "space pause" in user.text()


async def test_steps_and_hands() -> None:
    """A full stop is one event on, a comma one back; brackets lead from hand to hand."""
    async with watched() as user:
        timeline, start = user.replay.timeline, user.replay.position
        await user.press(".", ".")
        await user.until(lambda: user.replay.position == start + 2)
        await user.until(lambda: f"event {timeline.seq_at(start + 2)} of" in user.text())
        await user.press(",")
        assert start + 1 == user.replay.position
        await user.press("]")
        assert timeline.hands[1][1] == user.replay.position
        await user.until(lambda: "hand 2 of 2" in user.text())
        await user.press("[")
        assert timeline.hands[0][1] == user.replay.position


async def test_going_to_a_place_by_its_name() -> None:
    """After g it is told what is a place; what is typed is gone to, and what is none is said to be none."""
    async with watched() as user:
        await user.press("g")
        assert f"{POSITIONS} (Escape: back)" in user.text()
        await user.press("e", "9", "0", "enter")
        await user.until(lambda: "event 90 of" in user.text())
        await user.press("g", *"noon", "enter")
        await user.until(lambda: "'noon' is not a position" in user.text())
        assert "or +9. " in user.text()  # whole, to its end
        assert user.replay.timeline.seq_at(user.replay.position) == 90
        await user.press(".")
        await user.until(lambda: "event 91 of" in user.text())


@pytest.mark.long
async def test_nothing_of_the_future_is_told() -> None:
    """Whoever goes back does not read what has not happened yet."""
    async with watched() as user:
        await user.press("g", "e", "9", "0", "enter")
        await user.until(lambda: "event 90 of" in user.text())
        session = user.app.session
        assert session is not None
        while not session.model.activity.feed:
            await user.press(".")
        await user.press("g", "e", "3", "0", "enter")
        await user.until(lambda: "event 30 of" in user.text())
        assert not session.model.activity.feed


async def test_it_runs_and_stands_still() -> None:
    """Space lets it run and stand still; plus and minus change how fast."""
    async with watched(speed=1.0) as user:
        start = user.replay.position
        await user.press("+", "+", "+", "+", "+", "space")
        assert (user.replay.speed, user.replay.paused) == (32.0, False)
        await user.until(lambda: user.replay.position > start + 3)
        await user.press("space", "-")
        assert (user.replay.speed, user.replay.paused) == (16.0, True)


async def test_whose_view() -> None:
    """It begins with the seat that was asked for; Tab goes on to the next one."""
    async with watched(seat=1) as user:
        await user.until(lambda: " Bob " in user.text())
        session = user.app.session
        assert session is not None
        assert session.model.focus == 1
        await user.press("tab")
        assert session.model.focus == 2


@for_each("size", [(80, 24), (120, 40)])
async def test_after_a_hand_its_tally_and_its_analysis(size: tuple[int, int]) -> None:
    """At the end of a hand the tally is shown, proved, and behind a key what it was for each player."""
    timeline = Timeline(recording_of("racing-demon"))
    over = next(n for n, entry in enumerate(timeline.entries, 1) if isinstance(entry.message, ev.HandOver))
    async with watched(size=size, position=over - 1) as user:
        await user.press(".")
        await user.until(lambda: isinstance(user.app.screen, TallyScreen))
        await user.until(lambda: "Checked: the server alone shuffled" in user.text())
        points = final_view("racing-demon").results[0].points
        assert all(str(each) in user.text() for each in points)
        await user.press("f12")
        assert isinstance(user.app.screen, AnalysisScreen)
        assert "The last hand, as Ada played it:" in user.text()
        assert "races: " in user.text()
        assert "Cyn: races " in user.text()
        await user.press("tab")
        await user.until(lambda: "The last hand, as Bob played it:" in user.text())
        await user.press("f12")
        assert isinstance(user.app.screen, TallyScreen)


async def test_the_tally_in_a_hand_is_of_that_hand() -> None:
    """In the second hand it says so, adds what the hand has brought up to now, and proves nothing yet."""
    timeline = Timeline(recording_of("racing-demon"))
    place = timeline.hands[1][1] + 300
    async with watched(position=place) as user:
        await user.press("f6")
        await user.until(lambda: "Hand 2 of 2 is being played." in user.text())
        view = timeline.view_at(place)
        now = scoring.points(view)
        for seat, total in scoring.totals(view).items():
            line = next(line for line in user.text().splitlines() if f" {view.seats[seat].name} " in line)
            assert [str(now[seat]), str(total + now[seat])] == line.split()[2:4]
        assert "checked" not in user.text()
        assert "revealed" not in user.text()


async def test_a_quick_replay_is_checked() -> None:
    """Though the replay is in the next hand when there is time to check one, all of that one is checked."""
    timeline = Timeline(recording_of("racing-demon"))
    over = next(n for n, entry in enumerate(timeline.entries, 1) if isinstance(entry.message, ev.HandOver))
    async with watched(position=over) as user:
        await user.until(lambda: "event" in user.text())
        session = user.app.session
        assert session is not None
        session._collect_proof(timeline.message(over - 1))
        user.replay.position = over + 3
        await session.verifier.verify()
        assert session.verifier.proof.startswith("Checked: ")


async def test_at_the_end_is_the_recorded_tally() -> None:
    """Played to its end it shows who won, and stays until the user leaves, which needs no question."""
    async with watched("demon-a", speed=1e9, paused=False) as user:
        await user.until(lambda: user.replay.at_end)
        await user.press("enter")
        await user.until(lambda: "The match is over: " in user.text())
        view = final_view("demon-a")
        for seat, total in scoring.totals(view).items():
            rows = [line for line in user.text().splitlines() if f" {view.seats[seat].name} " in line]
            assert any(str(total) in row for row in rows)
        await user.press("ctrl+c")
        await user.until(lambda: user.app.session is None)


async def test_keys_for_plays_do_nothing() -> None:
    """In a replay nothing can be played, said or changed."""
    async with watched() as user:
        place = user.replay.position
        await user.press("a", "s", "w", "v", "/", "o", "f9", "f8", "1")
        assert place == user.replay.position
        assert isinstance(user.app.screen, TableScreen)
