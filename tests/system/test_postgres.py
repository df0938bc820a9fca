"""A server whose journal is a PostgreSQL database: as an operator runs it."""

import asyncio
import contextlib
import os
import random
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from websockets.exceptions import ConnectionClosed

from racing_demon_cluster.postgres.store import reading
from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.records.format import Correction, read_records, section_line
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.effort import amount, more_when_long, usually
from tests.support.journals import play_match
from tests.support.processes import SERVER, server_process, text_of
from tests.support.restartable_server import (
    Player,
    RestartableServer,
    all_answered,
    judge_db,
    meeting,
    wait_until,
)
from tests.support.servers import PATIENCE, Peer, deadline, timeout
from tests.support.whole_servers import command, players_command

KILLS: Final = amount(1, 30, "RACING_DEMON_KILLS")
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
CORRECTION: Final = Correction(at_ms=1, by="Ann", why="A slip.", seat=0, points=-2)


@pytest.fixture
def key(tmp_path: Path) -> str:
    """Return the file of a key."""
    path = tmp_path / "key"
    path.write_bytes(os.urandom(32))
    return str(path)


@pytest.mark.long
@pytest.mark.timeout(300)  # two servers and five commands, one after the other
async def test_a_match_outlives_its_server(database: str, key: str) -> None:
    """It is listed, corrected, exported, counted in the scores and found right; its table is opened again."""
    where = ("--journal", database, "--cluster-key", key, "--node", "n1", "--bot-speed", "1000")
    async with server_process(*where) as (server, address):
        code = await play_match(address)
        server.stop()
        await server.end()
    listed = await command("journal", "list", "--journal", database)
    assert (listed.code, listed.out.split()[0], listed.err) == (0, "1.1", "")
    said = section_line(CORRECTION) + "\n"
    corrected = await text_of(SERVER, "journal", "correct", "1.1", "--journal", database, typed=said)
    assert (corrected.code, corrected.err) == (0, "")
    exported = await command("journal", "export", "1.1", "--journal", database)
    (record,) = read_records(exported.out.splitlines())
    assert (exported.code, record.corrections) == (0, [CORRECTION])
    scores = await players_command("scores", "--journal", database)
    assert (scores.code, "matches: 1" in scores.out) == (0, True)
    checked = await command("journal", "check", database, "--cluster-key", key)
    assert (checked.code, checked.out[:22]) == (0, "valid: 1 table, 1 hand")
    async with server_process(*where) as (_, address):
        async with deadline(lambda: f"{code} is still on its way to this server"):
            while True:
                with contextlib.suppress(ConnectionClosed):  # "come back in a moment"
                    async with Peer.entered(address, cl.Watch(code=code)) as eve:
                        assert eve.view.code == code
                        break
                await asyncio.sleep(0.1)


@pytest.mark.long
async def test_the_operator_reaches_a_server_with_a_database(database: str, key: str, tmp_path: Path) -> None:
    """By a file of its own, as its journal is none: tables are listed and closed."""
    control = str(tmp_path / "control")
    where = ("--journal", database, "--cluster-key", key, "--node", "n1", "--control", control)
    async with server_process(*where) as (_, address), Peer.hosting(address) as ann:
        assert ann.code in (await text_of(SERVER, "tables", "--journal", control)).out
        closed = await text_of(SERVER, "close", ann.code, "--journal", control)
        assert (closed.code, closed.err) == (0, "")
        assert (await ann.closed()).code == CloseCode.GOING_AWAY


@more_when_long
async def test_killed_servers_lose_nothing(database: str, key: str) -> None:
    """Killed again and again under players who go on: all that they received is in the database, once."""
    rng = random.Random(SEED)
    async with RestartableServer.started(database, f"--cluster-key={key}", "--node=n1") as server:
        async with meeting(server.url, 4, SEED) as players:
            for _ in range(KILLS):
                heard = [len(player.seen) for player in players]
                await asyncio.sleep(rng.uniform(0.0, 0.3))
                server.kill()
                await server.start()
                for player, number in zip(players, heard, strict=True):
                    await wait_until(partial(has_heard_more, player, number))
            await all_answered(players)
        server.kill()
    with reading(database, ClusterKeys()) as journal:
        verdict = judge_db(journal, players)
    assert verdict.is_right
    assert verdict.told > KILLS


def has_heard_more(player: Player, number: int) -> bool:
    """Tell whether a player has received more than so many messages."""
    return len(player.seen) > number


@pytest.mark.long
async def test_a_fenced_server_ends(database: str, key: str) -> None:
    """When another has its name, it closes its connections for a restart, and ends with the code 6."""
    where = ("--journal", database, "--cluster-key", key, "--node", "n1", "--bot-speed", "20")
    async with server_process(*where) as (first, address):
        async with Peer.hosting(address, seated=False) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            await host.until(ev.Played)
            async with server_process(*where):
                closing = await timeout(PATIENCE, host.closed())
                ended = await first.end()
    assert closing.code == 1012
    assert ended.code == 6
    assert "a server with the same --node was started after this one" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    usually(
        1,
        [
            (("--journal", "postgresql://rd:sesame@db/rd"), "no password belongs in the URL"),
            (("--journal", "postgresql://rd@db/rd"), "needs --cluster-key FILE"),
            (("--journal", "postgresql://rd@db/rd?password=sesame"), "no password belongs in the URL"),
            (
                ("--journal", "postgresql://rd@db/rd", "--cluster-key", "key", "--processes", "2"),
                "one server per core",
            ),
            (("--cluster-key", "key"), "need a journal in a database"),
            (
                ("journal", "list", "--journal", "postgres://rd:sesame@db/rd"),
                "no password belongs in the URL",
            ),
        ],
    ),
)
async def test_arguments_that_do_not_go_together_are_refused(arguments: tuple[str, ...], text: str) -> None:
    """With what to do instead; no complaint repeats a password."""
    ended = await text_of(SERVER, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert text in " ".join(ended.err.split())
    assert "sesame" not in ended.err


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "hint"),
    usually(
        1,
        [
            (("backup", "postgresql://rd@db/rd", "--to", "copy"), "pg_dump"),
            (("restore", "postgresql://rd@db/rd", "--to", "copy"), "pg_restore"),
            (("prune", "postgresql://rd@db/rd", "--before", "90d"), "--keep-matches"),
            (
                ("list", "--journal", "postgresql://rd@127.0.0.1:1/rd"),
                "The database postgresql://rd@127.0.0.1:1/rd",
            ),
        ],
    ),
)
async def test_what_cannot_be_done_is_a_sentence(command: tuple[str, ...], hint: str) -> None:
    """It names the database's own tool, or the database that does not answer."""
    ended = await text_of(SERVER, "journal", *command)
    assert (ended.code, ended.out) == (3, "")
    assert hint in ended.err
    assert "Traceback" not in ended.err
