"""A server that dies at a chosen write while somebody leaves and is back, and a match is ended."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeVar

import pytest

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from tests.support.faults import SENDS, faulty, needs_strace
from tests.support.restartable_server import RestartableServer, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="made with strace")

STEP: Final = int(os.environ.get("RACING_DEMON_WRITE_STEP", "20"))
"""Each so-many-th write is tried."""
MAX_WRITES: Final = 2_000
T = TypeVar("T")


@pytest.mark.long
@needs_strace
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync", SENDS])
async def test_killed_at_any_write_while_somebody_is_back(tmp_path: Path, call: str) -> None:
    """Whichever write it dies at: one row for each, the host that was made, and a match that ended."""
    kills = 0
    for number in range(1, MAX_WRITES, STEP if call == "pwrite64" else max(1, STEP // 10)):
        folder = tmp_path / str(number)
        folder.mkdir()
        async with RestartableServer.started(folder / "journal.sqlite") as server:
            fault = f"{call}:signal=SIGKILL:when={number}"
            if not await _dies(server, fault, folder / "log"):
                break
            kills += 1
    sys.stdout.write(f"\n{kills} kills at {call}\n")
    assert kills > 1


async def _dies(server: RestartableServer, fault: str, log: Path) -> bool:
    """Let somebody leave and come back while the server has a fault. Return whether it died of it."""
    options = Options(hands=9, countdown_ms=0)
    async with contextlib.AsyncExitStack() as stack:
        ann = await stack.enter_async_context(await Client.create(server.url, "Ann", options))
        ben, cleo = [
            await stack.enter_async_context(await Client.join(server.url, ann.code, name))
            for name in ("Ben", "Cleo")
        ]
        async with faulty(server.pid, fault, log=log):
            acting = asyncio.create_task(_act(server.url, ann, ben, cleo))
            await wait_until(lambda: acting.done() or not server.is_running)
            died = not server.is_running
        if died:
            await server.start()
        seat = await acting
        async with await _patiently(lambda: Client.watch(server.url, ann.code)) as eve:
            names = [state.name for state in eve.view.seats.values()]
            assert (seat, names) == (2, ["Ann", "Ben", "Cleo"])
            assert (eve.view.host, eve.view.phase, len(eve.view.results)) == (1, Phase.OVER, 1)
    return died


async def _act(url: str, ann: Client, ben: Client, cleo: Client) -> int | None:
    """Start a match, leave it and come back, hand the table on, and end the match. Return who is back."""
    token = cleo.token or ""
    await ann.ask(cl.Start(counter=ann.next_counter()))
    with contextlib.suppress(ConnectionFailed):  # the answer is lost, if the server has died since
        await cleo.ask(cl.Leave(counter=cleo.next_counter()))
    async with await _patiently(lambda: Client.join(url, ann.code, "Cleo", token=token)) as back:
        await ann.ask(cl.MakeHost(counter=ann.next_counter(), seat=1))
        await asyncio.gather(*map(_follow, (ann, ben, back)))
        await ben.ask(cl.SetLastHand(counter=ben.next_counter()))
        await ben.ask(cl.EndMatch(counter=ben.next_counter()))
        return back.seat


async def _follow(client: Client) -> None:
    """Follow the table until the hand is played, and the second player is its host."""
    messages = aiter(client)
    while not (client.view.in_hand and client.view.host == 1):
        await anext(messages)


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until there is an answer."""
    while True:
        try:
            return await ask()
        except ConnectionFailed:
            await asyncio.sleep(0.05)
