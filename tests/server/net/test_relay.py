"""Relays over real sockets: they show another server's tables to spectators."""

from contextlib import AsyncExitStack

from racing_demon_protocol.reasons import CloseCode, Reason
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from tests.support.servers import Peer, serving

OPEN = "sesame"


async def _frames(peer: Peer, seq: int) -> list[bytes | str]:
    """Return the frames of the events up to a number."""
    frames = []
    while peer.view.seq < seq:
        frame = await peer.frame()
        if isinstance(peer.note(frame), Event):
            frames.append(frame)
    return frames


async def _refused(peer: Peer, request: cl.Watch | cl.Join | cl.Create) -> Reason:
    await peer.say(request)
    answer = await peer.hear()
    assert isinstance(answer, Refused), answer
    return answer.reason


async def test_a_spectator_at_a_relay_sees_the_owners_bytes() -> None:
    """Spectators of the owner, a relay, and a relay of the relay get the same events, as the same bytes."""
    async with (
        serving() as owner,
        serving(relay=owner.url) as first,
        serving(relay=first.url) as second,
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
        serving(relay=owner.url) as relay,
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
        assert 2 == len(owner.server.connections)


async def test_later_spectators_need_the_passphrase() -> None:
    """A relay refuses a wrong passphrase, before and after somebody has given the right one."""
    async with (
        serving() as owner,
        serving(relay=owner.url) as relay,
        Peer.entered(owner.url, cl.Create(name="Ann", options=Options(), passphrase=OPEN)) as ann,
        Peer.connect(relay.url) as eve,
    ):
        await eve.greet()
        wrong, right = (cl.Watch(code=ann.code, passphrase=word) for word in ("simsalabim", OPEN))
        assert await _refused(eve, wrong) is Reason.BAD_PASSPHRASE
        async with Peer.entered(relay.url, right):
            assert await _refused(eve, wrong) is Reason.BAD_PASSPHRASE
            assert await _refused(eve, cl.Watch(code=ann.code)) is Reason.BAD_PASSPHRASE
            await eve.enter(right)


async def test_refusals_are_passed_on() -> None:
    """A relay passes on why the owner refuses a spectator, and gives no seats itself."""
    async with (
        serving() as owner,
        serving(relay=owner.url) as relay,
        Peer.hosting(owner.url, spectators=False) as ann,
        Peer.connect(relay.url) as eve,
    ):
        await eve.greet()
        assert await _refused(eve, cl.Watch(code=ann.code)) is Reason.NO_SPECTATORS
        assert await _refused(eve, cl.Watch(code="BCDFGHJK")) is Reason.UNKNOWN_TABLE
        assert await _refused(eve, cl.Join(code=ann.code, name="Eve")) is Reason.NOT_NOW
        assert await _refused(eve, cl.Create(name="Eve", options=Options())) is Reason.NOT_NOW


async def test_a_lost_connection_is_not_noticed() -> None:
    """A relay whose connection is lost dials again, and its spectators get what they have missed."""
    async with (
        serving() as owner,
        serving(relay=owner.url) as relay,
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
        serving(relay=owner.url) as relay,
        Peer.hosting(owner.url) as ann,
        Peer.entered(relay.url, cl.Watch(code=ann.code)) as eve,
    ):
        options = ann.view.options.model_copy(update={"spectators": False})
        await ann.ask(cl.SetOptions, options=options)
        assert CloseCode.KICKED == (await eve.closed()).code


async def test_an_unreachable_server_is_reported() -> None:
    """Spectators are asked to try again if the owner cannot be reached."""
    async with serving() as owner:
        url = owner.url
    async with serving(relay=url) as relay, Peer.connect(relay.url) as eve:
        await eve.greet()
        await eve.say(cl.Watch(code="BCDFGHJK"))
        assert CloseCode.TRY_AGAIN == (await eve.closed()).code
