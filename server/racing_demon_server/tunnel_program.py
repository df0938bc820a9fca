"""A tunnel's program: which one, its process, its address, and whether the table answers there."""

import asyncio
import contextlib
import http.client
import ipaddress
import json
import logging
import os
import re
import shlex
import shutil
import ssl
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from racing_demon_protocol.argument_types import tunnel_address
from racing_demon_protocol.errors import RacingDemonError
from racing_demon_protocol.formatting import printable
from racing_demon_server.net.tunnel import Tunnel

AUTO: Final = "auto"
"""Stands for the first known program that is installed."""
PORT: Final = "{port}"
MAX_LINE: Final = 4_096
MAX_SHOWN: Final = 160
MAX_ANSWER: Final = 4_096
SETTLE_SECONDS: Final = 2.0
"""The time before a new name is first looked up: resolvers remember that there was none."""
CHECK_SECONDS: Final = 5.0
SILENT_SECONDS: Final = 60.0
AGAIN_SECONDS: Final = (1.0, 2.0, 5.0, 15.0, 30.0)
"""The waits before a check, or a program that ended, is tried again."""
STEADY_SECONDS: Final = 60.0
"""A program that has run for this long is started again at once."""
STOP_SECONDS: Final = 5.0
COLORS: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.-]*[A-Za-z0-9](?::\d{1,5})?/?(?!\.?[^\s|\"'<>,;).])")
"""An address without a path: programs also name pages of their documentation."""
ENDED: Final = "The tunnel has ended, and is being started again."
WITHOUT_ENCRYPTION: Final = (
    "The tunnel's program names {}, and no address with https. Others could read and change what is sent "
    "there, so nobody is invited. Give its address with https, if there is one, with --tunnel-address; or "
    "use another program."
)

log = logging.getLogger("racing_demon_server")


class NoTunnel(RacingDemonError):
    """There is no such tunnel; the text says what to do."""


class Known(NamedTuple):
    """A known program.

    Attributes:
        arguments: its command line.
        suffix: how the names end that it gives.
        advice: how to get it.

    """

    arguments: tuple[str, ...]
    suffix: str
    advice: str


PROGRAMS: Final = {
    "cloudflared": Known(
        ("cloudflared", "tunnel", "--no-autoupdate", "--url", f"http://127.0.0.1:{PORT}"),
        ".trycloudflare.com",
        "cloudflared needs no account: https://developers.cloudflare.com/tunnel/downloads/",
    ),
    "tailscale": Known(
        ("tailscale", "funnel", f"http://127.0.0.1:{PORT}"),
        ".ts.net",
        "tailscale needs an account, and keeps its address: https://tailscale.com/download",
    ),
}
WITHOUT_HTTPS: Final = frozenset({"ssh", "autossh"})
"""Programs that forward a port, and leave https to the other end, whose name they do not know."""


def tunnel_command(
    text: str, address: str, which: Callable[[str], str | None] = shutil.which
) -> tuple[str, ...]:
    """Return the command line of a tunnel, in which ``{port}`` stands for the port.

    Args:
        text: ``auto``, the name of a known program, or a command line.
        address: the tunnel's address, if it is given.
        which: finds programs.

    Raises:
        NoTunnel: there is no such program, or it cannot be used so.

    """
    if text == AUTO:
        text = next((name for name in PROGRAMS if which(name)), "")
        if not text:
            advice = " ".join(f"{known.advice}." for known in PROGRAMS.values())
            raise NoTunnel(f"No program for tunnels is installed. {advice}")
    if text in PROGRAMS:
        if which(text) is None:
            raise NoTunnel(f"{text} is not installed. {PROGRAMS[text].advice}.")
        return PROGRAMS[text].arguments
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise NoTunnel(f"The tunnel's command cannot be read: {error}.") from None
    if not any(PORT in word for word in command):
        raise NoTunnel(f"The tunnel's command must say where {PORT} stands, the port that it leads to.")
    if which(command[0]) is None:
        raise NoTunnel(f"The tunnel's program {printable(command[0])} is not there.")
    if os.path.basename(command[0]) in WITHOUT_HTTPS and not address:
        raise NoTunnel(
            "ssh provides no https of its own: give the address at which the other end does, "
            "with --tunnel-address https://NAME."
        )
    return command


def address_in(line: str, program: str) -> str | None:
    """Return the address that a line of a program's output names; ``None`` if it names none."""
    return next((address for address in _addresses_in(line, program) if address.startswith("https:")), None)


def unencrypted_in(line: str, program: str) -> str | None:
    """Return the address without https that a line names; ``None`` if it names none on the internet."""
    for address in _addresses_in(line, program):
        if address.startswith("http:"):
            host = urlsplit(address).hostname or ""
            with contextlib.suppress(ValueError):
                if not ipaddress.ip_address(host).is_global:  # where the program itself has a page
                    continue
            return address
    return None


def _addresses_in(line: str, program: str) -> Iterator[str]:
    """Yield the addresses in a line that may be the tunnel's, with https and without."""
    known = PROGRAMS.get(program)
    for found in ADDRESS.findall(COLORS.sub("", line)):
        scheme, _, rest = found.partition("://")
        with contextlib.suppress(ValueError):
            address = tunnel_address(f"https://{rest}")
            host = urlsplit(address).hostname or ""
            if known is None or host.endswith(known.suffix):
                yield f"{scheme}{address.removeprefix('https')}"


class TunnelProgram:
    """The process of a tunnel's program, which is started again when it ends.

    Args:
        tunnel: receives the address, and whether this server answers there.
        command: the command line, with ``{port}``; empty if the tunnel runs by itself.
        port: the port of the tunnel's listener.
        address: the tunnel's address; empty to read it from the output.

    """

    def __init__(self, tunnel: Tunnel, command: Sequence[str], port: int, address: str) -> None:
        self._tunnel = tunnel
        self._program = command[0] if command else ""
        self._command = [word.replace(PORT, str(port)) for word in command]
        self._address = address
        self._said = ""
        self._has_named = False

    async def run(self) -> None:
        """Keep the tunnel open until cancelled."""
        if not self._command:
            await self._check(self._address)
            return
        tries = 0
        while True:
            began = time.monotonic()
            await self._run_once()
            tries = 0 if time.monotonic() - began > STEADY_SECONDS else tries + 1
            self._tunnel.fail(f"{ENDED} {self._words()}".strip())
            log.warning("tunnel ended", extra={"program": self._program})
            await asyncio.sleep(AGAIN_SECONDS[min(tries, len(AGAIN_SECONDS) - 1)])

    async def _run_once(self) -> None:
        """Run the program until it ends, and let it end."""
        pipe = asyncio.subprocess.PIPE
        guard = [sys.executable, "-m", "racing_demon_server.tunnel_guard", *self._command]
        process = await asyncio.create_subprocess_exec(
            *guard,
            stdin=pipe,
            stdout=pipe,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=sys.platform != "win32",  # Ctrl-C is for the server, which then ends it
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._said, self._has_named = "", False
        following = asyncio.create_task(self._follow(process.stdout))
        try:
            await process.wait()
        finally:
            following.cancel()
            process.stdin.close()
            try:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(STOP_SECONDS):
                        await process.wait()
            finally:
                if process.returncode is None:  # too slow, or the server ends at once
                    with contextlib.suppress(ProcessLookupError):  # it may end at this moment
                        process.kill()
                    await process.wait()

    async def _follow(self, output: asyncio.StreamReader) -> None:
        """Read the output for ever, because a full pipe would block the program; find the address in it."""
        address, check = self._address, None
        silence = asyncio.create_task(self._complain())
        try:
            if address:
                check = asyncio.create_task(self._check(address))
            rest = b""
            while data := await output.read(MAX_LINE):
                *lines, rest = (rest + data).split(b"\n")
                rest = rest[-MAX_LINE:]
                for line in lines:
                    text = printable(COLORS.sub("", line[:MAX_LINE].decode(errors="replace"))).strip(" |+-")
                    self._said = text or self._said
                    if address:
                        continue
                    if address := address_in(text, self._program) or "":
                        check = asyncio.create_task(self._check(address))
                    elif named := unencrypted_in(text, self._program):
                        self._has_named = True
                        self._tunnel.trouble = WITHOUT_ENCRYPTION.format(named)
        finally:
            silence.cancel()
            if check is not None:
                check.cancel()

    async def _complain(self) -> None:
        """Say so if the program names no address at all."""
        await asyncio.sleep(SILENT_SECONDS)
        if not (self._tunnel.address or self._has_named):
            self._tunnel.trouble = f"The tunnel has not named its address yet. {self._words()}".strip()

    def _words(self) -> str:
        return f"Its program says: {self._said[:MAX_SHOWN]}" if self._said else ""

    async def _check(self, address: str) -> None:
        """Open the tunnel when this server answers at its address."""
        self._tunnel.learn(address)
        await asyncio.sleep(SETTLE_SECONDS)
        tries = 0
        while (why := await asyncio.to_thread(reach, address, self._tunnel.instance)) is not None:
            self._tunnel.trouble = (
                f"The tunnel's address is {address}, but the table is not reached there: {why}."
            )
            await asyncio.sleep(AGAIN_SECONDS[min(tries, len(AGAIN_SECONDS) - 1)])
            tries += 1
        self._tunnel.opened()
        log.info("tunnel open", extra={"address": address})


def reach(address: str, instance: str) -> str | None:
    """Request a server's health at its public address. Return why it is not reached; ``None`` if it is."""
    parts = urlsplit(address)
    connection = http.client.HTTPSConnection(
        parts.hostname or "", parts.port, timeout=CHECK_SECONDS, context=ssl.create_default_context()
    )
    try:
        connection.request("GET", "/healthz", headers={"User-Agent": "racing-demon-server"})
        response = connection.getresponse()
        body = response.read(MAX_ANSWER)
        if response.status != HTTPStatus.OK:
            return f"it answers with the status {response.status}"
        answer = json.loads(body)
        return None if isinstance(answer, dict) and answer.get("instance") == instance else "another answers"
    except ssl.SSLError as error:
        return f"its certificate is not valid ({error.reason})"
    except OSError as error:
        return error.strerror or "it does not answer"
    except (http.client.HTTPException, ValueError):
        return "it does not answer as our server does"
    finally:
        connection.close()
