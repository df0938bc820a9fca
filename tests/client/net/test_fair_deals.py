"""Shuffles by real clients and a real server: what each of them tells its player of its part."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from racing_demon_client.net.client import Client
from racing_demon_client.plain.session import attend
from racing_demon_client.records.recorder import Recorder
from racing_demon_protocol.wire.codec import Encoding, decode_client, decode_server, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.processes import CLIENT, text_of
from tests.support.restartable_server import wait_until
from tests.support.screens import shows, sitting
from tests.support.servers import PATIENCE, serving, timeout

Change = Callable[[Message], Message | None]
"""What becomes of a message on its way; ``None`` for one that is kept back."""


@asynccontextmanager
async def tampering_proxy(
    target: str, *, down: Change = lambda message: message, up: Change = lambda message: message
) -> AsyncIterator[str]:
    """Meddle with what a server says to its clients, and they to it; give the URL for them to use."""
    encoding = Encoding.MSGPACK

    async def carry(
        source: ServerConnection | ClientConnection,
        sink: ServerConnection | ClientConnection,
        decode: Callable[[bytes | str], Message],
        change: Change,
    ) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for frame in source:
                message = change(decode(frame))
                if message is not None:
                    await sink.send(encode(message, encoding))
        await sink.close()

    async def handle(client: ServerConnection) -> None:
        async with connect(target, subprotocols=[Subprotocol(encoding)]) as server:
            await asyncio.gather(
                carry(server, client, decode_server, down), carry(client, server, decode_client, up)
            )

    async with serve(
        handle, "127.0.0.1", 0, subprotocols=[Subprotocol(encoding)], close_timeout=1
    ) as between:
        port = next(iter(between.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/v1"


QUICK = Options(countdown_ms=0, tally_ms=600_000, hands=1)
COUNTED = "Checked: you took part in the shuffle, and nobody withheld a part of it; 0 plays are legal."


def same(message: Message) -> Message:
    """Pass a message on as it is."""
    return message


def withhold(message: Message) -> Message | None:
    """Let nobody reveal anything."""
    return None if isinstance(message, cl.Reveal) else message


def swap(message: Message) -> Message:
    """Tell that the second player had contributed something else."""
    if isinstance(message, ev.Contributed) and message.seat == 1:
        return message.model_copy(update={"commitment": "0" * 64})
    return message


async def seated(
    url: str, stack: AsyncExitStack, **changes: Callable[[Message], Message | None]
) -> list[Client]:
    """Seat Ann and Ben at a new table; somebody meddles with what Ben says and hears."""
    between = await stack.enter_async_context(tampering_proxy(url, **changes))
    ann = await stack.enter_async_context(await Client.create(url, "Ann", QUICK))
    ben = await stack.enter_async_context(await Client.join(between, ann.code, "Ben"))
    return [ann, ben]


async def both_have_contributed(ann: Client) -> None:
    """Wait until both are bound by their commitments."""
    await wait_until(
        lambda: ann.view.next_shuffle is not None and len(ann.view.next_shuffle.contributions) == 2
    )


async def hand(clients: list[Client], record: list[str] | None = None) -> list[list[str]]:
    """Let all play a hand in which nobody plays anything, and return what each is told."""
    told: list[list[str]] = [[] for _ in clients]

    def hear(number: int, line: str) -> None:
        told[number].append(line)
        if line == "play!" and clients[number].seat in clients[number].view.hand_seats:
            clients[number].post(cl.Stuck(counter=clients[number].next_counter()))

    def attending(number: int) -> asyncio.Task[None]:
        recorder = Recorder(record.append) if record is not None and number == 0 else None
        seat = attend(clients[number], lambda line: hear(number, line), recorder=recorder)
        return asyncio.create_task(seat)

    evenings = [attending(number) for number in range(len(clients))]
    await both_have_contributed(clients[0])
    clients[0].post(cl.Start(counter=clients[0].next_counter()))
    await timeout(PATIENCE, asyncio.gather(*evenings))
    return told


async def test_whoever_took_part_is_told_what_that_proves() -> None:
    """Where all reveal in time, who shuffled is said with the deal, and what it proves with the tally."""
    async with serving() as served, AsyncExitStack() as stack:
        ann, ben = await hand(await seated(served.url, stack))
    assert "one hand, shuffled by you, Ben and the server" in ann
    assert COUNTED in ann
    assert COUNTED in ben


async def test_a_contribution_that_is_kept_back_costs_the_hand(tmp_path: Path) -> None:
    """Everybody is told who sits out, and among how many deals one could choose; the record tells it, too."""
    record: list[str] = []
    async with serving() as served, AsyncExitStack() as stack:
        ann, ben = await hand(await seated(served.url, stack, up=withhold), record)
    sits = "a part of the shuffle is missing: {} this hand out, and it is drawn anew without that part"
    assert sits.format("Ben sits") in ann
    assert sits.format("you sit") in ben
    choice = (
        "But the hand was drawn anew without Ben, whose part did not come: whoever works with Ben and the "
        "server could choose between 2 deals."
    )
    assert f"Checked: you took part in the shuffle; 0 plays are legal. {choice}" in ann
    assert f"Checked: players and server shuffled, as promised; 0 plays are legal. {choice}" in ben
    path = tmp_path / "match.jsonl"
    path.write_text("\n".join(record) + "\n", encoding="utf-8")
    ended = await text_of(CLIENT, "verify", str(path))
    assert (ended.code, ended.out.splitlines()[1]) == (0, "sat out when the hand was redrawn: Ben in 1 hand")


async def test_a_contribution_that_is_changed_is_found_by_its_player() -> None:
    """Its client keeps the bytes to itself, and says in the tally that the hand was not right."""
    async with serving() as served, AsyncExitStack() as stack:
        _, ben = await hand(await seated(served.url, stack, down=swap))
    assert "NOT RIGHT: the server has changed your part of the shuffle." in ben


@pytest.mark.long
async def test_the_terminal_says_who_was_left_out() -> None:
    """The tally tells a player whose contribution did not come in time."""
    async with serving() as served, AsyncExitStack() as stack:
        ann, ben = await seated(served.url, stack, up=withhold)
        async with sitting(ben, "joined") as player:
            ears = asyncio.create_task(attend(ann, None))
            await both_have_contributed(ann)
            ann.post(cl.Start(counter=ann.next_counter()))
            await wait_until(lambda: ann.view.in_hand and ben.view.in_hand)
            ann.post(cl.Stuck(counter=ann.next_counter()))
            await shows(player, "anew without Ben")
            await timeout(PATIENCE, ears)
