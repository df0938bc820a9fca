"""Local servers, each in a process of its own: a host's drawing must not delay a guest's play.

One for practice ends with the client. That of a host outlives the client, and ends with its table.
"""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from racing_demon_client.errors import ConnectionFailed, JournalRefused, PortRefused, TunnelRefused
from racing_demon_protocol.formatting import printable

START_SECONDS: Final = 120.0
"""How long a server may take until it listens: a busy machine or a long journal makes it slow."""
STOP_SECONDS: Final = 5.0
CODE_LETTERS: Final = 4
"""A code that people read to each other across a room and type. The server has one table."""
MAX_RESTARTS: Final = 5
"""How often a crashed server that keeps its tables is restarted."""
JOURNAL_UNUSABLE: Final = 3
"""The server's exit code for an unusable journal."""
CANNOT_LISTEN: Final = re.compile(r"cannot listen on .*?: ([^:\n]+)\.$", re.MULTILINE)
"""What a server says that cannot listen where it should, with the reason."""
CHOSEN: Final = re.compile(r" with the journal (.+)\n")
"""What a server says behind its address, if it has chosen its journal by itself."""
NUMBERED: Final = re.compile(r"-\d+\.sqlite$")
"""The end of the name of a journal that is not the usual one, because that is in use."""
TUNNEL_UNUSABLE: Final = 5
"""The exit code for a tunnel that cannot be started."""
TUNNEL_KEY: Final = "RACING_DEMON_TUNNEL_KEY"
"""The variable with the secret of the invitations."""
WITHOUT_REASON: Final = re.compile(
    r"\A(usage: .*^[\w -]+: error|racing-demon-server): ", re.DOTALL | re.MULTILINE
)
"""What stands before the reason in the output of a server's command."""
POLL_SECONDS: Final = 0.1
"""The interval at which a port is looked at."""


class JournalConfig(NamedTuple):
    """Whether and where a local server stores its tables.

    Attributes:
        durability: ``full`` survives a power cut, ``normal`` a crash of the server, ``none`` neither.
        path: the file; ``None`` for one in the user's data folder.

    """

    durability: str
    path: str | None = None


NO_JOURNAL: Final = JournalConfig("none")


@asynccontextmanager
async def local_server(
    *,
    port: int = 0,
    seed: bytes | None = None,
    bot_speed: float = 1.0,
    journal: JournalConfig = NO_JOURNAL,
    tell: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[str]:
    """Start a server, yield its URL, and stop it at the end.

    The server also stops when this process dies, because its standard input then ends. A server with a
    journal is restarted on the same port if it crashes.

    Args:
        port: the port; 0 for any free one.
        seed: 32 bytes that determine all deals; ``None`` for secret ones.
        bot_speed: how many times faster than people the bots play.
        journal: whether and where the server stores its tables.
        tell: is told if the server stores them elsewhere than the one before.

    Raises:
        ConnectionFailed: it did not start.
        JournalRefused: it did not start because its journal is unusable.

    """
    command = [*_command("127.0.0.1", journal), "--stop-with-stdin", f"--bot-speed={bot_speed}"]
    if seed is not None:
        command.append(f"--seed={seed.hex()}")
    server = _ServerProcess(command)
    try:
        url = await server.start(port)
        if NUMBERED.search(server.journal):
            tell(f"somebody practices here already, so this match is kept in {printable(server.journal)}")
        watching = asyncio.create_task(server.supervise(url, restarts=journal != NO_JOURNAL))
        try:
            yield url
        finally:
            watching.cancel()
    finally:
        await server.stop()


def _command(host: str, journal: JournalConfig, flags: Sequence[str] = ()) -> list[str]:
    """Return the server's command line, without the port."""
    command = [
        sys.executable,
        "-m",
        "racing_demon_server",
        f"--host={host}",
        f"--code-letters={CODE_LETTERS}",
    ]
    command += [f"--durability={journal.durability}", *flags]
    return command if journal.path is None else [*command, f"--journal={journal.path}"]


async def start_hosted_server(  # noqa: PLR0913 - what a server needs, each passed by its name
    *,
    host: str,
    port: int,
    journal: JournalConfig,
    code: str = "",
    flags: Sequence[str] = (),
    tunnel_key: str = "",
) -> tuple[str, int]:
    """Start a server that outlives this process, and ends with its table. Return its URL and its process id.

    Args:
        host: the address to listen on.
        port: the port; 0 for any free one.
        journal: whether and where it stores its tables.
        code: the code of the table in its journal; empty for the first one that is opened.
        flags: more command line arguments for the server.
        tunnel_key: the secret of the invitations over the internet, if it has a tunnel.

    Raises:
        ConnectionFailed: it did not start.
        JournalRefused: it did not start because its journal is unusable.
        TunnelRefused: it did not start because its tunnel cannot.

    """
    # Not asyncio's: that ends its processes when it closes.
    process = subprocess.Popen(  # noqa: ASYNC220, S603
        [*_command(host, journal, flags), f"--until-table-ends={code}", f"--port={port}"],
        env={**os.environ, TUNNEL_KEY: tunnel_key} if tunnel_key else None,  # arguments are no secret
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # the terminal's end is not the table's
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # the same on Windows
    )
    _host_processes[:] = [each for each in _host_processes if each.poll() is None] + [process]
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        try:
            async with asyncio.timeout(START_SECONDS):
                line = await asyncio.to_thread(process.stdout.readline)
            url = _url_in(line)
            if url is None:
                said = await asyncio.to_thread(process.stderr.read, 2_000)
                raise _failed(said, await asyncio.to_thread(process.wait))
        except BaseException as error:
            process.kill()  # which ends the reading threads
            process.wait()
            if isinstance(error, TimeoutError):
                raise _too_slow() from None
            raise
    return url, process.pid


_host_processes: Final[list[subprocess.Popen[bytes]]] = []
"""The hosts' servers that this process has started. A process object that is dropped earlier warns of it."""


async def is_listening(port: int) -> bool:
    """Return whether anything listens on a port of this machine."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


async def wait_until_ended(port: int) -> None:
    """Wait until nothing listens on a port of this machine any more, but not for ever."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STOP_SECONDS):
            while await is_listening(port):  # noqa: ASYNC110 - it is another process
                await asyncio.sleep(POLL_SECONDS)


class _ServerProcess:
    """The server's process.

    Attributes:
        journal: the journal that it has chosen by itself; empty if it has none, or one was named.

    Args:
        command: its command line, without the port.

    """

    def __init__(self, command: list[str]) -> None:
        self.journal = ""
        self._command = command
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, port: int) -> str:
        """Start it and return its URL; the next time with the same journal, whoever has ended meanwhile."""
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            *([f"--journal={self.journal}"] if self.journal else ()),
            f"--port={port}",
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,  # Ctrl-C is for the client, which then stops the server
        )
        url, journal = await _answer(self._process)
        self.journal = journal or self.journal
        return url

    async def supervise(self, url: str, *, restarts: bool) -> None:
        """Discard its standard error; if ``restarts``, restart it a few times when it crashes."""
        assert self._process is not None
        await _drain(self._process)
        port = int(url.rpartition(":")[2].partition("/")[0])
        for _ in range(MAX_RESTARTS):
            if not restarts or await self._process.wait() == 0:
                return
            with contextlib.suppress(ConnectionFailed):
                await self.start(port)
                await _drain(self._process)

    async def stop(self) -> None:
        """Stop it, by force if it takes too long."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_SECONDS):
                    await self._process.wait()
        finally:
            await end_process(self._process)  # too slow, or nobody waits for it any more


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Kill a program that has not ended, and wait until it has, however often the caller is cancelled."""
    is_cancelled = False
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):  # it may end at this moment
            process.kill()
    while process.returncode is None:
        try:
            await process.wait()
        except asyncio.CancelledError:
            is_cancelled = True
    if is_cancelled:
        raise asyncio.CancelledError


async def _answer(process: asyncio.subprocess.Process) -> tuple[str, str]:
    """Return a server's URL, and the journal that it has chosen; empty if it has chosen none."""
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
    except TimeoutError:
        raise _too_slow() from None
    url, chosen = _url_in(line), CHOSEN.search(line.decode(errors="replace"))
    if url is None:
        raise _failed(await process.stderr.read(2_000), await process.wait())
    return url, "" if chosen is None else chosen[1]


def _url_in(line: bytes) -> str | None:
    match = re.search(r"ws://\S+", line.decode(errors="replace"))
    return None if match is None else match.group()


def _too_slow() -> ConnectionFailed:
    return ConnectionFailed(f"The server did not start within {START_SECONDS:.0f} seconds.")


def own_words(said: bytes) -> str:
    """Return why a server's command failed, without its name and its usage: the user has not typed it."""
    return WITHOUT_REASON.sub("", said.decode(errors="replace").strip())


def _failed(said: bytes, code: int) -> ConnectionFailed:
    """Return the error of a server that did not start, in its own words."""
    text = own_words(said)
    if text and code == JOURNAL_UNUSABLE:
        return JournalRefused(text)
    if text and code == TUNNEL_UNUSABLE:
        return TunnelRefused(text)
    if refused := CANNOT_LISTEN.match(text):
        return PortRefused(text, refused[1].lower())
    return ConnectionFailed(text or "The server did not start, and gave no reason.")


async def _drain(process: asyncio.subprocess.Process) -> None:
    """Read and discard standard error: a full pipe would block the server."""
    assert process.stderr is not None
    while await process.stderr.read(4_096):
        pass
