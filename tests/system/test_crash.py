"""A server that is killed at any moment: nothing that was told is lost, nothing is played twice."""

import asyncio
import os
import random
import statistics
import sys
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.messages import client as cl

from ..support.crashes import Mortal, all_answered, judge, meeting, until
from ..support.servers import Peer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")

KILLS: Final = int(os.environ.get("RACING_DEMON_KILLS", "30"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
PLAYERS: Final = 3


async def test_nothing_told_is_lost_and_nothing_is_played_twice(tmp_path: Path) -> None:
    """Killed again and again under players who go on: all they were told is in the journal, once."""
    rng = random.Random(SEED)
    journal = tmp_path / "journal.sqlite"
    async with Mortal.started(journal) as server:
        async with meeting(server.url, PLAYERS, SEED) as players:
            for _ in range(KILLS):
                heard = [len(player.seen) for player in players]
                await asyncio.sleep(rng.uniform(0.0, 0.3))
                server.kill()
                await server.start()
                # Each break must be over, with something new for everybody, before the next.
                await until(lambda: all(len(p.seen) > n for p, n in zip(players, heard, strict=True)), 30.0)  # noqa: B023
            await all_answered(players)
        server.kill()
        verdict = judge(journal, players)
        restarts = server.restarts[1:]
    ordered = [round(seconds * 1_000) for seconds in sorted(restarts)]
    sys.stdout.write(
        f"\n{KILLS} kills, seed {SEED}: {verdict}, {sum(len(p.answered) for p in players)} commands; "
        f"restart p50 {statistics.median(ordered):.0f} ms, p99 {ordered[int(len(ordered) * 0.99)]} ms\n"
    )
    assert (0, 0, 0) == (verdict.lost, verdict.doubled, verdict.gaps)
    assert all(player.answered for player in players)
    assert verdict.told > KILLS


@pytest.mark.parametrize("seated", [True, False], ids=["with-a-seat", "without-a-seat"])
async def test_a_place_is_kept_before_it_is_told(tmp_path: Path, seated: bool) -> None:
    """Killed as soon as a host has heard of the place: its token is good on the next server."""
    async with Mortal.started(tmp_path / "journal.sqlite") as server:
        async with Peer.hosting(server.url, seated=seated) as host:
            server.kill()
        await server.start()
        async with Peer.connect(server.url) as back:
            await back.greet()
            await back.enter(cl.Resume(code=host.code, token=host.token, seq=0))
            assert (host.code, host.place.seat) == (back.code, back.place.seat)
