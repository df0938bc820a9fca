"""What a play costs where several processes are one server: the processor time of all of them together.

    python -m benchmarks.yardsticks.processes COUNT

serves with a number of processes, and like :mod:`.whole` with one hand for ever, until SIGTERM.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any, Final

from benchmarks.yardsticks.entering import Socket, sit_down
from benchmarks.yardsticks.loading import Load, Program, measure, program
from benchmarks.yardsticks.rows import Row, ratios
from benchmarks.yardsticks.script import SEATS, Step, singles
from benchmarks.yardsticks.whole import LIMITS, ScriptedServer, loop_factory
from racing_demon_server.ops import logs
from racing_demon_server.processes import Inherited, serve_all
from racing_demon_server.server import run
from racing_demon_server.settings import ServerSettings

COUNTS: Final = (1, 2, 4)
AIM_FLAT: Final = 1.1
PACE: Final = 4
"""Plays a second of each seat: each process has the same to do, and they do not fight for the processor."""


def processes(script: Sequence[Step], rounds: int, seconds: float, tables: int) -> list[Row]:
    """Measure one process and several in turn, with as many tables on each of them, and as many plays."""
    plays = singles(script)
    cost: dict[int, list[float]] = {count: [] for count in COUNTS}
    for _ in range(rounds):
        for count in COUNTS:
            with serving(count) as server, seated(server, tables) as sockets:
                load = Load(steps=plays, seconds=seconds, rate=count * tables * SEATS * PACE)
                cost[count].append(measure(server, load, sockets).server_us)
    section = f"Processes on one processor: {tables} tables of 8 on each, {PACE} plays a second and seat"
    rows = [
        Row(section, f"{count} process{'es' * (count > 1)}: CPU a play, of all", "us", values)
        for count, values in cost.items()
    ]
    flat = [
        Row(section, f"{count} processes / 1, CPU a play", "", ratios(cost[count], cost[1]), at_most=AIM_FLAT)
        for count in COUNTS[1:]
    ]
    return rows + flat


@contextmanager
def serving(count: int) -> Iterator[Program]:
    """Run a server of several processes, all on the server's processor."""
    with program(sys.executable, "-m", __name__, str(count)) as server:
        try:
            yield server
        finally:
            os.kill(server.pid, signal.SIGTERM)


@contextmanager
def seated(server: Program, tables: int) -> Iterator[list[Socket]]:
    """Fill a number of tables on each of the processes."""
    host, _, rest = server.url.removeprefix("ws://").rpartition(":")
    asking = HTTPConnection(host, int(rest.partition("/")[0]))
    asking.request("GET", "/healthz")
    ports = json.loads(asking.getresponse().read()).get("ports")
    asking.close()
    urls = [server.url] if ports is None else [f"ws://{host}:{port}/v1" for port in ports]
    sockets = [found for url in urls for found in sit_down(url, tables)[0]]
    try:
        yield sockets
    finally:
        for found in sockets:
            found.close()


def main(count: int) -> int:
    """Serve with several processes until SIGTERM, and return the exit code."""
    logs.set_up("error", "text")
    fields: dict[str, Any] = LIMITS
    settings = ServerSettings(**fields)

    def serve(
        settings: ServerSettings, announce: Callable[[str], None], inherited: Inherited | None = None
    ) -> int:
        with asyncio.Runner(loop_factory=loop_factory("uvloop")) as runner:
            runner.run(run(ScriptedServer(settings), announce, inherited))
        return 0

    return serve(settings, _announce) if count == 1 else serve_all(settings, count, serve, _announce)


def _announce(url: str) -> None:
    sys.stdout.write(f"listening on {url}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
