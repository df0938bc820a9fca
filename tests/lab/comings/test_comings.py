"""Tables with any options, to which people come, and from which they go, are judged by somebody else."""

import asyncio
import contextlib
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import BotLevel, Phase
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Dealt, Event, HandOver, Joined, MatchOver, Played
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.enums import Durability
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal
from tests.lab.comings.board import RACES, Wrong
from tests.lab.comings.judge import Judge, Judgement, is_event
from tests.lab.comings.visitors import SNAPSHOT, Visitor, check_streams, log_of
from tests.lab.options.combinations import values_of
from tests.support.servers import deadline, serving_with

pytestmark = pytest.mark.long

HANDS: Final = int(os.environ.get("RACING_DEMON_HANDS", "100"))
SEED_OF_A_MATCH: Final = 1
"""One whose match is not refused."""
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
MOST_VISITORS: Final = 9
MOST_WITH_LATE: Final = 12
"""The same, with those who come after a hand."""
MATCH_SECONDS: Final = 200.0
MANY: Final = 1e6
"""As good as no limit."""
GENEROUS: Final[dict[str, Any]] = dict.fromkeys(
    (
        *("commands_per_second", "command_burst", "frames_per_second", "frame_burst"),
        *("units_per_connection", "units_per_address", "units_per_table"),
    ),
    MANY,
)
CHANGED: Final = (
    *("call_out", "stall_rule", "auto_first_turn", "on_leave", "late_join", "spectators", "turn", "redeals"),
    *("shuffle", "tail_rule", "waste_view", "take_back", "forced_bases", "columns", "columns_by_players"),
    *("reserve", "reserve_card", "out_bonus", "handicap", "teams", "king_bonus", "spaces", "reserve_up"),
    *("stock_shift", "turn_by_players", "match_score", "target", "win_lead", "tie_break"),
)


def draw(rng: random.Random) -> Options:
    """Draw a race, changes of some options, and times that let hands end soon."""
    options: dict[str, Any] = {
        "game": rng.choice([*RACES, "classic", "racing-demon"]),
        "hands": rng.choice([1, 2, 3]),
        "countdown_ms": rng.choice([0, 0, 50]),
        "tally_ms": 600_000,
        "time_limit_ms": rng.choice([1_000, 1_500, 2_500]),
        "pause_after_ms": rng.choice([None, None, 0, 100]),
        "watch_delay_ms": rng.choice([0, 0, 0, 100]),
        "seats": rng.choice([3, 5, 8]),
    }
    for name in rng.sample(CHANGED, rng.randint(0, 5)):
        options[name] = rng.choice(values_of(name))
    return Options(**options)


class Evening:
    """One match at one table.

    Attributes:
        host: who opened the table, is never cut off, and stays to the end.
        visitors: all who ever were there.
        happened: what they did, and how often.

    """

    def __init__(self, url: str, rng: random.Random) -> None:
        self.visitors: list[Visitor] = []
        self.happened: Counter[str] = Counter()
        self._url = url
        self._rng = rng
        self._away: list[Visitor] = []
        self._followed: list[Visitor] = []
        self.host: Visitor

    async def play(self, options: Options) -> Judgement | None:
        """Play a match, and judge it; return ``None`` if the table or its match is refused."""
        rng = self._rng
        try:
            self.host = await self._come(cl.Create(name="Ann", options=options))
        except CommandRefused:
            return None
        for _ in range(rng.randint(0, 3)):
            await self._join()
        if rng.random() < 0.4:
            await self.host.ask(cl.AddBot, level=rng.choice(list(BotLevel)))
        if rng.random() < 0.3:
            for seat in list(self.host.view.seats):
                await self._handicap(seat)
        if rng.random() < 0.6:
            await self._start_late()
        if isinstance(await self.host.ask(cl.Start), Refused):
            await self._end()
            return None
        async with deadline(self._seen, MATCH_SECONDS):
            while self.host.view.phase is not Phase.OVER:
                await self._round()
        return await self._judged(options)

    def _seen(self) -> str:
        view = self.host.view
        told = [frame for frame in self.host.streams[-1] if not is_event(frame)][-3:]
        return f"{view.phase}, hand {view.hand_number} at {view.seq}: {told}; {view.options}"

    async def _judged(self, options: Options) -> Judgement:
        last = self.host.view.seq
        present = [visitor for visitor in self.visitors if visitor.is_open]
        for visitor in present:
            await visitor.until_seq(last)
        await self._end()
        first, log = log_of(self.host)
        may_skip = options.watch_delay_ms > 0
        self.happened["events heard"] += check_streams(self.visitors, log, may_skip=may_skip)
        shown = [
            frame
            for visitor in self.visitors
            for stream in visitor.streams
            for frame in stream
            if frame[0] == SNAPSHOT
        ]
        judge = Judge(first, log, shown, [each for visitor in self.visitors for each in visitor.refusals])
        judged = judge.follow()
        self.happened["started late at another total than 0"] += len(self.host.view.starts)
        for visitor in present:
            totals = scoring.totals(visitor.view)
            assert totals == {seat: judge.totals().get(seat, 0) for seat in totals}
        return judged

    async def _end(self) -> None:
        """Let all go home, the host last: she has heard everything."""
        for visitor in reversed(self.visitors):
            if visitor.is_open:
                await visitor.close()

    # What happens in a round.

    async def _round(self) -> None:
        rng, view = self._rng, self.host.view
        acts: list[Coroutine[Any, Any, None]] = []
        others = [visitor for visitor in self.visitors if visitor.is_open and visitor is not self.host]
        if others and rng.random() < 0.06:
            gone = rng.choice(others)
            others.remove(gone)
            acts.append(self._go(gone))
        if others and rng.random() < 0.05:
            cut = rng.choice(others)
            others.remove(cut)
            acts.append(self._cut(cut))
        if self._away and rng.random() < 0.4:
            acts.append(self._come_back(self._away.pop()))
        if len(self.visitors) < MOST_VISITORS and rng.random() < 0.08:
            acts.append(rng.choice([self._join, self._watch])())
        if view.phase is Phase.TALLY and len(self.visitors) < MOST_WITH_LATE and rng.random() < 0.3:
            acts.append(self._join())  # now totals are not all 0
        if view.phase is Phase.TALLY and rng.random() < 0.4:
            acts.append(self._deal())
        elif view.phase is Phase.TALLY and rng.random() < 0.2:
            acts.append(self._handicap(rng.choice(list(view.seats))))
        acts += self._acts_of_host()
        acts += [visitor.strike() for visitor in [self.host, *others] if visitor.is_playing]
        rng.shuffle(acts)
        await asyncio.gather(*acts)
        for visitor in self.visitors:
            await visitor.until_answered()
        await asyncio.sleep(0.005)

    async def _come(self, request: cl.Create | cl.Join | cl.Watch) -> Visitor:
        visitor = await Visitor.at(self._url, self._rng, request)
        self.visitors.append(visitor)
        return visitor

    async def _join(self) -> None:
        name, token = f"Guest {len(self.visitors)}", ""
        left = [each for each in self.visitors if each.has_left and each not in self._followed]
        if left and self._rng.random() < 0.7:
            leaver = self._rng.choice(left)
            self._followed.append(leaver)  # a second one with this token would send the first away
            token = leaver.place.token or ""
        with contextlib.suppress(CommandRefused):
            await self._come(cl.Join(code=self.host.place.code, name=name, token=token or ""))
            self.happened["took a seat with a leaver's token" if token else "joined"] += 1

    async def _watch(self) -> None:
        with contextlib.suppress(CommandRefused):
            await self._come(cl.Watch(code=self.host.place.code))
            self.happened["watched"] += 1

    async def _go(self, visitor: Visitor) -> None:
        """Let somebody leave: a player gives the seat up, and perhaps watches; a spectator goes."""
        if visitor.is_playing:
            await visitor.leave()
            self.happened["left"] += 1
        else:
            await visitor.close()

    async def _cut(self, visitor: Visitor) -> None:
        if visitor.is_playing:
            await visitor.strike()
        visitor.cut()
        self._away.append(visitor)
        self.happened["cut off"] += 1

    async def _come_back(self, visitor: Visitor) -> None:
        with contextlib.suppress(CommandRefused):
            await visitor.come_back()
            self.happened["came back"] += 1

    async def _handicap(self, seat: int) -> None:
        rng = self._rng
        given = Handicap(heap=rng.randint(-3, 3), delay_s=rng.choice([0, 0, 1]), points=rng.randint(-9, 9))
        await self.host.ask(cl.SetHandicap, seat=seat, handicap=given)

    def _acts_of_host(self) -> list[Coroutine[Any, Any, None]]:
        """Return what the host changes about the match; mostly nothing."""
        chances = {self._start_late: 0.02, self._call_last_hand: 0.005}
        return [act() for act, chance in chances.items() if self._rng.random() < chance]

    async def _start_late(self) -> None:
        lowest = not self.host.view.late_start
        await self.host.send(self.host.next(cl.SetLateStart, lowest=lowest))
        self.happened["let newcomers start at the lowest total"] += lowest

    async def _call_last_hand(self) -> None:
        last = not self.host.view.last_hand
        await self.host.send(self.host.next(cl.SetLastHand, last=last, seen=self.host.view.seq))
        self.happened["called the last hand"] += last

    async def _deal(self) -> None:
        await self.host.send(self.host.next(cl.Start, seen=self.host.view.seq))


async def play(seed: int, folder: Path) -> tuple[Judgement | None, Evening]:
    """Play a match with any options on a server with a journal, and judge it."""
    rng = random.Random(seed)
    journal = DurableJournal(SqliteStore(folder / f"{seed}.sqlite", Durability.NORMAL))
    try:
        async with serving_with(journal, seed=rng.randbytes(32), bot_speed=30.0, **GENEROUS) as served:
            evening = Evening(served.url, rng)
            return await evening.play(draw(rng)), evening
    finally:
        await asyncio.to_thread(journal.close)


async def test_who_comes_and_goes_hears_and_scores_what_all_do(tmp_path: Path) -> None:
    """All streams are equal from where each began, all plays are legal by other rules, and tallies add up."""
    done, happened, seed = Judgement(), Counter[str](), SEED
    while done.hands < HANDS:
        try:
            judged, evening = await play(seed, tmp_path)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        seed += 1
        happened.update(evening.happened)
        if judged is None:
            happened["refused"] += 1
        else:
            done.add(judged)
    sys.stdout.write(f"\nseeds {SEED} to {seed - 1}: {done}, {dict(happened)}\n")
    assert happened["left"] > 0 < happened["came back"]


Log = list[list[Any]]


def change(log: Log, cls: type[Event], name: str, by: Callable[[Any], Any]) -> Log:
    """Return a log in which a field of the middle one of an event's kind is another."""
    places = [place for place, frame in enumerate(log) if frame[0] == cls.TAG]
    place = places[len(places) // 2]
    at, frame = 1 + list(cls.model_fields).index(name), log[place]
    whole = [*frame, *(each.default for each in list(cls.model_fields.values())[len(frame) - 1 :])]
    return [*log[:place], [*whole[:at], by(whole[at]), *whole[at + 1 :]], *log[place + 1 :]]


FALSE: Final[dict[str, Callable[[Log], Log]]] = {
    "another deal": lambda log: change(log, Dealt, "shown", lambda cards: cards[::-1]),
    "another seed": lambda log: change(log, HandOver, "seed", lambda _: "0" * 64),
    "other points": lambda log: change(log, HandOver, "points", lambda points: [points[0] + 1, *points[1:]]),
    "another winner": lambda log: change(log, MatchOver, "winners", lambda seats: [(seats[0] + 1) % 8]),
    "another pile": lambda log: change(log, Played, "source", lambda pile: pile + 1),
    "another seat": lambda log: change(log, Played, "seat", lambda seat: (seat + 1) % 8),
    "once more": lambda log: change(log, Played, "counter", lambda _: 1),
    "another start": lambda log: change(log, Joined, "start", lambda start: start - 1),
    "a lost event": lambda log: [frame for frame in log if frame[1] != log[len(log) // 2][1]],
}


async def test_no_false_log_is_believed(tmp_path: Path) -> None:
    """The judge finds what cannot be, in a log that was right."""
    _, evening = await play(SEED_OF_A_MATCH, tmp_path)
    first, frames = log_of(evening.host)
    log = [[*frame] for frame in frames]
    Judge(first, log).follow()
    believed = []
    for name, make in FALSE.items():
        with contextlib.suppress(Wrong):
            Judge(first, make(log)).follow()
            believed.append(name)
    assert believed == []
