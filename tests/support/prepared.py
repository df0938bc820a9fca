"""Programs that are loaded once and started often: each start is a fork, and so a process of its own.

The interpreter and the imports cost a hundred times as much as what most tests ask of a program. What is
forked has its own arguments, environment, streams and folder, and is signalled, killed and waited for like
any other. That the programs load and start by themselves is stated where they are started as users do it.

``python -m tests.support.prepared NAME`` is the program that forks: it takes requests from the socket that is
its standard input.
"""

import asyncio
import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final, TextIO

MAX_REQUEST: Final = 100_000
STDERR: Final = 2
ENDED: Final = 3
"""Behind the three streams comes what the exit code is written to."""
AS_PREPARED: Final = ("PYTHON", "LANG", "LC_", "TZ", "COLUMNS", "TERM", "NO_COLOR")
"""How the names begin of variables that count when a program is loaded."""


Mains = Mapping[str, Callable[[], int | None]]
"""By the name of its module what runs a program, and returns its exit code."""


def _server() -> Mains:
    from racing_demon_server import cli  # noqa: PLC0415

    with cli.without_modules("rich"):
        from racing_demon_server.ops import logs  # noqa: F401, PLC0415
    from racing_demon_server import processes, server  # noqa: F401, PLC0415
    from racing_demon_server.__main__ import main  # noqa: PLC0415

    with contextlib.suppress(ImportError):
        from racing_demon_cluster import server as cluster  # noqa: F401, PLC0415 - psycopg is an extra
    from tests.support.fork_server import serve as fork_server  # noqa: PLC0415

    return {"racing_demon_server": main, "tests.support.fork_server": fork_server}


def _client() -> Mains:
    from racing_demon_client.__main__ import main  # noqa: PLC0415
    from racing_demon_client.cli import commands, record_commands  # noqa: F401, PLC0415

    return {"racing_demon_client": main}


LOADED_BY: Final = {
    "racing_demon_server": _server,
    "tests.support.fork_server": _server,
    "racing_demon_client": _client,
}
"""By the name of a program's module what loads it, perhaps with others."""


def serve(mains: Mains) -> int | None:
    """Fork a program for each request, and return its exit code there; here return when nobody asks any more.

    Args:
        mains: the programs.

    """
    door = socket.socket(fileno=os.dup(0))
    ends: dict[int, int] = {}

    def reap(*_: object) -> None:
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                end = ends.pop(found[0])
                with contextlib.suppress(BrokenPipeError):
                    os.write(end, b"%d" % os.waitstatus_to_exitcode(found[1]))
                os.close(end)

    signal.signal(signal.SIGCHLD, reap)
    gc.freeze()
    while True:
        request, descriptors, _, _ = socket.recv_fds(door, MAX_REQUEST, ENDED + 1)
        if not request:
            return 0
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            door.close()
            for number, name in enumerate(("stdin", "stdout", "stderr")):
                os.dup2(descriptors[number], number)
                setattr(sys, name, _stream(number, getattr(sys, name)))
            for descriptor in (*descriptors, *ends.values()):
                os.close(descriptor)
            module, arguments, environment, folder = json.loads(request)
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            sys.argv[1:] = arguments
            return mains[module]()
        ends[pid] = descriptors[ENDED]
        for descriptor in descriptors[:ENDED]:
            os.close(descriptor)
        door.send(b"%d" % pid)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _stream(number: int, like: TextIO) -> IO[Any]:
    """Return a standard stream as the interpreter opens it; what it has opened was the null device."""
    mode, buffering = ("w" if number else "r"), (1 if number == STDERR else -1)
    return open(number, mode, buffering, like.encoding, like.errors, closefd=False)


class Forked:
    """A program that was forked, with what :class:`asyncio.subprocess.Process` has.

    Attributes:
        returncode: how it ended; ``None`` as long as that is not known.

    """

    def __init__(
        self,
        pid: int,
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
        status: asyncio.StreamReader,
    ) -> None:
        self.pid = pid
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.returncode: int | None = None
        self._ended = asyncio.create_task(self._end(status))

    async def _end(self, status: asyncio.StreamReader) -> int:
        self.returncode = int(await status.read())
        return self.returncode

    async def wait(self) -> int:
        """Wait until it has ended, and return its exit code."""
        return await asyncio.shield(self._ended)

    async def communicate(self, typed: bytes = b"") -> tuple[bytes, bytes]:
        """Type something, end its input, and return what is left of its output when it has ended."""
        with contextlib.suppress(ConnectionError):
            if not self.stdin.is_closing():
                self.stdin.write(typed)
                await self.stdin.drain()
        self.stdin.close()
        out, err = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return out, err

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        if self.returncode is not None:
            raise ProcessLookupError
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)


_DOORS: Final[dict[Callable[[], Mains], socket.socket]] = {}
_PROCESSES: Final[list[subprocess.Popen[bytes]]] = []
_PREPARED: Final[dict[str, str]] = {}
_ONE_AT_A_TIME: Final = threading.Lock()


def _loading(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(AS_PREPARED)}


def _door(module: str) -> socket.socket:
    """Return the socket of the process that has loaded a program; the first who asks starts it."""
    loading = LOADED_BY[module]
    if loading not in _DOORS:
        own, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            command = (sys.executable, "-m", "tests.support.prepared", module)
            preparing = subprocess.Popen(command, stdin=its.fileno(), stdout=subprocess.DEVNULL)  # noqa: S603

        _DOORS[loading] = own
        _PROCESSES.append(preparing)
    return _DOORS[loading]


def end_all() -> None:
    """End those that fork programs, when all tests have ended."""
    for door in _DOORS.values():
        door.close()
    for process in _PROCESSES:
        process.kill()
        process.wait()


def _namespaces() -> list[str]:
    """Return the network and the mounts that this thread sees, where there are several."""
    with contextlib.suppress(OSError):
        return [os.readlink(f"/proc/thread-self/ns/{kind}") for kind in ("net", "mnt")]
    return []


_NAMESPACES: Final = _namespaces()


def can_fork(module: str, environment: Mapping[str, str]) -> bool:
    """Return whether a fork is the same as a start: nothing counts that is decided before a program runs."""
    if not _PREPARED:
        _PREPARED.update(_loading(os.environ))
    is_as_prepared = _loading(environment) == _PREPARED and _namespaces() == _NAMESPACES
    return sys.platform == "linux" and module in LOADED_BY and is_as_prepared


def _asked(door: socket.socket, request: bytes, descriptors: Sequence[int]) -> int:
    """Have a program forked, and return the number of its process. The descriptors are closed here."""
    with _ONE_AT_A_TIME:
        socket.send_fds(door, [request], descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return int(door.recv(20))


async def fork(
    module: str, arguments: Sequence[str], environment: Mapping[str, str], stderr: TextIO | None = None
) -> Forked:
    """Start a program, with its streams as pipes; what it complains of may go elsewhere."""
    sys.audit("tests.fork", arguments)
    door = _door(module)
    typed, out, err, status = (os.pipe() for _ in range(ENDED + 1))
    if stderr is not None:
        os.dup2(stderr.fileno(), err[1])
    its = (typed[0], out[1], err[1], status[1])
    request = json.dumps([module, list(arguments), dict(environment), str(Path.cwd())])
    pid = await asyncio.to_thread(_asked, door, request.encode(), its)
    writer = await _writer(typed[1])
    readers = [await _reader(descriptor) for descriptor in (out[0], err[0], status[0])]
    return Forked(pid, writer, *readers)


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    pipe = open(descriptor, "rb", buffering=0)  # noqa: SIM115 - the transport closes it
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    pipe = open(descriptor, "wb", buffering=0)  # noqa: SIM115 - the transport closes it
    transport, protocol = await loop.connect_write_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return asyncio.StreamWriter(transport, protocol, reader, loop)


if __name__ == "__main__":
    sys.exit(serve(LOADED_BY[sys.argv[1]]()))
