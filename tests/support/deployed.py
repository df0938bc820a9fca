"""A mosquitto of one's own on this machine, with the accounts and rules of ``deploy/``."""

import asyncio
import os
import re
import ssl
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiomqtt

from tests.support.ports import free_port
from tests.support.servers import PATIENCE, timeout

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
MOSQUITTO: Final = DEPLOY / "mosquitto"
PLACES: Final = f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin"
"""Where programs are looked for; Debian keeps brokers out of the way of ordinary users."""


class Deployed(NamedTuple):
    """A broker that runs.

    Attributes:
        port: where it listens without encryption.
        tls_port: where it listens with it.
        folder: where its files are.
        opened: the ports that it says it has opened.

    """

    port: int
    tls_port: int
    folder: Path
    opened: list[int]

    def password(self, account: str) -> str:
        """Return an account's password, as its file has it."""
        return (self.folder / account).read_text().strip()

    def client(self, account: str | None = None, **more: Any) -> aiomqtt.Client:
        """Return a client, which connects when it is entered."""
        if account is not None:
            more = {"username": account, "password": self.password(account), **more}
        usual: dict[str, Any] = {"hostname": "127.0.0.1", "port": self.port, "timeout": PATIENCE}
        return aiomqtt.Client(**{**usual, **more})

    def tls_client(self, account: str, hostname: str, ca: Path | None) -> aiomqtt.Client:
        """Return a client that trusts one authority, or those of the system."""
        context = ssl.create_default_context(cafile=ca)
        return self.client(account, hostname=hostname, port=self.tls_port, tls_context=context)


async def script(name: str, *arguments: object) -> None:
    """Run one of the broker's scripts."""
    command = ["sh", str(MOSQUITTO / name), *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    _, complaints = await timeout(PATIENCE, process.communicate())
    assert process.returncode == 0, complaints.decode()


async def certificates(folder: Path, *names: str) -> None:
    """Make an authority and a broker's certificate, in a folder of their own."""
    await script("make-certificates.sh", folder / "certs", *names)


@asynccontextmanager
async def deployed(folder: Path, *listeners: str) -> AsyncIterator[Deployed]:
    """Run a broker with the files of ``deploy/``; only places and ports are this machine's.

    Args:
        folder: an empty one, instead of ``/etc/mosquitto``.
        listeners: the files of listeners that it is to have.

    """
    running = Deployed(free_port(), free_port(), folder, [])
    (folder / "conf.d").mkdir()
    for name in listeners:
        text = (MOSQUITTO / name).read_text()
        text = text.replace("listener 1883 127.0.0.1", f"listener {running.port} 127.0.0.1")
        text = text.replace("listener 8883", f"listener {running.tls_port} 127.0.0.1")
        (folder / "conf.d" / name).write_text(text.replace("/etc/mosquitto", str(folder)))
    conf = (MOSQUITTO / "mosquitto.conf").read_text().replace("/etc/mosquitto", str(folder))
    # Root would become the user mosquitto, who may not look into a test's folder.
    own = "user root\n" if os.geteuid() == 0 else ""
    (folder / "mosquitto.conf").write_text(f"log_type information\n{own}{conf}")
    (folder / "acl").write_text((MOSQUITTO / "acl").read_text())
    await script("make-passwords.sh", folder)
    process = await asyncio.create_subprocess_exec(
        *("mosquitto", "-c", str(folder / "mosquitto.conf")),
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
        env={**os.environ, "PATH": PLACES},
    )
    assert process.stderr is not None
    try:
        while b" running" not in (line := await timeout(PATIENCE, process.stderr.readline())):
            assert line, "mosquitto did not start"
            running.opened.extend(int(port) for port in re.findall(rb"socket on port (\d+)", line))
        yield running
    finally:
        process.kill()  # a request to end can get lost while it starts, and it keeps nothing
        await timeout(PATIENCE, process.communicate())
