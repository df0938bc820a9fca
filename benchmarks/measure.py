"""What is measured: keys to paints, an opponent's play to its paint, and what all that costs."""

import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from benchmarks.programs import Programs
from benchmarks.pty_program import PtyProgram, Terminals
from benchmarks.screen import Frame

PICK_UP: Final = b"a"
DROP: Final = b"x"
TURN: Final = b" "
BUSY_RATE: Final = 16
BLOCK: Final = 20
"""So many keys of one variant in a row, before the next has its turn: noise then meets all alike."""
MIN_GAP: Final = 0.04
MAX_GAP: Final = 0.14
PATIENCE: Final = 2.0
"""Seconds after which a paint counts as lost."""
FADE_SECONDS: Final = 0.6
"""The table marks a pile that changed for 0.4 s; then that is painted, too."""
EVENT_JITTER: Final = 0.2


@dataclass(frozen=True, slots=True)
class Sample:
    """What came of one key, or one event. Times are milliseconds.

    Attributes:
        first: to the first byte of anything; with opponents' plays that may be of another paint.
        paint: to the first byte of the paint that shows what the key did.
        closed: to the last byte of it.
        size: the bytes of it.

    """

    first: float
    paint: float
    closed: float
    size: int

    @classmethod
    def of(cls, frame: Frame, heard_at: int, since: int) -> Self:
        """Return the times of a paint, since something; these two are nanoseconds."""
        first, paint, closed = ((at - since) / 1e6 for at in (heard_at, frame.begin, frame.end))
        return cls(first, paint, closed, frame.size)


@dataclass(slots=True)
class Variant:
    """One way to have a key answered.

    Attributes:
        name: what the numbers are called.
        title: what it is, in words.
        program: which program is typed at.
        key: returns the next key, by what the program shows.
        is_answer: tells whether a paint shows what a key did.
        rate: how many plays of opponents arrive meanwhile, a second.
        samples: what was measured.
        lost: how many keys had no answer.

    """

    name: str
    title: str
    program: PtyProgram
    key: Callable[[PtyProgram], bytes]
    is_answer: Callable[[Frame, bytes], bool]
    rate: int = 0
    samples: list[Sample] = field(default_factory=list)
    lost: int = 0


def variants(programs: Programs) -> list[Variant]:
    """Return all variants."""
    raw, empty, table = programs.raw, programs.empty, programs.table

    def grip(program: PtyProgram) -> bytes:
        return DROP if "holding" in program.screen.text else PICK_UP

    def is_grip(frame: Frame, key: bytes) -> bool:
        return frame.holding == (key == PICK_UP)

    def is_change(frame: Frame, key: bytes) -> bool:
        return frame.changes

    return [
        Variant("raw", "raw loop, no Textual", raw, lambda _: TURN, is_change),
        Variant("empty", "Textual, one cell changes", empty, lambda _: TURN, is_change),
        Variant("table", "table: pick up, drop", table, grip, is_grip),
        Variant("table_turn", "table: turn the stock", table, lambda _: TURN, is_change),
        Variant("table_busy", f"table + {BUSY_RATE} plays/s: pick up, drop", table, grip, is_grip, BUSY_RATE),
    ]


def measure_keys(programs: Programs, measured: list[Variant], keys: int) -> None:
    """Type a number of keys at each variant, block by block in turn."""
    chance = random.Random(0)  # noqa: S311 - no secret, and the same gaps each time
    for begin in range(0, keys, BLOCK):
        for variant in measured:
            with_plays(programs, variant.rate)
            for _ in range(min(BLOCK, keys - begin)):
                gap = chance.uniform(MIN_GAP, MAX_GAP)
                sample = press(programs.terminals, variant, gap)
                if sample is None:
                    variant.lost += 1
                else:
                    variant.samples.append(sample)
            with_plays(programs, 0)


def with_plays(programs: Programs, rate: int) -> int:
    """Let the opponents play at a rate from now on; return how often they had played before."""
    sent = int(programs.others.ask(f"rate {rate}"))
    programs.terminals.drain(FADE_SECONDS if sent or rate else 0.0)
    return sent


def press(terminals: Terminals, variant: Variant, gap: float) -> Sample | None:
    """Type a key, and return what came of it; not before the time for the next key."""
    program = variant.program
    key = variant.key(program)
    next_at = time.monotonic() + gap
    typed_at = program.press(key)

    def answers() -> Iterator[Frame]:
        return (frame for frame in program.frames if variant.is_answer(frame, key))

    terminals.wait(lambda: any(answers()), PATIENCE)
    frame = next(answers(), None)
    sample = None if frame is None else Sample.of(frame, program.heard_at, typed_at)
    terminals.drain(next_at - time.monotonic())
    return sample


def measure_events(programs: Programs, number: int) -> tuple[list[Sample], int]:
    """Let an opponent make a number of plays while nobody types; return the times, and how many were lost."""
    chance = random.Random(0)  # noqa: S311 - no secret
    table, found = programs.table, list[Sample]()
    for _ in range(number):
        programs.terminals.drain(FADE_SECONDS + chance.uniform(0, EVENT_JITTER))
        table.forget()
        programs.others.tell("turn")
        programs.terminals.wait(lambda: any(frame.changes for frame in table.frames), PATIENCE)
        sent_at = int(programs.others.answer())
        frame = next((frame for frame in table.frames if frame.changes), None)
        if frame is not None:
            found.append(Sample.of(frame, frame.begin, sent_at))
    return found, number - len(found)


@dataclass(frozen=True, slots=True)
class CpuShares:
    """How busy the table keeps a processor.

    Attributes:
        idle: in percent, while nothing happens; ``None`` where the system does not tell.
        busy: the same while opponents play.
        rate: how many plays a second those were in truth.

    """

    idle: float | None
    busy: float | None
    rate: float


def measure_cpu(programs: Programs, seconds: float) -> CpuShares:
    """Watch the table for a time without, and as long with opponents' plays; nobody types."""
    idle = _share(programs, seconds)
    with_plays(programs, BUSY_RATE)
    programs.others.ask(f"rate {BUSY_RATE}")  # from here on its turns are counted anew
    begin = time.monotonic()
    busy = _share(programs, seconds)
    took = time.monotonic() - begin
    return CpuShares(idle, busy, with_plays(programs, 0) / took)


def _share(programs: Programs, seconds: float) -> float | None:
    begin, before = time.monotonic(), cpu_seconds(programs.table.pid)
    programs.terminals.drain(seconds)
    after, took = cpu_seconds(programs.table.pid), time.monotonic() - begin
    return None if before is None or after is None else 100 * (after - before) / took


def cpu_seconds(pid: int) -> float | None:
    """Return the processor time that a process has used, where /proc tells it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
