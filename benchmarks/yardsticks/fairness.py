"""Who was first: plays sent one after the other on two connections, and in which order they were judged."""

import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from websockets.frames import Frame, Opcode

from benchmarks.yardsticks.entering import Socket
from benchmarks.yardsticks.loading import Kind, Load, Program, Stopped, background, measure, ours, program
from benchmarks.yardsticks.racing import Place, Races, Track, p_value, track_of_ours, track_of_relay
from benchmarks.yardsticks.rows import Row
from benchmarks.yardsticks.script import SEATS, Step, singles
from benchmarks.yardsticks.sizes import PLAY_BYTES
from benchmarks.yardsticks.throughput import Contestant, contestants
from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import decode_server, encode
from racing_demon_protocol.wire.messages.client import PlayCards
from racing_demon_protocol.wire.messages.events import Event, Played, Signalled
from racing_demon_protocol.wire.messages.server import CaughtUp, Snapshot

GAPS_US: Final = (0, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
STALLS_MS: Final = (1, 5, 20, 50)
BURST: Final = 5
"""What the busy connection sends before the quiet one's play, and again after it."""
CLEAR_US: Final = 1_000
"""From here on the earlier play is to be first."""
AIM_AT_1_MS: Final = 99.9
AIM_P_VALUE: Final = 0.001
LOAD_SHARE: Final = 0.7
LONG_REST_US, REST_US = 400, 40
"""The longest time in which nothing happens between two races."""
MAX_SECONDS: Final = 60.0
R0_SHARE: Final = 0.3
"""Of the races without a gap R0 has fewer: it is asked for no p."""
PING_SECONDS: Final = 86_400
"""Connections whose load stands still answer no pings."""
MIN_STALLS, RACES_A_STALL = 10, 25


class Size(NamedTuple):
    """How many races there are, idle and as many under load.

    Attributes:
        races: at each gap.
        zero_races: without a gap, at most.
        seconds: how long these may take.

    """

    races: int
    zero_races: int
    seconds: float


class Relayed:
    """A table of a relay, where a play is known by its sender's seat in its first byte."""

    def __init__(self, sockets: Sequence[Socket]) -> None:
        self.sockets = sockets

    def frames(self, seat: int, number: int) -> list[bytes]:
        """Return a seat's next plays, as they go through a socket."""
        data = bytes([seat]) + bytes(PLAY_BYTES - 1)
        return [Frame(Opcode.BINARY, data).serialize(mask=True)] * number

    def order(self, number: int) -> list[int]:
        """Return the seats of the next plays, as everybody sees them."""
        found = [self.sockets[-1].data()[0] for _ in range(number)]
        for found_socket in self.sockets[:-1]:
            for _ in range(number):
                found_socket.data()
        return found


class Dealt:
    """A table of ours, where everybody turns their stock over and over."""

    def __init__(self, sockets: Sequence[Socket]) -> None:
        self.sockets = sockets
        self._counters = [1, *[0] * (SEATS - 1)]
        snapshot = decode_server(sockets[-1].newest)
        assert isinstance(snapshot, Snapshot)
        self.view = TableState.from_snapshot(snapshot)
        while not self.view.in_hand:
            self._follow()
        for other in sockets[:-1]:
            other.until(Signalled.TAG)

    def _follow(self) -> Event:
        event = decode_server(self.sockets[-1].data())
        if isinstance(event, CaughtUp):
            return self._follow()
        if not isinstance(event, Event):
            raise ValueError(f"no event: {event}")
        self.view.apply(event)
        return event

    def frames(self, seat: int, number: int) -> list[bytes]:
        """Return a seat's next plays, as they go through a socket."""
        assert self.view.board is not None
        board, found = self.view.board.copy(), []
        for _ in range(number):
            self._counters[seat] += 1
            source, count, destination, _ = self._turn(board, seat)
            board.move_known(Play(source, count, destination))
            play = PlayCards(
                counter=self._counters[seat],
                source=source,
                count=count,
                destination=destination,
                seen=self.view.seq,
            )
            data = encode(play)
            assert isinstance(data, bytes)
            found.append(Frame(Opcode.BINARY, data).serialize(mask=True))
        return found

    def _turn(self, board: Board, seat: int) -> Play:
        assert self.view.hand is not None
        turn = self.view.hand.rules.stock_play(board, seat)
        assert turn is not None
        return turn

    def order(self, number: int) -> list[int]:
        """Return the seats of the next plays, as everybody sees them."""
        found: list[int] = []
        while len(found) < number:
            event = self._follow()
            if isinstance(event, Played):
                found.append(event.seat)
            for other in self.sockets[:-1]:
                other.data()
        return found


def after_stall(server: Program, table: Relayed | Dealt, stall_ms: float, number: int) -> float:
    """Stop the server, and let a busy and a quiet seat play; return how often it was unfair (%).

    That is: the quiet one was served after a play that the busy one sent later.
    """
    wrong = 0
    for turn in range(number):
        busy, quiet = turn % 7, (turn + 1 + turn // 7 % 6) % 7
        hot, play = table.frames(busy, 2 * BURST), table.frames(quiet, 1)
        os.kill(server.pid, signal.SIGSTOP)
        server.await_stop()
        table.sockets[busy].socket.sendall(b"".join(hot[:BURST]))
        table.sockets[quiet].socket.sendall(play[0])
        table.sockets[busy].socket.sendall(b"".join(hot[BURST:]))
        time.sleep(stall_ms / 1_000)
        os.kill(server.pid, signal.SIGCONT)
        order = table.order(2 * BURST + 1)
        wrong += order.index(quiet) > BURST
    return 100 * wrong / number


@dataclass
class Runner:
    """A server at which races are run, idle and beside other tables under load.

    Attributes:
        name: what the rows call it.
        is_ours: whether it is ours.
        track: the races.
        load: keeps other tables busy as long as its context lasts.
        stalls: how often a busy connection was unfair after a stall, for each length of it.
        found: what came of the races, idle and under load, by their gap, round by round.

    """

    name: str
    is_ours: bool
    track: Track
    load: Stopped
    stalls: Sequence[float]
    found: dict[tuple[bool, int], list[Races]] = field(default_factory=lambda: defaultdict(list))

    def race(self, races: int, zero_races: int, seconds: float, *, under_load: bool) -> None:
        """Run one round of races: a number at each gap, and without a gap as many as there is time for."""
        share = 1 if self.is_ours else R0_SHARE
        with self.load if under_load else nullcontext():
            for gap in GAPS_US:
                if gap:
                    found = self.track.run(gap, races, MAX_SECONDS, LONG_REST_US)
                else:
                    found = self.track.run(gap, round(share * zero_races), share * seconds, REST_US)
                self.found[under_load, gap].append(found)

    def rows(self) -> list[Row]:
        """Return the curves, and how likely the biases are that the races without a gap have shown."""
        return [row for under_load in (False, True) for row in self._rows(under_load=under_load)]

    def _rows(self, *, under_load: bool) -> Iterator[Row]:
        where = f"at {LOAD_SHARE:.0%} load" if under_load else "idle"
        section = f"Fairness: {self.name}, {where}; the earlier of two plays is first, %"
        clear = Races()
        for gap in GAPS_US:
            found = self.found[under_load, gap]
            races = sum(each.of for each in found)
            yield Row(section, f"{gap} us apart ({races:,} races)", "", [_share(each) for each in found])
            for each in found if gap >= CLEAR_US else ():
                clear.add(each)
        aim = AIM_AT_1_MS if self.is_ours else None
        title = f"{CLEAR_US} us apart or more, all {clear.of:,}"
        yield Row(section, title, "", [_share(clear)], at_least=aim)
        level = Races()
        for each in self.found[under_load, 0]:
            level.add(each)
        yield Row(section, "races at 0 us: load busy, %", "", [100 * level.busy])
        for name, matter in MATTERS.items() if self.is_ours else [("seat", MATTERS["seat"])]:
            pairs = level.pairs(self.track.places, matter)
            title = f"0 us: p of a bias by {name} (chi-square)"
            yield Row(section, title, "", [p_value([*pairs.values()])], at_least=AIM_P_VALUE if aim else None)


def _share(races: Races) -> float:
    return 100 * races.won / max(1, races.of)


MATTERS: Final[dict[str, Callable[[Place, bool], int]]] = {
    "seat": lambda place, is_long: place.seat,
    "age of the connection": lambda place, is_long: place.age,
    "number of the socket": lambda place, is_long: place.number,
    "frame's size": lambda place, is_long: is_long,
    "encoding": lambda place, is_long: place.is_json,
}


def fairness(script: Sequence[Step], size: Size, rounds: int, tables: int) -> list[Row]:
    """Run races on R0 and ours in turn, round after round, idle and under load; and see what a stall does."""
    with ExitStack() as stack:
        runners = [
            _runner(stack, contestant, script, size, tables)
            for contestant in (contestants()[0], contestants()[2])
        ]
        for _ in range(rounds):
            for under_load in (False, True):
                for each in runners:
                    each.race(
                        size.races // rounds,
                        -(-size.zero_races // rounds),
                        size.seconds / rounds,
                        under_load=under_load,
                    )
    rows = [row for each in runners for row in each.rows()]
    for each in runners:
        aim = 0 if each.is_ours else None
        rows.append(Row(STALL, f"{each.name}: the busy one beats an earlier play, %", "", each.stalls, aim))
    return rows


STALL: Final = f"Fairness: after stalls of {', '.join(map(str, STALLS_MS))} ms, per stall"


def _runner(
    stack: ExitStack, contestant: Contestant, script: Sequence[Step], size: Size, tables: int
) -> Runner:
    """Start a server for races; the stack stops it."""
    is_ours = contestant.kind is Kind.GAME
    command = ours(ping_seconds=PING_SECONDS) if is_ours else [*contestant.command, str(PING_SECONDS)]
    server = stack.enter_context(program(*command))
    sockets = contestant.enter(server.url, 1 + 2 * tables)
    for each in sockets:
        stack.callback(each.close)
    table = (Dealt if is_ours else Relayed)(sockets[:SEATS])
    number = max(MIN_STALLS, size.races // RACES_A_STALL)
    stalls = [after_stall(server, table, ms, number) for ms in STALLS_MS]
    track = stack.enter_context((track_of_ours if is_ours else track_of_relay)(server))
    others, half = sockets[SEATS:], tables * SEATS
    load = Load(steps=singles(script), kind=contestant.kind)
    most = measure(server, load, others[:half]).plays
    endless = replace(load, rate=LOAD_SHARE * most, seconds=3_600)
    process = stack.enter_context(background(endless, others[half:]))
    return Runner(contestant.name.partition(",")[0], is_ours, track, Stopped(process.pid), stalls)
