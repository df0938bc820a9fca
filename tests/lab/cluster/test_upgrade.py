"""A rolling upgrade of three servers under many tables interrupts no hand, and each reconnect is counted."""

import asyncio
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import groupby
from pathlib import Path
from typing import Final

import pytest

from racing_demon_client.net import transport
from racing_demon_client.net.client import Client
from racing_demon_cluster.postgres.connection import connect
from racing_demon_cluster.postgres.reader import PostgresReader
from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_protocol.enums import BotLevel, EndReason, Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Dealt, HandOver
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.reader import log_of
from tests.support.clusters import KEY, PATIENT, Cluster, Front
from tests.support.effort import amount
from tests.support.restartable_server import Player, all_answered, wait_until
from tests.support.servers import end_tasks

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed"),
]

TABLES: Final = amount(6, 20, "RACING_DEMON_TABLES")
PAUSE_SECONDS: Final = 1.0
READY_SECONDS: Final = 0.5
TIME_LIMIT_MS: Final = 4_000
OPTIONS: Final = Options(
    hands=100, countdown_ms=200, tally_ms=700, time_limit_ms=TIME_LIMIT_MS, pause_after_ms=10_000
)
PATIENCE: Final = 180.0
EARLY: Final = frozenset({EndReason.ABANDONED, EndReason.CLOSED})


class CountedPlayer:
    """A player with a bot at a table, whose reconnects are counted.

    Attributes:
        player: the player.
        notices: how often the client said what of its connection.

    """

    def __init__(self, client: Client, number: int) -> None:
        self.player = Player(client, random.Random(number))
        self.notices: Counter[str] = Counter()
        client.patience = PATIENCE
        client.notice = lambda text: self.notices.update([text])

    @property
    def hand(self) -> int:
        """The number of the hand at the table."""
        return self.player.client.view.hand_number


@asynccontextmanager
async def _playing(url: str, number: int) -> AsyncIterator[list[CountedPlayer]]:
    """Let a person and a bot play at each of some tables."""
    async with AsyncExitStack() as stack:
        seated = []
        tasks = []
        for table in range(number):
            client = await stack.enter_async_context(await Client.create(url, "Ann", OPTIONS))
            seated.append(CountedPlayer(client, table))
            for command in (cl.AddBot, cl.Start):
                more = {"level": BotLevel.EASY} if command is cl.AddBot else {}
                await client.send(command(counter=client.next_counter(), **more))
            tasks.append(asyncio.create_task(seated[-1].player.play(PAUSE_SECONDS)))
            tasks.append(asyncio.create_task(_get_ready(client)))
        try:
            yield seated
        finally:
            await end_tasks(tasks)


async def _get_ready(client: Client) -> None:
    """Ask for the next hand, some time after the one before, for as long as the player is there."""
    assert client.seat is not None
    while True:
        await asyncio.sleep(READY_SECONDS)
        if client.view.phase is Phase.TALLY and not client.view.seats[client.seat].ready:
            await client.send(cl.Ready(counter=client.next_counter()))


async def _another_hand(seated: Sequence[CountedPlayer]) -> None:
    """Wait until a new hand has begun at every table."""
    hands = [each.hand for each in seated]
    await wait_until(
        lambda: all(each.hand > hand for each, hand in zip(seated, hands, strict=True)), PATIENCE
    )


@pytest.mark.parametrize("follows", [True, False], ids=["moved", "spliced"])
async def test_an_upgrade_interrupts_no_hand(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch, follows: bool
) -> None:
    """Each server is stopped and started again; hands end as they do anyway, at the server that dealt them.

    Clients that do not know ``moved`` are spliced through whichever server they dial.
    """
    if not follows:
        monkeypatch.setattr(transport, "FOLLOWS_MOVED", "")
    async with Cluster.started(database, tmp_path, PATIENT) as cluster, Front.before(cluster, 1) as front:
        async with _playing(front.url, TABLES) as seated:
            for node in list(cluster.nodes.values()):
                await _another_hand(seated)
                await node.stop()
                await node.start()
            await _another_hand(seated)
            await all_answered(each.player for each in seated)
            verdicts = [cluster.judge([each.player]) for each in seated]
        hands = _hands_of(database)
        moves = sum(len(set(writers)) - 1 for writers in _writers_of(database))
        alive = cluster.ask("SELECT count(*) FROM nodes WHERE NOT fenced")
    came_back = sum(each.notices["reconnected"] for each in seated)
    sys.stdout.write(
        f"\n{TABLES} tables: {sum(hands.values())} hands ended ({dict(hands)}), {moves} moves of tables, "
        f"{came_back} reconnects, {sum(each.told for each in verdicts)} events and answers told\n"
    )
    assert all(verdict.is_right for verdict in verdicts)
    assert not EARLY & hands.keys()
    assert alive == [(3,)]
    assert TABLES <= moves <= came_back


def _hands_of(database: str) -> Counter[str]:
    """Count why hands ended; each was written by one server from the deal on, and none stopped too soon."""
    reasons: Counter[str] = Counter()
    with connect(database) as db:
        reader = PostgresReader(db, ClusterKeys([KEY]))
        for table in reader.tables():
            rows = db.execute("SELECT seq, writer FROM events WHERE table_id = $1 ORDER BY seq", (table.id,))
            lines = rows.fetchall()
            dealt_seq = 0
            for kept in log_of(reader, table.id):
                event = kept.event
                if isinstance(event, Dealt):
                    dealt_seq = event.seq
                elif isinstance(event, HandOver):
                    writers = {writer for seq, writer in lines if dealt_seq <= seq <= event.seq}
                    assert len(writers) == 1, f"a hand of table {table.code} was interrupted"
                    assert event.reason is not EndReason.TIME_UP or event.elapsed_ms >= TIME_LIMIT_MS
                    reasons[event.reason] += 1
    return reasons


def _writers_of(database: str) -> Iterator[Sequence[int]]:
    """Yield for each table which incarnations wrote it, in order."""
    with connect(database) as db:
        rows = db.execute("SELECT table_id, writer FROM events ORDER BY table_id, first").fetchall()
    for _, lines in groupby(rows, key=lambda row: row[0]):
        yield [writer for writer, _ in groupby(int(str(writer)) for _, writer in lines)]
