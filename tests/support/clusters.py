"""Nodes of a cluster on one database, and ways to them that find the owner.

Most are processes of their own; one may run in the process of a test.
"""

import asyncio
import contextlib
import gc
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Final, LiteralString, Self
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed

from racing_demon_cluster.postgres.connection import connect
from racing_demon_cluster.postgres.reader import PostgresReader
from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_cluster.server import ClusterServer
from racing_demon_cluster.settings import ClusterSettings
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.server import StopReason
from racing_demon_server.settings import ServerSettings
from tests.support.effort import amount
from tests.support.machines import Machines
from tests.support.relay import Relay
from tests.support.restartable_server import (
    Player,
    RestartableServer,
    Verdict,
    all_answered,
    judge_db,
    meeting,
    wait_until,
)
from tests.support.servers import Peer

GENEROUS: Final = "--limit=misses_per_minute=100000"
"""All players come from one address."""
PATIENT: Final = "--lease=20s"
"""On a busy machine, no server that only waits for its turn is taken for dead."""
WATCHFUL: Final = "--lease=6s"
"""The same, where it is to be noticed soon that one is dead."""
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
TABLES: Final = 2
PLAYERS: Final = amount(3, 8)
CONNECT_SECONDS: Final = 0.5
KEY: Final = b"the key of a cluster in a test.."
NODES: Final = 3


class Cluster:
    """Three nodes.

    Attributes:
        nodes: the nodes, by their names.
        ways: what is between each of them and the database, if it may be cut off.

    Args:
        database: where the database is.
        keys: those of the cluster.

    """

    def __init__(self, database: str, *keys: bytes) -> None:
        self.nodes: dict[str, RestartableServer] = {}
        self.ways: dict[str, Relay] = {}
        self._database = database
        self._keys = ClusterKeys(keys or (KEY,))

    @classmethod
    @asynccontextmanager
    async def started(
        cls,
        database: str,
        folder: Path,
        *more: str,
        count: int = NODES,
        cut_off: bool = False,
        databases: Mapping[str, str] | None = None,
        protocols: Mapping[str, int] | None = None,
        machines: Machines | None = None,
    ) -> AsyncIterator[Self]:
        """Start the nodes, and let none be left in the end.

        Args:
            database: where the database is.
            folder: an empty folder.
            more: more arguments of all nodes.
            count: how many nodes there are.
            cut_off: whether each may be cut off from the database.
            databases: where the database is for some of the nodes, by their names.
            protocols: the version of the protocol that some of the nodes speak, by their names.
            machines: those of the nodes' names are where they run; by default all run here.

        """
        key = folder / "cluster.key"
        key.write_bytes(KEY)
        cluster = cls(database)
        async with AsyncExitStack() as stack:
            for name in (f"n{number}" for number in range(1, count + 1)):
                arguments = (f"--node={name}", f"--cluster-key={key}", *more)
                way = (databases or {}).get(name, database)
                if cut_off:
                    relay = await stack.enter_async_context(Relay.before(database))
                    cluster.ways[name] = relay
                    port = urlsplit(relay.url).port
                    way = urlsplit(database)._replace(netloc=f"rd@127.0.0.1:{port}").geturl()
                protocol = (protocols or {}).get(name, VERSION)
                starting = RestartableServer.started(way, *arguments, protocol=protocol)
                if machines is None:
                    cluster.nodes[name] = await stack.enter_async_context(starting)
                else:
                    with machines.at(name):
                        starting = RestartableServer.started(
                            way, f"--host={machines.address(name)}", *arguments
                        )
                        cluster.nodes[name] = await stack.enter_async_context(starting)
            yield cluster

    def ask(self, sql: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        """Ask the database."""
        with connect(self._database) as db:
            answer = db.execute(sql, values)
            return answer.fetchall() if answer.description else []

    def is_fenced(self, name: str) -> bool:
        """Tell whether the newest start of a node is fenced."""
        sql = "SELECT fenced FROM nodes WHERE name = $1 ORDER BY id DESC LIMIT 1"
        return bool(self.ask(sql, name)[0][0])

    def owner(self, players: Sequence[Player]) -> str:
        """Return the name of the node that has the table of some players."""
        sql = "SELECT name FROM tables t JOIN nodes n ON n.id = owner WHERE code = $1 AND closed_ms IS NULL"
        return str(self.ask(sql, players[0].client.code)[0][0])

    def last_event(self, players: Sequence[Player]) -> int:
        """Return the number of the last event that is written of the table of some players."""
        sql = "SELECT max(seq) FROM events JOIN tables ON id = table_id WHERE code = $1"
        return int(self.ask(sql, players[0].client.code)[0][0])

    def judge(self, players: Sequence[Player]) -> Verdict:
        """Compare what players were told with the database; no two nodes may have written by turns."""
        with connect(self._database) as db:
            verdict = judge_db(PostgresReader(db, self._keys), players)
            code = players[0].client.code
            sql = "SELECT writer FROM events JOIN tables ON id = table_id WHERE code = $1 ORDER BY first"
            writers = [writer for writer, _ in groupby(row[0] for row in db.execute(sql, (code,)))]
        assert len(writers) == len(set(writers)), writers
        return verdict


class Front:
    """One address for all nodes, as a name with several addresses is: each connection goes to any of them.

    Attributes:
        url: where players dial.
        accepted: how many connections there were.
        first: the name of the node that is tried first; empty if that is left to chance.

    """

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self.url = ""
        self.accepted = 0
        self.first = ""
        self._cluster = cluster
        self._rng = random.Random(seed)

    @classmethod
    @asynccontextmanager
    async def before(cls, cluster: Cluster, seed: int) -> AsyncIterator[Self]:
        """Put the address before a cluster, until the end of this."""
        front = cls(cluster, seed)
        listening = await asyncio.start_server(front._carry, "127.0.0.1", 0)
        front.url = f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        async with listening:
            yield front

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        names = list(self._cluster.nodes)
        for name in sorted(self._rng.sample(names, len(names)), key=lambda name: name != self.first):
            node = urlsplit(self._cluster.nodes[name].url)
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    from_node, to_node = await asyncio.open_connection(node.hostname, node.port)
            except (OSError, TimeoutError):
                continue
            await asyncio.gather(_pump(reader, to_node), _pump(from_node, writer))
            return
        writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.transport.abort()


@asynccontextmanager
async def playing(
    cluster: Cluster, tables: int = TABLES, players: int = PLAYERS, pause: float = 0.05
) -> AsyncIterator[tuple[Front, list[list[Player]]]]:
    """Let players play at some tables, each after so many seconds.

    In the end what they were told is compared with the database.
    """
    async with Front.before(cluster, SEED) as front:
        async with AsyncExitStack() as stack:
            at_tables = []
            for number in range(tables):
                seated = await stack.enter_async_context(meeting(front.url, players, SEED + number, pause))
                for player in seated:
                    player.rests = True  # until all are there: many that play keep others from coming in
                at_tables.append(seated)
            for player in chain(*at_tables):
                player.rests = False
            await _all([*chain(*at_tables)], lambda player: player.client.view.in_hand)
            yield front, at_tables
            for each in at_tables:
                await all_answered(each)
            verdicts = [cluster.judge(each) for each in at_tables]
    sys.stdout.write(f"\n{verdicts}\n")
    assert all(verdict.is_right for verdict in verdicts)


async def heard_more(tables: Sequence[Sequence[Player]]) -> None:
    """Wait until every player has heard something new."""
    heard = {id(player): len(player.seen) for players in tables for player in players}
    await _all([*chain(*tables)], lambda player: len(player.seen) > heard[id(player)])


async def went_on(cluster: Cluster, tables: Sequence[Sequence[Player]]) -> list[float]:
    """Wait until players have heard what another server than the dead one has written.

    Returns:
        The seconds until then at each table.

    """
    began = time.monotonic()

    async def at(players: Sequence[Player], written: int) -> float:
        await _all(players, lambda player: player.client.view.seq > written)
        return time.monotonic() - began

    return list(await asyncio.gather(*(at(players, cluster.last_event(players)) for players in tables)))


async def _all(players: Sequence[Player], holds: Callable[[Player], bool]) -> None:
    try:
        await wait_until(lambda: all(map(holds, players)))
    except TimeoutError:
        lines = "".join(f"\n{each}" for each in players if not holds(each))
        raise AssertionError(f"players have waited in vain:{lines}") from None


@asynccontextmanager
async def inner_node(
    url: str, *keys: bytes, name: str = "", control: Path | None = None
) -> AsyncIterator[tuple[ClusterServer, str]]:
    """Run a node in this process, and yield it with its address; no slow disk takes its tables away."""
    cluster = ClusterSettings(database=url, keys=keys or (KEY,), lease_seconds=600)
    server = ClusterServer(ServerSettings(port=0, node=name, control=control), cluster)
    gc.freeze()  # a starting server collects twice, and would look through all that the tests have
    address = await server.start()
    try:
        yield server, address
    finally:
        await server.stop(StopReason.TERMINATED)


async def until_back(address: str, resume: cl.Resume) -> None:
    """Come back, as clients do, until the table is there."""
    while True:
        async with Peer.connect(address) as peer:
            await peer.greet()
            await peer.say(resume)
            with contextlib.suppress(ConnectionClosed):  # 1013: come back
                await peer.hear()
                return
