"""A client at a table, while all goes well."""

import asyncio
from typing import TypeVar

import pytest

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Refused, Seated, Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.ports import free_port
from tests.support.servers import PATIENCE, Peer, serving, timeout

M = TypeVar("M", bound=Message)

QUICK = Options(countdown_ms=0, tally_ms=0, hands=1)


async def hear(client: Client, cls: type[M]) -> M:
    """Wait for a message of a kind."""

    async def listen() -> M:
        async for message in client:
            if isinstance(message, cls):
                return message
        raise AssertionError("the conversation ended")

    return await timeout(PATIENCE, listen())


# Taking a place.


@for_each("encoding", Encoding)
async def test_a_table_is_created_joined_and_watched(encoding: Encoding) -> None:
    """Each of the three ways in gives the code, the seat, and all of the table."""
    async with (
        serving() as served,
        await Client.create(served.url, "Ann", QUICK, encoding=encoding) as ann,
        await Client.join(served.url, ann.code, "Ben", encoding=encoding) as ben,
        await Client.watch(served.url, ann.code.lower(), encoding=encoding) as eve,
    ):
        assert [ann.seat, ben.seat, eve.seat] == [0, 1, None]
        assert ann.code == ben.code == eve.code
        assert eve.view.options == QUICK
        assert [state.name for state in eve.view.seats.values()] == ["Ann", "Ben"]


async def test_a_host_may_watch() -> None:
    """A table can be opened without taking a seat at it, and still be commanded."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK, seated=False) as ann:
        assert ann.seat is None
        answer = await ann.ask(cl.AddBot(counter=ann.next_counter()))
        assert Accepted(counter=1, seq=1) == answer


async def test_the_first_messages_are_the_place_and_the_table() -> None:
    """What was heard on the way in is given to whoever listens, in its order."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        listening = aiter(ann)
        assert [Seated, Snapshot, CaughtUp] == [type(await anext(listening)) for _ in range(3)]


@for_each("kind", ["join", "watch"])
async def test_an_unknown_table_is_refused(kind: str) -> None:
    """A code that no table has is a refusal with its reason, and the connection is closed."""
    async with serving() as served:
        with pytest.raises(CommandRefused) as refused:
            await (
                Client.join(served.url, "ZZZZ", "Ann") if kind == "join" else Client.watch(served.url, "ZZZZ")
            )
        assert refused.value.reason == Reason.UNKNOWN_TABLE
        assert list(served.server.connections) == []


async def test_options_that_cannot_be_played_are_refused() -> None:
    """The server's word on the options comes back as a refusal."""
    async with serving() as served:
        with pytest.raises(CommandRefused) as refused:
            await Client.create(served.url, "Ann", Options(game="bridge"))
        assert refused.value.reason == Reason.BAD_OPTION


# No server.


async def test_nobody_listening() -> None:
    """Where no server is, the sentence names the address and asks whether it is right."""
    url = f"ws://127.0.0.1:{free_port()}/v1"
    text = f"There is no server at {url}. Is it running, and is the address right?"
    with pytest.raises(ConnectionFailed) as failed:
        await Client.watch(url, "BCDF")
    assert text == str(failed.value)


@for_each(
    "url",
    [
        "",
        "BCDF",
        "http://127.0.0.1:5252/v1",
        "ws://",
        "ws://:5252/v1",
        "ws://127.0.0.1:99999/v1",
        "ws://127.0.0.1:x/v1",
        "ws://[::1/v1",
        "ws://exa mple/v1",
        "ws://127.0.0.1:5252/v1#there",
        "ws://" + "a" * 70 + ".example/v1",
        "ws://a..b/v1",
        "ws://\x00/v1",
        "ws://127.0.0.1:1/v1\r\nX: y",
    ],
    ids=repr,
)
async def test_addresses_that_are_none(url: str) -> None:
    """Whatever is typed for an address, there is a sentence for it and no traceback."""
    with pytest.raises(ConnectionFailed, match=r"is not a server's address|There is no server at"):
        await Client.watch(url, "BCDF")


async def test_something_else_listening() -> None:
    """A port of another program is no table server."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"220 smtp.example ESMTP\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as other:
        url = f"ws://127.0.0.1:{other.sockets[0].getsockname()[1]}/v1"
        with pytest.raises(ConnectionFailed, match="There is no server at"):
            await Client.watch(url, "BCDF")


async def test_a_server_that_was_asked_too_much() -> None:
    """Who is told to wait (429) reads so, and not that there is no server."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as busy:
        url = f"ws://127.0.0.1:{busy.sockets[0].getsockname()[1]}/v1"
        with pytest.raises(ConnectionFailed, match="Wait a few seconds, and try again"):
            await Client.watch(url, "BCDF")


async def test_another_path() -> None:
    """A server's address with a path that is not the game's is told apart from a server that is away."""
    async with serving() as served:
        with pytest.raises(ConnectionFailed, match="is the address right"):
            await Client.watch(served.url.replace("/v1", "/v2"), "BCDF")


async def test_a_full_server() -> None:
    """A server that takes no more connections is quoted."""
    async with serving(max_connections=1) as served, Peer.hosting(served.url) as ann:
        with pytest.raises(ConnectionFailed, match=r"The server is full[.] Try again later"):
            await Client.watch(served.url, ann.code)


# Commands.


async def test_a_question_waits_for_its_answer() -> None:
    """What happens before the answer is not lost: it is given afterwards, in its order."""
    async with (
        serving(contributions=False) as served,
        await Client.create(served.url, "Ann", QUICK) as ann,
        await Client.join(served.url, ann.code, "Ben") as ben,
    ):
        await ben.ask(cl.Ready(counter=ben.next_counter()))
        answer = await ann.ask(cl.AddBot(counter=ann.next_counter()))
        assert answer.seq == 5
        listening = aiter(ann)
        names = [type(await anext(listening)) for _ in range(6)]
        assert [Seated, Snapshot, CaughtUp, ev.Joined, ev.Readied, ev.Joined] == names
        assert not ann.waiting


async def test_a_question_may_be_refused() -> None:
    """A refusal is raised, with reason and sentence, and the next question is answered."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        with pytest.raises(CommandRefused) as refused:
            await ann.ask(cl.RemoveBot(counter=ann.next_counter(), seat=5))
        assert (
            refused.value.reason,
            refused.value.text,
        ) == (Reason.NOT_SEATED, "There is no bot in that seat.")
        await ann.ask(cl.AddBot(counter=ann.next_counter()))


async def test_a_question_that_is_never_answered() -> None:
    """If the server says good-bye in the place of an answer, the question fails."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        asking = asyncio.create_task(ann.ask(cl.AddBot(counter=0)))  # 0 is an old counter: no answer to 7
        with pytest.raises(CommandRefused):
            await timeout(PATIENCE, asking)
        waiting = asyncio.create_task(hear(ann, ev.MatchOver))
        served.server.close(code=1000)
        with pytest.raises(AssertionError, match="the conversation ended"):
            await timeout(PATIENCE, waiting)
        with pytest.raises(ConnectionFailed, match="The server closed the connection"):
            await timeout(PATIENCE, ann.ask(cl.AddBot(counter=ann.next_counter())))


async def test_a_play_is_answered_by_its_event() -> None:
    """A play waits until its event has come, and the mirror has followed."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        await ann.ask(cl.Start(counter=ann.next_counter()))
        await hear(ann, ev.Signalled)
        assert ann.view.hand is not None
        turn = ann.view.hand.rules.stock_play(ann.view.hand.board, 0)
        assert turn is not None
        counter = await ann.play(turn)
        assert ann.waiting
        played = await hear(ann, ev.Played)
        assert counter == played.counter
        assert not ann.waiting
        assert len(ann.view.hand.board.cards[turn.destination]) == 3


async def test_a_refused_play_is_answered_too() -> None:
    """A play that is refused waits no more, and changes nothing."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        await ann.send(cl.PlayCards(counter=ann.next_counter(), source=0, count=1, destination=1, seen=0))
        refused = await hear(ann, Refused)
        assert refused.reason == Reason.NOT_STARTED
        assert not ann.waiting


async def test_legal_plays_are_those_of_the_own_seat() -> None:
    """Before the signal and while watching there are none; in a hand they are the seat's own."""
    async with (
        serving() as served,
        await Client.create(served.url, "Ann", QUICK) as ann,
        await Client.watch(served.url, ann.code) as eve,
    ):
        assert list(ann.legal_plays()) == []
        await ann.ask(cl.Start(counter=ann.next_counter()))
        await hear(ann, ev.Signalled)
        await hear(eve, ev.Signalled)
        assert list(eve.legal_plays()) == []
        own = list(ann.legal_plays())
        assert own
        assert ann.view.hand is not None
        assert {0} == {ann.view.hand.rules.layout.piles[play.source].seat for play in own}


async def test_ten_lines_make_a_player() -> None:
    """The player of the module's first page plays a hand against itself, and both see the same end."""
    async with (
        serving(commands_per_second=1e6, command_burst=1e6) as served,
        await Client.create(served.url, "Ann", QUICK) as ann,
        await Client.join(served.url, ann.code, "Ben") as ben,
    ):

        async def play(me: Client) -> None:
            stock_turns = 0
            await me.send(cl.Ready(counter=me.next_counter()))
            async for _ in me:
                if me.view.phase is Phase.OVER:
                    return
                if me.waiting or not me.view.in_hand or me.view.seats[me.seat or 0].stuck:
                    continue
                assert me.view.board is not None
                progress = (p for p in me.legal_plays() if me.view.board.is_progress(p))
                best = next(progress, None)
                stock_turns = 0 if best else stock_turns + 1
                best = best or (next(me.legal_plays(), None) if stock_turns < 40 else None)
                if best is not None:
                    await me.play(best)
                else:
                    await me.send(cl.Stuck(counter=me.next_counter()))

        await timeout(PATIENCE, asyncio.gather(play(ann), play(ben)))
        assert ann.view.snapshot(0) == ben.view.snapshot(0)
        assert len(ann.view.results) == 1


# The end.


async def test_closing_ends_the_listening() -> None:
    """Whoever says good-bye hears no more, and no error."""
    async with serving() as served:
        async with await Client.create(served.url, "Ann", QUICK) as ann:
            pass
        heard = [type(message) async for message in ann]
        assert [Seated, Snapshot, CaughtUp] == heard


async def test_who_has_left_is_not_told_that_the_table_ended() -> None:
    """The table of a host ends with its host, for whom that is no failure."""
    async with serving() as served:
        host = await Client.create(served.url, "Ann", Options())
        await host.send(cl.Leave(counter=host.next_counter()))
        async for message in host:
            if isinstance(message, ev.Left):
                served.server.close(reason="The host has ended the table.")


async def test_a_seat_is_kept_when_its_player_closes() -> None:
    """Closing the connection is not leaving."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        async with await Client.join(served.url, ann.code, "Ben"):
            pass
        await hear(ann, ev.Connected)
        assert not ann.view.seats[1].connected
        assert not ann.view.seats[1].left
