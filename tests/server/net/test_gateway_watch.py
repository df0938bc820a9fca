"""Spectators over real sockets: what they see, when, how many they are, and whom they never hold up."""

import asyncio
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Snapshot, Watchers
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.clocks import Standing
from tests.support.servers import PATIENCE, Peer, serving, serving_with, timeout

pytestmark = pytest.mark.usefixtures("quick_hashes")


async def test_spectators_see_what_players_see() -> None:
    """Ninety spectators, who get the events in slices, end with the players' table."""
    async with serving() as served, Peer.hosting(served.url) as ann, AsyncExitStack() as stack:
        eyes = [
            await stack.enter_async_context(Peer.entered(served.url, cl.Watch(code=ann.code)))
            for _ in range(90)
        ]
        for level in ("easy", "medium", "hard"):
            await ann.ask(cl.AddBot, level=level)
        for _ in range(5):
            await ann.ask(cl.Say, text="hello")
        for eye in eyes:
            await eye.follow(ann.view.seq)
        assert all(eye.view.snapshot(0) == ann.view.snapshot(0) for eye in eyes)


async def test_who_comes_in_the_middle_misses_nothing() -> None:
    """A spectator who comes while events are being passed on gets each that is younger than the snapshot."""
    async with serving() as served, Peer.hosting(served.url) as ann, AsyncExitStack() as stack:
        for number in range(20):
            options = ann.view.options.model_copy(update={"hands": number + 1})
            ann.burst([ann.next(cl.SetOptions, options=options)])
            eye = await stack.enter_async_context(Peer.entered(served.url, cl.Watch(code=ann.code)))
            await ann.until(Accepted)
            await eye.follow(ann.view.seq)
            assert eye.view.snapshot(0) == ann.view.snapshot(0)


async def test_a_delay_is_kept() -> None:
    """Spectators of a table with a delay get nothing before it is over, and then all of it."""
    async with (
        serving() as served,
        Peer.hosting(served.url, watch_delay_ms=700) as ann,
        Peer.entered(served.url, cl.Watch(code=ann.code)) as eve,
    ):
        loop = asyncio.get_running_loop()
        begin = loop.time()
        await ann.ask(cl.Say, text="secret")
        said = await eve.until(ev.Said)
        assert loop.time() - begin >= 0.7
        assert said.text == "secret"


async def test_a_late_spectator_sees_no_more_than_the_others() -> None:
    """With a delay the first picture is late, too."""
    async with serving() as served, Peer.hosting(served.url, watch_delay_ms=60_000) as ann:
        await ann.ask(cl.AddBot)
        await ann.ask(cl.Start)
        assert ann.view.hand_seats
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve:
            assert Phase.LOBBY is eve.view.phase
            assert not eve.view.hand_seats


async def test_everybody_hears_how_many_watch() -> None:
    """Players and spectators are told the number when it changes."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve:
            assert (await ann.until(Watchers)).count == 1
            assert (await eve.until(Watchers)).count == 1
            async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
                assert (await ben.until(Watchers)).count == 1  # who comes later, too
        assert (await ann.until(Watchers)).count == 0


async def test_a_table_may_want_no_spectators() -> None:
    """Where the options say so nobody looks on."""
    async with serving() as served, Peer.hosting(served.url, spectators=False) as ann:
        async with Peer.connect(served.url) as eve:
            await eve.greet()
            await eve.say(cl.Watch(code=ann.code))
            answer = await eve.hear()
            assert isinstance(answer, Refused)
            assert answer.reason == Reason.NO_SPECTATORS


async def test_who_watches_goes_when_the_host_wants_no_spectators() -> None:
    """What is changed at a table holds for those who are there, too."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve:
            await ann.ask(cl.SetOptions, options=Options(spectators=False))
            assert await eve.closed() == (4007, "The host no longer allows spectators.")


@for_each("options", [{"spectators": False}, {"watch_delay_ms": 60_000}], ids=["none", "late"])
async def test_who_leaves_sees_no_more_than_others_who_watch(options: dict[str, Any]) -> None:
    """Where nobody looks on at once, giving a seat up ends the connection: it is no way to look on."""
    async with serving() as served, Peer.hosting(served.url, **options) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            assert isinstance(await ben.ask(cl.Leave), Accepted)
            assert await ben.closed() == (1000, "You have left the table.")


async def test_who_leaves_a_table_that_all_may_watch_may_look_on() -> None:
    """The connection stays, and hears what happens."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ben.ask(cl.Leave)
            await ann.ask(cl.SetOptions, options=Options(hands=7))
            assert (await ben.until(ev.OptionsSet)).options.hands == 7


async def test_who_left_and_looks_on_goes_when_the_host_wants_no_spectators() -> None:
    """Who gave a seat up and looks on is a spectator, too; the players stay."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ben.ask(cl.Leave)
            assert isinstance(await ann.ask(cl.SetOptions, options=Options(spectators=False)), Accepted)
            assert await ben.closed() == (4007, "The host no longer allows spectators.")
        assert isinstance(await ann.ask(cl.AddBot), Accepted)


async def test_who_left_and_looks_on_sees_a_later_delay_as_all_spectators_do() -> None:
    """A delay that the host wants from then on holds for somebody, too, who had a seat before."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ben.ask(cl.Leave)
            await ann.ask(cl.SetOptions, options=Options(watch_delay_ms=60_000))
            await ann.ask(cl.AddBot)
            await ann.ask(cl.SetOptions, options=Options(watch_delay_ms=60_000, spectators=False))
            heard: list[Message] = []
            with suppress(ConnectionClosed):
                while True:
                    heard.append(await ben.hear())
            assert (await ben.closed()).code == 4007
            assert not [message for message in heard if isinstance(message, ev.Joined)]


# The passphrase.

OPENS = "open sesame"
SEVEN = "7"


@for_each("wish", ["join", "join with a token", "watch"])
async def test_a_passphrase_is_asked_for(wish: str) -> None:
    """Without it, or with another, nobody comes in, not even with a token; with it everybody does."""
    async with serving() as served, Peer.connect(served.url) as ann:
        await ann.greet()
        await ann.enter(cl.Create(name="Ann", passphrase=OPENS))
        assert (await ann.until(Snapshot)).locked

        def request(passphrase: str) -> cl.Join | cl.Watch:
            if wish.startswith("join"):
                token = "0f" * 32 if wish.endswith("token") else ""
                return cl.Join(code=ann.code, name="Ben", passphrase=passphrase, token=token)
            return cl.Watch(code=ann.code, passphrase=passphrase)

        async with Peer.connect(served.url) as ben:
            await ben.greet()
            for wrong in ("", "open", "OPEN SESAME"):
                await ben.say(request(wrong))
                answer = await ben.hear()
                assert isinstance(answer, Refused)
                assert answer.reason == Reason.BAD_PASSPHRASE
            await ben.enter(request(OPENS))


@for_each("wish", ["join", "watch"])
async def test_whoever_guesses_a_passphrase_uses_up_no_guess_of_others(wish: str) -> None:
    """Each address has guesses of its own, however it tries to come in."""
    create = cl.Create(name="Ann", passphrase=OPENS)
    async with serving() as served, Peer.entered(served.url, create) as ann, AsyncExitStack() as stack:
        guess: cl.Join | cl.Watch = cl.Watch(code=ann.code, passphrase="open")  # noqa: S106
        if wish == "join":
            guess = cl.Join(code=ann.code, name="Ben", passphrase="open")  # noqa: S106
        near, far = [
            await stack.enter_async_context(Peer.connect(served.url, additional_headers=headers))
            for headers in ({"X-Forwarded-For": "203.0.113.9"}, {"X-Forwarded-For": "203.0.113.10"})
        ]
        for peer in (near, far):
            await peer.greet()
        while await near.refusal(guess) is Reason.BAD_PASSPHRASE:
            pass
        assert Reason.BAD_PASSPHRASE is await far.refusal(guess)


async def test_a_seat_s_own_token_needs_no_passphrase() -> None:
    """Whoever asks again with the token that opened a seat comes back to it without the passphrase."""
    async with serving() as served, Peer.connect(served.url) as ann:
        await ann.greet()
        await ann.enter(cl.Create(name="Ann", passphrase=OPENS))
        again = cl.Join(code=ann.code, name="Ann", token=ann.token)
        async with Peer.entered(served.url, again) as back:
            assert back.place.seat == ann.place.seat


async def test_passphrases_are_not_guessed_quickly() -> None:
    """After some wrong ones the table listens no more for a while, not even to the right one."""
    async with serving_with(None, Standing()) as served, Peer.connect(served.url) as ann:
        await ann.greet()
        await ann.enter(cl.Create(name="Ann", passphrase=SEVEN))
        reasons = []
        async with Peer.connect(served.url) as eve:
            await eve.greet()
            for guess in [*range(10, 30), 7]:
                await eve.say(cl.Join(code=ann.code, name="Eve", passphrase=str(guess)))
                answer = await eve.hear()
                assert isinstance(answer, Refused)
                reasons.append(answer.reason)
        assert reasons[:10] == [Reason.BAD_PASSPHRASE] * 10
        assert {Reason.TOO_FAST} == set(reasons[11:])


# Sent away, stood in for.


async def test_who_is_sent_away_hears_why() -> None:
    """The connection is closed with a sentence, and the token opens nothing any more."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ann.ask(cl.Kick, seat=1)
            code, reason = await ben.closed()
            assert (code, reason) == (4007, "The host kicked you.")
            async with Peer.connect(served.url) as again:
                await again.greet()
                await again.say(cl.Resume(code=ann.code, token=ben.token))
                answer = await again.hear()
                assert isinstance(answer, Refused)
                assert answer.reason == Reason.BAD_TOKEN


async def test_a_bot_plays_for_who_is_away_until_they_are_back() -> None:
    """The stand-in makes plays with the seat's cards; who comes back plays on with the next number."""
    async with serving(bot_speed=200.0) as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ann.ask(cl.Start)
            await ben.until(ev.Signalled)
        await ann.until(ev.Connected)
        await ann.ask(cl.StandIn, seat=1, level="hard")
        played = await ann.until(ev.Played)
        assert played.seat == 1
        async with Peer.connect(served.url) as back:
            await back.greet()
            place = await back.enter(cl.Resume(code=ann.code, token=ben.token, seq=0))
            assert place.counter >= played.counter
            await back.until(Snapshot)
            answer = await back.ask(cl.Say, text="thanks")
            assert isinstance(answer, Accepted)
            room = served.registry.room(ann.code)
            assert not room.table.view.seats[1].stand_in
            assert not room.bots


async def test_tokens_of_other_tables_open_nothing() -> None:
    """A token is good at its own table alone, whole, and in its own spelling."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.hosting(served.url) as bea:
        for token in (bea.token, ann.token[::-1], "0" * 64):
            async with Peer.connect(served.url) as eve:
                await eve.greet()
                await eve.say(cl.Resume(code=ann.code, token=token))
                answer = await timeout(PATIENCE, eve.hear())
                assert isinstance(answer, Refused)
                assert answer.reason == Reason.BAD_TOKEN
