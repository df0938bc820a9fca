"""``racing-demon-server --check``: what is wrong with a setup is said before it runs."""

import asyncio
import os
import socket
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from racing_demon_server.cli import main
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.setup_check import Finding, Verdict, check_setup
from tests.support.brokers import Broker
from tests.support.cases import for_each
from tests.support.ports import free_port
from tests.support.receivers import Receiver, secret_file
from tests.support.servers import serving

HOST = "127.0.0.1"
NOBODY = 65534


async def found(
    settings: ServerSettings, journal: Path | None = None, now_ms: int | None = None
) -> list[Finding]:
    """Return what is found."""
    now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    return [finding async for finding in check_setup(settings, journal, now)]


def at(port: int, **more: object) -> ServerSettings:
    """Return the settings of a server at a port of this machine."""
    return ServerSettings(host=HOST, port=port, **more)  # type: ignore[arg-type]


@asynccontextmanager
async def proxy(
    port: int, *, drops: bytes = b"", adds: bytes = b"", strips: bytes = b""
) -> AsyncIterator[str]:
    """Run a proxy in front of a port, and give its address.

    It leaves out one header, adds another, and leaves out what a path begins with.
    """

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        lines = [line for line in request.split(b"\r\n") if not (drops and line.startswith(drops))]
        lines[1:1] = [adds] if adds else []
        lines[0] = lines[0].replace(strips, b"")
        upstream_reader, upstream = await asyncio.open_connection(HOST, port)
        upstream.write(b"\r\n".join(lines))
        writer.write(await upstream_reader.read())
        upstream.close()
        writer.close()

    async with await asyncio.start_server(forward, HOST, 0) as server:
        yield f"http://{HOST}:{server.sockets[0].getsockname()[1]}"


async def test_a_port_that_is_taken_is_a_problem() -> None:
    """It is said which one, and what helps; a free one is all right, and so is a running server's own."""
    async with await asyncio.start_server(lambda _, writer: writer.close(), HOST, 0) as other:
        port = other.sockets[0].getsockname()[1]
        (finding,) = await found(at(port))
    assert finding.verdict is Verdict.PROBLEM
    assert f"{HOST}:{port} cannot be used" in finding.text
    assert "--port" in finding.text
    assert (await found(at(free_port())))[0].verdict is Verdict.OK
    async with serving() as served:
        (finding,) = await found(at(served.port, public_urls=("wss://cards.example.org",)))
    assert finding.verdict is Verdict.OK
    assert "runs at" in finding.text


async def test_more_connections_than_files_are_worth_a_warning() -> None:
    """The limit of the system is named, and where to raise it."""
    findings = await found(at(free_port(), max_connections=10_000_000))
    (finding,) = [each for each in findings if each.about == "files"]
    assert finding.verdict is Verdict.WARNING
    assert "LimitNOFILE" in finding.text


def test_the_command_prints_what_it_finds(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each finding; the exit code says whether the server could work."""
    arguments = ["--check", "--host", HOST, "--durability", "none", "--port"]
    with socket.create_server((HOST, 0)) as other:
        port = str(other.getsockname()[1])
        assert main([*arguments, port]) == 1
        assert capsys.readouterr().out.startswith(f"problem  port: {HOST}:{port} cannot be used: ")
    assert main([*arguments, port]) == 0
    assert capsys.readouterr().out == f"ok       port: {HOST}:{port} is free.\n"


async def test_a_proxy_is_seen_as_the_server_will_see_it() -> None:
    """One that passes everything on is all right; what it drops, or lacks, is named."""
    port = free_port()
    told = b"X-Forwarded-For: 203.0.113.7"
    for drops, adds, verdict, text in (
        (b"", told, Verdict.OK, "which names its clients"),
        (b"", b"", Verdict.WARNING, "names no client (X-Forwarded-For)"),
        (b"Upgrade:", told, Verdict.PROBLEM, "drops Upgrade"),
        (b"Host:", told + b"\r\nHost: elsewhere.example", Verdict.PROBLEM, "arrives for 'elsewhere.example'"),
    ):
        async with proxy(port, drops=drops, adds=adds) as url:
            _, finding = await found(at(port, public_urls=(url,)))
        assert finding.verdict is verdict
        assert text in finding.text
    async with proxy(port, adds=told) as url:
        _, finding = await found(at(port, public_urls=(url,), proxies=()))
    assert f"which is not trusted: all behind it count as one. Add --proxy {HOST}" in finding.text


async def test_a_proxy_passes_the_whole_path_on() -> None:
    """What a server below a path is asked for must bear it, and so must its public address."""
    port = free_port()
    below = partial(at, port, base_path="/games/cards")
    for prefix, path, verdict, text in (
        ("", "/games/cards/v1", Verdict.OK, "which names its clients"),
        ("/games/cards", "/games/cards/v1", Verdict.PROBLEM, "/games/cards/v1 arrives as /v1"),
        ("", "", Verdict.PROBLEM, "end it with /games/cards/v1"),
    ):
        async with proxy(port, adds=b"X-Forwarded-For: 203.0.113.7", strips=prefix.encode()) as url:
            _, finding = await found(below(public_urls=(url + path,)))
        assert finding.verdict is verdict
        assert text in finding.text


async def test_an_address_that_leads_elsewhere_is_a_problem() -> None:
    """Another server answers there, or nobody."""
    async with serving() as served:
        _, other = await found(at(free_port(), public_urls=(f"http://{HOST}:{served.port}",)))
    _, nobody = await found(at(free_port(), public_urls=(f"http://{HOST}:{served.port}",)))
    assert (other.verdict, nobody.verdict) == (Verdict.PROBLEM, Verdict.PROBLEM)
    assert "does not lead to this port" in other.text
    assert "is not reached from here" in nobody.text


async def test_a_name_is_looked_up() -> None:
    """One without an address is worth a warning."""
    _, known, unknown = await found(at(free_port(), hosts=("localhost", "no-such-name.invalid")))
    assert (known.verdict, unknown.verdict) == (Verdict.OK, Verdict.WARNING)


async def test_a_journal_is_read(tmp_path: Path) -> None:
    """A new one is all right; others must not read it; a file that is none is a problem."""
    path = tmp_path / "journal.sqlite"
    _, new = await found(at(free_port()), path)
    assert new == Finding(Verdict.OK, "journal", f"{path} is new.")
    open_journal(path, write=True).close()
    path.chmod(0o644)
    _, read, exposed = await found(at(free_port()), path)
    assert (read.verdict, exposed.verdict) == (Verdict.OK, Verdict.WARNING)
    assert f"chmod 600 {path}" in exposed.text
    path.write_text("no journal")
    _, broken = await found(at(free_port()), path)
    assert broken.verdict is Verdict.PROBLEM


@for_each(("mode", "why"), [(0o555, "may not write to"), (0o600, "cannot be reached")])
async def test_a_folder_that_cannot_be_used_is_a_problem(mode: int, why: str) -> None:
    """Nor could the server make its journal there. Root may write anywhere, so somebody else looks."""
    is_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(mode)
        if is_root:
            os.seteuid(NOBODY)
        try:
            _, finding = await found(at(free_port()), Path(folder, "new", "journal.sqlite"))
        finally:
            if is_root:
                os.seteuid(0)
            Path(folder).chmod(0o700)
    assert finding.verdict is Verdict.PROBLEM
    assert why in finding.text


async def test_a_broker_is_tried(tmp_path: Path) -> None:
    """One that runs can be used; without it, the problem has its address."""
    async with Broker.running(tmp_path) as broker:
        _, here = await found(at(free_port(), mqtt_url=broker.url))
    _, gone = await found(at(free_port(), mqtt_url=broker.url))
    assert (here.verdict, gone.verdict) == (Verdict.OK, Verdict.PROBLEM)
    assert f"{HOST}:{broker.port} cannot be used" in gone.text


async def test_a_webhooks_receiver_is_tried(tmp_path: Path) -> None:
    """It gets no message; a secret that others can read is worth a warning, and its path is not printed."""
    secret = secret_file(tmp_path)
    async with Receiver.running() as receiver:
        settings = at(free_port(), webhook_url=receiver.url, webhook_secret=secret)
        _, here = await found(settings)
        secret.chmod(0o644)
        *_, exposed = await found(settings)
    _, gone, _ = await found(settings)
    assert here == Finding(Verdict.OK, "webhook", f"{HOST}:{receiver.port} can be reached.")
    assert (exposed.verdict, f"chmod 600 {secret}" in exposed.text) == (Verdict.WARNING, True)
    assert (gone.verdict, "hush" in gone.text) == (Verdict.PROBLEM, False)
    assert f"{HOST}:{receiver.port} cannot be reached: " in gone.text
    assert not receiver.requests
