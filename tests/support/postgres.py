"""A PostgreSQL primary with a synchronous standby, in a temporary folder, for as long as a test."""

import contextlib
import itertools
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest

from tests.support.machines import Machines
from tests.support.ports import free_port
from tests.support.servers import PATIENCE

KEY: Final = bytes(range(32))
"""A cluster's key."""
OPEN_TABLE: Final = (
    "INSERT INTO tables (id, code, number, options, salt, software, protocol, opened_ms, owner, opener) "
    "VALUES ($1, $2, $1, '{}', '', '', $4, 0, $3, $3)"
)
"""Opens a table behind the stores' back: its id, its code, the incarnation and its protocol."""

STANDBY: Final = "s1"
USER: Final = "rd"
SETTINGS: Final = """
fsync = off
wal_level = replica
hot_standby = on
max_connections = 60
max_wal_senders = 4
shared_buffers = 16MB
wal_receiver_status_interval = 1
wal_retrieve_retry_interval = 100ms
"""


def folder_of_programs() -> Path | None:
    """Return where the distribution's packages put the server, if they are there."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    found = [*map(str, places), shutil.which("initdb")]
    return next((Path(each).parent for each in found if each), None)


class Postgres:
    """A primary and its standby.

    Attributes:
        folder: where they are.
        ports: the ports of the primary and of the standby.

    Args:
        programs: where the server's programs are.
        folder: an empty folder, which its user may search.
        machines: those called ``primary`` and ``standby`` are where they run; by default both run here.

    """

    def __init__(self, programs: Path, folder: Path, machines: Machines | None = None) -> None:
        self._programs = programs
        self._machines = machines
        self._numbers = itertools.count(1)
        self._emptied = ""
        self.folder = folder
        self.ports = (free_port(), free_port())
        if os.getuid() == 0:  # the server refuses to be root's
            shutil.chown(folder, "nobody")
            folder.chmod(0o711)

    def _address(self, which: str) -> str:
        return "127.0.0.1" if self._machines is None else self._machines.address(which)

    def _run(self, program: str, *arguments: str, which: str = "primary") -> str:
        with contextlib.nullcontext() if self._machines is None else self._machines.at(which):
            done = subprocess.run(  # noqa: S603 - programs of the distribution
                [str(self._programs / program), *arguments],
                cwd=self.folder,
                env={**os.environ, "HOME": str(self.folder), "LC_ALL": "C.UTF-8"},
                capture_output=True,
                text=True,
                check=False,
                user="nobody" if os.getuid() == 0 else None,
                extra_groups=[] if os.getuid() == 0 else None,
            )
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return done.stdout

    def begin(self, settings: str = SETTINGS) -> None:
        """Make and start both."""
        self._run("initdb", "-D", "primary", "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8")
        with (self.folder / "primary" / "postgresql.conf").open("a") as conf:
            conf.write(settings + f"unix_socket_directories = '{self.folder}'\n")
        with (self.folder / "primary" / "pg_hba.conf").open("a") as allowed:
            allowed.write("host all all samenet trust\nhost replication all samenet trust\n")
        self.start("primary")
        self.follow("primary", "standby")
        self.sql("ALTER SYSTEM SET synchronous_standby_names = 's1'")
        self.sql("SELECT pg_reload_conf()")
        begun = time.monotonic()
        while not self.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"):
            seen = self.sql("SELECT state, sync_state FROM pg_stat_replication")
            assert time.monotonic() < begun + PATIENCE, f"the standby does not follow: {seen}"
            time.sleep(0.05)

    def follow(self, leader: str, follower: str) -> None:
        """Make one of the two, which is stopped, the standby of the other, and start it."""
        shutil.rmtree(self.folder / follower, ignore_errors=True)
        port = self.ports[leader == "standby"]
        there = f"host={self._address(leader)} port={port} user={USER} application_name={STANDBY}"
        copy = ("-D", follower, "-d", there, "-R", "-c", "fast", "--no-sync")
        self._run("pg_basebackup", *copy, which=follower)
        self.start(follower)

    def start(self, which: str) -> None:
        """Start the primary or the standby, and wait until it answers."""
        options = f"-h {self._address(which)} -p {self.ports[which == 'standby']}"
        log = ("-l", f"{which}.log")
        try:
            self._run("pg_ctl", "-D", which, "-w", "-s", "-o", options, *log, "start", which=which)
        except AssertionError as failed:  # what went wrong stands only in the log
            failed.add_note((self.folder / f"{which}.log").read_text())
            raise

    def stop(self, which: str) -> None:
        """Kill the primary or the standby, as a power cut of its host would."""
        self._run("pg_ctl", "-D", which, "-w", "-s", "-m", "immediate", "stop", which=which)

    def promote(self) -> None:
        """Make a primary of the standby, which then waits for no other."""
        with (self.folder / "standby" / "postgresql.auto.conf").open("a") as conf:
            conf.write("synchronous_standby_names = ''\n")
        self._run("pg_ctl", "-D", "standby", "-w", "-s", "promote", which="standby")

    def sql(self, text: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Ask the primary."""
        with psycopg.connect(self.url(database, both=False), autocommit=True) as db:
            answer = db.execute(text.encode())
            return answer.fetchall() if answer.description else []

    def dump(self, database: str) -> str:
        """Return all that is in a database."""
        here = f"host=127.0.0.1 port={self.ports[0]} user={USER} dbname={database}"
        return self._run("pg_dump", "-d", here)

    def url(self, database: str, *, both: bool = True) -> str:
        """Return where a database is: at both, of which the one that can be written is chosen."""
        places = list(zip(("primary", "standby"), self.ports, strict=True))[: 1 + both]
        hosts = ",".join(f"{self._address(which)}:{port}" for which, port in places)
        return f"postgresql://{USER}@{hosts}/{database}"

    def new_database(self) -> str:
        """Make an empty database, and return its name."""
        name = f"rd{secrets.token_hex(4)}"
        self.sql(f"CREATE DATABASE {name}")
        return name

    def emptied_database(self) -> str:
        """Return the name of the one for one test after the other: the files of a new one are thousands."""
        if self._emptied:
            ending = (
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self._emptied}'"  # noqa: S608
            )
            self.sql(ending)
            self.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public", self._emptied)
        self._emptied = self._emptied or self.new_database()
        return self._emptied

    def end(self) -> None:
        """Stop both."""
        for which in ("primary", "standby"):
            with contextlib.suppress(AssertionError):
                self.stop(which)


@contextlib.contextmanager
def postgres(settings: str = SETTINGS, machines: Machines | None = None) -> Iterator[Postgres]:
    """Run a primary and a standby; skip the test where the packages are missing."""
    programs = folder_of_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="racing-demon-pg-"))
    server = Postgres(programs, folder, machines)
    try:
        server.begin(settings)
        yield server
    finally:
        server.end()
        shutil.rmtree(folder, ignore_errors=True)


class LosingProxy:
    """Passes bytes on to a server, and can lose its answers: as where a connection breaks after a commit.

    Attributes:
        port: where it listens.
        loses: whether the next answer is lost, and its connection closed.

    Args:
        port: the server's.

    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.loses = False
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if is_answer and self.loses:
                    self.loses = False
                    break
                target.sendall(data)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()
