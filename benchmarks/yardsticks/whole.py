"""The server that is measured: the real one, for which one hand is known beforehand, and nobody is too fast.

    python -m benchmarks.yardsticks.whole asyncio|uvloop [durability=full|normal] [FIELD=NUMBER ...]

It deals the hand of :mod:`.script` for ever, on every table. All limits are checked as always; those of
plays and frames a second are too high to meet, and the fields that are named are set. A journal, where
one is wanted, is a file of its own, on the disk and not in memory, and goes with the server.

Two fields are not the server's: ``send_buffer`` is what the system may keep for each connection, and
``frozen=0`` lets garbage collection look at all objects. SIGUSR1 turns the collection off, and on
again, and SIGUSR2 the checkpoints of the journal. At the end the processor time of the longest collection is
told, in milliseconds.
"""

import asyncio
import gc
import itertools
import os
import signal
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.yardsticks.script import SEED
from racing_demon_server import server
from racing_demon_server.enums import Durability
from racing_demon_server.journal.sqlite import store
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.net.gateway import Gateway
from racing_demon_server.ops import logs
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Clock

ENDLESS: Final = 1e12
PING_SECONDS: Final = 20.0
"""As the relays have it: while tables fill, nobody answers."""
CHECKPOINT_PAGES: Final = 1_000
"""As SQLite has it by itself."""
LIMITS: Final = {
    "port": 0,
    "seed": SEED,
    "max_tables": 2_000,
    "max_connections": 20_000,
    "connections_per_address": 20_000,
    "max_handshakes": 20_000,
    "ping_seconds": PING_SECONDS,
    "tables_per_minute": ENDLESS,
    "table_burst": ENDLESS,
    "commands_per_second": ENDLESS,
    "command_burst": ENDLESS,
    "frames_per_second": ENDLESS,
    "frame_burst": ENDLESS,
    "units_per_connection": ENDLESS,
}


def main(loop: str, fields: dict[str, Any]) -> None:
    """Serve until standard input ends."""
    with disk_folder() as folder:
        durability = Durability(fields.pop("durability", "none"))
        if durability is not Durability.NONE:
            fields |= {"durability": durability, "journal": Path(folder) / "journal.sqlite"}
        serve(loop, fields)


def disk_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for journals: on the user's disk, or on another where the user has none."""
    home = os.environ.get("HOME", "")
    own = home if os.access(home, os.W_OK) else "/var/tmp"  # noqa: S108 - /tmp may be in memory
    return tempfile.TemporaryDirectory(dir=own, prefix=".racing-demon-bench-")


def serve(loop: str, fields: dict[str, Any]) -> None:
    """Serve with these fields of the settings, until standard input ends."""
    logs.set_up("error", "text")
    send_buffer = fields.pop("send_buffer", 0)
    if send_buffer:
        vars(server)["Gateway"] = type("Tight", (_Tight,), {"send_buffer": send_buffer})
    is_frozen = bool(fields.pop("frozen", 1))
    settings = ServerSettings(**{**LIMITS, **fields})
    pauses = Pauses()
    gc.callbacks.append(pauses.record)
    signal.signal(signal.SIGUSR1, lambda *_: gc.disable() if gc.isenabled() else gc.enable())
    _toggle_checkpoints()

    def announce(url: str) -> None:
        pauses.longest_ms = 0.0
        if not is_frozen:
            gc.callbacks[:] = [pauses.record]
            gc.set_threshold(700, 10, 10)  # as Python has them by itself
            gc.unfreeze()
        sys.stdout.write(f"listening on {url}\n")
        sys.stdout.flush()

    with asyncio.Runner(loop_factory=loop_factory(loop)) as runner:
        runner.run(server.run(ScriptedServer(settings), announce, stop_with_stdin=True))
    sys.stdout.write(f"{pauses.longest_ms}\n")


class ScriptedServer(server.TableServer):
    """Deals one hand for ever, on every table, so that the script fits."""

    def open_registry(self, clock: Clock, observers: Sequence[Observer]) -> Registry:
        """Return the registry, which has no tables yet."""
        return Registry(self.settings, clock, self.journal, observers, seeds=lambda _: itertools.repeat(SEED))


class _Tight(Gateway):
    """Opens the port as always, and lets the system keep little for each connection."""

    send_buffer = 0

    async def listen(self, **where: Any) -> None:
        """Open the port."""
        await super().listen(**where)
        for listening in self._listening:
            for accepting in listening.sockets:
                with accepting.dup() as sock:  # whoever is accepted has the same
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.send_buffer)


def _toggle_checkpoints() -> None:
    """Let a signal turn the journal's checkpoints off, and on."""
    opened: list[sqlite3.Connection] = []
    pages = itertools.cycle((0, CHECKPOINT_PAGES))

    def open_noted(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        opened.append(open_journal(*args, **kwargs))
        return opened[-1]

    def toggle(*_: object) -> None:
        for db in opened:
            db.execute(f"PRAGMA wal_autocheckpoint={next(pages)}")

    vars(store)["open_journal"] = open_noted
    signal.signal(signal.SIGUSR2, toggle)


class Pauses:
    """The processor time of garbage collection.

    Attributes:
        longest_ms: of the longest.

    """

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self._begin = 0.0

    def record(self, phase: str, info: dict[str, int]) -> None:
        """Note that a collection begins, or ends."""
        if phase == "start":
            self._begin = time.thread_time()
        else:
            self.longest_ms = max(self.longest_ms, 1_000 * (time.thread_time() - self._begin))


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
