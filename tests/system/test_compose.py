"""The compose files of ``deploy/``, run without Docker: all their services, and hands played there."""

import asyncio
import contextlib
import secrets
import shutil
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest

from racing_demon_cluster.postgres.connection import connect
from racing_demon_cluster.postgres.reader import PostgresReader
from racing_demon_cluster.seed_encryption import ClusterKeys
from tests.support.browsers import chromium, phone
from tests.support.compose import Compose, composed
from tests.support.containers import can_have_containers
from tests.support.deployed import DEPLOY, script
from tests.support.postgres import folder_of_programs
from tests.support.restartable_server import (
    Player,
    Verdict,
    all_answered,
    judge,
    judge_db,
    meeting,
    one_hand,
    wait_until,
)
from tests.support.servers import deadline
from tests.system.test_deploy import status_of

PROGRAMS = ("caddy", "mosquitto", "chromium")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not can_have_containers(), reason="made of namespaces (root on Linux, ip, setpriv)"),
    pytest.mark.skipif(not all(map(shutil.which, PROGRAMS)), reason=f"needs {', '.join(PROGRAMS)}"),
]

HOST = "cards.local"
"""A name for which Caddy makes a certificate of its own."""
URL = f"wss://{HOST}/v1"
NODES = ("n1", "n2", "n3")


@pytest.fixture
async def deploy(tmp_path: Path) -> Path:
    """Copy the folder, with secrets as docs/deploy.md makes them."""
    folder = tmp_path / "deploy"
    shutil.copytree(DEPLOY, folder, ignore=shutil.ignore_patterns("secrets"))
    await script("make-passwords.sh", folder / "secrets", "1883", "65532")
    made = {"database": secrets.token_urlsafe(24).encode(), "cluster-key": secrets.token_bytes(32)}
    for name, contents in made.items():
        (folder / "secrets" / name).write_bytes(contents)
        (folder / "secrets" / name).chmod(0o444)
    return folder


@asynccontextmanager
async def up(file: Path, folder: Path, trusting: pytest.MonkeyPatch) -> AsyncIterator[Compose]:
    """Start a compose file's services, and trust its proxy's authority, as far as it reaches its servers."""
    folder.mkdir()
    names = [HOST, *(f"{node}.{HOST}" for node in NODES)]
    async with composed(file, folder, names=names, front="caddy", RACING_DEMON_HOST=HOST) as project:
        authority = project.volume("caddy-data") / "caddy/pki/authorities/local/root.crt"
        await wait_until(authority.exists)
        trusting.setenv("SSL_CERT_FILE", str(authority))
        async with deadline(lambda: project.logs):
            while await asyncio.to_thread(status, "/healthz") != 200:  # noqa: ASYNC110
                await asyncio.sleep(0.1)  # nobody tells when a proxy has found its servers
        yield project


def status(path: str) -> int:
    """Return the status of a path behind the proxy."""
    with contextlib.suppress(OSError):  # it has no certificate yet
        return status_of(f"https://{HOST}{path}", ssl.create_default_context())
    return 0


async def open_page() -> None:
    """Open the page in a browser, and a table there."""
    assert [await asyncio.to_thread(status, path) for path in ("/", "/metrics")] == [200, 404]
    async with chromium("--ignore-certificate-errors") as browser:
        async with phone(browser, f"https://{HOST}", ignore_https_errors=True) as player:
            await player.create("Ann")
            assert player.complaints == []


async def play_on(
    project: Compose, owner: Callable[[Sequence[Player]], str], verdict: Callable[[Sequence[Player]], Verdict]
) -> None:
    """Kill the server of a table in mid-hand: its players go on, before or after it is started again."""
    async with meeting(URL, 3, 1, 0.05) as players:
        await wait_until(lambda: all(player.client.view.in_hand for player in players))
        name = owner(players)
        await project.containers[name].kill()
        told = max(player.client.view.seq for player in players)
        await project.start(name)
        async with deadline(lambda: project.logs):
            await wait_until(lambda: all(player.client.view.seq > told for player in players))
        await all_answered(players)
        code = players[0].client.code
    found = verdict(players)
    assert found.is_right, found
    password = (project.secret("passwords").with_name("watcher")).read_text().strip()
    topic = f"rd/pub/+/tables/{code.lower()}"
    sees = ("mosquitto_sub", "-u", "watcher", "-P", password, "-t", topic, "-C", "1", "-W", "20")
    published, said = await project.containers["mosquitto"].run(*sees)
    assert (published, code in said) == (0, True), said


async def test_one_server(deploy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through Caddy a hand is played, a browser opens a table, and a table goes on after its server died."""
    async with up(deploy / "compose.yaml", tmp_path / "project", monkeypatch) as project:
        journal = project.volume("server-data") / "journal.sqlite"
        assert judge(journal, await one_hand(URL)).is_right
        await open_page()
        await play_on(project, lambda _: "server", lambda players: judge(journal, players))


@pytest.mark.skipif(folder_of_programs() is None, reason="needs PostgreSQL")
async def test_three_servers(deploy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with three on one database, which waits for its standby; another goes on with the table."""
    async with up(deploy / "cluster" / "compose.yaml", tmp_path / "project", monkeypatch) as project:
        password = (deploy / "secrets" / "database").read_text()
        database = f"postgresql://rd:{password}@{project.containers['primary'].addresses['default']}/rd"
        keys = ClusterKeys([(deploy / "secrets" / "cluster-key").read_bytes()])

        def owner(players: Sequence[Player]) -> str:
            sql = "SELECT name FROM tables t JOIN nodes n ON n.id = owner WHERE code = %s AND NOT fenced"
            with psycopg.connect(database) as db:
                ((name,),) = db.execute(sql, (players[0].client.code,)).fetchall()
            return str(name)

        def verdict(players: Sequence[Player]) -> Verdict:
            with connect(database) as db:
                return judge_db(PostgresReader(db, keys), players)

        with psycopg.connect(database) as db:
            standbys = db.execute("SELECT application_name, sync_state FROM pg_stat_replication").fetchall()
        assert standbys == [("s1", "quorum")]
        assert verdict(await one_hand(URL)).is_right
        await open_page()
        await play_on(project, owner, verdict)
