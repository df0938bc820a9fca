"""What is wrong with a server's setup, found before it runs: ``racing-demon-server --check``.

Nothing is changed: the port is listened on for a moment, the journal is read, and neither the broker
nor the webhook's receiver gets a message.
"""

import asyncio
import errno
import http.client
import json
import os
import secrets
import shutil
import socket
import ssl
import stat
from collections.abc import AsyncIterator, Iterator
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.discovery.broker_address import parse_broker

from .journal.interface import JournalUnusable
from .journal.sqlite.database import reading
from .mqtt.broker_connection import connection_problem
from .net.origin import named_clients, networks, parsed
from .open_files import possible_files, wanted_files
from .settings import ServerSettings
from .webhook.delivery import connection_problem as receiver_problem
from .webhook.endpoint import Endpoint

MAX_SECONDS: Final = 10.0
"""How long a name, a proxy or a broker may take."""
MAX_REQUEST: Final = 16_384
MIN_FREE_BYTES: Final = 1_000_000_000
"""Less than this on the journal's disk is worth a warning; a busy evening writes a hundredth of it."""


class Verdict(StrEnum):
    """What a finding means."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Finding(NamedTuple):
    """What was found: what it is about, and a sentence that says what it means and what to do."""

    verdict: Verdict
    about: str
    text: str


async def check_setup(settings: ServerSettings, journal: Path | None, now_ms: int) -> AsyncIterator[Finding]:
    """Yield what is right and wrong with a setup, as it is found.

    Args:
        settings: the server's.
        journal: the file of its journal; ``None`` if there is none, or if it is checked elsewhere.
        now_ms: the time, in milliseconds since 1970.

    """
    arrivals = _Arrivals()
    try:
        server = await asyncio.start_server(arrivals.answer, settings.host, settings.port, limit=MAX_REQUEST)
    except OSError as error:
        yield await _judge_port(settings, error)
    else:
        async with server:
            yield Finding(Verdict.OK, "port", f"{settings.host}:{settings.port} is free.")
            for url in settings.public_urls:
                yield await arrivals.check(url, settings)
    for finding in _check_files(settings):
        yield finding
    for name in settings.hosts:
        yield await _check_name(name)
    for finding in _check_journal(journal, now_ms) if journal is not None else ():
        yield finding
    if settings.mqtt_url:
        yield await _check_broker(settings.mqtt_url)
    if settings.webhook_url:
        async for finding in _check_webhook(settings):
            yield finding


def _check_files(settings: ServerSettings) -> Iterator[Finding]:
    """Compare what the limits ask for with what the system allows."""
    possible, wanted = possible_files(settings), wanted_files(settings)
    if possible < wanted:
        text = f"the system allows {possible} open files, and the limits ask for {wanted}"
        advice = "Raise that (LimitNOFILE= in a unit, ulimit -n), or lower --limit max_connections."
        yield Finding(Verdict.WARNING, "files", f"{text}. {advice}")


async def _judge_port(settings: ServerSettings, error: OSError) -> Finding:
    """Return what it means that the server's port cannot be listened on."""
    where = f"{settings.host}:{settings.port}"
    if error.errno == errno.EADDRINUSE and await asyncio.to_thread(_is_served, settings):
        text = f"a server like this one runs at {where}, so neither the port nor a way to it is tried."
        return Finding(Verdict.OK, "port", text)
    why = error.strerror or "it is not allowed"
    advice = "Stop what runs there, or choose another with --port."
    return Finding(Verdict.PROBLEM, "port", f"{where} cannot be used: {why}. {advice}")


def _is_served(settings: ServerSettings) -> bool:
    """Return whether a server of this program answers at the port."""
    here = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(settings.host, settings.host)  # noqa: S104
    connection = http.client.HTTPConnection(here, settings.port, timeout=MAX_SECONDS)
    try:
        connection.request("GET", "/healthz")
        health = json.loads(connection.getresponse().read(MAX_REQUEST))
        return isinstance(health, dict) and {"status", "tables"} <= health.keys()
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()


async def _check_name(name: str) -> Finding:
    """Look up a name by which the server is to be reached."""
    try:
        async with asyncio.timeout(MAX_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError, UnicodeError):
        text = f"{name} has no address here: players who type it reach nobody, unless their network knows it."
        return Finding(Verdict.WARNING, "name", text)
    addresses = sorted({str(each[4][0]) for each in found})
    return Finding(Verdict.OK, "name", f"{name} is {', '.join(addresses)}.")


# The way through proxies.


class _Arrival(NamedTuple):
    """A request as it arrives: the peer's address, the path, and the headers."""

    peer: str
    path: str
    headers: http.client.HTTPMessage


class _Arrivals:
    """What arrives at the server's port when its public address is asked for."""

    def __init__(self) -> None:
        self._secret = secrets.token_hex(16)
        self._last: _Arrival | None = None

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer any request with a word that nobody else knows."""
        try:
            async with asyncio.timeout(MAX_SECONDS):
                request = await reader.readuntil(b"\r\n\r\n")
            line, _, headers = request.partition(b"\r\n")
            path = line.decode("latin-1").split(" ")[1:2]
            peer = str(writer.get_extra_info("peername")[0])
            self._last = _Arrival(peer, "".join(path), http.client.parse_headers(BytesIO(headers)))
            body = self._secret.encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode() + body)
        except (OSError, EOFError, asyncio.LimitOverrunError, http.client.HTTPException):
            pass  # a stranger's, not the one that is waited for
        finally:
            writer.close()

    async def check(self, url: str, settings: ServerSettings) -> Finding:
        """Ask for a public address, and judge what arrives."""
        self._last = None
        base = settings.base_path
        if base and urlsplit(url).path.rstrip("/").removesuffix(WEBSOCKET_PATH) != base:
            text = f"{url} is not below {base}, so it leads to no table: end it with {base}{WEBSOCKET_PATH}."
            return Finding(Verdict.PROBLEM, "proxy", text)
        asked = f"{base}{WEBSOCKET_PATH}"
        try:
            said = await asyncio.wait_for(asyncio.to_thread(_fetch, url, asked), 2 * MAX_SECONDS)
        except ssl.SSLError as error:
            text = f"{url}: its certificate is not valid ({error.reason}). Browsers refuse it, too."
            return Finding(Verdict.PROBLEM, "proxy", text)
        except (OSError, TimeoutError, http.client.HTTPException) as error:
            why = getattr(error, "strerror", None) or "it does not answer"
            text = f"{url} is not reached from here: {why}. Is the proxy running, and its name right?"
            return Finding(Verdict.PROBLEM, "proxy", text)
        if said != self._secret or self._last is None:
            text = f"{url} does not lead to this port. Let the proxy pass requests on to it."
            return Finding(Verdict.PROBLEM, "proxy", text)
        if self._last.path != asked:
            text = f"{url}: {asked} arrives as {self._last.path}. Let the proxy pass the whole path on."
            return Finding(Verdict.PROBLEM, "proxy", text)
        return _judged(url, self._last, settings)


def _fetch(url: str, path: str) -> str:
    """Request a path there as a browser opens a table, and return the beginning of the answer."""
    parts = urlsplit(url)
    is_tls = parts.scheme in {"https", "wss"}
    kind = http.client.HTTPSConnection if is_tls else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=MAX_SECONDS)
    try:
        headers = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        }
        connection.request("GET", path, headers=headers)
        return connection.getresponse().read(64).decode(errors="replace")
    finally:
        connection.close()


def _judged(url: str, arrival: _Arrival, settings: ServerSettings) -> Finding:
    """Return what the server would make of a request through a proxy."""
    peer, _, headers = arrival
    name = urlsplit(url).hostname or ""
    host = urlsplit(f"//{headers.get('Host', '')}").hostname or ""
    named = named_clients(headers.get_all("X-Forwarded-For") or [], headers.get_all("Forwarded") or [])
    address = parsed(peer)
    is_trusted = address is not None and any(address in each for each in networks(settings.proxies))
    if headers.get("Upgrade", "").lower() != "websocket":
        text = f"{url}: the proxy at {peer} drops Upgrade, so nobody can play. See docs/deploy.md."
        return Finding(Verdict.PROBLEM, "proxy", text)
    if settings.hosts and host not in settings.hosts:
        text = f"{url} arrives for {host!r}, which is refused: pass the name on, or add --name {host}."
        return Finding(Verdict.PROBLEM, "proxy", text)
    if host != name:
        text = f"{url} arrives for {host!r}: browsers are refused unless the proxy passes the name on."
        return Finding(Verdict.PROBLEM, "proxy", text)
    if named and not is_trusted:
        text = (
            f"{url} comes from {peer}, which is not trusted: all behind it count as one. Add --proxy {peer}"
        )
        return Finding(Verdict.WARNING, "proxy", text)
    if not named and is_trusted:
        text = f"{url}: {peer} names no client (X-Forwarded-For), so all who come through it count as one."
        return Finding(Verdict.WARNING, "proxy", text)
    names = ", which names its clients" if named else ""
    return Finding(Verdict.OK, "proxy", f"{url} arrives from {peer}{names}.")


# The journal.


def _check_journal(path: Path, now_ms: int) -> Iterator[Finding]:
    """Look at a journal's file, its folder, its disk and its newest time."""
    folder = path.parent
    try:
        is_new = not path.exists()
    except OSError as error:
        yield Finding(Verdict.PROBLEM, "journal", f"{path} cannot be reached: {error.strerror}.")
        return
    if is_new:
        nearest = next(each for each in (folder, *folder.parents) if each.exists())
        if not os.access(nearest, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            text = (
                f"{path} cannot be made: this user may not write to {nearest}. Name another with --journal."
            )
            yield Finding(Verdict.PROBLEM, "journal", text)
            return
        yield Finding(Verdict.OK, "journal", f"{path} is new.")
        folder = nearest
    else:
        try:
            with reading(path) as journal:
                newest = max((table.opened_ms for table in journal.tables()), default=0)
        except JournalUnusable as error:
            yield Finding(Verdict.PROBLEM, "journal", str(error))
            return
        yield Finding(Verdict.OK, "journal", f"{path} can be read.")
        if newest > now_ms:
            text = f"this machine's clock is behind the journal by {(newest - now_ms) / 1_000:.0f} s: set it."
            yield Finding(Verdict.PROBLEM, "clock", text)
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            text = (
                f"{path} can be read by others, and it holds the secrets of running hands: chmod 600 {path}."
            )
            yield Finding(Verdict.WARNING, "journal", text)
    if (free := shutil.disk_usage(folder).free) < MIN_FREE_BYTES:
        yield Finding(Verdict.WARNING, "journal", f"only {free / 1e6:.0f} MB are free in {folder}.")


# The broker.


async def _check_broker(url: str) -> Finding:
    """Connect to the broker, and leave again."""
    address = parse_broker(url, os.environ)
    where = f"{address.host}:{address.port}"
    if problem := await connection_problem(address):
        text = f"{where} cannot be used: {problem}. Is it running, and are name and password right?"
        return Finding(Verdict.PROBLEM, "broker", text)
    return Finding(Verdict.OK, "broker", f"{where} can be used.")


# The webhook.


async def _check_webhook(settings: ServerSettings) -> AsyncIterator[Finding]:
    """Connect to the receiver, and leave again; look at the permissions of the secret."""
    endpoint, secret = Endpoint.parse(settings.webhook_url), settings.webhook_secret
    where = endpoint.authority
    if problem := await receiver_problem(endpoint):
        text = f"{where} cannot be reached: {problem}. Is it running, and its name right?"
        yield Finding(Verdict.PROBLEM, "webhook", text)
    else:
        yield Finding(Verdict.OK, "webhook", f"{where} can be reached.")
    if secret is not None and secret.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        text = f"{secret} can be read by others, who can then sign notices: chmod 600 {secret}."
        yield Finding(Verdict.WARNING, "webhook", text)
