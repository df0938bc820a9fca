"""A server of a cluster that is killed at a chosen send to its database: others finish the hand."""

import asyncio
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Hosted
from racing_demon_protocol.wire.messages.server import Refused
from tests.lab.cluster.database_proxy import Fate, StoreLine
from tests.support.clusters import GENEROUS, SEED, Cluster, Front
from tests.support.comebacks import leave_and_return, patiently, three_seated, verify_ended
from tests.support.effort import amount
from tests.support.postgres import postgres
from tests.support.restartable_server import one_hand

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed"),
    pytest.mark.long,
]

COMEBACK_STEP: Final = amount(10, 10, "RACING_DEMON_COMEBACK_STEP")
"""Each so-many-th send is tried while somebody leaves and is back."""
STEP: Final = amount(40, 40, "RACING_DEMON_SEND_STEP")
"""Each so-many-th send of the hand is tried."""
MAX_SENDS: Final = 2_000


@pytest.mark.parametrize("fate", Fate)
async def test_killed_at_any_send_to_the_database(tmp_path: Path, fate: Fate) -> None:
    """Whichever send a server dies at: players finish their hand elsewhere, and nothing told is lost."""
    total: Counter[str] = Counter()
    with postgres() as server:
        name = server.new_database()
        async with StoreLine.before(server.ports[0]) as line:
            way = f"postgresql://rd@127.0.0.1:{line.port}/{name}"
            async with (
                Cluster.started(server.url(name), tmp_path, GENEROUS, databases={"n1": way}) as cluster,
                Front.before(cluster, SEED) as front,
            ):
                front.first = "n1"
                victim = cluster.nodes["n1"]
                for number in range(1, MAX_SENDS, STEP):
                    line.arm(number, fate, victim.kill)
                    verdict = cluster.judge(await one_hand(front.url))
                    assert verdict.is_right, (number, verdict)
                    total["told"] += verdict.told
                    if line.is_armed:
                        break
                    total["kills"] += 1
                    await victim.start()
    sys.stdout.write(f"\n{fate}: {dict(total)}, 0 lost, 0 doubled\n")
    assert total["kills"] > 0


@pytest.mark.parametrize("fate", Fate)
async def test_killed_at_any_send_while_somebody_is_back(tmp_path: Path, fate: Fate) -> None:
    """Elsewhere everybody has one row, the host is the one who was made, and the match is ended."""
    kills = 0
    with postgres() as server:
        name = server.new_database()
        async with StoreLine.before(server.ports[0]) as line:
            way = f"postgresql://rd@127.0.0.1:{line.port}/{name}"
            async with (
                Cluster.started(server.url(name), tmp_path, GENEROUS, databases={"n1": way}) as cluster,
                Front.before(cluster, SEED) as front,
            ):
                front.first = "n1"
                victim = cluster.nodes["n1"]
                for number in range(1, MAX_SENDS, COMEBACK_STEP):
                    async with three_seated(front.url) as (ann, ben, cleo):
                        line.arm(number, fate, victim.kill)
                        async with asyncio.timeout(60):
                            assert await leave_and_return(front.url, ann, ben, cleo) == cleo.seat
                            await verify_ended(front.url, ann)
                    if line.is_armed:
                        break
                    kills += 1
                    await victim.start()
    sys.stdout.write(f"\n{fate}: {kills} kills, nobody twice, nothing lost\n")
    assert kills > 0


async def test_a_host_who_is_away_is_host_again_at_the_heir(tmp_path: Path, database: str) -> None:
    """The server dies as soon as another has become host by the first one's absence."""
    async with (
        Cluster.started(database, tmp_path, GENEROUS) as cluster,
        Front.before(cluster, SEED) as front,
    ):
        front.first = "n1"
        async with three_seated(front.url) as (ann, ben, _):
            code, token = ann.code, str(ann.token)
            await ann.close()
            hosted = await anext(message async for message in ben if isinstance(message, Hosted))
            assert (hosted.seat, hosted.absent_host) == (1, 0)
            cluster.nodes["n1"].kill()
            async with await patiently(lambda: Client.resume(front.url, code, token)) as again:
                messages = aiter(again)
                while again.view.host != 0:
                    await anext(messages)
                assert not isinstance(await again.ask(cl.SetLateStart(counter=again.next_counter())), Refused)
