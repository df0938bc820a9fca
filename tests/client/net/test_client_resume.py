"""A client whose connection breaks: the same seat, and no event lost or doubled."""

import asyncio
from itertools import islice, pairwise

import pytest

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net import transport
from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import Encoding, decode_client
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Seated, Snapshot
from tests.support.broken_connections import (
    BACK,
    BROKEN,
    QUICK,
    ReceivedMessages,
    come_back_at_once,
    listening,
    relayed,
    turn_of,
)
from tests.support.cases import for_each
from tests.support.matches import log_of, options_of
from tests.support.relay import WELCOME, speak, visited
from tests.support.servers import PATIENCE, Closing, Peer, serving, timeout


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    come_back_at_once(monkeypatch)


# Breaks.


async def turn_again(peer: Peer) -> None:
    """Let a peer turn the stock."""
    turn = turn_of(peer.view, 1)
    fields = {"source": turn.source, "count": turn.count, "destination": turn.destination}
    assert isinstance(await peer.ask(cl.PlayCards, **fields, seen=peer.view.seq), ev.Played)


@for_each("encoding", Encoding)
async def test_breaks_in_the_middle_of_a_hand_lose_nothing(encoding: Encoding) -> None:
    """Through a dozen breaks of one hand the seat stays, each event comes once, and each play is answered."""
    async with relayed(seed=bytes(32)) as (served, relay):
        ann = await Client.create(relay.url, "Ann", QUICK, encoding=encoding)
        async with (
            listening(ann) as received,
            Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
        ):
            await ann.send(cl.Start(counter=ann.next_counter()))
            await received.until(Phase.PLAYING)
            await ben.until(ev.Signalled)
            counters = []
            for number in range(12):
                await turn_again(ben)
                relay.cut()
                counters.append(await ann.play(turn_of(ann.view, 0)))
                await turn_again(ben)
                await received.until_answered(counters[-1])
                await relay.until_accepted(number + 2)
            await turn_again(ben)
            await received.until(ben.view.seq)
            assert ann.seat == 0
            assert [[ev.Played]] * 12 == [
                [type(a) for a in received.answers(counter)] for counter in counters
            ]
            assert all(after.seq == before.seq + 1 for before, after in pairwise(received.events()))
            assert ben.view.snapshot(0) == ann.view.snapshot(0)
            assert received.notices == [BROKEN, BACK] * 12
            assert sum(isinstance(message, Snapshot) for message in received.heard) == 1


async def test_a_player_keeps_the_seat() -> None:
    """After a break the others have seen the player go and come, and nobody sits elsewhere."""
    async with relayed() as (served, relay), Peer.hosting(served.url) as ann:
        ben = await Client.join(relay.url, ann.code, "Ben")
        async with listening(ben) as received:
            relay.cut()
            seen = [await ann.until(ev.Connected) for _ in range(2)]
            assert [(event.seat, event.connected) for event in seen] == [(1, False), (1, True)]
            await received.until(ann.view.seq)
            assert list(ben.view.seats) == [0, 1]
            assert received.notices == [BROKEN, BACK]


async def test_a_spectator_comes_back_with_a_new_snapshot() -> None:
    """Whoever has no token watches again, and sees the same table as all others."""
    async with relayed() as (served, relay), Peer.hosting(served.url) as ann:
        async with listening(await Client.watch(relay.url, ann.code)) as received:
            relay.open = False
            relay.cut()
            await ann.ask(cl.AddBot)
            relay.open = True
            await ann.ask(cl.AddBot)
            await received.until(ann.view.seq)
            assert ann.view.snapshot(0) == received.client.view.snapshot(0)


async def test_a_long_break_ends_with_a_snapshot() -> None:
    """If the server has not kept the missed events, the client gets all of the table, and goes on."""
    async with relayed(kept_events=2) as (served, relay), Peer.hosting(served.url) as ann:
        async with listening(await Client.join(relay.url, ann.code, "Ben")) as received:
            relay.open = False
            relay.cut()
            for _ in range(5):
                await ann.ask(cl.AddBot)
            relay.open = True
            await received.until(ann.view.seq + 1)
            assert sum(isinstance(message, Snapshot) for message in received.heard) == 2
            assert list(received.client.view.seats) == [0, 1, 2, 3, 4, 5, 6]


async def test_a_server_that_hangs_up_while_welcoming_is_tried_again() -> None:
    """Attempts that break in the middle are no end; the next one counts."""
    async with relayed() as (served, relay), Peer.hosting(served.url) as ann:
        async with listening(await Client.join(relay.url, ann.code, "Ben")) as received:
            relay.open = False
            relay.cut()
            await relay.until_accepted(4)
            relay.open = True
            await ann.until(ev.Connected)
            back = await ann.until(ev.Connected)
            assert back.connected
            await received.until(back.seq)
            assert received.notices == [BROKEN, BACK]


async def test_a_server_that_goes_down_is_waited_for() -> None:
    """Closed with 1012, the client comes back when the server does."""
    async with relayed() as (served, relay), Peer.hosting(served.url) as ann:
        async with listening(await Client.join(relay.url, ann.code, "Ben")) as received:
            room = served.registry.room(ann.code)
            ports = {c.transport.get_extra_info("peername")[1]: c for c in served.server.connections}
            (ben,) = (connection for port, connection in ports.items() if port != port_of(ann))
            ben.close(1012, "The server is going down.")
            await ann.until(ev.Connected)
            back = await ann.until(ev.Connected)
            assert (back.seat, back.connected) == (1, True)
            await received.until(room.table.view.seq)


def port_of(peer: Peer) -> int:
    """Return the port that a peer speaks from."""
    return int(peer.socket.local_address[1])


async def test_nothing_is_played_on_a_table_of_the_past() -> None:
    """After a break no play is offered, and nothing said, before all that was missed has come."""
    table, since = TableState("SIM", options_of("eight")), iter(log_of("eight"))
    while not isinstance(event := next(since), ev.Played):
        table.apply(event)
    missed = [event, *islice(since, 3)]
    async with visited() as (url, visitors):
        joining = asyncio.create_task(Client.join(url, "SIM", "Ann"))
        first = await visitors.get()
        await speak(first, *WELCOME[:2], table.snapshot(0), CaughtUp(seq=table.seq))
        ann = await joining
        offered: list[tuple[type[Message], bool, bool]] = []

        async def listen() -> None:
            async for message in ann:
                seen = type(message), ann.online, any(True for _ in ann.legal_plays())
                offered.append(seen)

        listening = asyncio.create_task(listen())
        first.transport.abort()
        second = await visitors.get()
        await speak(second, *WELCOME[:2], *missed)
        said = [type(decode_client(await second.recv())) for _ in range(2)]
        await ann.send(cl.Stuck(counter=ann.next_counter()))
        await speak(second, CaughtUp(seq=table.seq + len(missed)))
        said.append(type(decode_client(await second.recv())))
        await speak(second, Closing(1000, ""))
        await timeout(PATIENCE, listening)
        assert [cl.Hello, cl.Resume, cl.Stuck] == said
        assert [(Seated, False, False), *[(ev.Played, False, False)] * 4, (CaughtUp, True, True)] == offered[
            3:
        ]


# The end of hope.


async def test_a_server_that_stays_away_is_given_up() -> None:
    """When the patience is over, the sentence says for how long it was tried."""
    async with relayed() as (_, relay), await Client.create(relay.url, "Ann", QUICK) as ann:
        ann.patience = 0.0
        relay.open = False
        relay.cut()
        with pytest.raises(ConnectionFailed) as failed:
            await timeout(PATIENCE, ReceivedMessages(ann).task)
        assert str(failed.value) == "The connection was lost, and could not be restored in 0 seconds."


@for_each("is_silent", [False, True])
async def test_who_leaves_during_a_break_need_not_wait(is_silent: bool) -> None:
    """Leaving ends the attempts to come back, whether the server is gone or says nothing."""
    async with relayed() as (_, relay), await Client.create(relay.url, "Ann", QUICK) as ann:
        received, broke = ReceivedMessages(ann), asyncio.Event()
        ann.notice = lambda text: broke.set()
        if is_silent:
            relay.hold()
        else:
            relay.open = False
        relay.cut()
        await timeout(PATIENCE, broke.wait())
        await timeout(PATIENCE, ann.leave())
        await timeout(PATIENCE, received.task)


async def test_who_has_left_does_not_come_back() -> None:
    """If the line breaks before the server says that the seat is given up, that is the end all the same."""
    async with relayed() as (served, relay):
        ann = await Client.create(relay.url, "Ann", QUICK)
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve, listening(ann) as received:
            relay.muffled = True
            await ann.send(cl.Leave(counter=ann.next_counter()))
            await eve.until(ev.Left)
            relay.cut()
            await timeout(PATIENCE, received.task)
            assert ann.has_left


async def test_a_silent_server_does_not_outlast_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time spent waiting for an answer that never comes counts, too."""
    monkeypatch.setattr(transport, "ENTRY_SECONDS", 0.2)
    async with relayed() as (_, relay), await Client.create(relay.url, "Ann", QUICK) as ann:
        ann.patience = 0.3
        relay.hold()
        relay.cut()
        with pytest.raises(ConnectionFailed, match="could not be restored"):
            await timeout(PATIENCE, ReceivedMessages(ann).task)
        assert relay.accepted in {2, 3}  # how many fit into the patience depends on the machine


async def test_a_table_that_is_gone_is_refused() -> None:
    """If the table was closed meanwhile, coming back is refused."""
    async with relayed() as (served, relay), await Client.create(relay.url, "Ann", QUICK) as ann:
        relay.open = False
        relay.cut()
        served.registry.close()
        relay.open = True
        with pytest.raises(CommandRefused) as refused:
            await timeout(PATIENCE, ReceivedMessages(ann).task)
        assert refused.value.reason == Reason.UNKNOWN_TABLE


async def test_a_seat_taken_up_elsewhere_is_not_fought_for() -> None:
    """The older of two connections of a seat ends with the server's sentence, and does not come back."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        first = await anext(aiter(ann))
        assert isinstance(first, Seated)
        assert first.token is not None
        async with Peer.entered(served.url, cl.Resume(code=ann.code, token=first.token)) as other:
            with pytest.raises(ConnectionFailed, match="This seat was resumed from another connection"):
                await timeout(PATIENCE, ReceivedMessages(ann).task)
            assert isinstance(await other.ask(cl.AddBot), Accepted)


async def test_broken_attempts_are_closed() -> None:
    """Of all the attempts to come back, one connection is left at the server."""
    async with relayed() as (served, relay), Peer.hosting(served.url) as ann:
        async with listening(await Client.join(relay.url, ann.code, "Ben")) as received:
            for number in range(3):
                relay.cut()
                await relay.until_accepted(number + 2)
            await ann.ask(cl.AddBot)
            await received.until(ann.view.seq)
            assert len(served.registry.room(ann.code).broadcast.listeners) == 2
