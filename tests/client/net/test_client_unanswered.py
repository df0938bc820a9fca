"""Commands in doubt when a connection breaks: each is carried out once, and answered once, in their order."""

import asyncio

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.codec import decode_client
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from tests.support.broken_connections import QUICK, come_back_at_once, listening, relayed, turn_of
from tests.support.relay import WELCOME, speak, visited
from tests.support.servers import PATIENCE, Closing, Peer, timeout


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    come_back_at_once(monkeypatch)


async def test_a_command_that_was_lost_is_sent_again() -> None:
    """A command into a broken wire is carried out after the break, once."""
    async with relayed() as (_, relay):
        async with listening(await Client.create(relay.url, "Ann", QUICK)) as recorded:
            relay.open = False
            relay.cut()
            counter = recorded.client.next_counter()
            await recorded.client.send(cl.AddBot(counter=counter))
            assert recorded.client.waiting
            relay.open = True
            await recorded.until_answered(counter)
            assert [Accepted] == [type(answer) for answer in recorded.answers(counter)]
            assert list(recorded.client.view.seats) == [0, 1]
            assert not recorded.client.waiting


async def test_a_command_whose_answer_was_lost_is_answered_once() -> None:
    """A command that was carried out before the break is answered after it, and not carried out again."""
    async with relayed() as (served, relay):
        ann = await Client.create(relay.url, "Ann", QUICK)
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve, listening(ann) as recorded:
            relay.muffled = True
            counter = ann.next_counter()
            await ann.send(cl.AddBot(counter=counter))
            await eve.until(ev.Joined)
            relay.cut()
            await recorded.until_answered(counter)
            await ann.send(cl.Ready(counter=ann.next_counter(), ready=False))
            await recorded.until_answered(ann.next_counter() - 1)
            assert [Accepted] == [type(answer) for answer in recorded.answers(counter)]
            assert list(ann.view.seats) == [0, 1]


async def test_what_was_said_before_a_hand_ended_does_not_count_in_the_next() -> None:
    """A "stuck" into a broken wire is refused when it comes again after the next deal."""
    options = QUICK.model_copy(update={"hands": 100, "time_limit_ms": 1_000, "pause_after_ms": None})
    async with relayed(contributions=False) as (served, relay):
        ann = await Client.create(relay.url, "Ann", options)
        async with (
            Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
            listening(ann) as recorded,
        ):
            await ann.send(cl.Start(counter=ann.next_counter()))
            await recorded.until_answered(1)
            relay.open = False
            relay.cut()
            counter = ann.next_counter()
            await ann.send(cl.Stuck(counter=counter))
            await ben.until(ev.HandOver)
            await ben.until(ev.Signalled)
            relay.open = True
            await recorded.until_answered(counter)
            (answer,) = recorded.answers(counter)
            assert isinstance(answer, Refused)
            assert Reason.HAND_OVER is answer.reason


async def test_a_question_over_a_break_is_answered() -> None:
    """Whoever asks, and loses the answer with the wire, gets it when the wire is back."""
    async with (
        relayed(contributions=False) as (served, relay),
        await Client.create(relay.url, "Ann", QUICK) as ann,
    ):
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve:
            relay.muffled = True
            asking = asyncio.create_task(ann.ask(cl.AddBot(counter=ann.next_counter())))
            await eve.until(ev.Joined)
            relay.cut()
            answer = await timeout(PATIENCE, asking)
            assert Accepted(counter=1, seq=3) == answer


async def test_a_play_whose_event_was_lost_is_answered_once() -> None:
    """A play that was made before the break is answered by its event alone, and waits no more."""
    async with relayed() as (served, relay):
        ann = await Client.create(relay.url, "Ann", QUICK)
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve, listening(ann) as recorded:
            await ann.send(cl.Start(counter=ann.next_counter()))
            await recorded.until(Phase.PLAYING)
            relay.muffled = True
            counter = await ann.play(turn_of(ann.view, 0))
            await eve.until(ev.Played)
            relay.cut()
            await recorded.until_answered(counter)
            await ann.send(cl.Stuck(counter=ann.next_counter()))
            await recorded.until(Phase.OVER)
            assert [ev.Played] == [type(answer) for answer in recorded.answers(counter)]
            assert not ann.waiting


async def test_refusals_that_were_lost_are_told() -> None:
    """Of several refused commands whose answers were lost, each is answered once after the break."""
    async with relayed() as (served, relay):
        ann = await Client.create(relay.url, "Ann", QUICK)
        async with Peer.entered(served.url, cl.Watch(code=ann.code)) as eve, listening(ann) as recorded:
            relay.muffled = True
            counters = [ann.next_counter() for _ in range(4)]
            for counter in counters[:3]:
                await ann.send(cl.Call(counter=counter))
            await ann.send(cl.Ready(counter=counters[3]))
            await eve.until(ev.Readied)
            relay.cut()
            for counter in counters:
                await recorded.until_answered(counter)
            answers = [answer for counter in counters for answer in recorded.answers(counter)]
            assert [Refused, Refused, Refused, Accepted] == [type(answer) for answer in answers]
            assert not ann.waiting


async def test_what_is_said_during_a_break_keeps_its_order() -> None:
    """While the client is half-way back it keeps what is to be said; then all of it comes, in its order."""
    async with visited() as (url, visitors):
        joining = asyncio.create_task(Client.join(url, "BCDF", "Ann"))
        first = await visitors.get()
        await speak(first, *WELCOME)
        async with listening(await joining) as recorded:
            ann = recorded.client
            first.transport.abort()
            second = await visitors.get()
            await ann.send(cl.AddBot(counter=ann.next_counter(), level="easy"))
            await speak(second, WELCOME[0])
            greeting = [decode_client(await second.recv()) for _ in range(2)]
            assert [cl.Hello, cl.Resume] == [type(message) for message in greeting]
            await ann.send(cl.AddBot(counter=ann.next_counter(), level="medium"))
            await speak(second, *WELCOME[1:])
            commands = [decode_client(await second.recv()) for _ in range(2)]
            await ann.send(cl.AddBot(counter=ann.next_counter(), level="hard"))
            commands.append(decode_client(await second.recv()))
            levels = [command.level for command in commands if isinstance(command, cl.AddBot)]
            assert levels == ["easy", "medium", "hard"]
            await speak(second, *(Accepted(counter=number, seq=0) for number in (1, 2, 3)))
            await recorded.until_answered(3)
            assert not ann.waiting


async def test_what_is_in_doubt_keeps_its_order_beyond_the_highest_counter() -> None:
    """The command with counter 1 that follows the highest one is sent again after it."""
    async with visited() as (url, visitors):
        joining = asyncio.create_task(Client.join(url, "BCDF", "Ann"))
        first = await visitors.get()
        place = WELCOME[1].model_copy(update={"counter": 2**31 - 2})
        welcome = [WELCOME[0], place, *WELCOME[2:]]
        await speak(first, *welcome)
        async with listening(await joining) as recorded:
            first.transport.abort()
            second = await visitors.get()
            for level in ("easy", "hard"):
                await recorded.client.send(cl.AddBot(counter=recorded.client.next_counter(), level=level))
            await speak(second, *welcome)
            received = [decode_client(await second.recv()) for _ in range(4)]
            assert [each.counter for each in received if isinstance(each, cl.Command)] == [2**31 - 1, 1]


async def test_an_epoch_counts_from_its_first_event_on() -> None:
    """Whoever has heard of an epoch, and not of its table yet, still has the table of the epoch before."""
    versions, seated, table, caught_up = WELCOME
    epochs, places = [], [seated.model_copy(update={"epoch": epoch}) for epoch in ("aa", "bb", "cc", "dd")]
    event = ev.Joined(seq=1, seat=0, name="Ann")
    async with visited() as (url, visitors):
        joining = asyncio.create_task(Client.join(url, "BCDF", "Ann"))
        first = await visitors.get()
        await speak(first, versions, places[0], table, caught_up)
        async with listening(await joining):
            await speak(first, Closing(1012, ""))
            for place, told in ((places[1], []), (places[2], [event]), (places[3], [])):
                visitor = await visitors.get()
                await speak(visitor, versions)
                _, resume = [decode_client(await visitor.recv()) for _ in range(2)]
                assert isinstance(resume, cl.Resume)
                epochs.append((resume.seq, resume.epoch))
                await speak(visitor, place, *told, Closing(1012, ""))
    assert epochs == [(0, "aa"), (0, "aa"), (1, "cc")]
