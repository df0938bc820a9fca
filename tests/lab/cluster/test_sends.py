"""A server of a cluster that is killed at a chosen send to its database: others finish the hand."""

import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.lab.cluster.database_proxy import Fate, StoreLine
from tests.support.clusters import GENEROUS, SEED, Cluster, Front
from tests.support.effort import amount
from tests.support.postgres import postgres
from tests.support.restartable_server import one_hand

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed"),
    pytest.mark.long,
]

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
