"""What each thing that happens elsewhere adds to a table's latency: phases with and without it, in turn.

The load plays on some tables at a moderate rate. In every third phase something happens at another table
of the same server, or to the server as a whole; added is by how much the 99th percentile of that phase is
more than that of the quiet one before. Between the two whoever is needed for it comes, which is not counted.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, Final

from benchmarks.pty_program import ProgramEnded, PtyProgram, Terminals
from benchmarks.yardsticks.entering import Socket, sit_down, watch
from benchmarks.yardsticks.loading import (
    ROOT,
    Kind,
    Load,
    Program,
    Stopped,
    background,
    cores,
    measure_phases,
    ours,
    program,
)
from benchmarks.yardsticks.rows import Row
from benchmarks.yardsticks.script import SEATS, Step, cycle, singles

TABLES: Final = 10
RATE: Final = 1_000
"""Plays a second over these tables: a moderate load."""
AIM_MS: Final = 2.0
SCREEN_RATE: Final = 16
"""Plays a second that a screen shows: eight people, each with two."""
HANDS_RATE: Final = 20
"""Hands a second that are over, and dealt anew, at another table."""
SILENT: Final = 20
SMALL_BUFFER: Final = 4_096
BACKLOG: Final = 32 * 1_024
"""So little may wait for a slow reader here, so that it is cut off within a phase."""
IDLE_TABLES: Final = 100
START_SECONDS: Final = 30.0
SIZE: Final = (120, 40)
EVERYDAY: Final[dict[str, Any]] = {
    "durability": "full",
    "commands_per_second": 30,
    "command_burst": 60,
    "frames_per_second": 300,
    "frame_burst": 600,
    "units_per_connection": 3,
    "backlog_bytes": BACKLOG,
    "send_buffer": SMALL_BUFFER,
    "ping_seconds": 600,  # who stands still answers none
}
"""Limits as they are everywhere, but for those of slow readers."""

Disturbance = AbstractContextManager[object]


class Signalled:
    """A server that is told by a signal that something begins, and by the same that it ends."""

    def __init__(self, server: Program, number: int) -> None:
        self._server, self._number = server, number

    def __enter__(self) -> None:
        os.kill(self._server.pid, self._number)

    def __exit__(self, *_: object) -> None:
        os.kill(self._server.pid, self._number)


class Silent:
    """Spectators who never read, at a table where hands end over and over; others each time."""

    def __init__(self, url: str, code: str, dealing: Stopped) -> None:
        self._url, self._code, self._dealing = url, code, dealing
        self._sockets: list[Socket] = []

    def come(self) -> None:
        """Come to the table, before the hands there begin to end."""
        self._sockets = watch(self._url, [self._code], SILENT, buffer=SMALL_BUFFER)

    def __enter__(self) -> None:
        self._dealing.__enter__()

    def __exit__(self, *_: object) -> None:
        self._dealing.__exit__()
        for each in self._sockets:
            each.close()


def isolation(script: Sequence[Step], rounds: int, seconds: float) -> list[Row]:
    """Measure what all the things that happen elsewhere add."""
    section = f"Isolation: {TABLES} tables of 8, {RATE} plays a second; what is added to their p99"
    rows, base = list[Row](), list[float]()
    with program(*ours(**EVERYDAY)) as server, ExitStack() as stack:
        disturbances = _elsewhere(server, script, stack)
        added, base = added_by(server, disturbances, rounds, seconds)
        rows += [Row(section, name, "ms", values, at_most=AIM_MS) for name, values in added.items()]
    rows.append(Row(section, "p99 in the phases without", "ms", base))
    with program(*ours(**EVERYDAY)) as server:
        os.kill(server.pid, signal.SIGUSR2)
        name = "checkpoints of the journal"
        added, _ = added_by(server, {name: Signalled(server, signal.SIGUSR2)}, rounds, seconds)
        rows.append(Row(section, name, "ms", added[name], at_most=AIM_MS))
    for frozen, name in ((1, "as it is"), (0, "nothing frozen")):
        rows += _collections(section, name, frozen, rounds, seconds)
    return rows


def _collections(section: str, name: str, frozen: int, rounds: int, seconds: float) -> list[Row]:
    """Measure what garbage collection adds, after many more tables have come."""
    name = f"garbage collection, {name}"
    with program(*ours(**EVERYDAY, frozen=frozen)) as server:
        idle, _ = sit_down(server.url, IDLE_TABLES)
        os.kill(server.pid, signal.SIGUSR1)
        added, _ = added_by(server, {name: Signalled(server, signal.SIGUSR1)}, rounds, seconds)
        for each in idle:
            each.close()
    longest = f"{name}: CPU of the longest while {IDLE_TABLES} tables come"
    return [
        Row(section, name, "ms", added[name], at_most=AIM_MS if frozen else None),
        Row(section, longest, "ms", [float(server.last_words)]),
    ]


def added_by(
    server: Program, disturbances: Mapping[str, Disturbance], rounds: int, seconds: float
) -> tuple[dict[str, list[float]], list[float]]:
    """Return what each adds to the 99th percentile, round by round, in ms; and the phases without it."""
    order = [each for _ in range(rounds) for each in disturbances.values()]
    phases = 3 * len(order)
    load = Load(
        steps=singles(cycle()),
        kind=Kind.CYCLE,
        rate=RATE,
        seconds=seconds * phases,
        phases=phases,
        warm_up=1.0,
    )
    sockets, _ = sit_down(server.url, TABLES)
    with ExitStack() as happening:

        def begin(phase: int) -> None:
            disturbance = order[phase // 3]
            match phase % 3:
                case 0:
                    happening.close()
                case 1 if isinstance(disturbance, Silent):
                    disturbance.come()
                case 2:
                    happening.enter_context(disturbance)

        measured = measure_phases(server, load, sockets, begin)
    for each in sockets:
        each.close()
    p99 = [tail / 1_000 for _, tail in measured.phases]
    more = [with_it - without for without, with_it in zip(p99[::3], p99[2::3], strict=True)]
    return {name: more[at :: len(disturbances)] for at, name in enumerate(disturbances)}, p99[::3]


def _elsewhere(server: Program, script: Sequence[Step], stack: ExitStack) -> dict[str, Disturbance]:
    """Return what may happen at other tables, ready to begin; the stack ends it for good."""
    others, (shown, _, told, busy) = sit_down(server.url, 4)
    for each in others:
        stack.callback(each.close)
    parties = [others[at : at + SEATS] for at in range(0, len(others), SEATS)]
    shows = Load(steps=singles(cycle()), kind=Kind.CYCLE, rate=SCREEN_RATE, seconds=3_600)
    ends = Load(steps=script[:1], rate=HANDS_RATE * SEATS, seconds=3_600)
    stack.enter_context(_screen(server.url, shown))
    showing, ending, telling = (
        Stopped(stack.enter_context(background(load, party)).pid)
        for load, party in zip((shows, ends, ends), parties, strict=False)
    )
    return {
        "nothing: how far two phases differ by chance": nullcontext(),
        "a screen on the server's processor, with 16 plays a second": showing,
        f"{HANDS_RATE} hands a second that end elsewhere": ending,
        f"the same, and {SILENT} there who never read": Silent(server.url, told, telling),
        "a client that floods, is cut off, and comes again": stack.enter_context(
            _helper("flood", server.url, busy)
        ),
        "spectators who come, have their snapshot, and go": stack.enter_context(
            _helper("come", server.url, busy)
        ),
    }


@contextmanager
def _screen(url: str, code: str) -> Iterator[None]:
    """Show a table on a terminal, on the server's own processor, as at a host's who has but one."""
    command = [sys.executable, "-m", "racing_demon_client", "watch", url, code]
    server_cores, _ = cores()
    with (
        tempfile.TemporaryDirectory(prefix="bench-isolation-") as folder,
        Terminals() as terminals,
        PtyProgram("the screen", command, SIZE, _surroundings(folder)) as screen,
    ):
        os.sched_setaffinity(screen.pid, server_cores)
        terminals.add(screen.fd, screen.read)
        if not terminals.wait(lambda: "hand 1/" in screen.screen.text, START_SECONDS):
            raise ConnectionError(f"the screen shows no table:\n{screen.screen.text.rstrip()}")
        is_over = threading.Event()
        reader = threading.Thread(target=_read, args=(terminals, is_over))
        reader.start()
        try:
            yield
        finally:
            is_over.set()
            reader.join()


def _surroundings(folder: str) -> Mapping[str, str]:
    """Return an environment in which nobody's own settings or terminal matter."""
    own = {name: text for name, text in os.environ.items() if not name.startswith(("RACING_DEMON_", "LC_"))}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):  # these two even where nobody has set them: readline does
        own.pop(name, None)
    return {
        **own,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "RACING_DEMON_CONFIG": folder,
        "RACING_DEMON_STATE": folder,
    }


def _read(terminals: Terminals, is_over: threading.Event) -> None:
    """Read what a screen writes: nobody waits for that."""
    while not is_over.is_set():
        try:
            terminals.wait(is_over.is_set, 0.1)
        except ProgramEnded:
            return


@contextmanager
def _helper(name: str, url: str, code: str) -> Iterator[Stopped]:
    """Run a program that disturbs, stopped; it has the load's processor when nobody else wants it."""
    _, load_cores = cores()
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "benchmarks.yardsticks.disturbing", name, url, code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setaffinity(0, load_cores),  # noqa: PLW1509 - it has to be before threads
    )
    assert process.stdout is not None
    try:
        process.stdout.readline()
        yield Stopped(process.pid)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
