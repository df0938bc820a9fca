"""A server whose disk fails, or that dies, at a chosen write of one hand."""

import asyncio
import os
import resource
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.faults import SENDS, WRITES, faulty, needs_strace
from tests.support.restartable_server import Player, RestartableServer, judge, one_hand, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="made with strace and prlimit")

STEP: Final = int(os.environ.get("RACING_DEMON_WRITE_STEP", "100"))
"""Each so-many-th write of the hand is tried."""
MAX_WRITES: Final = 2_000


def check(journal: Path, players: list[Player]) -> None:
    """Check that what was told is in the journal, once."""
    verdict = judge(journal, players)
    assert verdict.is_right
    assert verdict.told > 0


@pytest.mark.long
@needs_strace
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync", SENDS])
async def test_killed_at_any_write_of_a_hand(tmp_path: Path, call: str) -> None:
    """Whichever write, sync or word a server dies at: the players finish the hand, and nothing told is lost.

    The writer's thread, too, sends a word to the loop when something is written: between commit and answer.
    """
    step = STEP if call == "pwrite64" else max(1, STEP // 3)
    for number in range(1, MAX_WRITES, step):
        folder = tmp_path / str(number)
        folder.mkdir()
        journal, log = folder / "journal.sqlite", folder / "log"
        async with RestartableServer.started(journal) as server:
            died = await _die_at(server, f"{call}:signal=SIGKILL:when={number}", log, journal)
        if not died:
            assert number > 1
            break


async def _die_at(server: RestartableServer, fault: str, log: Path, journal: Path) -> bool:
    async with faulty(server.pid, fault, log=log):
        playing = asyncio.create_task(one_hand(server.url))
        await wait_until(lambda: playing.done() or not server.is_running)
        died = not playing.done()
    if died:
        await server.start()
    check(journal, await playing)
    return died


@pytest.mark.long
@needs_strace
@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
async def test_a_disk_that_fails_for_a_while(tmp_path: Path, error: str) -> None:
    """From any write on: nothing is told meanwhile but that the table stands still; then it goes on."""
    for number in range(20, MAX_WRITES, STEP * 4):
        folder = tmp_path / str(number)
        folder.mkdir()
        journal, log = folder / "journal.sqlite", folder / "log"
        halts: list[bool] = []
        async with RestartableServer.started(journal) as server:
            faults = [f"{call}:error={error}:when={number}+" for call in WRITES.split(",")]
            async with faulty(server.pid, *faults, log=log):
                playing = asyncio.create_task(one_hand(server.url, halts))
                await wait_until(lambda: playing.done() or bool(halts))  # noqa: B023
                if not playing.done():
                    await asyncio.sleep(0.6)  # two more attempts of the server's
            check(journal, await playing)
        if not halts:
            assert number > 20
            break
        assert halts[:1] == [True]
        assert halts[-1:] == [False]


async def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """A journal that may not grow stops the table, which says so; with room again it goes on where it was."""
    journal = tmp_path / "journal.sqlite"
    halts: list[bool] = []
    async with RestartableServer.started(journal) as server:
        wal = journal.with_name("journal.sqlite-wal")
        limit = wal.stat().st_size + 100_000
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        playing = asyncio.create_task(one_hand(server.url, halts))
        await wait_until(lambda: bool(halts))
        assert not playing.done()
        assert limit >= wal.stat().st_size
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        players = await playing
    check(journal, players)
    assert sorted(halts, reverse=True) == [True, True, False, False]
