"""A program on a terminal of its own, driven as by a player: keys in, paints out."""

import contextlib
import fcntl
import os
import pty
import selectors
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from benchmarks.screen import Screen

SYNC_QUERY: Final = b"\x1b[?2026$p"
SYNC_ANSWER: Final = b"\x1b[?2026;2$y"
"""Known, and off now: from then on a program wraps each paint between ``?2026h`` and ``?2026l``."""
STOP_SECONDS: Final = 3.0


class ProgramEnded(Exception):
    """A program is gone that is still needed."""


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run."""
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    except OSError:
        return []


def end_all(pids: Iterable[int]) -> None:
    """End processes by force."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class PtyProgram:
    """A program on a pseudo-terminal; as a context it is there, and gone in the end.

    Attributes:
        name: what it is called.
        pid: the number of its process.
        fd: our end of its terminal.
        screen: what it shows.

    Args:
        name: what it is called.
        command: the program and its arguments.
        size: columns and rows.
        env: its environment.

    """

    def __init__(
        self, name: str, command: Sequence[str], size: tuple[int, int], env: Mapping[str, str]
    ) -> None:
        self.name = name
        self.pid = 0
        self.fd = -1
        self.screen = Screen(*size)
        self._command = list(command)
        self._size = size
        self._env = dict(env)

    def __enter__(self) -> Self:
        columns, rows = self._size
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # Here is another process: whatever goes wrong, our own contexts must not be left a second time.
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execve(self._command[0], self._command, self._env)  # noqa: S606
            finally:
                os._exit(127)
        return self

    def __exit__(self, *_: object) -> None:
        # The program leads a process group of its own, and all that it started, except a host's server.
        servers = children_of(self.pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGTERM)
        until = time.monotonic() + STOP_SECONDS
        while not self._is_gone() and time.monotonic() < until:
            self._drain()
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        os.close(self.fd)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        end_all(servers)

    def _is_gone(self) -> bool:
        try:
            return os.waitpid(self.pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True

    def _drain(self) -> None:
        """Read what comes last: a program that waits for its output to be read does not end."""
        os.set_blocking(self.fd, False)
        with contextlib.suppress(OSError):
            os.read(self.fd, 65_536)

    def read(self) -> None:
        """Take what the program wrote.

        Raises:
            ProgramEnded: it ended.

        """
        try:
            data = os.read(self.fd, 65_536)
        except OSError:  # so Linux tells that nobody is at the other end any more
            data = b""
        if not data:
            raise ProgramEnded(f"{self.name} ended; the last that it showed:\n{self.screen.text.rstrip()}")
        if SYNC_QUERY in data:
            os.write(self.fd, SYNC_ANSWER)
        self.screen.feed(data)


class Terminals:
    """All that is to be read, read as it comes: a program whose output nobody reads stands still."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()

    def add(self, fd: int, read: Callable[[], None]) -> None:
        """Drain this one, too, by calling ``read`` when there is something."""
        self._selector.register(fd, selectors.EVENT_READ, read)

    def forget(self, fd: int) -> None:
        """Drain this one no longer."""
        self._selector.unregister(fd)

    def drain(self, seconds: float) -> None:
        """Drain all for a time."""
        self.wait(lambda: False, seconds)

    def wait(self, is_done: Callable[[], bool], seconds: float) -> bool:
        """Drain all until something has happened, or for a time; return whether it has."""
        until = time.monotonic() + seconds
        while not is_done():
            left = until - time.monotonic()
            if left <= 0:
                return False
            for key, _ in self._selector.select(left):
                key.data()
        return True
