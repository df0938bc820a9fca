"""What a server needs of a database to connect, and what operators are told where it is missing."""

import contextlib
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from racing_demon_cluster.postgres.connection import check_database, connect
from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_server.journal.interface import JournalUnusable
from tests.support.postgres import Postgres

MANUAL: Final = Path(__file__).parents[2] / "docs" / "deploy.md"
WORD: Final = "open sesame"


@pytest.fixture
def locked(servers: Postgres, name: str, opened: Callable[..., PostgresStore]) -> str:
    """Return the URL of a database with a layout, for a role that needs a password."""
    opened()
    servers.sql(f"CREATE ROLE locked LOGIN SUPERUSER PASSWORD '{WORD}'")
    allowed = servers.folder / "primary" / "pg_hba.conf"
    allowed.write_text(f"host all locked all scram-sha-256\n{allowed.read_text()}")
    servers.sql("SELECT pg_reload_conf()")
    return f"postgresql://locked@127.0.0.1:{servers.ports[0]}/{name}"


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_text_is_refused(
    servers: Postgres, opened: Callable[..., PostgresStore], encoding: str
) -> None:
    """Server and check name the command that makes one that can."""
    name = f"rd{secrets.token_hex(4)}"
    servers.sql(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'")
    command = f"{encoding}.*createdb --encoding=UTF8 --template=template0 {name}"
    with pytest.raises(JournalUnusable, match=command):
        opened(url=servers.url(name))
    with pytest.raises(JournalUnusable, match=command):
        list(check_database(servers.url(name), time.time(), needs_standby=True))


def test_texts_are_read_in_every_environment(
    servers: Postgres, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an environment says of encodings is for other programs."""
    monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")
    with contextlib.closing(connect(servers.url(name))) as db:
        assert db.execute("SELECT $1::text", ("Ζωή",)).fetchone() == ("Ζωή",)


@pytest.mark.long
def test_status_as_the_manual_shows_it(locked: str, tmp_path: Path) -> None:
    """It takes URL and password from the file that the servers have; without one it says where that goes."""
    shown = next(block for block in MANUAL.read_text().split("```") if "cluster status " in block)
    command = shown.replace("/etc/racing-demon", str(tmp_path)).replace(
        "rd-admin", f"{sys.executable} -m racing_demon_server"
    )

    def run(*lines: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "cluster.env").write_text("".join(f"{line}\n" for line in lines))
        env = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
        return subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=env, check=False)  # noqa: S603, S607

    url = f"RACING_DEMON_JOURNAL={locked}?target_session_attrs=read-write&sslmode=prefer"
    done = run(f"PGPASSWORD={WORD}", url, "RACING_DEMON_OPTIONS=--proxy 10.0.0.0/24")
    assert (done.returncode, done.stderr) == (0, "")
    assert "n1" in done.stdout
    without = run(url)
    assert without.returncode == 3
    assert "Put the password into the variable PGPASSWORD" in without.stderr
