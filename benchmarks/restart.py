"""What a restart costs a server whose table has a long log: memory, processor time, bytes on the disk."""

import argparse
import asyncio
import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Final, NamedTuple

from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options

LIMITS: Final = (
    *("commands_per_second", "command_burst", "frames_per_second", "frame_burst"),
    *("units_per_connection", "units_per_address", "units_per_table", "units_per_server"),
)
"""What keeps a client from filling a journal at this pace; all are lifted."""
AT_ONCE: Final = {"options": 50, "pauses": 50, "turns": 1}
"""So many commands of a kind are on their way at a time: one, where it depends on the one before."""
A_DAY: Final = 30 * 86_400
"""So many commands one connection may give in a day, where nothing but their number is limited."""


class Started(NamedTuple):
    """A server that listens: where, its peak memory in KiB by then, and its processor time in seconds."""

    url: str
    process: subprocess.Popen[str]
    peak_kib: int
    cpu_seconds: float


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and write a line for each length of log."""
    arguments = _parsed(argv)
    with tempfile.TemporaryDirectory() as folder:
        empty = start(Path(folder) / "empty.sqlite")
        kill(empty)
        _tell(f"empty journal: peak {empty.peak_kib / 1_024:.1f} MiB, {empty.cpu_seconds:.2f} s CPU")
        for number in arguments.commands:
            journal = Path(folder) / f"{number}.sqlite"
            before = start(journal)
            asyncio.run(play(before.url, arguments.kind, number))
            kill(before)
            size = size_of(journal)
            after = start(journal)
            kill(after)
            _tell(
                f"{number} {arguments.kind}: peak {after.peak_kib / 1_024:.1f} MiB, "
                f"{after.cpu_seconds:.2f} s CPU, {size / 1e6:.1f} MB on the disk; "
                f"{size / number * A_DAY / 1e6:,.0f} MB if a day's {A_DAY:,} took as much each"
            )


def start(journal: Path) -> Started:
    """Start a server, and look at it when it listens."""
    limits = [f"--limit={name}=1000000" for name in LIMITS]
    program = [sys.executable, "-m", "racing_demon_server", "--host=127.0.0.1", "--port=0"]
    process = subprocess.Popen(  # noqa: S603 - our own program
        [*program, f"--journal={journal}", "--durability=normal", *limits], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    (peak,) = re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
    times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    cpu = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
    return Started(line.split()[-1], process, int(peak), cpu)


def kill(server: Started) -> None:
    """Let a server die at once."""
    server.process.kill()
    server.process.communicate()


def size_of(journal: Path) -> int:
    """Return how many bytes a journal takes when all of its log is in the file."""
    with contextlib.closing(sqlite3.connect(journal)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return journal.stat().st_size


async def play(url: str, kind: str, number: int) -> None:
    """Let one player give a number of commands of a kind, each of which is an event."""
    async with await Client.create(url, "Ann", Options(countdown_ms=0, hands=1)) as ann:
        if kind != "options":
            await ann.ask(cl.Start(counter=ann.next_counter()))
        messages = aiter(ann)
        while kind != "options" and not ann.view.in_hand:
            await anext(messages)
        commands = islice(_commands(ann, kind), number)
        begun = ann.view.seq
        while batch := list(islice(commands, AT_ONCE[kind])):
            for command in batch:
                await ann.send(command)
            while ann.waiting:
                await anext(messages)
        assert ann.view.seq >= begun + number, "not every command was an event"


def _commands(ann: Client, kind: str) -> Iterator[cl.Command]:
    if kind == "options":
        for hands in cycle((1, 2)):
            yield cl.SetOptions(counter=ann.next_counter(), options=Options(hands=hands))
    while kind == "pauses":
        for paused in (True, False):
            yield cl.Pause(counter=ann.next_counter(), paused=paused)
    while kind == "turns":
        assert ann.view.hand is not None
        play = ann.view.hand.rules.stock_play(ann.view.hand.board, 0)
        assert play is not None
        yield ann.play_command(play)


def _tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", choices=sorted(AT_ONCE), default="options")
    parser.add_argument("commands", type=int, nargs="*", default=[40_000, 107_000])
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
