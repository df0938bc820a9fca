"""Garbage collection in small bites."""

import asyncio
import ctypes
import gc
import socket
import struct
import sys
import weakref
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from websockets.frames import Opcode

from racing_demon_protocol.wire.messages.server import Watchers
from racing_demon_server.net.connection import Connection
from racing_demon_server.ops import garbage_collection
from tests.support.cases import for_each
from tests.support.raw_websocket import frames_of, request
from tests.support.servers import PATIENCE, Peer, serving


class Node:
    """Something that can keep itself alive."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(name="small")
def _small() -> Iterator[None]:
    """Have collections that are small."""
    with garbage_collection.small_collections():
        yield


@pytest.mark.usefixtures("small")
def test_what_lives_is_looked_at_once() -> None:
    """After a full collection nothing of what it left is looked through again."""
    kept = [[number] for number in range(10_000)]
    gc.collect()
    assert len(gc.get_objects()) < 1_000
    assert gc.get_freeze_count() >= 10_000
    assert len(kept) == 10_000


@pytest.mark.usefixtures("small")
def test_full_collections_come_early() -> None:
    """While much comes that stays, no full collection finds more than some thousands of objects."""
    found: list[int] = []

    def count(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            found.append(len(gc.get_objects()))

    gc.callbacks.insert(0, count)
    kept = [[number] for number in range(200_000)]
    assert max(found) < 15_000
    assert len(kept) == 200_000


def test_a_server_that_has_stopped_leaves_the_collector_as_it_was() -> None:
    """Whoever goes on in the same process finds Python's own collector, and everything in its view again."""
    before = gc.get_threshold(), list(gc.callbacks), gc.get_freeze_count()
    with garbage_collection.small_collections():
        gc.collect()
        assert gc.get_freeze_count() != before[2]
    assert (gc.get_threshold(), gc.callbacks, gc.get_freeze_count()) == before


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_a_sweep_frees_what_refers_to_itself() -> None:
    """What was frozen, and refers to itself alone, is freed by a sweep."""
    node = Node()
    gc.collect()
    there = weakref.ref(node)
    del node
    gc.collect()
    assert there() is not None
    garbage_collection.sweep()
    assert there() is None


def say_good_bye(line: socket.socket) -> None:
    """End a connection as clients do."""
    line.sendall(frames_of(b"\x03\xe8", opcode=Opcode.CLOSE))
    line.shutdown(socket.SHUT_WR)


def hang_up(line: socket.socket) -> None:
    """End a connection without a word, in the middle of a frame."""
    line.sendall(b"\x82\xfe")
    line.shutdown(socket.SHUT_WR)


def reset(line: socket.socket) -> None:
    """Tear a connection down, so that nothing can be written to it any more."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()


@for_each("end", [say_good_bye, hang_up, reset])
async def test_a_lost_connection_is_freed_at_once(end: Callable[[socket.socket], None]) -> None:
    """Nothing keeps connection and session alive until somebody looks for garbage.

    However the connection ends, and whatever is written to it then.
    """
    gc.disable()
    try:
        async with serving() as served, Peer.hosting(served.url) as ann:
            before, broadcast = set(served.server.connections), served.registry.room(ann.code).broadcast
            with await asyncio.to_thread(entered, served.port, ann.code) as line:
                (connection,) = set(served.server.connections) - before
                assert isinstance(connection, Connection)
                there = [weakref.ref(each) for each in (connection, *broadcast.spectators)]
                assert len(there) == 2
                del connection
                end(line)
                broadcast.send_to_all(Watchers(count=7))
                async with asyncio.timeout(PATIENCE):
                    while any(each() is not None for each in there):  # noqa: ASYNC110 - nobody could tell of it
                        await asyncio.sleep(0.01)
    finally:
        gc.enable()


def entered(port: int, code: str) -> socket.socket:
    """Return a socket that watches a table."""
    line = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    line.sendall(request("/v1", "json") + frames_of(b"[1,1]", f'[4,"{code}"]'.encode(), opcode=Opcode.TEXT))
    heard = b""
    while b"[73," not in heard:
        heard += line.recv(65_536)
    return line


@for_each(
    ("connections", "tables", "is_played", "is_due"),
    [
        (99, 0, False, False),
        (100, 0, False, True),
        (0, 1, False, True),
        (19_999, 0, True, False),
        (20_000, 0, True, True),
        (0, 99, True, False),
        (0, 100, True, True),
    ],
)
def test_when_a_sweep_is_due(connections: int, tables: int, is_played: bool, is_due: bool) -> None:
    """Soon while nobody plays; else when some 20 MB may be waiting."""
    assert is_due is garbage_collection.is_due(connections, tables, is_played=is_played)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such call")
def test_a_sweep_returns_free_memory_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a thousand spectators needed goes back; a library without the call will do, too."""
    trimmed: list[int] = []
    libraries = [SimpleNamespace(malloc_trim=trimmed.append), SimpleNamespace()]
    monkeypatch.setattr(ctypes, "CDLL", lambda name: libraries.pop(0))
    garbage_collection.sweep()
    garbage_collection.sweep()
    assert (trimmed, libraries) == ([0], [])
