"""Two tables in lockstep: one seat plays differently on each, with the same progress; all others do the same.

On identical deals nothing else of a seat is public. So every other connection must be sent the same bytes at
both tables, at the same times: other players of the hand, seats that are not in it, spectators with and
without a delay, whoever takes the seat over, and the broker.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

from racing_demon_protocol.engine.board import FOUNDATIONS, Play
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import Encoding, decode_server
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.interface import Journal
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.match.hand import Hand
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.registry import Registry
from tests.lab.hidden.other_deals import Broker
from tests.support.inside import dealer_of, hand_of, hidden_board
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, say

Told = tuple[int, object]
"""When something was told, in microseconds, and what."""

Unlike = tuple[Told, Told]
"""What was told at one table, and instead of it at the other."""

WAITS: Final = (0, 0, 0, 0.05, 0.2, 0.7)
"""Seconds between two steps."""
SETTLED: Final = 0.024
"""After so many seconds everybody has heard what a step led to, spectators too, but for their delay. No sum
of this and of waits is the half second until a dead-hand test, whose answer may come a moment later at one
table than at the other."""
SAMPLE: Final = 6
"""So many of a seat's legal plays are tried out for what they gain."""
MAX_AT_ONCE: Final = 60
"""So many plays one of the others makes in a row."""
APPOINTMENT_US: Final = 1_000
"""A table's timer may go off so much later: it depends on when it was set, and is no answer to anything."""
ITSELF: Final = "the seat itself"
GOES_OUT: Final = -1_000
"""The gain of a play that ends the hand: no such play is made in lockstep."""
BROKER: Final = "broker"


class Race(NamedTuple):
    """What a pair of races follows from.

    Attributes:
        seed: of the deal, and of all chance.
        options: the tables'.
        people: how many people play.
        bots: how many bots play.
        steps: how many steps are made before the time is up.
        journals: the folder where the tables are kept; ``None``: in memory alone.

    """

    seed: bytes
    options: Options
    people: int
    bots: int
    steps: int
    journals: Path | None = None


class Outcome(NamedTuple):
    """What came of a pair of races.

    Attributes:
        differing: whoever was sent something else at the other table, and what differed first.
        compared: how many frames and messages were the same.
        plays: what the seat played at each table.
        is_cut_short: whether the rules told of the seat's two layouts that one is stuck, and not the other.

    """

    differing: dict[str, Unlike]
    compared: int
    plays: tuple[list[Play], list[Play]]
    is_cut_short: bool


class _TimedEar(FakeConnection):
    """A listener that writes down when it got what."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__(encoding)
        self.told: list[Told] = []

    def _take(self, frame: bytes | str) -> None:
        super()._take(frame)
        self.told.append((now(), frame))


class _TimedBroker(Broker):
    """Notes when the table's public log came to which event."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Told] = []
        self.fetched: list[Told] = []

    def fetch(self) -> None:
        super().fetch()
        self.fetched += [(now(), message) for message in self.got[len(self.fetched) :]]

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        super().published(table, events)
        self.log += [(now(), event) for event in events]


class _SteadyDisk(random.Random):
    """The chance of a disk that always takes the same time."""

    def choice(self, seq: Sequence[Any]) -> Any:  # type: ignore[override]
        return seq[0]


class _Side:
    """One of the two tables.

    Attributes:
        rng: the chance of the seat whose plays differ.
        plays: what it played.

    """

    def __init__(self, race: Race, number: int) -> None:
        self.rng = random.Random(subseed(race.seed, f"side/{number}"))
        self.plays: list[Play] = []
        self._conns: dict[str, _TimedEar] = {}
        self._at: dict[int, _TimedEar] = {}
        self._counters: dict[int, int] = {}
        self._broker = _TimedBroker()
        folder = race.journals
        journal: Journal = (
            NullJournal() if folder is None else VirtualJournal(folder / f"{number}.sqlite", _SteadyDisk())
        )
        settings = ServerSettings(seed=race.seed, bot_speed=4.0, kept_events=30)
        self.registry = Registry(settings, now, journal, [self._broker])
        self.registry._epoch = "0" * 16  # which is told with a place, and by chance another for each side
        self.room = self.registry.open(race.options)

    @property
    def view(self) -> TableState:
        return self.room.table.view

    async def join(self, name: str, as_whom: str = "") -> int:
        seat = self.room.join(name, name.encode(), "")
        self._counters[seat] = 0
        await self.sit(seat, 0, as_whom)
        return seat

    async def sit(self, seat: int, seq: int, as_whom: str = "") -> None:
        conn = self._at[seat] = self._new_ear(as_whom or f"seat {seat}", list(Encoding)[seat % 2])
        self.room.attach(conn, seat, "0" * 64, seq)

    async def watch(self, encoding: Encoding) -> None:
        self.room.broadcast.watch(self._new_ear("spectator", encoding))

    def _new_ear(self, who: str, encoding: Encoding) -> _TimedEar:
        conn = _TimedEar(encoding)
        if who != ITSELF:
            self._conns[f"{who}, listener {len(self._conns)}"] = conn
        return conn

    async def send(self, seat: int, kind: type[cl.Command], fields: dict[str, Any]) -> None:
        self._counters[seat] += 1
        await say(self.room, self._at[seat], seat, kind(counter=self._counters[seat], **fields))

    async def play(self, seat: int, play: Play) -> None:
        self.plays.append(play)
        await self.send(seat, cl.PlayCards, {"seen": self.view.seq, **play._asdict()})

    def gains(self, seat: int) -> dict[int, Play]:
        """Return some of a seat's legal plays, by what they gain."""
        hand = hand_of(self.room.table)
        if hand is None or not self.view.in_hand or self.view.paused:
            return {}
        legal = list(hand.rules.legal_plays(hand.board, seat))
        some = self.rng.sample(legal, min(len(legal), SAMPLE))
        return {gain_of(hand, seat, play): play for play in some}

    def trace(self, seat: int) -> list[Told]:
        """Return what the rules have told of a seat's layout: how far it is, and that it cannot go on."""
        kinds = ev.Progressed, ev.StuckSaid
        return [told for told in self._broker.log if isinstance(told[1], kinds) and told[1].seat == seat]

    def streams(self) -> dict[str, list[Told]]:
        """Return all that left the server, but for what the seat itself was told."""
        self._broker.fetch()
        heard = {name: conn.told for name, conn in self._conns.items()}
        return {**heard, BROKER: self._broker.fetched}


class _Pair:
    """Two tables, and what is done at both."""

    def __init__(self, race: Race) -> None:
        self._race = race
        self._rng = random.Random(subseed(race.seed, "steps"))
        self._sides = _Side(race, 0), _Side(race, 1)
        self._secret = self._rng.randrange(race.people)
        self._others: list[int] = []
        self._obeys = self._rng.choice([0.3, 0.6, 1.0])
        """How often the others try what is legal."""

    async def run(self) -> Outcome:
        await self._begin()
        ending = [self._change_options, self._give_seat_away, *[self._probe] * 3, *[self._all_come_back] * 4]
        self._rng.shuffle(ending)
        for act in [*[self._step] * self._race.steps, self._wait_for_end, *[self._probe] * 3, *ending]:
            await act()
            await asyncio.sleep(SETTLED)
            if (outcome := self._unlike()) is not None:
                return outcome
        await asyncio.sleep(SETTLED)
        return self._unlike() or self._outcome({}, is_cut_short=False)

    def _unlike(self) -> Outcome | None:
        """Return what came of the pair if it is not alike any more."""
        one, other = (side.trace(self._secret) for side in self._sides)
        if self._first_unlike(one, other, has_times=True):
            return self._outcome({}, is_cut_short=True)
        differing = self._differing()
        return self._outcome(differing, is_cut_short=False) if differing else None

    def _outcome(self, differing: dict[str, Unlike], *, is_cut_short: bool) -> Outcome:
        one, other = self._sides
        for side in self._sides:
            side.registry.close()
        compared = sum(map(len, one.streams().values()))
        return Outcome(differing, compared, (one.plays, other.plays), is_cut_short)

    def _differing(self) -> dict[str, Unlike]:
        one, other = (side.streams() for side in self._sides)
        has_times = self._race.journals is None  # else others may wait while the seat's plays are written
        unlike = {
            name: self._first_unlike(stream, other[name], has_times=has_times and name != BROKER)
            for name, stream in one.items()
        }
        return {name: pair for name, pair in unlike.items() if pair is not None}

    @staticmethod
    def _first_unlike(one: list[Told], other: list[Told], *, has_times: bool) -> Unlike | None:
        """Return what was told otherwise, or at another time; ``None`` where nothing was.

        What one table has told just now is compared when the other has had as much time.
        """
        nothing: Told = -1, None
        for ours, theirs in zip_longest(one, other, fillvalue=nothing):
            if (ours is nothing or theirs is nothing) and max(ours[0], theirs[0]) >= now() - APPOINTMENT_US:
                return None
            is_late = has_times and abs(ours[0] - theirs[0]) > APPOINTMENT_US
            if is_late or not _is_same(ours[1], theirs[1]):
                return ours, theirs
        return None

    # What is done at both tables.

    async def _both(self, act: Callable[[_Side], Awaitable[object]]) -> None:
        for side in self._sides:
            await act(side)

    async def _begin(self) -> None:
        for number in range(self._race.people):
            as_whom = ITSELF if number == self._secret else ""
            await self._both(partial(_Side.join, name=f"Player {number}", as_whom=as_whom))
        for _ in range(self._race.bots):
            await self._send(0, cl.AddBot, {"level": "hard"})
        for encoding in Encoding:
            await self._both(partial(_Side.watch, encoding=encoding))
        await self._send(0, cl.Start, {})
        await self._both(lambda side: side.join("Late"))
        seats = self._view.seats.values()
        self._others = [state.seat for state in seats if not state.bot and state.seat != self._secret]

    @property
    def _view(self) -> TableState:
        return self._sides[0].view

    async def _send(self, seat: int, kind: type[cl.Command], fields: dict[str, Any]) -> None:
        await self._both(lambda side: side.send(seat, kind, fields))

    async def _step(self) -> None:
        if self._rng.random() < 0.8:
            await self._act_in_secret()
            await asyncio.sleep(self._rng.choice(WAITS))
        await self._probe()
        await asyncio.sleep(self._rng.choice(WAITS))

    async def _wait_for_end(self) -> None:
        limit_ms = self._view.time_limit_ms
        assert limit_ms is not None
        await asyncio.sleep(limit_ms / 1_000 + 10)

    async def _probe(self) -> None:
        """Let somebody else do something: mostly plays, at their own piles and at others'."""
        seat, chance = self._rng.choice(self._others), self._rng.random()
        if chance < 0.05:
            encoding = self._rng.choice(list(Encoding))
            await self._both(lambda side: side.watch(encoding))
        elif chance < 0.2:
            await self._come_back(seat)
        elif chance < 0.35:
            kinds: list[tuple[type[cl.Command], dict[str, Any]]] = [
                (cl.Stuck, {}),
                (cl.Call, {}),
                (cl.Ready, {}),
                (cl.Say, {"text": "hello"}),
                (cl.Pause, {"paused": self._rng.random() < 0.3}),
            ]
            await self._send(seat, *self._rng.choice(kinds))
        elif chance < 0.45:
            await self._play_on(seat)
        else:
            await self._send(seat, cl.PlayCards, self._some_play(seat))

    async def _come_back(self, seat: int) -> None:
        """Let a seat be taken up again, by somebody who has heard all but the last events."""
        newest = self._view.seq
        seq = self._rng.choice([0, newest, max(0, newest - self._rng.randint(1, 12))])
        await self._both(lambda side: side.sit(seat, seq))

    async def _all_come_back(self) -> None:
        for seat in self._others:
            await self._come_back(seat)

    async def _play_on(self, seat: int) -> None:
        """Let a seat play as long as it can, within limits, so that some cannot go on."""
        for _ in range(MAX_AT_ONCE):
            view = self._view
            if not view.in_hand or view.hand is None or seat not in view.hand_seats:
                return
            play = next(view.hand.rules.legal_plays(view.hand.board, seat), None)
            if play is None:
                return
            await self._send(seat, cl.PlayCards, {**play._asdict(), "seen": view.seq})

    def _some_play(self, seat: int) -> dict[str, int]:
        view, rng = self._view, self._rng
        piles = 0 if view.hand is None else len(view.hand.board.piles)
        seen = rng.choice([view.seq, rng.randint(0, view.seq)])
        if view.hand is not None and seat in view.hand_seats:
            legal = list(view.hand.rules.legal_plays(view.hand.board, seat))
            if legal and rng.random() < self._obeys:
                return {**rng.choice(legal)._asdict(), "seen": view.seq}
            if legal and rng.random() < 0.5:
                elsewhere = rng.choice([FOUNDATIONS, rng.randrange(piles)])
                return {**rng.choice(legal)._replace(destination=elsewhere)._asdict(), "seen": seen}
        return {
            "source": rng.randrange(piles + 1),
            "count": rng.choice([1, 1, 2, 3, 13]),
            "destination": rng.choice([FOUNDATIONS, rng.randrange(piles + 1)]),
            "depth": rng.choice([0, 0, 0, 1]),
            "seen": seen,
        }

    async def _change_options(self) -> None:
        """Let the next match be of a game whose plays everybody sees."""
        if self._view.between_matches and self._view.host is not None:
            await self._send(self._view.host, cl.SetOptions, {"options": Options()})

    async def _give_seat_away(self) -> None:
        """Let the seat's player leave, and somebody else have the seat."""
        await self._send(self._secret, cl.Leave, {})
        if self._view.between_matches:
            await self._both(lambda side: side.join("New"))
            self._others.append(self._secret)

    # What one seat does, at each table in another way.

    async def _act_in_secret(self) -> None:
        await self._rng.choice([self._gain, self._play_quietly, self._play_quietly, self._play_wrongly])()

    async def _gain(self) -> None:
        """Let the seat come equally far at both tables, if it can."""
        gains = [side.gains(self._secret) for side in self._sides]
        common = sorted((gains[0].keys() & gains[1].keys()) - {0, GOES_OUT})
        if common:
            gain = self._rng.choice(common)
            for side, plays in zip(self._sides, gains, strict=True):
                await side.play(self._secret, plays[gain])

    async def _play_quietly(self) -> None:
        """Let the seat play at each table, as often as it likes, without coming further."""
        for side in self._sides:
            for _ in range(side.rng.randint(0, 3)):
                if 0 in (plays := side.gains(self._secret)):
                    await side.play(self._secret, plays[0])

    async def _play_wrongly(self) -> None:
        """Let the seat try what cannot be, and ask for all of its table again, or do nothing."""
        for side in self._sides:
            chance = side.rng.random()
            if chance < 0.5:
                fields = {"source": 0, "count": 1, "destination": 0, "seen": self._view.seq}
                await side.send(self._secret, cl.PlayCards, fields)
            elif chance < 0.7:
                await side.sit(self._secret, side.rng.randint(0, self._view.seq), ITSELF)


def _is_same(one: object, other: object) -> bool:
    """Tell whether both tables told the same; a broker's snapshot has a time, as late as its appointment."""
    if one == other or not (isinstance(one, bytes) and isinstance(other, bytes)):
        return one == other
    try:
        ours, theirs = decode_server(one), decode_server(other)
    except InvalidFrame:
        return False
    if not (isinstance(ours, Snapshot) and isinstance(theirs, Snapshot)):
        return False
    is_near = abs(ours.elapsed_ms - theirs.elapsed_ms) * 1_000 <= APPOINTMENT_US
    return is_near and ours == theirs.model_copy(update={"elapsed_ms": ours.elapsed_ms})


def run(race: Race) -> Outcome:
    """Play a pair of races, until the bytes differ that somebody else is sent."""
    return in_virtual_time(_run(race))


async def _run(race: Race) -> Outcome:
    return await _Pair(race).run()


def gain_of(hand: Hand, seat: int, play: Play) -> int:
    """Return how much further a play brings a seat, with all that follows by itself."""
    rules, board, dealer = hand.rules, hand.board.copy(), copy(dealer_of(hand))
    dealer._board = hidden_board(dealer_of(hand)).copy()
    before = rules.progress(board, seat)
    following: Play | None = play
    while following is not None:
        rules.carry_out(board, following, dealer.move)
        following = rules.automatic_play(board, seat)
    return GOES_OUT if rules.is_out(board, seat) else rules.progress(board, seat) - before
