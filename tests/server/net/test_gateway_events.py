"""What everybody at a table gets: the same events, in either encoding, and nobody is held up."""

import asyncio
import logging
import socket
import struct

import pytest

from racing_demon_protocol.enums import CloseCode, Phase, Reason
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_server
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Pong, Refused, Seated
from racing_demon_protocol.wire.options import Options
from racing_demon_server.net.connection import Connection
from racing_demon_server.tables.registry import Registry
from tests.support.cases import for_each
from tests.support.servers import PATIENCE, Closing, Peer, serving, timeout

FAST = 2_000.0
LONG_MS = 30_000
"""Between heartbeats of those who are not to be lost, however busy the machine."""
"""Bots that play a hand in a blink."""


async def events_until_over(peer: Peer) -> list[bytes | str]:
    """Return the frames of all events up to the end of the match."""
    frames: list[bytes | str] = []
    while peer.view.phase is not Phase.OVER:
        frame = await peer.frame()
        if isinstance(peer.apply(frame), Event):
            frames.append(frame)
    return frames


# The same for all.


async def test_players_and_spectators_get_the_same_bytes() -> None:
    """Over a whole match, host, player and spectator get the same frames, byte for byte."""
    async with (
        serving(bot_speed=FAST) as served,
        Peer.hosting(served.url, seated=False, hands=1) as host,
        Peer.entered(served.url, cl.Join(code=host.code, name="Ben")) as ben,
        Peer.entered(served.url, cl.Watch(code=host.code)) as eve,
    ):
        for _ in range(2):
            await host.ask(cl.AddBot)
        await host.say(host.next(cl.Start))
        await ben.until(ev.Signalled)
        await eve.until(ev.Signalled)
        await host.until(ev.Signalled)
        await ben.say(ben.next(cl.Leave))
        streams = await asyncio.gather(*(events_until_over(peer) for peer in (host, ben, eve)))
        assert streams[0] == streams[1] == streams[2]
        assert len(streams[0]) > 50


async def test_both_encodings_say_the_same() -> None:
    """A JSON and a msgpack listener hear the same events, and see the same table in the end."""
    async with (
        serving(bot_speed=FAST) as served,
        Peer.hosting(served.url, Encoding.JSON, seated=False, hands=1) as host,
        Peer.entered(served.url, cl.Watch(code=host.code), Encoding.MSGPACK) as eve,
    ):
        assert host.view.snapshot(0) == eve.view.snapshot(0)
        for _ in range(3):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start)
        await eve.until(ev.Signalled)
        text, packed = await asyncio.gather(events_until_over(host), events_until_over(eve))
        assert all(isinstance(frame, str) for frame in text)
        assert all(isinstance(frame, bytes) for frame in packed)
        length = min(len(text), len(packed))
        assert [decode_server(f) for f in text[-length:]] == [decode_server(f) for f in packed[-length:]]
        assert host.view.snapshot(0) == eve.view.snapshot(0)


async def test_who_comes_in_the_middle_sees_the_same() -> None:
    """A spectator of the second half of a hand ends with the table of those who saw all of it."""
    async with (
        serving(bot_speed=FAST) as served,
        Peer.hosting(served.url, seated=False, hands=1) as host,
    ):
        for _ in range(3):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start)
        for _ in range(30):
            await host.until(ev.Played)
        async with Peer.entered(served.url, cl.Watch(code=host.code)) as late:
            await asyncio.gather(events_until_over(host), events_until_over(late))
        assert host.view.snapshot(0) == late.view.snapshot(0)


@for_each("encoding", Encoding)
async def test_pings_come_back_with_their_stamp(encoding: Encoding) -> None:
    """A ping is answered on any connection, with a place at a table or not."""
    async with serving() as served, Peer.connect(served.url, encoding) as peer:
        await peer.greet()
        await peer.say(cl.Ping(stamp=-5))
        assert Pong(stamp=-5) == await peer.hear()
        await peer.enter(cl.Create(name="Ann"))
        await peer.until(CaughtUp)
        await peer.say(cl.Ping(stamp=2**31 - 1))
        assert Pong(stamp=2**31 - 1) == await peer.hear()


# Who is judged when.


async def test_commands_read_together_take_turns() -> None:
    """Six commands in one packet and three in another: they alternate while both last."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
        Peer.entered(served.url, cl.Watch(code=ann.code)) as eve,
    ):
        # Cat is never ready, so nothing is dealt.
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Cat")):
            await eve.follow(ann.view.seq + 2)
            ann.burst([ann.next(cl.Ready, ready=number % 2 == 0) for number in range(6)])
            ben.burst([ben.next(cl.Ready, ready=number % 2 == 0) for number in range(3)])
            seats = [(await eve.until(ev.Readied)).seat for _ in range(9)]
        assert [0, 1] == sorted(seats[:2]) == sorted(seats[2:4]) == sorted(seats[4:6])
        assert seats[6:] == [0, 0, 0]


async def test_two_who_answer_together_are_told_apart() -> None:
    """Of two who want the last free seat at once, one gets it and the other is told why not."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.connect(served.url) as ben,
        Peer.connect(served.url) as cat,
    ):
        for _ in range(6):
            await ann.ask(cl.AddBot)
        for peer in (ben, cat):
            await peer.greet()
        for peer in (ben, cat):
            peer.burst([cl.Join(code=ann.code, name="Ben")])
        answers = [await peer.hear() for peer in (ben, cat)]
        assert {Seated, Refused} == {type(answer) for answer in answers}
        assert [a.reason for a in answers if isinstance(a, Refused)] == [Reason.TABLE_FULL]


# Slow readers.


def narrow(transport: asyncio.BaseTransport) -> None:
    """Leave the kernel no room to hide what a slow reader has not read."""
    wire = transport.get_extra_info("socket")
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        wire.setsockopt(socket.SOL_SOCKET, option, 4_096)


async def test_a_slow_reader_is_cut_off_and_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever does not read is cut when too much waits; the others get every event meanwhile."""
    async with (
        serving(backlog_bytes=20_000, commands_per_second=1e6, frames_per_second=1e6) as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Watch(code=ann.code)) as eve,
    ):
        known = set(served.server.connections)
        async with Peer.entered(served.url, cl.Watch(code=ann.code), max_size=None) as slow:
            (connection,) = served.server.connections - known
            narrow(connection.transport)
            narrow(slow.socket.transport)
            slow.socket.transport.pause_reading()
            rounds = 0
            while connection in served.server.connections and rounds < 5_000:
                await ann.ask(cl.SetOptions, options=Options(hands=1 + rounds % 9))
                rounds += 1
            assert 50 < rounds < 5_000
            await eve.follow(ann.view.seq)
            assert ann.view.snapshot(0) == eve.view.snapshot(0)
            room = served.registry.room(ann.code)
            assert (len(room.broadcast.listeners), len(room.broadcast.spectators)) == (1, 1)
            slow.socket.transport.abort()
    (record,) = caplog.records
    facts = vars(record)
    assert (
        record.getMessage(),
        facts["connection"],
        facts["why"],
    ) == ("cut off a slow reader", 3, "slow_reader")


async def test_a_slow_reader_can_come_back() -> None:
    """A player who was cut off for not reading keeps the seat, and gets a snapshot."""
    async with (
        serving(backlog_bytes=5_000, commands_per_second=1e6, frames_per_second=1e6) as served,
        Peer.hosting(served.url) as ann,
    ):
        known = set(served.server.connections)
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            (connection,) = served.server.connections - known
            narrow(connection.transport)
            narrow(ben.socket.transport)
            ben.socket.transport.pause_reading()
            while ann.view.seats.get(1) is None or ann.view.seats[1].connected:
                await ann.ask(cl.SetOptions, options=Options(hands=2))
            ben.socket.transport.abort()
        resume = cl.Resume(code=ann.code, token=ben.token, seq=0)
        async with Peer.entered(served.url, resume) as again:
            assert again.place.seat == 1
            await again.follow(served.registry.room(ann.code).table.view.seq)
            assert again.view.seats[1].connected


# Mistakes of our own.


async def test_a_mistake_of_the_server_closes_one_connection(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug is written down with its traceback, ends that connection with 4006, and no other."""

    def fail(self: Registry, code: str) -> None:
        raise ZeroDivisionError(code)

    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as ben:
        await ben.greet()
        monkeypatch.setattr(Registry, "room", fail)
        await ben.say(cl.Watch(code=ann.code))
        text = "The server made an error. Join again to continue."
        assert Closing(CloseCode.SERVER_ERROR, text) == await ben.closed()
        assert isinstance(await ann.ask(cl.AddBot), Accepted)
    (record,) = (record for record in caplog.records if record.levelno >= logging.ERROR)
    assert (record.getMessage(), vars(record)["connection"]) == ("a frame could not be handled", 2)
    assert record.exc_info is not None
    assert ZeroDivisionError is record.exc_info[0]


async def test_a_connection_that_cannot_be_written_to_costs_nobody_else_anything(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong in writing to one, the others have every event and answer, then and later."""

    def fail(data: bytes) -> None:
        raise RuntimeError("the handler is closed")

    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Watch(code=ann.code)) as eve,
    ):
        known = set(served.server.connections)
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            (connection,) = served.server.connections - known
            monkeypatch.setattr(connection.transport, "write", fail)
            ann.burst([cl.Say(counter=number, text="well") for number in range(1, 4)])
            for number in range(1, 4):
                answer = await ann.until(Accepted)
                assert number == answer.counter
            assert isinstance(await ann.ask_again(cl.AddBot(counter=4)), Accepted)
            await eve.follow(ann.view.seq)
            assert not ann.view.seats[1].connected
            ben.socket.transport.abort()
    (record,) = caplog.records
    assert (record.getMessage(), vars(record)["connection"]) == ("a connection could not be written to", 3)


async def test_a_lost_connection_is_written_to_no_more() -> None:
    """From the moment in which its loss is known."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        known = set(served.server.connections)
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            (connection,) = served.server.connections - known
            assert isinstance(connection, Connection)
            linger = struct.pack("ii", 1, 0)  # a reset, and no good-bye
            ben.socket.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, linger
            )
            ben.socket.transport.abort()
            assert connection.is_open
            await ann.until(ev.Connected)
            assert not connection.is_open


async def test_a_silent_connection_is_noticed() -> None:
    """A client that answers no pings is closed after two heartbeats, and its seat is called away."""
    async with (
        serving(ping_seconds=0.5) as served,
        Peer.hosting(served.url, heartbeat_ms=LONG_MS) as ann,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Ben"), ping_interval=None) as ben,
    ):
        await ann.until(ev.Joined)
        ben.socket.transport.pause_reading()
        lost = await ann.until(ev.Connected)
        assert (lost.seat, lost.connected) == (1, False)
        ben.socket.transport.abort()


async def test_a_client_may_ask_for_rarer_heartbeats() -> None:
    """One that answers nothing for a while keeps its connection, where it has said so in its hello."""
    async with (
        serving(ping_seconds=0.5) as served,
        Peer.hosting(served.url, heartbeat_ms=LONG_MS) as ann,
        Peer.connect(served.url, ping_interval=None) as ben,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Cyn"), ping_interval=None) as cyn,
    ):
        await ben.hear()
        await ben.say(cl.Hello(version=VERSION, heartbeat_ms=LONG_MS))
        await ben.enter(cl.Join(code=ann.code, name="Ben"))
        for silent in (ben, cyn):
            silent.socket.transport.pause_reading()
        lost = await ann.until(ev.Connected)
        assert cyn.place.seat == lost.seat
        assert ann.view.seats[1].connected or ann.view.seats[2].connected
        for silent in (ben, cyn):
            silent.socket.transport.abort()


async def test_a_stopped_server_says_when_to_come_back() -> None:
    """When the server goes down, every connection is closed with the code that means: try again."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        served.server.close(code=1012, reason="The server is going down.")
        assert Closing(1012, "The server is going down.") == await ann.closed()
        await timeout(PATIENCE, served.server.wait_closed())


async def test_a_client_with_rarer_heartbeats_is_lost_all_the_same() -> None:
    """It has named milliseconds, and one that answers nothing for longer has gone."""
    async with (
        serving(ping_seconds=0.5) as served,
        Peer.hosting(served.url, heartbeat_ms=LONG_MS) as ann,
        Peer.connect(served.url, ping_interval=None) as ben,
    ):
        await ben.hear()
        await ben.say(cl.Hello(version=VERSION, heartbeat_ms=1_000))
        await ben.enter(cl.Join(code=ann.code, name="Ben"))
        ben.socket.transport.pause_reading()
        lost = await ann.until(ev.Connected)
        assert (lost.seat, lost.connected) == (1, False)
        ben.socket.transport.abort()
