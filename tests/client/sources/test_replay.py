"""A replay: what it yields is what was, in its order, from wherever it is told to begin."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from racing_demon_client.plain.replay import replay
from racing_demon_client.records.timeline import Timeline
from racing_demon_client.sources.replay import SPEEDS, InvalidPosition, ReplayClient
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages.server import Snapshot
from tests.support.cases import for_each
from tests.support.matches import final_view, log_of, of_matches
from tests.support.recordings import picture_of, recording_of
from tests.support.servers import PATIENCE, timeout

AT_ONCE = 1e9
"""A speed at which nothing is waited for."""


def of(name: str = "racing-demon", *, speed: float = AT_ONCE, paused: bool = False) -> ReplayClient:
    """Return the replay of a match."""
    return ReplayClient(Timeline(recording_of(name)), speed=speed, paused=paused)


async def heard(client: ReplayClient, *, until: int | None = None) -> list[Message]:
    """Return what comes, until the end or until so many messages have come."""
    messages: list[Message] = []

    async def listen() -> None:
        async for message in client:
            messages.append(message)
            if client.at_end or len(messages) == until:
                return

    await timeout(PATIENCE, listen())
    return messages


@asynccontextmanager
async def listened(client: ReplayClient) -> AsyncIterator[asyncio.Queue[Message]]:
    """Listen to a replay while something else is done; gives what has come."""
    queue: asyncio.Queue[Message] = asyncio.Queue()

    async def listen() -> None:
        async for message in client:
            queue.put_nowait(message)

    task = asyncio.create_task(listen())
    try:
        yield queue
    finally:
        await client.close()
        await timeout(PATIENCE, task)


@of_matches
async def test_all_of_a_match_comes_in_its_order(name: str) -> None:
    """First the table at the first deal, then every later event; at the end the tally is the recorded one."""
    client = of(name)
    first, *others = await heard(client)
    assert isinstance(first, Snapshot)
    assert log_of(name)[first.seq :] == others
    assert final_view(name).results == client.view.results
    assert picture_of(final_view(name)) == picture_of(client.view)


async def test_the_view_follows_each_message() -> None:
    """When a message comes the view has just followed it."""
    client = of("demon-a")

    async def listen() -> None:
        async for message in client:
            assert isinstance(message, Event | Snapshot)
            assert message.seq == client.view.seq
            if client.at_end:
                return

    await timeout(PATIENCE, listen())


async def test_a_paused_replay_goes_step_by_step() -> None:
    """While it stands still, each step is one event, and a step back is the table before it."""
    client = of(paused=True)
    async with listened(client) as queue:
        first = await timeout(PATIENCE, queue.get())
        assert isinstance(first, Snapshot)
        client.step(1)
        assert log_of("racing-demon")[first.seq] == await timeout(PATIENCE, queue.get())
        client.step(2)
        assert log_of("racing-demon")[first.seq + 1] == await timeout(PATIENCE, queue.get())
        assert log_of("racing-demon")[first.seq + 2] == await timeout(PATIENCE, queue.get())
        client.step(-3)
        back = await timeout(PATIENCE, queue.get())
        assert first == back
        assert queue.empty()


async def test_going_on_after_a_pause() -> None:
    """What stood still goes on where it stood."""
    client = of(paused=True)
    async with listened(client) as queue:
        first = await timeout(PATIENCE, queue.get())
        assert isinstance(first, Snapshot)
        client.pause(paused=False)
        assert log_of("racing-demon")[first.seq] == await timeout(PATIENCE, queue.get())


async def test_the_clock_stands_still_in_a_pause() -> None:
    """The replay's time does not go on while it is paused, and never goes back."""
    client = of(speed=1.0)
    async with listened(client) as queue:
        await timeout(PATIENCE, queue.get())
        times = [client.now_ms() for _ in range(50)]
        assert times == sorted(times)
        client.pause(paused=True)
        stopped = client.now_ms()
        client.seek_to("h2")
        await timeout(PATIENCE, queue.get())
        assert stopped == client.now_ms()


async def test_places_in_words() -> None:
    """A hand, an event and a time can be gone to; later and earlier are seconds from here."""
    client = of(paused=True)
    timeline = client.timeline
    client.seek_to("h2")
    assert timeline.hands[1][1] == client.position
    client.seek_to("0:30")
    assert 29_000 < timeline.elapsed_ms(client.position) <= 30_000
    client.seek_to("+10")
    assert 38_000 < timeline.elapsed_ms(client.position) <= 40_000
    client.seek_to("-20")
    assert 15_000 < timeline.elapsed_ms(client.position) <= 20_000
    for text in ("e100", "#100", " E100 "):
        client.seek_to(text)
        assert timeline.seq_at(client.position) == 100
    client.seek_to("e999999")
    assert client.at_end


@for_each("text", ["", "h", "h0", "h99", "x", "1", "1:", ":5", "#", "e-1", "1:2:3", "h²", "+", "9" * 5_000])
async def test_words_that_are_no_place(text: str) -> None:
    """Anything else is refused with a sentence, and the replay stays where it was."""
    client = of(paused=True)
    position = client.position
    with pytest.raises(InvalidPosition, match=r"not a position|There is no"):
        client.seek_to(text)
    assert position == client.position


async def test_speeds_have_ends() -> None:
    """Faster and slower go as far as there are speeds."""
    client = of(speed=1.0)
    for _ in range(20):
        client.faster(1)
    assert SPEEDS[-1] == client.speed
    for _ in range(20):
        client.faster(-1)
    assert SPEEDS[0] == client.speed


async def test_hands_have_ends() -> None:
    """The hand after the last one is the last one, the one before the first the first."""
    client = of(paused=True)
    for _ in range(5):
        client.next_hand(1)
    assert client.timeline.hands[-1][1] == client.position
    for _ in range(5):
        client.next_hand(-1)
    assert client.timeline.hands[0][1] == client.position


async def test_from_the_end_it_begins_again() -> None:
    """At its end a replay that is told to go on begins anew."""
    client = of("demon-a")
    once = await heard(client)
    client.pause(paused=False)
    assert once == await heard(client)


# In lines.


async def test_typed_words_steer_a_replay() -> None:
    """What is typed steps, goes, shows and ends; what is not clear is said to be so."""
    lines: list[str] = []
    client = of(paused=True)
    typed = ["n 3", "g h2", "g nowhere", "s 2", "b", "tally", "x 4", "x fast", "n many", "huh", "p", "q"]

    class Typist:
        """Types a line when all of what the last one did has been told."""

        def __iter__(self) -> "Typist":
            return self

        def __next__(self) -> str:
            if not typed:
                raise StopIteration
            return typed.pop(0) + "\n"

    await timeout(PATIENCE, replay(client, lines.append, Typist(), seat=None))  # type: ignore[arg-type]
    text = "\n".join(lines)
    assert "'nowhere' is not a position" in text
    assert "stock" in text
    assert "hand " in text
    assert "speed 4" in text
    assert "'x fast' is not a command" in text
    assert "'n many' is not a command" in text
    assert "pause, or play on" in text


async def test_nobody_at_the_keyboard() -> None:
    """Without anybody who types it ends with the record."""
    lines: list[str] = []
    await timeout(PATIENCE, replay(of("demon-b"), lines.append, None))
    assert any(line.startswith("the match is over") for line in lines)


async def test_each_hand_is_checked() -> None:
    """In lines, too, it is said of each hand of a record whether it was what was promised."""
    lines: list[str] = []
    client = of("demon-b")
    await timeout(PATIENCE, replay(client, lines.append, None))
    checked = [line for line in lines if line.startswith("Checked: the server alone shuffled")]
    assert len(client.view.results) == len(checked) > 0
