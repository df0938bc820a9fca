"""Relays over real sockets: they show another server's tables to spectators."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from http import HTTPStatus

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from racing_demon_cluster.relay.tables import Replica
from racing_demon_protocol.enums import CloseCode, Phase, Reason
from racing_demon_protocol.wire.capabilities import understands
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Dealt, SeatSignalled, Signalled
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import (
    CaughtUp,
    Moved,
    Refused,
    Seated,
    Snapshot,
    Versions,
    Watchers,
)
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.clocks import clock
from tests.support.relay import answer_relay, table_of, visited
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE, Closing, Peer, relaying, serving, timeout

HERE = ("127.0.0.0/8",)
"""Where relays are trusted that run here."""
OPEN = "sesame"
RESTART = Closing(1012, "restart")


async def _frames(peer: Peer, seq: int) -> list[bytes | str]:
    """Return the frames of the events up to a number."""
    frames = []
    while peer.view.seq < seq:
        frame = await peer.frame()
        if isinstance(peer.apply(frame), Event):
            frames.append(frame)
    return frames


def _told(table: Snapshot) -> Sequence[Message]:
    return Seated(code="BCDF"), table, CaughtUp(seq=table.seq)


async def _hear_count(peer: Peer, count: int) -> None:
    """Wait until a peer hears a number of spectators."""
    while (await timeout(PATIENCE, peer.until(Watchers))).count != count:
        pass


async def test_a_spectator_at_a_relay_sees_the_owners_bytes() -> None:
    """Spectators of the owner, a relay, and a relay of the relay get the same events, as the same bytes."""
    async with (
        serving() as owner,
        relaying(owner.url) as first,
        relaying(first.url) as second,
        Peer.hosting(owner.url) as ann,
        AsyncExitStack() as stack,
    ):
        watch = cl.Watch(code=ann.code)
        urls = (owner.url, first.url, second.url)
        eyes = [await stack.enter_async_context(Peer.entered(url, watch)) for url in urls]
        await ann.ask(cl.AddBot, level="hard")
        await ann.ask(cl.Start)
        await ann.ask(cl.Say, text="hello")
        seen = [await _frames(eye, ann.view.seq) for eye in eyes]
        last = min(map(len, seen))
        assert last
        assert seen[0][:last] == seen[1][:last] == seen[2][:last]


async def test_many_spectators_are_one_connection_of_the_owner() -> None:
    """The owner has one connection for all spectators of a relay, and late ones see the whole table."""
    async with (
        serving() as owner,
        relaying(owner.url) as relay,
        Peer.hosting(owner.url) as ann,
        AsyncExitStack() as stack,
    ):
        eyes = []
        for number in range(20):
            eyes.append(await stack.enter_async_context(Peer.entered(relay.url, cl.Watch(code=ann.code))))
            await ann.ask(cl.SetOptions, options=ann.view.options.model_copy(update={"hands": number + 1}))
        for eye in eyes:
            await eye.follow(ann.view.seq)
            assert eye.view.snapshot(0) == ann.view.snapshot(0)
        assert len(owner.server.connections) == 2


async def test_a_relay_tells_how_many_tables_it_shows() -> None:
    """A load balancer's question is answered with the tables that somebody watches there."""
    async with (
        serving() as owner,
        relaying(owner.url) as relay,
        Peer.hosting(owner.url) as ann,
        Peer.hosting(owner.url),
        Peer.entered(relay.url, cl.Watch(code=ann.code)),
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = await timeout(PATIENCE, reader.read())
        assert answer.endswith(b'{"status": "ok", "tables": 1}\n')
        writer.close()


async def test_later_spectators_need_the_passphrase() -> None:
    """A relay refuses a wrong passphrase, before and after somebody has given the right one."""
    async with (
        serving() as owner,
        relaying(owner.url) as relay,
        Peer.entered(owner.url, cl.Create(name="Ann", options=Options(), passphrase=OPEN)) as ann,
        Peer.connect(relay.url) as eve,
    ):
        await eve.greet()
        wrong, right = (cl.Watch(code=ann.code, passphrase=word) for word in ("simsalabim", OPEN))
        assert await eve.refusal(wrong) is Reason.BAD_PASSPHRASE
        async with Peer.entered(relay.url, right):
            assert await eve.refusal(wrong) is Reason.BAD_PASSPHRASE
            assert await eve.refusal(cl.Watch(code=ann.code)) is Reason.BAD_PASSPHRASE
            await eve.enter(right)


async def test_refusals_are_passed_on() -> None:
    """A relay passes on why the owner refuses a spectator, and gives no seats itself."""
    async with (
        serving() as owner,
        relaying(owner.url) as relay,
        Peer.hosting(owner.url, spectators=False) as ann,
        Peer.connect(relay.url) as eve,
    ):
        await eve.greet()
        assert await eve.refusal(cl.Watch(code=ann.code)) is Reason.NO_SPECTATORS
        assert await eve.refusal(cl.Watch(code="BCDFGHJK")) is Reason.UNKNOWN_TABLE
        assert await eve.refusal(cl.Join(code=ann.code, name="Eve")) is Reason.NOT_NOW
        assert await eve.refusal(cl.Create(name="Eve", options=Options())) is Reason.NOT_NOW


async def test_a_lost_connection_is_not_noticed() -> None:
    """A relay whose connection is lost dials again, and its spectators get what they have missed."""
    async with (
        serving() as owner,
        relaying(owner.url) as relay,
        Peer.hosting(owner.url) as ann,
    ):
        before = owner.server.connections
        async with Peer.entered(relay.url, cl.Watch(code=ann.code)) as eve:
            (to_relay,) = owner.server.connections - before
            to_relay.transport.abort()
            await ann.ask(cl.Say, text="hello")
            await ann.ask(cl.AddBot)
            while eve.view.seq < ann.view.seq:
                await eve.hear()
            assert eve.view.snapshot(0) == ann.view.snapshot(0)


async def test_a_host_closes_the_galleries_of_relays() -> None:
    """Spectators at a relay are closed when the host allows none any more."""
    async with (
        serving() as owner,
        relaying(owner.url) as relay,
        Peer.hosting(owner.url) as ann,
        Peer.entered(relay.url, cl.Watch(code=ann.code)) as eve,
    ):
        options = ann.view.options.model_copy(update={"spectators": False})
        await ann.ask(cl.SetOptions, options=options)
        assert (await eve.closed()).code == CloseCode.KICKED


async def test_an_unreachable_server_is_reported() -> None:
    """Spectators are asked to try again if the owner cannot be reached."""
    async with serving() as owner:
        url = owner.url
    async with relaying(url) as relay, Peer.connect(relay.url) as eve:
        await eve.greet()
        await eve.say(cl.Watch(code="BCDFGHJK"))
        assert (await eve.closed()).code == CloseCode.TRY_AGAIN


async def test_http_sends_a_relay_to_no_other_address() -> None:
    """A redirect of the handshake to another address counts as an unreachable server."""

    async def handle(connection: ServerConnection) -> None:
        await connection.wait_closed()

    async with visited() as (elsewhere, visitors):

        def redirect(connection: ServerConnection, request: Request) -> Response:
            response = connection.respond(HTTPStatus.FOUND, "")
            response.headers["Location"] = elsewhere
            return response

        async with serve(handle, "127.0.0.1", 0, process_request=redirect) as server:
            url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/v1"
            async with relaying(url) as relay, Peer.connect(relay.url) as eve:
                await eve.greet()
                await eve.say(cl.Watch(code="BCDFGHJK"))
                assert (await eve.closed()).code == CloseCode.TRY_AGAIN
        assert visitors.empty()


async def test_a_relay_is_counted_as_its_spectators() -> None:
    """Players and spectators see how many watch in all, through a tree of relays, and when some leave."""
    async with (
        serving(relays=HERE) as owner,
        relaying(owner.url, relays=HERE) as first,
        relaying(first.url) as second,
        Peer.hosting(owner.url) as ann,
        Peer.entered(owner.url, cl.Watch(code=ann.code)) as eve,
        AsyncExitStack() as stack,
    ):
        watch = cl.Watch(code=ann.code)
        near = [await stack.enter_async_context(Peer.entered(first.url, watch)) for _ in range(2)]
        async with AsyncExitStack() as leaving:
            far = [await leaving.enter_async_context(Peer.entered(second.url, watch)) for _ in range(3)]
            for peer in (ann, eve, *near, *far):
                await _hear_count(peer, 6)
        for peer in (ann, *near):
            await _hear_count(peer, 3)


async def test_a_relay_is_believed_up_to_a_limit() -> None:
    """A trusted relay counts as no more spectators than the limit, and a player as none."""
    async with (
        serving(relayed_spectators=40, relays=HERE) as owner,
        Peer.hosting(owner.url) as ann,
        Peer.entered(owner.url, cl.Watch(code=ann.code)) as eve,
    ):
        await ann.say(cl.Relaying(count=1_000_000))
        await eve.say(cl.Relaying(count=1_000_000))
        await _hear_count(ann, 40)
        await eve.say(cl.Relaying(count=7))
        await _hear_count(ann, 7)


async def test_a_spectator_cannot_report_others() -> None:
    """Only relays that the operator has named are believed, and told that they are."""
    async with (
        serving(relays=("10.0.0.0/8",)) as owner,
        Peer.hosting(owner.url) as ann,
        Peer.connect(owner.url, additional_headers={"X-Forwarded-For": "203.0.113.8"}) as eve,
        Peer.connect(owner.url, additional_headers={"X-Forwarded-For": "203.0.113.9, 10.1.2.3"}) as relay,
    ):
        versions = [await peer.hear() for peer in (eve, relay)]
        assert [
            isinstance(each, Versions) and understands(each.software, "relaying") for each in versions
        ] == [False, True]
        for peer, count in ((eve, 1_000_000), (relay, 4)):
            await peer.say(cl.Hello(version=VERSION))
            await peer.enter(cl.Watch(code=ann.code))
            await peer.say(cl.Relaying(count=count))
        await _hear_count(ann, 5)


@for_each("phase", [Phase.LOBBY, Phase.SHUFFLING])
def test_no_time_passes_before_a_deal(phase: Phase) -> None:
    """Spectators who come late see no time of a hand in the lobby, and while the cards are shuffled."""
    shown = Replica.from_snapshot(table_of(phase=phase, elapsed_ms=700), 0)
    assert shown.hand_clock.elapsed_ms(5_000_000) == 0


def test_time_passes_in_a_hand() -> None:
    """The time of a hand goes on at a relay, except in a pause."""
    running, paused = (
        Replica.from_snapshot(table_of(phase=Phase.PLAYING, elapsed_ms=700, paused=each), 0)
        for each in (False, True)
    )
    assert running.hand_clock.elapsed_ms(5_000_000) == 5_700
    assert paused.hand_clock.elapsed_ms(5_000_000) == 700


async def test_spectators_get_what_changed_without_a_number() -> None:
    """After a new connection spectators get a snapshot if anything differs, though its number is the same."""
    before, after = table_of(seq=4), table_of(seq=4, locked=True)
    async with visited() as (url, visitors), relaying(url) as relay, Peer.connect(relay.url) as eve:
        await eve.greet()
        await eve.say(cl.Watch(code="BCDF"))
        for table in (before, before, after):
            await answer_relay(await timeout(PATIENCE, visitors.get()), *_told(table), RESTART)
        heard: list[Snapshot] = []
        while after not in heard:
            heard.append(await eve.until(Snapshot))
    assert [before, after] == heard


async def test_an_event_that_does_not_fit_brings_a_snapshot() -> None:
    """A relay that has missed an event dials again, and shows its spectators the table as it is."""
    async with visited() as (url, visitors), relaying(url) as relay, Peer.connect(relay.url) as eve:
        await eve.greet()
        await eve.say(cl.Watch(code="BCDF"))
        await answer_relay(await timeout(PATIENCE, visitors.get()), *_told(table_of(seq=4)), Signalled(seq=9))
        await answer_relay(await timeout(PATIENCE, visitors.get()), *_told(table_of(seq=9)))
        while not isinstance(message := await eve.hear(), Snapshot) or message.seq != 9:
            assert not isinstance(message, Event)


async def test_a_relay_follows_a_table_to_another_server() -> None:
    """A relay follows `moved` to the name that it dialled, and to no other."""
    async with (
        serving() as owner,
        Peer.hosting(owner.url) as ann,
        visited() as (url, visitors),
        relaying(url) as relay,
        Peer.connect(relay.url) as eve,
    ):
        await eve.greet()
        await eve.say(cl.Watch(code=ann.code))
        await answer_relay(await timeout(PATIENCE, visitors.get()), Moved(host="127.0.0.1", port=owner.port))
        await eve.until(Snapshot)
        assert eve.view.snapshot(0) == ann.view.snapshot(0)
        async with Peer.connect(relay.url) as other:
            await other.greet()
            await other.say(cl.Watch(code="BCDF"))
            await answer_relay(
                await timeout(PATIENCE, visitors.get()), Moved(host="127.0.0.2", port=owner.port)
            )
            assert (await other.closed()).code == CloseCode.TRY_AGAIN


async def test_a_table_that_ends_with_its_server_ends_here() -> None:
    """Spectators at a relay are closed as the owner closes for good, and stay when it is only restarted."""
    async with visited() as (url, visitors), relaying(url) as relay, Peer.connect(relay.url) as eve:
        await eve.greet()
        await eve.say(cl.Watch(code="BCDF"))
        await answer_relay(await timeout(PATIENCE, visitors.get()), *_told(table_of()), RESTART)
        await answer_relay(
            await timeout(PATIENCE, visitors.get()), *_told(table_of()), Closing(1001, "it ended")
        )
        assert Closing(CloseCode.GOOD_BYE, "it ended") == await eve.closed()


async def test_a_busy_server_is_asked_again() -> None:
    """A relay with spectators asks again after a refusal that may pass, and they stay."""
    async with visited() as (url, visitors), relaying(url) as relay, Peer.connect(relay.url) as eve:
        await eve.greet()
        await eve.say(cl.Watch(code="BCDF"))
        await answer_relay(await timeout(PATIENCE, visitors.get()), *_told(table_of()), RESTART)
        busy = Refused(counter=0, reason=Reason.TOO_FAST, text="Wait.")
        await answer_relay(await timeout(PATIENCE, visitors.get()), busy)
        await answer_relay(await timeout(PATIENCE, visitors.get()), *_told(table_of(seq=3)))
        while not isinstance(message := await eve.hear(), Snapshot) or message.seq != 3:
            pass


async def test_a_table_without_spectators_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relay closes its connection some time after the last spectator, unless another one comes first."""
    monkeypatch.setattr("racing_demon_cluster.relay.tables.IDLE_SECONDS", 0.2)
    async with serving() as owner, relaying(owner.url) as relay, Peer.hosting(owner.url) as ann:
        watch = cl.Watch(code=ann.code)
        async with Peer.entered(relay.url, watch):
            assert len(owner.server.connections) == 2
        async with Peer.entered(relay.url, watch) as eve:
            await ann.ask(cl.Say, text="hello")
            await eve.follow(ann.view.seq)
        await wait_until(lambda: len(owner.server.connections) == 1)
        async with Peer.entered(relay.url, watch) as eve:
            assert eve.view.snapshot(0) == ann.view.snapshot(0)


async def test_a_delay_is_the_owners() -> None:
    """Spectators at a relay see a delayed table as those of the owner: no earlier, and late ones no more."""
    delay_ms = 400
    async with (
        serving() as owner,
        relaying(owner.url) as relay,
        Peer.hosting(owner.url, watch_delay_ms=delay_ms) as ann,
    ):
        watch = cl.Watch(code=ann.code)
        async with Peer.entered(owner.url, watch) as near, Peer.entered(relay.url, watch) as far:
            before, said_at = ann.view.seq, clock()
            await ann.ask(cl.Say, text="hello")
            async with Peer.entered(relay.url, watch) as late:
                assert late.view.seq == before or clock() - said_at >= delay_ms * 1_000
            frames = [await _frames(peer, ann.view.seq) for peer in (near, far)]
            assert clock() - said_at >= delay_ms * 1_000
            assert frames[0] == frames[1]


async def test_a_late_signal_comes_through_a_relay_with_a_delay() -> None:
    """A delayed spectator there sees the handicap, and who still waits, as one does at the table's server."""
    options = Options(game="classic", hands=1, countdown_ms=0, watch_delay_ms=200, pause_after_ms=None)
    async with (
        serving(relays=HERE) as owner,
        relaying(owner.url) as relay,
        Peer.entered(owner.url, cl.Create(name="Ann", options=options)) as ann,
        Peer.entered(relay.url, cl.Watch(code=ann.code)) as eve,
        Peer.entered(owner.url, cl.Watch(code=ann.code)) as zoe,
    ):
        handicap = Handicap(heap=-3, delay_s=1, points=5)
        await ann.ask(cl.AddBot, level="beginner")
        await ann.ask(cl.SetHandicap, seat=1, handicap=handicap)
        await ann.ask(cl.Start)
        told = await ann.until(SeatSignalled)
        assert told.seat == 1
        for spectator in (eve, zoe):
            dealt = await spectator.until(Dealt)
            assert list(dealt.handicaps) == [Handicap(), handicap]
            await spectator.until(Signalled)
            assert spectator.view.waiting == (1,)
            assert await spectator.until(SeatSignalled) == told
            assert not spectator.view.waiting
        assert eve.view.seats[1].handicap == handicap
