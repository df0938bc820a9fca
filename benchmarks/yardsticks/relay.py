"""The yardsticks R0 and R1: relays that know no game. Each play goes to all of its table, as an event's size.

    python -m benchmarks.yardsticks.relay plain|kept|floor EVENT-BYTES [PING-SECONDS]

A connection names its table by its path. ``plain`` is what a good engineer would write first: the library's
server with ``broadcast()``, on uvloop. ``kept`` is the same with our journal and its full durability: each
play is a row, and told when that is on the disk. ``floor`` is about what the stack allows: each frame is
taken in the call that read it, the answer was framed beforehand, and each connection gets one write a turn
of the loop.
"""

import asyncio
import contextlib
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from benchmarks.yardsticks.whole import disk_folder
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_server.enums import Durability
from racing_demon_server.journal.operations import Operation
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal


async def plain(connection: ServerConnection) -> None:
    """Serve one connection of R0."""
    assert connection.request is not None
    table = tables[connection.request.path]
    table.add(connection)
    try:
        async for message in connection:
            assert isinstance(message, bytes)
            tell(table, message + event[len(message) :])  # so that it is seen whose it was
    except ConnectionClosed:
        pass
    finally:
        table.discard(connection)


@contextlib.contextmanager
def keeping() -> Iterator[None]:
    """Tell each play when it is on the disk."""
    global tell  # noqa: PLW0603 - this program tells in one way

    def keep(table: set[ServerConnection], data: bytes) -> None:
        journal.write([(Operation.ADD_EVENT, (1, 0, 0, 0, 0, data))], partial(broadcast, table, data))

    with disk_folder() as folder:
        journal = DurableJournal(SqliteStore(Path(folder) / "journal.sqlite", Durability.FULL))
        tell = keep
        try:
            yield
        finally:
            journal.close()


class Floor(ServerConnection):
    """One connection of R1."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._table: FloorTable | None = None

    def begin(self, table: "FloorTable") -> None:
        """Sit down at a table."""
        self._table = table
        table.members.append(self)

    def process_event(self, event: Any) -> None:
        """Take a frame at once."""
        if self._table is not None and isinstance(event, Frame) and event.opcode is Opcode.BINARY:
            self._table.play()
        else:
            super().process_event(event)


class FloorTable:
    """The connections of one table of R1, and how many events they are still to get."""

    def __init__(self) -> None:
        self.members: list[Floor] = []
        self._waiting = 0

    def play(self) -> None:
        """Let everybody have an event, with all others of this turn of the loop."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting += 1

    def _flush(self) -> None:
        frames, self._waiting = framed * self._waiting, 0
        for member in self.members:
            member.transport.write(frames)


async def floor(connection: ServerConnection) -> None:
    """Serve one connection of R1."""
    assert isinstance(connection, Floor)
    assert connection.request is not None
    table = floors[connection.request.path]
    connection.begin(table)
    with contextlib.suppress(ConnectionClosed):
        await connection.wait_closed()
    table.members.remove(connection)


tables: defaultdict[str, set[ServerConnection]] = defaultdict(set)
floors: defaultdict[str, FloorTable] = defaultdict(FloorTable)
tell: Callable[[set[ServerConnection], bytes], None] = broadcast
event: bytes = b""
framed: bytes = b""
PING_SECONDS: Final = 20.0
"""As the library has it by itself."""
HANDLERS: Final = {
    "plain": (plain, ServerConnection),
    "kept": (plain, ServerConnection),
    "floor": (floor, Floor),
}


async def main(name: str, ping_seconds: float) -> None:
    """Serve until standard input ends."""
    handler, connection = HANDLERS[name]
    server = await serve(
        handler,
        "127.0.0.1",
        0,
        create_connection=connection,
        compression=None,
        ping_interval=ping_seconds,
        ping_timeout=ping_seconds,
        subprotocols=[Encoding.MSGPACK],  # type: ignore[list-item]
    )
    port = next(iter(server.sockets)).getsockname()[1]
    sys.stdout.write(f"listening on ws://127.0.0.1:{port}/\n")
    sys.stdout.flush()
    with keeping() if name == "kept" else contextlib.nullcontext():
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    event = bytes(int(sys.argv[2]))
    framed = Frame(Opcode.BINARY, event).serialize(mask=False)
    with contextlib.suppress(KeyboardInterrupt):
        uvloop.run(main(sys.argv[1], float(sys.argv[3]) if sys.argv[3:] else PING_SECONDS))
