"""Races by the thousand: two plays so far apart on two connections, by a program in C that does nothing else.

At tables of ours connections differ in all that could matter: where they sit, how old they are, which number
the server's system has given them, how they encode, and how long a frame is.
"""

import math
import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.yardsticks.entering import Socket, sit_at_relay
from benchmarks.yardsticks.loading import SOURCES, Program, compiled, cores
from benchmarks.yardsticks.script import OPTIONS, SEATS, cycle
from racing_demon_protocol.wire.codec import VERSION, Encoding
from racing_demon_protocol.wire.messages.client import Create, Hello, Join, Resume, Start
from racing_demon_protocol.wire.messages.events import Signalled
from racing_demon_protocol.wire.messages.server import Seated, Snapshot

ORDERS: Final = ((), (3, 6, 0, 5, 2, 7, 1, 4), (5, 0, 7, 2, 4, 1, 6, 3), (6, 2, 4, 0, 7, 3, 5, 1))
"""In which order the seats of each table come back, and so are younger than they were; the first has none."""
ESTABLISHED: Final = "01"
WAIT_SECONDS: Final = 10.0


class Place(NamedTuple):
    """What could matter of a connection, but should not."""

    seat: int
    age: int
    number: int
    is_json: bool


@dataclass
class Races:
    """What came of races.

    Attributes:
        won: how often the earlier play was first.
        of: how many races there were.
        both: for each table, two seats, and whether each one's frame was long: the same two counts.
        busy: the share of a processor that the races took.

    """

    won: int = 0
    of: int = 0
    both: dict[tuple[int, int, int, bool, bool], tuple[int, int]] = field(default_factory=dict)
    busy: float = 0.0

    def add(self, more: "Races") -> None:
        """Count others, too."""
        self.won += more.won
        self.of += more.of
        self.busy = max(self.busy, more.busy)
        for key, (won, of) in more.both.items():
            before = self.both.get(key, (0, 0))
            self.both[key] = before[0] + won, before[1] + of

    def pairs(self, places: Sequence[Sequence[Place]], matter: Callable[[Place, bool], int]) -> "Pairs":
        """Return, for each two different values of what could matter, how both did that were sent first."""
        found: Pairs = defaultdict(lambda: ([0, 0], [0, 0]))
        for (table, first, second, is_long, other_long), (won, of) in self.both.items():
            one, other = matter(places[table][first], is_long), matter(places[table][second], other_long)
            if one != other:
                sent_first = found[min(one, other), max(one, other)][one > other]
                sent_first[0] += won
                sent_first[1] += of
        return found


Pair = tuple[Sequence[int], Sequence[int]]
"""For each of two values: how often it was first, and how often it was sent first."""
Pairs = defaultdict[tuple[int, int], tuple[list[int], list[int]]]


class Track:
    """The tables at which races are run, and the program that runs them."""

    def __init__(self, process: "subprocess.Popen[str]", places: Sequence[Sequence[Place]]) -> None:
        self._process = process
        self.places = places

    def run(self, gap_us: int, races: int, seconds: float, throttle_us: int) -> Races:
        """Run a number of races, or as many as there is time for.

        Raises:
            ConnectionError: the races broke off.

        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{gap_us} {throttle_us} {races} {seconds}\n")
        self._process.stdin.flush()
        found = Races()
        for line in self._process.stdout:
            if line.startswith("end"):
                found.busy = float(line.split()[1])
                return found
            table, first, second, is_long, other_long, won, of = map(int, line.split())
            found.both[table, first, second, bool(is_long), bool(other_long)] = won, of
            found.won += won
            found.of += of
        raise ConnectionError("the races broke off")


@contextmanager
def track_of_relay(server: Program) -> Iterator[Track]:
    """Run races at a relay's one table."""
    sockets = sit_at_relay(server.url, 1)
    with _running("relay", sockets) as process:
        yield Track(process, [[Place(seat, seat, seat, is_json=False) for seat in range(SEATS)]])
    for each in sockets:
        each.close()


@contextmanager
def track_of_ours(server: Program) -> Iterator[Track]:
    """Run races at tables of ours whose connections differ."""
    sockets, places, seen = list[Socket](), list[list[Place]](), list[int]()
    for number, order in enumerate(ORDERS):
        party, first = _party(server, order, number)
        seen.append(first)
        numbers = _numbers(server.pid, party)
        age = [order.index(seat) if order else seat for seat in range(SEATS)]
        places.append(
            [
                Place(seat, age[seat], numbers[seat], party[seat].encoding is Encoding.JSON)
                for seat in range(SEATS)
            ]
        )
        sockets += party
    with _running("game", sockets, seen) as process:
        yield Track(process, places)
    for each in sockets:
        each.close()


def _party(server: Program, order: Sequence[int], table: int) -> tuple[list[Socket], int]:
    """Return eight who sit at a table with a hand, and its first event; they have come back in this order."""
    encodings = [Encoding.JSON if (seat + table) % 2 else Encoding.MSGPACK for seat in range(SEATS)]
    party, tokens, code = list[Socket](), list[str](), ""
    for seat in range(SEATS):
        comer = Socket(server.url, encoding=encodings[seat])
        comer.say(Hello(version=VERSION))
        name = f"Player {seat + 1}"
        comer.say(Join(code=code, name=name) if seat else Create(name=name, options=OPTIONS))
        _, code, _, token, *_ = comer.until(Seated.TAG)
        comer.until(Snapshot.TAG)
        party.append(comer)
        tokens.append(token)
    for seat in order:
        if table % 2:  # whoever comes back has the number that was free again
            files = _files(server.pid)
            party[seat].close()
            until = time.monotonic() + WAIT_SECONDS
            while _files(server.pid) >= files and time.monotonic() < until:
                time.sleep(0.001)
        comer = Socket(server.url, encoding=encodings[seat])
        comer.say(Hello(version=VERSION))
        comer.say(Resume(code=code, token=tokens[seat], seq=0))
        comer.until(Snapshot.TAG)
        party[seat].close()
        party[seat] = comer
    party[0].say(Start(counter=1))
    return party, min(each.until(Signalled.TAG)[1] for each in party)


def _files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def _numbers(pid: int, party: Sequence[Socket]) -> list[int]:
    """Return the rank of each connection's number in the server."""
    inodes, at = {}, party[0].socket.getpeername()[1]
    for line in Path(f"/proc/{pid}/net/tcp").read_text(encoding="utf-8").splitlines()[1:]:
        _, local, remote, state, *fields = line.split()
        if state == ESTABLISHED and _port(local) == at:
            inodes[_port(remote)] = fields[5]
    files = dict[str, int]()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        files[target] = int(name)
    numbers = [files[f"socket:[{inodes[each.socket.getsockname()[1]]}]"] for each in party]
    return [sorted(numbers).index(number) for number in numbers]


def _port(address: str) -> int:
    return int(address.rpartition(":")[2], 16)


@contextmanager
def _running(
    kind: str, sockets: Sequence[Socket], seen: Sequence[int] = (0,)
) -> "Iterator[subprocess.Popen[str]]":
    _, load_cores = cores()
    process = subprocess.Popen(  # noqa: S603 - compiled here
        [str(compiled(SOURCES / "races.c"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[each.fileno() for each in sockets],
        preexec_fn=lambda: os.sched_setaffinity(0, load_cores),  # noqa: PLW1509 - there are no threads
    )
    assert process.stdin is not None
    assert process.stdout is not None
    steps = cycle()
    lines = [f"{kind} {SEATS} {len(sockets) // SEATS} {len(steps)}"]
    for seat in range(SEATS):
        for step in steps:
            play = step.plays[seat].play
            lines.append(f"{play.source} {play.count} {play.destination}")
    for number, each in enumerate(sockets):
        is_json, has_started = each.encoding is Encoding.JSON, kind == "game" and number % SEATS == 0
        lines.append(f"{each.fileno()} {is_json:d} {has_started:d} {seen[number // SEATS]}")
    try:
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def p_value(pairs: Sequence[Pair]) -> float:
    """Return how likely it is that such a bias between the two of each pair is chance (chi-square).

    What is asked is whether the one, sent first, is first as often as the other is when that is sent first:
    so it does not matter which was sent first more often. Where whoever is sent first always is first, there
    is no bias at all.
    """
    squares = [_square(one, other) for one, other in pairs if one[1] and other[1]]
    told = [square for square in squares if square is not None]
    if not told:
        return 1.0
    freedom = len(told)
    spread = 2 / (9 * freedom)
    z = ((sum(told) / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)  # Wilson-Hilferty
    return 0.5 * math.erfc(z / math.sqrt(2))


def _square(one: Sequence[int], other: Sequence[int]) -> float | None:
    """Return the squared difference of two shares, by its variance; ``None`` if both are all, or none."""
    (won, of), (other_won, other_of) = one, other
    share = (won + other_won) / (of + other_of)
    variance = share * (1 - share) * (1 / of + 1 / other_of)
    return (won / of - other_won / other_of) ** 2 / variance if variance else None
