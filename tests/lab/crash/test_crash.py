"""A server that is killed at any moment: nothing that was told is lost, nothing is played twice."""

import asyncio
import os
import random
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.journal.sqlite.backup import backup
from tests.support.effort import amount, usually
from tests.support.journals import put_back
from tests.support.relay import Relay
from tests.support.restartable_server import (
    Player,
    RestartableServer,
    all_answered,
    copy_by_hand,
    glance,
    glances,
    go_back,
    judge,
    meeting,
    mirrors_of,
    wait_until,
)
from tests.support.servers import Peer, deadline

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")

KILLS: Final = amount(8, 30, "RACING_DEMON_KILLS")
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
PLAYERS: Final = 3


@pytest.mark.parametrize("options", usually(1, [{"redeals": 0}, {}]), ids=["short-hands", "long-hands"])
async def test_nothing_told_is_lost_and_nothing_is_played_twice(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    """Killed again and again under players who go on: all they were told is in the journal, once.

    The time of a hand does not run backwards, for whoever comes and looks at it, too. Short hands end as
    nobody can play: often just after a kill.
    """
    rng = random.Random(SEED)
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal) as server:
        async with meeting(server.url, PLAYERS, SEED, **options) as players:
            async with glances(server.url, players[0].client.code) as shown:
                for _ in range(KILLS // 2):
                    heard = [len(player.seen) for player in players]
                    await asyncio.sleep(rng.uniform(0.0, 0.3))
                    server.kill()
                    await server.start()
                    # Each break must be over, with something new for everybody, before the next.
                    for player, number in zip(players, heard, strict=True):
                        await wait_until(partial(_has_heard_more, player, number))
                # On a busy machine nobody may have got round to a play yet.
                await wait_until(lambda: all(player.answered for player in players))
            await all_answered(players)
        server.kill()
        verdict = judge(journal, players, shown)
        restarts = server.restarts[1:]
    ordered = [round(seconds * 1_000) for seconds in sorted(restarts)]
    sys.stdout.write(
        f"\n{KILLS // 2} kills, seed {SEED}: {verdict}, {sum(len(p.answered) for p in players)} commands; "
        f"restart p50 {statistics.median(ordered):.0f} ms, p99 {ordered[int(len(ordered) * 0.99)]} ms\n"
    )
    assert verdict.is_right
    assert verdict.told > KILLS // 2


def _has_heard_more(player: Player, number: int) -> bool:
    return len(player.seen) > number


@pytest.mark.long
async def test_the_time_of_a_quiet_hand_does_not_run_backwards(tmp_path: Path) -> None:
    """Killed in a hand in which nobody plays: no less of its time is told afterwards."""
    async with RestartableServer.started(tmp_path / "journal.sqlite", "--seed=1") as server:
        async with Peer.hosting(server.url, pause_after_ms=None) as host:
            await host.ask(cl.Start)
            before = await glance(server.url, host.code)
            async with deadline(lambda: before):
                while before.elapsed_ms < 300:
                    before = await glance(server.url, host.code)
            server.kill()
        await server.start()
        after = await glance(server.url, host.code)
    assert [before.phase] * 2 == [Phase.PLAYING, after.phase]
    assert before.elapsed_ms <= after.elapsed_ms


@pytest.mark.long
async def test_after_an_older_copy_everybody_has_the_servers_table(tmp_path: Path) -> None:
    """A server that is put back to what it was shows no player anything of the history that is gone.

    One of them comes back when the others have given all numbers that it has seen to other events.
    """
    rng = random.Random(f"{SEED}/copies")
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal) as server, Relay.before(server.url) as relay:
        async with meeting(server.url, PLAYERS, SEED, last_url=relay.url) as players:
            *others, late = players
            for number in range(max(2, KILLS // 10)):
                copy = tmp_path / f"copy{number}.sqlite"
                await wait_until(lambda: all(p.client.view.hand_number for p in players))
                if by_hand := number % 2:
                    server.kill()
                    copy_by_hand(journal, copy)
                    await server.start()
                else:
                    await asyncio.to_thread(backup, journal, copy)
                copied = late.client.view.seq
                await wait_until(lambda: late.client.view.seq > copied + 10)  # noqa: B023
                await asyncio.sleep(rng.uniform(0.0, 0.5))
                relay.open = False
                server.kill()
                await go_back(journal, copy, players, copy_by_hand if by_hand else put_back)
                await server.start()
                await wait_until(lambda: all(p.client.view.seq > late.client.view.seq for p in others))
                relay.open = True
                await wait_until(lambda: bool(late.seen))
            await all_answered(players)
        server.kill()
        mirrors, verdict = mirrors_of(journal, players), judge(journal, players)
    sys.stdout.write(f"\n{number + 1} older copies, seed {SEED}: {verdict}\n")
    assert mirrors == [True] * PLAYERS
    assert verdict.is_right


@pytest.mark.long
@pytest.mark.parametrize("seated", [True, False])
async def test_a_place_is_kept_before_it_is_told(tmp_path: Path, seated: bool) -> None:
    """Killed as soon as a host has heard of the place: its token is good on the next server."""
    async with RestartableServer.started(tmp_path / "journal.sqlite") as server:
        async with Peer.hosting(server.url, seated=seated) as host:
            server.kill()
        await server.start()
        async with Peer.connect(server.url) as back:
            await back.greet()
            await back.enter(cl.Resume(code=host.code, token=host.token, seq=0))
            assert (host.code, host.place.seat) == (back.code, back.place.seat)
