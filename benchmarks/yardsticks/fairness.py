"""Who was first: plays sent one after the other on two connections, and in which order they were judged."""

import math
import os
import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from websockets.frames import Frame, Opcode

from racing_demon_protocol.board import Board, Play
from racing_demon_protocol.codec import decode_server, encode
from racing_demon_protocol.messages.client import PlayCards
from racing_demon_protocol.messages.events import Event, Played, Signalled
from racing_demon_protocol.messages.server import Snapshot
from racing_demon_protocol.view import TableView

from .entering import Socket, sit_at_relay
from .loading import Kind, Load, Program, background, measure, ours, program, relay
from .rows import Row
from .script import SEATS, Step, singles
from .sizes import EVENT_BYTES, PLAY_BYTES
from .throughput import Contestant, seated

__all__ = ["fairness"]

GAPS_US: Final = (0, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
STALLS_MS: Final = (1, 5, 20, 50)
BURST: Final = 5
"""What the busy connection sends before the quiet one's play, and again after it."""
AIM_AT_1_MS: Final = 99.9
AIM_P_VALUE: Final = 0.001
LOAD_SHARE: Final = 0.7
LATE: Final = 50
"""Microseconds that a second play may come later than it should; else the race does not count."""


class Relayed:
    """A table of a relay, where a play is known by its sender's seat in its first byte."""

    def __init__(self, sockets: Sequence[Socket]) -> None:
        self.sockets = sockets

    def frames(self, seat: int, number: int) -> list[bytes]:
        """Return the next so many plays of a seat, as they go through a socket."""
        data = bytes([seat]) + bytes(PLAY_BYTES - 1)
        return [Frame(Opcode.BINARY, data).serialize(mask=True)] * number

    def order(self, number: int) -> list[int]:
        """Return whose the next so many plays were, as everybody sees them."""
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
        self.view = TableView.from_snapshot(snapshot)
        while not self.view.in_hand:
            self._follow()
        for other in sockets[:-1]:
            other.until(Signalled.TAG)

    def _follow(self) -> Event:
        event = decode_server(self.sockets[-1].data())
        if not isinstance(event, Event):
            raise ValueError(f"no event: {event}")
        self.view.apply(event)
        return event

    def frames(self, seat: int, number: int) -> list[bytes]:
        """Return the next so many plays of a seat, as they go through a socket."""
        assert self.view.board is not None
        board, found = self.view.board.copy(), []
        for _ in range(number):
            self._counters[seat] += 1
            source, count, destination, _ = self._turn(board, seat)
            board.carry(Play(source, count, destination))
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
        assert self.view.rules is not None
        turn = self.view.rules.turn(board, seat)
        assert turn is not None
        return turn

    def order(self, number: int) -> list[int]:
        """Return whose the next so many plays were, as everybody sees them."""
        found: list[int] = []
        while len(found) < number:
            event = self._follow()
            if isinstance(event, Played):
                found.append(event.seat)
            for other in self.sockets[:-1]:
                other.data()
        return found


@dataclass
class Outcome:
    """What came of the races.

    Attributes:
        races: for each gap, how often the earlier was first, and how many races there were.
        pairs: at no gap, for each pair of seats, the same for the lower seat.

    """

    races: dict[int, list[int]] = field(default_factory=dict)
    pairs: dict[tuple[int, int], list[int]] = field(default_factory=dict)


def race(table: Relayed | Dealt, gap_us: int, number: int, chance: random.Random, outcome: Outcome) -> None:
    """Let two seats play so far apart, so many times, and note who was first."""
    for _ in range(number):
        one, other = chance.sample(range(SEATS - 1), 2)  # the last seat looks on
        first, second = table.frames(one, 1)[0], table.frames(other, 1)[0]
        time.sleep(chance.uniform(0.0005, 0.002))
        begin = time.perf_counter_ns()
        table.sockets[one].socket.sendall(first)
        while (took := (time.perf_counter_ns() - begin) // 1_000) < gap_us:
            pass
        table.sockets[other].socket.sendall(second)
        is_right = table.order(2)[0] == one
        if gap_us and took > gap_us + LATE:
            continue
        won, of = outcome.races.get(gap_us, [0, 0])
        outcome.races[gap_us] = [won + is_right, of + 1]
        if not gap_us:
            pair = (min(one, other), max(one, other))
            won, of = outcome.pairs.get(pair, [0, 0])
            lower_won = is_right == (one < other)
            outcome.pairs[pair] = [won + lower_won, of + 1]


def after_stall(server: Program, table: Relayed | Dealt, stall_ms: float, number: int) -> float:
    """Stop the server, and let a busy and a quiet seat play; return how often it was unfair (%).

    That is: the quiet one was served after a play that the busy one sent later.
    """
    wrong = 0
    for turn in range(number):
        busy, quiet = turn % 7, (turn + 1 + turn // 7 % 6) % 7
        hot, play = table.frames(busy, 2 * BURST), table.frames(quiet, 1)
        os.kill(server.pid, signal.SIGSTOP)
        table.sockets[busy].socket.sendall(b"".join(hot[:BURST]))
        table.sockets[quiet].socket.sendall(play[0])
        table.sockets[busy].socket.sendall(b"".join(hot[BURST:]))
        time.sleep(stall_ms / 1_000)
        os.kill(server.pid, signal.SIGCONT)
        order = table.order(2 * BURST + 1)
        wrong += order.index(quiet) > BURST
    return 100 * wrong / number


def fairness(script: Sequence[Step], races: int, tables: int) -> list[Row]:
    """Return the curves of R0 and ours, idle and under load, and what a stall does."""
    found = list[Row]()
    for each in (
        Contestant("R0", relay("plain", EVENT_BYTES), sit_at_relay, Kind.RELAY),
        Contestant("ours, uvloop", ours("uvloop"), seated),
        Contestant("ours, asyncio", ours("asyncio"), seated),
    ):
        with program(*each.command) as server:
            table = (Dealt if each.kind is Kind.GAME else Relayed)(each.enter(server.url, 1))
            found += _curve(f"{each.name}, idle", table, races)
            stalls = [after_stall(server, table, ms, max(10, races // 10)) for ms in STALLS_MS]
            aim = 0 if each.kind is Kind.GAME else None
            found.append(Row(STALL, f"{each.name}: the busy one beats an earlier play, %", "", stalls, aim))
            others = each.enter(server.url, 2 * tables)
            with _at_share(server, Load(steps=script, kind=each.kind), others):
                found += _curve(f"{each.name}, at {LOAD_SHARE:.0%} load", table, races)
            for taken in (*table.sockets, *others):
                taken.close()
    return found


STALL: Final = f"Fairness: after stalls of {', '.join(map(str, STALLS_MS))} ms, per stall"


@contextmanager
def _at_share(server: Program, load: Load, sockets: Sequence[Socket]) -> Iterator[None]:
    """Keep a server at a share of what it can do, as long as the context lasts, by way of other tables."""
    half = len(sockets) // SEATS // 2 * SEATS
    most = measure(server, load, sockets[:half]).plays
    endless = replace(load, steps=singles(load.steps), rate=LOAD_SHARE * most, seconds=3_600)
    with background(endless, sockets[half:]) as process:
        yield
        if process.poll() is not None:
            raise ConnectionError("the load broke off during the races")


def _curve(name: str, table: Relayed | Dealt, races: int) -> list[Row]:
    outcome, chance = Outcome(), random.Random(0)  # noqa: S311 - no secret, and the same races each time
    for gap in GAPS_US:
        race(table, gap, races * (1 if gap else 4), chance, outcome)
    section = f"Fairness: {name}; the earlier of two plays is first, %"
    rows = []
    for gap, (won, of) in outcome.races.items():
        aim = AIM_AT_1_MS if gap >= 1_000 and name.startswith("ours") else None
        rows.append(Row(section, f"{gap} us apart ({of} races)", "", [100 * won / of], at_least=aim))
    value = p_value([(won, of) for won, of in outcome.pairs.values()])
    aim = AIM_P_VALUE if name.startswith("ours") else None
    rows.append(Row(section, "p of the seats' bias at 0 us (chi-square)", "", [value], at_least=aim))
    return rows


def p_value(pairs: Sequence[tuple[int, int]]) -> float:
    """Return how likely it is that such a bias between the seats of pairs is chance (Wilson-Hilferty)."""
    square = sum((won - of / 2) ** 2 / (of / 4) for won, of in pairs)
    freedom = len(pairs)
    spread = 2 / (9 * freedom)
    z = ((square / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    return 0.5 * math.erfc(z / math.sqrt(2))
