"""A server that dies at a chosen write while somebody leaves and is back, and a match is ended."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.comebacks import leave_and_return, three_seated, verify_ended
from tests.support.faults import SENDS, faulty, needs_strace
from tests.support.restartable_server import RestartableServer, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="made with strace")

STEP: Final = int(os.environ.get("RACING_DEMON_WRITE_STEP", "20"))
"""Each so-many-th write is tried."""
MAX_WRITES: Final = 2_000


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
    async with three_seated(server.url) as (ann, ben, cleo):
        async with faulty(server.pid, fault, log=log):
            acting = asyncio.create_task(leave_and_return(server.url, ann, ben, cleo))
            await wait_until(lambda: acting.done() or not server.is_running)
            died = not server.is_running
        if died:
            await server.start()
        assert await acting == cleo.seat
        await verify_ended(server.url, ann)
    return died
