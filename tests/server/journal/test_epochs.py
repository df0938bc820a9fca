"""Clients who come back to a server that goes on from an older copy of its journal, or from the same one."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.journal.reader import epochs_of
from racing_demon_server.journal.sqlite.backup import backup
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.table_journal import MAX_EPOCHS
from tests.support.journals import journaled, put_back
from tests.support.relay import Relay
from tests.support.restartable_server import copy_by_hand, wait_until
from tests.support.servers import Peer


@asynccontextmanager
async def listening(client: Client) -> AsyncIterator[Counter[type[Message]]]:
    """Let a client take all that comes, and count it by its kind."""
    heard: Counter[type[Message]] = Counter()

    async def listen() -> None:
        async for message in client:
            heard[type(message)] += 1

    task = asyncio.create_task(listen())
    try:
        yield heard
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await client.close()


async def add_bot(client: Client) -> None:
    """Let a client add a bot, and wait until it is there."""
    await client.send(cl.AddBot(counter=client.next_counter()))
    await wait_until(lambda: not client.waiting)


async def cut_off(client: Client, relay: Relay) -> None:
    """Break a client's line, and let no other through."""
    relay.open = False
    relay.cut()
    await wait_until(lambda: not client.online)


async def change(peer: Peer, times: int) -> None:
    """Let so many events happen at a table."""
    for _ in range(times):
        await peer.ask(cl.Ready, ready=not peer.view.seats[peer.place.seat or 0].ready)


async def come_back(peer: Peer, old: Peer) -> None:
    """Take a peer's seat up again, and get the table as it is."""
    await peer.greet()
    await peer.enter(cl.Resume(code=old.code, token=old.token))
    await peer.until(Snapshot)


@pytest.mark.parametrize("how_back", [put_back, copy_by_hand])
@pytest.mark.parametrize("copy", [backup, copy_by_hand])
async def test_after_an_older_copy_a_client_has_the_servers_table(
    tmp_path: Path, copy: Callable[[Path, Path], None], how_back: Callable[[Path, Path], None]
) -> None:
    """When the client comes back, others have given the numbers that it has seen to other events."""
    journal, older, again = (tmp_path / f"{name}.sqlite" for name in ("journal", "older", "again"))
    async with contextlib.AsyncExitStack() as stack:
        async with journaled(journal, contributions=False) as served:
            relay = await stack.enter_async_context(Relay.before(served.url))
            ann = await Client.create(relay.url, "Ann")
            await stack.enter_async_context(listening(ann))
            async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
                await asyncio.to_thread(copy, journal, older)
                await add_bot(ann)
                await cut_off(ann, relay)
        how_back(older, again)
        async with (
            journaled(again, port=served.port, contributions=False) as served,
            Peer.connect(served.url) as back,
        ):
            await come_back(back, ben)
            await change(back, 5)
            assert back.view.seq > ann.view.seq
            relay.open = True
            await back.follow(back.view.seq + 1)
            await wait_until(lambda: ann.view.seq == back.view.seq)
            assert back.view.snapshot(0) == ann.view.snapshot(0)


async def test_after_a_clean_restart_only_the_missed_events_come(tmp_path: Path) -> None:
    """A history that goes on is not replaced: clients who had all of it get no snapshot, however often."""
    journal = tmp_path / "journal.sqlite"
    async with contextlib.AsyncExitStack() as stack:
        async with journaled(journal) as served:
            relay = await stack.enter_async_context(Relay.before(served.url))
            ann = await Client.create(relay.url, "Ann")
            heard = await stack.enter_async_context(listening(ann))
            await add_bot(ann)
            await cut_off(ann, relay)
        for _ in range(2):
            async with journaled(journal, port=served.port):
                relay.open = True
                await wait_until(lambda: ann.online)
                await add_bot(ann)
                await cut_off(ann, relay)
    assert heard[Snapshot] == 1
    assert len(ann.view.seats) == 4


@pytest.mark.long
async def test_only_the_newest_starts_are_kept(tmp_path: Path) -> None:
    """However often a server is started, a table's epochs do not grow."""
    journal = tmp_path / "journal.sqlite"
    async with journaled(journal) as served, Peer.hosting(served.url) as ann:
        await change(ann, 2)
    for _ in range(MAX_EPOCHS + 3):
        async with journaled(journal):
            pass
    with contextlib.closing(open_journal(journal)) as db:
        epochs = epochs_of(db, 1)
    assert MAX_EPOCHS == len({epoch for epoch, _ in epochs}) == len(epochs)
    assert [seq for _, seq in epochs] == sorted(seq for _, seq in epochs)
