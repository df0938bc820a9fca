"""Servers of one database that are killed, stopped and drained: others go on, and nothing told is lost."""

import asyncio
import json
import os
import random
import signal
import sys
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from benchmarks.pty_program import children_of

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_protocol.engine.deal import hand_secret
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import hand_rules
from racing_demon_protocol.wire.capabilities import FOLLOWS_MOVED
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Dealt, HandOver, Joined, Signalled
from racing_demon_protocol.wire.messages.server import Accepted, Halted, Moved, Refused, Versions
from racing_demon_protocol.wire.options import Options
from tests.support.clusters import (
    GENEROUS,
    PATIENT,
    PLAYERS,
    SEED,
    TABLES,
    WATCHFUL,
    Cluster,
    heard_more,
    playing,
    went_on,
)
from tests.support.effort import amount, more_when_long
from tests.support.ports import port_of
from tests.support.postgres import Postgres, postgres
from tests.support.processes import CLIENT, SERVER, started
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE, Peer, deadline, timeout
from tests.support.whole_servers import command, players_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")

KILLS: Final = amount(1, 20, "RACING_DEMON_CLUSTER_KILLS")


@more_when_long
async def test_nothing_told_is_lost_when_servers_are_killed(tmp_path: Path, database: str) -> None:
    """One of three servers is killed again and again under players: the others go on with its tables."""
    rng = random.Random(SEED)
    waits: list[float] = []
    async with (
        Cluster.started(database, tmp_path, GENEROUS) as cluster,
        playing(cluster) as (_, tables),
    ):
        for _ in range(KILLS):
            await asyncio.sleep(rng.uniform(0.0, 0.5))
            victim = cluster.owner(rng.choice(tables))
            hit = [players for players in tables if cluster.owner(players) == victim]
            cluster.nodes[victim].kill()
            waits += await went_on(cluster, hit)
            await cluster.nodes[victim].start()
    waits.sort()
    sys.stdout.write(
        f"{KILLS} kills, seed {SEED}: from a kill to play p50 {waits[len(waits) // 2]:.2f} s, "
        f"p99 {waits[int(len(waits) * 0.99)]:.2f} s\n"
    )


@pytest.mark.long
async def test_all_servers_die_at_once(tmp_path: Path, database: str) -> None:
    """Servers that are all started again go on with all tables."""
    async with (
        Cluster.started(database, tmp_path, GENEROUS) as cluster,
        playing(cluster) as (_, tables),
    ):
        for node in cluster.nodes.values():
            node.kill()
        for node in cluster.nodes.values():
            await node.start()
        await heard_more(tables)


@pytest.mark.long
async def test_an_upgrade_of_all_servers_one_after_the_other(tmp_path: Path, database: str) -> None:
    """Each server that is stopped gives its tables away first; players come back once for each of them."""
    async with Cluster.started(database, tmp_path, GENEROUS, "--drain=1s") as cluster:
        async with playing(cluster) as (front, tables):
            before = front.accepted
            for node in list(cluster.nodes.values()):
                await node.stop()
                await node.start()
                await heard_more(tables)
            came_back = front.accepted - before
            beats = cluster.ask("SELECT count(*) FROM nodes WHERE NOT fenced")
    sys.stdout.write(f"{came_back} times {TABLES * PLAYERS} players came back\n")
    assert beats == [(3,)]


@pytest.mark.long
async def test_an_operator_lists_drains_and_fences_servers(tmp_path: Path, database: str) -> None:
    """What is drained or fenced ends, and its tables go on elsewhere; nobody is drained who is not there."""
    async with Cluster.started(database, tmp_path, GENEROUS, "--drain=1s") as cluster:
        async with playing(cluster, tables=1) as (_, tables):
            status = await command("cluster", "status", "--journal", database)
            first = cluster.owner(tables[0])
            fenced = await command("cluster", "fence", first, "--journal", database)
            await wait_until(lambda: not cluster.nodes[first].is_running)
            await heard_more(tables)
            second = cluster.owner(tables[0])
            drained = await command("cluster", "drain", second, "--journal", database)
            await wait_until(lambda: not cluster.nodes[second].is_running)
            await heard_more(tables)
            gone = await command("cluster", "drain", "n9", "--journal", database)
    assert [status.code, fenced.code, drained.code, gone.code] == [0, 0, 0, 1]
    assert all(name in status.out for name in cluster.nodes)
    assert len({first, second}) == 2


async def test_a_server_ends_for_good_when_its_name_starts_again(tmp_path: Path, database: str) -> None:
    """Its exit code says that it must not be started again; that of one fenced by its peers, that it must."""
    key = tmp_path / "key"
    key.write_bytes(bytes(32))
    line = ("--journal", database, "--cluster-key", str(key), "--allow-no-standby", "--port", "0", "--node")
    async with started(SERVER, *line, "n1") as first, started(SERVER, *line, "n2") as other:
        await timeout(PATIENCE, first.line("listening on"))
        await timeout(PATIENCE, other.line("listening on"))
        async with started(SERVER, *line, "n1") as second:
            superseded = await first.end()
            await timeout(PATIENCE, second.line("listening on"))
            await command("cluster", "fence", "n2", "--journal", database)
            fenced = await other.end()
    assert (superseded.code, fenced.code) == (6, 4), superseded.err + fenced.err
    assert "Each server needs a name of its own." in superseded.err


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root makes namespaces")
async def test_a_container_ends_while_it_waits_for_its_database(tmp_path: Path) -> None:
    """Its first process obeys SIGTERM before it serves, though the kernel ends no such process by itself."""
    key = tmp_path / "key"
    key.write_bytes(bytes(32))
    waits = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waits.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as database:
        url = f"postgresql://rd@127.0.0.1:{database.sockets[0].getsockname()[1]}/rd"
        line = ("-m", SERVER, "--journal", url, "--cluster-key", str(key), "--port", "0")
        namespace = ("unshare", "--fork", "--pid", "--kill-child", sys.executable)
        container = await asyncio.create_subprocess_exec(*namespace, *line, stdout=-3, stderr=-3)
        try:
            await timeout(PATIENCE, waits.wait())
            (first,) = children_of(container.pid)
            os.kill(first, signal.SIGTERM)
            assert await timeout(PATIENCE, container.wait()) == 128 + signal.SIGTERM
        finally:
            if container.returncode is None:
                container.kill()


@pytest.mark.long
async def test_another_primary_under_load(tmp_path: Path) -> None:
    """The primary dies, and its standby is promoted: tables halt meanwhile, and go on without a loss."""
    with postgres() as own:
        database = own.url(own.new_database())
        async with Cluster.started(database, tmp_path, GENEROUS, "--allow-no-standby") as cluster:
            async with playing(cluster) as (_, tables):
                await heard_more(tables)
                await asyncio.to_thread(own.stop, "primary")
                await asyncio.to_thread(own.promote)
                await heard_more(tables)
                assert cluster.ask("SELECT count(*) FROM nodes WHERE fenced AND id > 0") == [(0,)]


async def test_a_promoted_standby_says_what_it_needs(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The log and ``/healthz`` name what keeps tables halted, and play resumes when the database has it."""
    log = Log(capfd)
    with postgres() as own:
        database = own.url(own.new_database())
        async with Cluster.started(database, tmp_path, count=1) as cluster:
            (node,) = cluster.nodes.values()
            async with Peer.hosting(node.url) as ann:
                await ann.ask(cl.AddBot, level="easy")
                await ann.ask(cl.Start)
                await ann.until(Signalled)
                await asyncio.to_thread(own.stop, "primary")
                await asyncio.to_thread(own.promote)
                assert (await ann.until(Halted)).halted
                await log.hears("synchronous_standby_names is empty")
                await health_says(node.url, "synchronous_standby_names is empty")
                assert "tables go on" not in log.said
                cluster.ask("ALTER SYSTEM SET synchronous_standby_names = 's1'")
                cluster.ask("SELECT pg_reload_conf()")
                await log.hears("commits wait for a synchronous standby")
                await health_says(node.url, "commits wait for a synchronous standby")
                await asyncio.to_thread(own.follow, "standby", "primary")
                assert not (await ann.until(Halted)).halted
                assert isinstance(await ann.ask(cl.Say, text="still here"), Accepted)
                await is_well(node.url, tables=1)


@pytest.mark.long
async def test_an_idle_server_notices_that_nothing_is_committed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nobody plays, and yet ``/healthz`` says what the database lacks, and then that it is well again."""
    log = Log(capfd)
    with postgres() as own:
        database = own.url(own.new_database())
        async with Cluster.started(database, tmp_path, count=1) as cluster:
            (node,) = cluster.nodes.values()
            await asyncio.to_thread(own.stop, "standby")
            await health_says(node.url, "commits wait for a synchronous standby")
            await log.hears("all tables are halted")
            await asyncio.to_thread(own.start, "standby")
            await log.hears("the journal can be written again")
            await is_well(node.url, tables=0)


@pytest.mark.long
async def test_a_server_that_starts_without_a_standby_says_what_it_waits_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The database names a standby that is away: a server waits for it, says so, and then starts."""
    log = Log(capfd)
    with postgres() as own:
        database = own.url(own.new_database())
        await asyncio.to_thread(own.stop, "standby")

        async def start_standby() -> None:
            await log.hears("commits wait for a synchronous standby")
            await asyncio.to_thread(own.start, "standby")

        async with asyncio.TaskGroup() as group:
            group.create_task(start_standby())
            async with Cluster.started(database, tmp_path, count=1) as cluster:
                assert cluster.nodes["n1"].is_running


class Log:
    """What servers have logged.

    Attributes:
        said: all of it.

    """

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self.said = ""
        self._capfd = capfd

    async def hears(self, words: str) -> None:
        """Wait for words in the log."""
        async with deadline(lambda: f"no {words!r} in {self.said}"):
            while words not in self.said:
                self.said += self._capfd.readouterr().err
                await asyncio.sleep(0.02)  # nobody tells when a program has written


async def health_says(url: str, words: str) -> None:
    """Wait until a server's health names what it needs."""
    health = dict[str, object]()
    async with deadline(lambda: f"no {words!r} in {health}"):
        while words not in str(health.get("needs")):
            health = await asyncio.to_thread(health_of, url)
            await asyncio.sleep(0.02)  # nobody tells when a program finds out


async def is_well(url: str, *, tables: int) -> None:
    """Wait until a server says that all is well, and that it has so many tables."""
    health = dict[str, object]()
    async with deadline(lambda: f"it is not well: {health}"):
        while health != {"status": "ok", "tables": tables}:
            health = await asyncio.to_thread(health_of, url)
            await asyncio.sleep(0.02)  # its log, and what it tells players, may come before


def health_of(url: str) -> dict[str, object]:
    """Return what a server says of its health."""
    try:
        with urlopen(url.replace("ws:", "http:").replace("/v1", "/healthz")) as answer:  # noqa: S310
            return dict(json.load(answer))
    except HTTPError as error:
        return dict(json.load(error))


async def test_a_server_without_an_heir_ends_when_its_hands_do(
    tmp_path: Path, database: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Stopped in mid-hand it lets the hand end, says which table stays, and goes on with it later."""
    async with Cluster.started(database, tmp_path, count=1) as cluster:
        (node,) = cluster.nodes.values()
        async with Peer.hosting(node.url, hands=2, tally_ms=60_000) as ann:
            async with Peer.entered(node.url, cl.Join(code=ann.code, name="Ben")) as ben:
                await ann.ask(cl.Start)
                await ben.until(Signalled)
                os.kill(node.pid, signal.SIGTERM)
                said = ""
                async with deadline(lambda: f"nothing about {ann.code} in {said}"):
                    while f"codes={ann.code}" not in said:
                        said += capfd.readouterr().err
                        await asyncio.sleep(0.02)  # nobody tells when a program has written
                async with Peer.connect(node.url) as late:
                    await late.greet()
                    await late.say(cl.Create(name="Cleo"))
                    refused = await late.hear()
                for peer in (ann, ben):
                    assert isinstance(await peer.ask(cl.Stuck), Accepted)
                closing = await ann.closed()
            await wait_until(lambda: not node.is_running)
            await node.start()
            sql = "SELECT count(*) FROM tables t JOIN nodes n ON n.id = owner WHERE code = $1 AND NOT fenced"
            await wait_until(lambda: cluster.ask(sql, ann.code) == [(1,)])
            again = cl.Join(code=ann.code, name="Ann", token=ann.token)
            async with Peer.entered(node.url, again) as back:
                assert (back.view.hand_number, back.view.in_hand) == (1, False)
    assert said.count("no other server knows these tables' rules") == 1
    assert closing.code == CloseCode.TRY_AGAIN
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.SERVER_FULL


@pytest.mark.long
async def test_tables_that_stay_go_to_a_server_that_starts_meanwhile(tmp_path: Path, database: str) -> None:
    """One that waits for a game is left alone at first, and gets an heir while another table still plays."""
    async with Cluster.started(database, tmp_path, WATCHFUL, count=2) as cluster:
        first, second = cluster.nodes["n1"], cluster.nodes["n2"]
        await wait_until(lambda: cluster.ask("SELECT count(*) FROM beats") == [(2,)])
        second.kill()
        await wait_until(lambda: cluster.is_fenced("n2"))
        async with Peer.hosting(first.url) as idle, Peer.hosting(first.url) as ann:
            await ann.ask(cl.AddBot, level="easy")
            await ann.ask(cl.Start)
            await ann.until(Signalled)
            os.kill(first.pid, signal.SIGTERM)
            assert (await idle.closed()).code == CloseCode.TRY_AGAIN
            async with Peer.connect(first.url) as early:
                await early.greet()
                await early.say(cl.Join(code=idle.code, name="Ann", token=idle.token))
                assert (await early.closed()).code == CloseCode.TRY_AGAIN
            await second.start()
            sql = "SELECT count(*) FROM tables t JOIN nodes n ON n.id = owner WHERE code = $1 AND name = 'n2'"
            await wait_until(lambda: cluster.ask(sql, idle.code) == [(1,)])
            assert first.is_running
            async with Peer.entered(first.url, cl.Watch(code=idle.code)) as guest:
                assert guest.view.seats[0].name == "Ann"
            assert isinstance(await ann.ask(cl.Say, text="still here"), Accepted)


@pytest.mark.long
async def test_a_halt_for_the_database_is_logged_once(
    tmp_path: Path, server: Postgres, capfd: pytest.CaptureFixture[str]
) -> None:
    """A line says that all tables stand still, and another one that they go on."""
    database = server.url(server.new_database(), both=False)
    async with Cluster.started(database, tmp_path, count=1, cut_off=True) as cluster:
        (node,), (way,) = cluster.nodes.values(), cluster.ways.values()
        async with Peer.hosting(node.url) as ann:
            way.hold()
            assert (await ann.until(Halted)).halted
            way.release()
            assert not (await ann.until(Halted)).halted
    said = capfd.readouterr().err
    assert said.count("all tables stand still") == 1
    assert said.count("the database answers again") == 1


@pytest.mark.long
async def test_any_server_answers_for_any_code(tmp_path: Path, database: str) -> None:
    """A client that follows `moved` is told the owner's address, and another client is passed on."""
    async with Cluster.started(database, tmp_path, PATIENT, count=2) as cluster:
        first, second = (cluster.nodes[name].url for name in ("n1", "n2"))
        async with Peer.hosting(first) as host:
            async with Peer.connect(second) as guest:
                assert isinstance(await guest.hear(), Versions)
                await guest.say(cl.Hello(version=VERSION, software=f"test/1 {FOLLOWS_MOVED}"))
                await guest.say(cl.Watch(code=host.code))
                moved = await guest.hear()
            async with Peer.entered(second, cl.Join(code=host.code, name="Ben")) as ben:
                await host.until(Joined)
                assert ben.view.seats[1].name == "Ben"
                async with await Client.join(second, host.code, "Cleo") as cleo:
                    assert cleo.seat == 2
            async with Peer.connect(second) as stranger:
                await stranger.greet()
                await stranger.say(cl.Watch(code="BCDFGHJK"))
                refused = await stranger.hear()
    assert moved == Moved(host="127.0.0.1", port=port_of(first))
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.UNKNOWN_TABLE


@pytest.mark.long
async def test_a_server_that_is_cut_off_from_the_database(tmp_path: Path, server: Postgres) -> None:
    """It closes its connections, for others reach the database; answers that come late find it fenced."""
    database = server.url(server.new_database(), both=False)
    async with Cluster.started(database, tmp_path, GENEROUS, cut_off=True) as cluster:
        async with playing(cluster) as (_, tables):
            name = cluster.owner(tables[0])
            cluster.ways[name].hold()
            await wait_until(lambda: cluster.owner(tables[0]) != name)
            await heard_more(tables)
            cluster.ways[name].release()
            await wait_until(lambda: not cluster.nodes[name].is_running)


async def test_a_seat_is_found_at_any_server(tmp_path: Path, database: str) -> None:
    """``tables`` and ``join`` with the address of one server find the table that another one has."""
    async with Cluster.started(database, tmp_path, "--list-tables", PATIENT, count=2) as cluster:
        first, second = (cluster.nodes[name].url for name in ("n1", "n2"))
        async with Peer.hosting(first) as host:
            async with deadline(lambda: f"{host.code} is not listed"):
                while host.code not in (await players_command("tables", second)).out:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)  # nobody tells when a list was read
            async with started(CLIENT, "join", second, "--name", "Ben") as guest:
                await guest.line(f"^found {host.code}  Ann's table")
                assert (await host.until(Joined)).name == "Ben"


@pytest.mark.long
async def test_a_known_deal_is_known_to_the_heir(tmp_path: Path, database: str) -> None:
    """The server that takes over a table on a given deal deals its next hand from the same seed."""
    deal = bytes(range(32))
    options = Options(hands=2, casual=True, countdown_ms=0, tally_ms=0)
    async with Cluster.started(database, tmp_path, GENEROUS, count=2) as cluster:
        first, second = cluster.nodes["n1"], cluster.nodes["n2"]
        async with await Client.create(first.url, "Ann", options, known_deal=deal) as ann:
            await ann.ask(cl.Start(counter=ann.next_counter()))
            code, token = ann.code, str(ann.token)
            first.kill()
        async with await _resumed(second.url, code, token) as ann:
            assert ann.view.known_deal == deal.hex()
            ann.post(cl.Stuck(counter=ann.next_counter()))
            await anext(message async for message in ann if isinstance(message, HandOver))
            ann.post(cl.Ready(counter=ann.next_counter()))
            dealt = await anext(message async for message in ann if isinstance(message, Dealt))
    dealer = Dealer(hand_secret(deal, 2), hand_rules(options, (0,), ()))
    assert dealt.shown == tuple(dealer.first_cards())


async def _resumed(url: str, code: str, token: str) -> Client:
    """Return a seat's client, once a server has the table of a dead one."""
    async with deadline(lambda: f"nobody has {code}"):
        while True:
            try:
                return await Client.resume(url, code, token)
            except (ConnectionFailed, CommandRefused):
                await asyncio.sleep(0.1)  # nobody tells when it is taken over
