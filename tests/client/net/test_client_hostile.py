"""A client trusts its server no further than it must: nonsense ends with a sentence, never a traceback."""

import asyncio
from collections.abc import Sequence

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection, serve

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_client.plain import render
from racing_demon_client.shared.message_text import MessageText
from racing_demon_client.shared.table_view import TableView
from racing_demon_protocol.enums import CloseCode, Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.codec import Encoding, encode
from racing_demon_protocol.wire.messages import FROM_SERVER, Event, Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import (
    CaughtUp,
    HandResult,
    Pong,
    Refused,
    Seated,
    SeatState,
    Versions,
)
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.frames import messages
from tests.support.matches import log_of, options_of
from tests.support.relay import WELCOME, babbling, speak, table_of, visited
from tests.support.servers import PATIENCE, Closing, timeout

VERSIONS, SEATED, TABLE, CAUGHT_UP = WELCOME
SECRET = "00" * 32


async def meet(url: str, encoding: Encoding = Encoding.MSGPACK) -> list[Message]:
    """Join a table, hear and tell all that its server says, and return it."""
    heard = []
    async with await Client.join(url, "BCDF", "Ann", encoding=encoding) as client:
        async for message in client:
            heard.append(message)
            MessageText(client.view, client.seat).describe(message)
            render.table(TableView.of(client.view, client.seat))
            render.tally(client.view)
            list(client.legal_plays())
    return heard


# Versions.


@for_each(
    ("versions", "advice"),
    [
        (Versions(oldest=2, newest=3), "versions 2 to 3 of the protocol, this client 1: update this client."),
        (Versions(oldest=7, newest=7), "versions 7 to 7 of the protocol, this client 1: update this client."),
    ],
)
async def test_a_newer_server_wants_a_newer_client(versions: Versions, advice: str) -> None:
    """If there is no common version, the sentence says who needs an update."""
    async with babbling(versions) as url:
        with pytest.raises(ConnectionFailed) as failed:
            await meet(url)
        assert f"The server speaks {advice}" == str(failed.value)


async def test_the_server_s_own_word_on_versions_is_quoted() -> None:
    """A server that closes for the version has its sentence told."""
    async with babbling(VERSIONS, Closing(CloseCode.VERSION, "Too old: update your client.")) as url:
        with pytest.raises(ConnectionFailed, match="Too old: update your client"):
            await meet(url)


# Frames that are none.


@for_each(
    "frame",
    [
        b"",
        b"\xc1noise",
        "text",
        "[64,1]",
        msgpack.packb([64, 1, 1.0]),
        msgpack.packb([1, 1]),
        msgpack.packb([255]),
        b"\x91" * 60_000,
        b"\xdd\xff\xff\xff\xff",
        msgpack.packb([69, msgpack.Timestamp(1)]),
    ],
    ids=lambda frame: repr(frame[:12]),
)
@for_each("place", [0, 1, 2, 3])
async def test_garbage_fails_with_a_sentence(frame: bytes | str, place: int) -> None:
    """Garbage in the place of versions, seat or table, or after them, is no protocol of ours."""
    async with babbling(*WELCOME[:place], frame) as url:
        with pytest.raises(
            ConnectionFailed, match="The server sent something that this client does not understand: "
        ):
            await timeout(PATIENCE, meet(url))


async def test_giant_frames_are_not_read() -> None:
    """A frame beyond the limit ends the conversation, whenever it comes."""
    async with babbling(b"\xc0" * 100_000) as url:
        with pytest.raises(ConnectionFailed):
            await timeout(PATIENCE, meet(url))


# Messages at the wrong time.


@for_each(
    "frames",
    [
        [VERSIONS, ev.Signalled(seq=1)],
        [VERSIONS, SEATED, CAUGHT_UP],
        [VERSIONS, SEATED, TABLE, CaughtUp(seq=1)],
        [VERSIONS, SEATED, ev.Played(seq=1, seat=0, counter=1, source=4, count=3, destination=5)],
        [ev.Joined(seq=1, seat=0, name="Ann"), ev.Signalled(seq=1)],
        [*WELCOME, ev.Played(seq=1, seat=0, counter=1, source=4, count=3, destination=5)],
        [*WELCOME, ev.Signalled(seq=2)],
        [*WELCOME, ev.Left(seq=1, seat=5)],
        [*WELCOME, ev.StuckSaid(seq=1, seat=5)],
        [*WELCOME, ev.Rotated(seq=1)],
        [*WELCOME, ev.Dealt(seq=1, seats=(), shown=(), countdown_ms=0)],
        [*WELCOME, ev.Dealt(seq=1, seats=(0, 0), shown=(), countdown_ms=0)],
        [*WELCOME, ev.Dealt(seq=1, seats=(0,), shown=(1, 2, 3), countdown_ms=0)],
        [*WELCOME, ev.OptionsSet(seq=1, options=Options(game="bridge")), *log_of("eight")[8:10]],
        [*WELCOME, ev.HandOver(seq=1, reason="dead", out=None, elapsed_ms=0, points=(1,), seed=SECRET)],
        [*WELCOME[:2], table_of(phase=Phase.PLAYING, hand_seats=(0, 1))],
        [*WELCOME[:2], table_of(options=Options(game="bridge"), hand_seats=(0,))],
        [*WELCOME[:2], table_of(phase=Phase.PLAYING, hand_seats=(0,), piles=((1, 2),) * 3)],
    ],
)
async def test_a_table_that_cannot_be_fails_with_a_sentence(frames: Sequence[Message]) -> None:
    """Events that do not fit the table, and tables that fit no game, end the conversation."""
    async with babbling(*frames) as url:
        with pytest.raises(ConnectionFailed, match="The server sent an invalid table: "):
            await timeout(PATIENCE, meet(url))


async def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an answer the client does not wait for ever."""
    for room in ("client", "transport"):
        monkeypatch.setattr(f"racing_demon_client.net.{room}.ENTRY_SECONDS", 0.2)
    for frames in ([], [VERSIONS], [VERSIONS, SEATED], [VERSIONS, Pong(stamp=1)]):
        async with babbling(*frames) as url:
            with pytest.raises(ConnectionFailed) as failed:
                await meet(url)
            assert f"The server at {url} does not answer." == str(failed.value)


async def test_who_gives_up_while_entering_leaves_nothing_open() -> None:
    """Cancelled before the table has come, as by another button, a client keeps no connection."""
    hello, gone = asyncio.Event(), asyncio.Event()

    async def wait(socket: ServerConnection) -> None:
        await socket.send(encode(VERSIONS))
        await socket.recv()
        await socket.recv()
        await socket.send(encode(SEATED))
        hello.set()
        await socket.wait_closed()
        gone.set()

    async with serve(wait, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        joining = asyncio.create_task(Client.join(f"ws://127.0.0.1:{port}/v1", "BCDF", "Ann"))
        await timeout(PATIENCE, hello.wait())
        joining.cancel()
        with pytest.raises(asyncio.CancelledError):
            await joining
        await timeout(PATIENCE, gone.wait())


@for_each("place", [0, 1, 2])
async def test_a_server_that_hangs_up_at_once(place: int) -> None:
    """A good-bye without a reason has a sentence, too."""
    async with babbling(*WELCOME[:place], Closing(1000, "")) as url:
        with pytest.raises(ConnectionFailed, match="The connection to the server was lost"):
            await meet(url)


async def test_a_server_that_asks_for_a_moment_gets_it() -> None:
    """One that still reads the table sends whoever comes away, and they come again by themselves."""
    busy = Closing(CloseCode.TRY_AGAIN, "The server still reads this table. Come back in a moment.")

    async def let_in(last: Sequence[Message | Closing]) -> None:
        for welcome in ([VERSIONS, busy], [VERSIONS, busy], last):
            visitor = await visitors.get()
            await speak(visitor, *welcome[:1])
            for _ in range(2):
                await visitor.recv()
            await speak(visitor, *welcome[1:])

    async with visited() as (url, visitors):
        _, client = await timeout(PATIENCE, asyncio.gather(let_in(WELCOME), Client.join(url, "BCDF", "Ann")))
        async with client:
            assert client.seat is not None


async def test_an_unasked_refusal_does_no_harm() -> None:
    """Answers to nothing that was asked change nothing."""
    refusal = Refused(counter=77, reason=Reason.ILLEGAL, text="No.")
    async with babbling(*WELCOME, refusal, ev.Joined(seq=1, seat=0, name="Ann"), Closing(1000, "")) as url:
        heard = await timeout(PATIENCE, meet(url))
    assert ev.Joined(seq=1, seat=0, name="Ann") == heard[-1]


async def test_a_refusal_on_the_way_in_is_a_refusal() -> None:
    """The server's reason and sentence are given as they came."""
    refusal = Refused(counter=0, reason=Reason.TABLE_FULL, text="\x1b[2J")
    async with babbling(VERSIONS, refusal) as url:
        with pytest.raises(CommandRefused) as refused:
            await meet(url)
        assert (refused.value.reason, refused.value.text) == (Reason.TABLE_FULL, "\x1b[2J")


# Anything at all.

KINDS = st.sampled_from(sorted(FROM_SERVER)).map(FROM_SERVER.__getitem__)
SEATS = (SeatState(seat=0, name="Ann"), SeatState(seat=1, name="Ben", bot="hard"))
TRUE = st.deferred(lambda: st.sampled_from(log_of("shouted")[:60] + log_of("shouted")[-40:]))


def numbered(drawn: Sequence[Message], first: int) -> list[Message]:
    """Return messages with the events among them numbered in a row."""
    numbers = iter(range(first, first + len(drawn)))
    return [m.model_copy(update={"seq": next(numbers)}) if isinstance(m, Event) else m for m in drawn]


@examples(120)
@given(
    st.lists(st.one_of(KINDS.flatmap(messages), TRUE), max_size=6),
    st.integers(0, 12),
)
def test_any_messages_end_well(drawn: list[Message], true: int) -> None:
    """Whatever a server says after some true events, the client takes it, or fails with a sentence."""
    options = options_of("shouted")
    table = table_of(options=options)
    frames = [VERSIONS, SEATED, table, CAUGHT_UP, *log_of("shouted")[:true], *numbered(drawn, true + 1)]

    async def history() -> None:
        async with babbling(*frames, Closing(1000, "")) as url:
            try:
                await timeout(PATIENCE, meet(url))
            except (ConnectionFailed, CommandRefused) as failed:
                assert str(failed)

    asyncio.run(history())


@pytest.mark.long
@examples(120)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "phase": st.sampled_from(Phase),
            "host": st.none() | st.integers(0, 7),
            "hand": st.integers(0, 9),
            "hand_seats": st.lists(st.integers(0, 3), max_size=3).map(tuple),
            "piles": st.lists(st.lists(st.integers(-1, 415), max_size=4).map(tuple), max_size=40).map(tuple),
            "redeals": st.lists(st.integers(0, 3), max_size=3).map(tuple),
            "called": st.none() | st.integers(0, 7),
            "winners": st.lists(st.integers(0, 7), max_size=3).map(tuple),
            "results": st.lists(
                st.builds(
                    HandResult,
                    hand=st.integers(1, 9),
                    seats=st.lists(st.integers(0, 3), max_size=3).map(tuple),
                    points=st.lists(st.integers(-30, 62), max_size=3).map(tuple),
                    reason=st.just("dead"),
                    out=st.none() | st.integers(0, 7),
                ),
                max_size=2,
            ).map(tuple),
            "options": st.sampled_from([Options(), Options(game="bridge"), Options(game="classic")]),
            "seats": st.just(SEATS),
        },
    ),
    st.lists(KINDS.flatmap(messages), max_size=3),
)
def test_any_table_ends_well(fields: dict[str, object], drawn: list[Message]) -> None:
    """Whatever table a server sends, the client shows it, or fails with a sentence."""
    frames = [VERSIONS, SEATED, table_of(**fields), CAUGHT_UP, *numbered(drawn, 1)]

    async def history() -> None:
        async with babbling(*frames, Closing(1000, "")) as url:
            try:
                await timeout(PATIENCE, meet(url))
            except (ConnectionFailed, CommandRefused) as failed:
                assert str(failed)

    asyncio.run(history())


async def test_another_seat_than_asked_for_is_no_crash() -> None:
    """A seat that the table does not have has no cards, and plays nothing."""
    table = table_of(options=options_of("shouted"))
    seated = Seated(code="\x9b31m", seat=7, token="0f" * 32)
    async with babbling(VERSIONS, seated, table, CAUGHT_UP, *log_of("shouted")[:6], Closing(1000, "")) as url:
        heard = await timeout(PATIENCE, meet(url))
    assert [seated, table, CAUGHT_UP, *log_of("shouted")[:6]] == heard
