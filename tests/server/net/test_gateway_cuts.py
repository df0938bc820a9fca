"""Connections that the server ends: for what, with which sentence, and counted once."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any

import pytest
from websockets.frames import Frame, Opcode

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.net.table_service import TableHandler
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.clocks import clock
from tests.support.servers import NO_METRICS, PATIENCE, Closing, Peer, Served, start, timeout

FAR = {"X-Forwarded-For": "203.0.113.9"}
PING = Frame(Opcode.PING, b"")
PART = Frame(Opcode.CONT, b"", fin=False)


@asynccontextmanager
async def counting(**settings: Any) -> AsyncIterator[tuple[Served, list[str]]]:
    """Run a server, and note the words that it counts connections by which it ends."""
    cuts: list[str] = []
    chosen = ServerSettings(**{"port": 0, **settings})
    registry = Registry(chosen, clock, NullJournal())
    server = await start(chosen, registry, clock, NO_METRICS._replace(cut=cuts.append))
    port = server.port
    try:
        yield Served(f"ws://127.0.0.1:{port}/v1", registry, server, chosen), cuts
    finally:
        server.close()
        await timeout(PATIENCE, server.wait_closed())
        registry.close()


@contextmanager
def silent(served: Served, number: int) -> Iterator[None]:
    """Connect so many times, and say nothing."""
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(socket.create_connection(("127.0.0.1", served.port)))
        yield


@pytest.mark.parametrize(
    ("settings", "frames", "closing", "why"),
    [
        (
            {"frame_burst": 4},
            [Frame(Opcode.BINARY, b"\x92\x0f\x01")] * 4,
            "Too many frames a second.",
            "flood",
        ),
        ({"control_burst": 4}, [PING] * 5, "Too many pings a second.", "pings"),
        (
            {"max_fragments": 4},
            [Frame(Opcode.BINARY, b"\x92", fin=False), *[PART] * 4],
            "Too many fragments of one message.",
            "fragments",
        ),
    ],
    ids=["frames", "pings", "fragments"],
)
async def test_a_flood_is_told_what_was_too_much(
    settings: dict[str, int], frames: list[Frame], closing: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The player has a sentence; the operator a word, and a line in the log that names the connection."""
    rates = {"frames_per_second": 1e-6, "controls_per_second": 1e-6}
    async with counting(**rates, **settings) as (served, cuts), Peer.connect(served.url) as peer:
        await peer.greet()
        peer.write(*frames)
        assert Closing(CloseCode.FLOOD, closing) == await peer.closed()
        assert [why] == cuts
    (record,) = (record for record in caplog.records if record.levelno >= logging.WARNING)
    assert ("connection cut", 1, why) == (
        record.getMessage(),
        record.__dict__["connection"],
        record.__dict__["why"],
    )


async def test_who_is_let_in_no_more_is_counted_by_the_limit() -> None:
    """A full server is another trouble than an address that takes all there is."""
    async with counting(connections_per_address=1, max_connections=2) as (served, cuts):
        async with Peer.hosting(served.url), Peer.connect(served.url, additional_headers=FAR) as one:
            await one.greet()
            for headers in (FAR, None):
                async with Peer.connect(served.url, additional_headers=headers) as other:
                    assert (await other.closed()).code == CloseCode.FULL
    assert cuts == ["address", "full"]


async def test_who_asks_for_nothing_in_time_is_counted() -> None:
    """By the name of the code that closes the connection."""
    async with counting(entry_seconds=0.2) as (served, cuts), Peer.connect(served.url) as peer:
        assert (await peer.closed()).code == CloseCode.TOO_LATE
        assert cuts == ["too_late"]


async def test_who_is_cut_off_is_not_closed_as_well() -> None:
    """A reader who is too slow is counted once, whatever else would end the connection before it is lost."""
    async with counting(backlog_bytes=5_000) as (served, cuts), Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve:
            eve.socket.transport.pause_reading()
            (handler,) = served.registry.room(ann.code).broadcast.spectators
            assert isinstance(handler, TableHandler)
            line = ev.Said(seq=1, seat=0, text="x" * 200)
            for _ in range(200_000):
                handler.reply(line)
                if cuts:
                    break
            handler.drop_slow()
            handler.close(CloseCode.KICKED, "The host no longer allows spectators.")
            assert isinstance(await ann.ask(cl.AddBot), Accepted)
            eve.socket.transport.abort()
    assert cuts == ["slow_reader"]


# Those who have not said yet what they want.


async def test_the_silent_who_make_room_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    """Each by the same reason, so that an operator sees that somebody keeps opening connections."""
    async with counting(max_handshakes=3, entry_seconds=3_600.0) as (served, cuts):
        with silent(served, 10):
            async with Peer.connect(served.url) as peer:
                await peer.greet()
                assert cuts == ["handshake"] * 8
    assert {("connection cut", 0, "handshake")} == {
        (record.getMessage(), vars(record)["connection"], vars(record)["why"])
        for record in caplog.records
        if record.levelno >= logging.WARNING
    }


async def test_who_plays_does_not_make_room_for_the_silent() -> None:
    """However many come and say nothing after the players have sat down."""
    async with counting(max_handshakes=2, entry_seconds=3_600.0) as (served, cuts):
        async with Peer.hosting(served.url) as ann, Peer.hosting(served.url) as ben:
            with silent(served, 10):
                async with Peer.connect(served.url) as peer:
                    await peer.greet()
                assert cuts == ["handshake"] * 9
                for each in (ann, ben):
                    assert isinstance(await each.ask(cl.AddBot), Accepted)


async def test_who_has_gone_already_makes_no_room() -> None:
    """Those who hang up without a word are forgotten, and not cut off in place of others who wait."""
    async with counting(max_handshakes=3, entry_seconds=3_600.0) as (served, cuts):
        for _ in range(10):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write_eof()
            assert await timeout(PATIENCE, reader.read()) == b""
            writer.close()
            await writer.wait_closed()
        async with Peer.connect(served.url) as peer:
            await peer.greet()
    assert cuts == []
