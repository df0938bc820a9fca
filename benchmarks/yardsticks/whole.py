"""The server that is measured: the real one, for which one hand is known beforehand, and nobody is too fast.

    python -m benchmarks.yardsticks.whole asyncio|uvloop [durability=full|normal] [FIELD=NUMBER ...]

It deals the hand of :mod:`.script` for ever, on every table. All limits are checked as always; those of
plays and frames a second are too high to meet, and the fields that are named are set. A journal, where
one is wanted, is a file of its own, on the disk and not in memory, and goes with the server.
"""

import asyncio
import itertools
import sys
import tempfile
from pathlib import Path
from typing import Any

from racing_demon_server import hall, logs
from racing_demon_server.app import run
from racing_demon_server.durability import Durability
from racing_demon_server.settings import Settings

from .script import SEED

ENDLESS = 1e12
PING_SECONDS = 20.0
"""As the relays have it: while tables fill, nobody answers."""


def main(loop: str, fields: dict[str, Any]) -> None:
    """Serve until standard input ends."""
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".racing-demon-bench-") as folder:
        durability = Durability(fields.pop("durability", "none"))
        if durability is not Durability.NONE:
            fields |= {"durability": durability, "journal": Path(folder) / "journal.sqlite"}
        serve(loop, fields)


def serve(loop: str, fields: dict[str, Any]) -> None:
    """Serve with these fields of the settings, until standard input ends."""
    vars(hall)["hand_seeds"] = lambda _: itertools.repeat(SEED)  # or the script would not fit
    logs.set_up("error", "text")
    settings = Settings(
        port=0,
        seed=SEED,
        max_tables=2_000,
        max_connections=20_000,
        connections_per_address=20_000,
        max_handshakes=20_000,
        ping_seconds=PING_SECONDS,
        tables_per_minute=ENDLESS,
        table_burst=ENDLESS,
        commands_per_second=ENDLESS,
        command_burst=ENDLESS,
        frames_per_second=ENDLESS,
        frame_burst=ENDLESS,
        **fields,
    )

    def announce(url: str) -> None:
        sys.stdout.write(f"listening on {url}\n")
        sys.stdout.flush()

    with asyncio.Runner(loop_factory=loop_factory(loop)) as runner:
        runner.run(run(settings, announce, stop_with_stdin=True))


def loop_factory(name: str) -> Any:
    """Return what makes the loop of a name."""
    if name == "uvloop":
        import uvloop  # noqa: PLC0415 - only those who want it need it

        return uvloop.new_event_loop
    return asyncio.new_event_loop


def number(text: str) -> int | float | str:
    """Return a field's value."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


if __name__ == "__main__":
    pairs = (argument.partition("=") for argument in sys.argv[2:])
    main(sys.argv[1], {name: number(value) for name, _, value in pairs})
