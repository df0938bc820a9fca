"""Several processes that form one server, each with its own tables, port and journal.

The parent opens all ports, forks the workers, and replaces those that die. It keeps the ports open, so that
clients of a dead process wait for its replacement instead of being refused.
"""

import contextlib
import gc
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from racing_demon_protocol.engine.deal import subseed
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.sqlite.database import journal_of, reading
from racing_demon_server.journal.sqlite.lock_file import LockFile
from racing_demon_server.net.gateway import MAX_WAITING, url_of

from .ops import service_manager
from .settings import ServerSettings
from .sharding import MAX_PROCESSES, Shards, owner

MAX_DEATHS: Final = 5
"""The server gives up after this many processes in a row have died before they listened."""
RESTART_SECONDS: Final = 0.5
"""The shortest time between two starts of a process."""
STOPPING: Final = frozenset({signal.SIGTERM, signal.SIGINT})

log = logging.getLogger("racing_demon_server")


class Inherited(NamedTuple):
    """What a worker process inherits from its parent.

    Attributes:
        sockets: the listening sockets: the shared one, and its own.
        lifeline: a pipe that ends with the parent.
        beat: tells the parent that this process lives.
        beat_seconds: how often; 0 for never.

    """

    sockets: Sequence[socket.socket]
    lifeline: int
    beat: Callable[[], object]
    beat_seconds: float


Work = Callable[[ServerSettings, Callable[[str], None], Inherited], int]
"""Serves until stopped, given its settings and a callback for when it listens. Returns the exit code."""


def serve_all(settings: ServerSettings, count: int, work: Work, announce: Callable[[str], None]) -> int:
    """Serve with several processes until a signal stops them, and return the exit code.

    Args:
        settings: the server's; its journal belongs to the first process, the others' are beside it. Limits
            count for each process.
        count: the number of processes; their own ports follow the server's.
        work: serves in each process.
        announce: receives the URL when all processes listen.

    Raises:
        OSError: a port is not available; ``filename`` says which.
        JournalUnusable: one of the journals cannot be used.

    """
    with contextlib.ExitStack() as stack:
        shared = stack.enter_context(listening(settings.host, settings.port))
        own = [
            stack.enter_context(listening(settings.host, settings.port and settings.port + number))
            for number in range(1, count + 1)
        ]
        journal = settings.journal
        journals = [None if journal is None else journal_of(journal, n) for n in range(1, count + 1)]
        shards = Shards(ports=tuple(_port_of(listener) for listener in own), strays=_strays(journals))
        each = [
            replace(
                settings,
                port=_port_of(shared),
                journal=journals[number - 1],
                first_journal=journal,
                seed=None if settings.seed is None else subseed(settings.seed, f"process/{number}"),
                node=settings.node and f"{settings.node}{number}",
                shards=replace(shards, number=number),
            )
            for number in range(1, count + 1)
        ]
        return Parent(each, work, shared, own).run(announce)


@dataclass
class Process:
    """A process that was started.

    Attributes:
        number: its number, from 1.
        began: the time of its start, in seconds.
        word: a pipe that receives one byte when the process listens, then one for each of its beats.
        listens: whether it listens.

    """

    number: int
    began: float
    word: int
    listens: bool = False

    def await_word(self) -> bool:
        """Wait until the process listens. Return ``False`` if it has ended instead."""
        self.listens = bool(os.read(self.word, 1))
        os.set_blocking(self.word, False)
        return self.listens

    def has_beaten(self) -> bool:
        """Return whether it has said that it lives since this was last asked."""
        try:
            return bool(os.read(self.word, 1_024))
        except BlockingIOError:
            return False


class Parent:
    """Supervises the processes.

    Args:
        each: the settings of each.
        work: what each of them does.
        shared: the shared listening socket.
        own: the listening socket of each.

    """

    def __init__(
        self, each: Sequence[ServerSettings], work: Work, shared: socket.socket, own: Sequence[socket.socket]
    ) -> None:
        self._each = each
        self._work = work
        self._shared = shared
        self._own = own
        self._running: dict[int, Process] = {}
        self._deaths = [0] * len(each)
        self._patience = 1
        self._stopping = False
        self._code = 0
        self._lifeline, self._held = os.pipe()
        self._beat_seconds = service_manager.beat_seconds()
        self._beating: set[int] = set()

    def run(self, announce: Callable[[str], None]) -> int:
        """Start all processes, replace those that die, and return the exit code when all have ended."""
        for stopping in STOPPING:
            signal.signal(stopping, self._stop)
        gc.freeze()  # loaded modules are shared until a process writes to them
        for number in range(1, len(self._each) + 1):
            self._start(number)
        if all(process.await_word() for process in self._running.values()):
            self._patience = MAX_DEATHS
            first = self._each[0]
            announce(url_of(first.host, first.port, first.base_path))
            self._keep_beating()
        while self._running:
            pid, status = os.wait()
            process = self._running.pop(pid)
            os.close(process.word)
            if not self._stopping:
                self._replace(process, os.waitstatus_to_exitcode(status))
        return self._code

    def _keep_beating(self) -> None:
        """Tell the service manager time and again that all processes live, as long as they do."""
        if self._beat_seconds:
            signal.signal(signal.SIGALRM, self._beat)
            signal.setitimer(signal.ITIMER_REAL, self._beat_seconds, self._beat_seconds)

    def _beat(self, *_: object) -> None:
        # One that is being started again may take its time to read its tables.
        listening = {pid: process for pid, process in self._running.items() if process.listens}
        self._beating |= {pid for pid, process in listening.items() if process.has_beaten()}
        if self._beating >= listening.keys():
            self._beating.clear()
            service_manager.beat()

    def _replace(self, process: Process, code: int) -> None:
        """Restart a process that has ended, unless it keeps failing before it listens."""
        index = process.number - 1
        self._deaths[index] = 0 if process.listens else self._deaths[index] + 1
        if self._deaths[index] >= self._patience:
            self._code = max(code, 1)
            self._stop()
            return
        log.warning("a process ended; it is started again", extra={"number": process.number, "code": code})
        time.sleep(max(0.0, process.began + RESTART_SECONDS - time.monotonic()))
        again = self._start(process.number)
        if again is not None:
            again.await_word()

    def _start(self, number: int) -> Process | None:
        """Start a process, unless all are to stop."""
        # A signal must not come between the decision to start it and its registration.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        try:
            if self._stopping:
                return None
            word, says = os.pipe()
            pid = os.fork()
            if not pid:
                self._become(number, says)
            os.close(says)
            process = self._running[pid] = Process(number, time.monotonic(), word)
            return process
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    def _become(self, number: int, says: int) -> NoReturn:
        """Run as one of the processes until it ends."""
        code = 1
        try:
            os.setpgid(0, 0)  # Ctrl-C is for the parent, which stops all processes
            os.close(self._held)
            for stopping in STOPPING:
                signal.signal(stopping, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
            for other in self._running.values():
                os.close(other.word)
            self._running.clear()
            own = self._own[number - 1]
            for listener in self._own:
                if listener is not own:
                    listener.close()
            beat = partial(_write_word, says)
            inherited = Inherited((self._shared, own), self._lifeline, beat, self._beat_seconds / 2)
            code = self._work(self._each[number - 1], lambda _url: _write_word(says), inherited)
        except BaseException:
            log.exception("a process failed", extra={"number": number})
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _stop(self, *_: object) -> None:
        self._stopping = True
        for pid in self._running:
            with contextlib.suppress(ProcessLookupError):  # the process may have ended already
                os.kill(pid, signal.SIGTERM)


def _write_word(word: int) -> None:
    os.write(word, b".")


def listening(host: str, port: int) -> socket.socket:
    """Return a listening socket. Connections wait on it until somebody accepts them."""
    try:
        addresses = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = addresses[0]
        plain = socket.create_server(address, family=family, backlog=MAX_WAITING)
    except OSError as error:
        # The library's text names the address once more.
        why = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise OSError(error.errno, why, f"{host}:{port}") from error
    # Without the protocol's number, asyncio leaves out TCP_NODELAY, and plays wait for 40 ms.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, plain.detach())


def _port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def _strays(journals: Sequence[Path | None]) -> dict[str, int]:
    """Return the tables whose codes name another process than the one whose journal holds them.

    Raises:
        JournalUnusable: one of the journals cannot be used.

    """
    strays: dict[str, int] = {}
    for number, path in enumerate(journals, 1):
        if path is not None and path.exists():
            lock = LockFile(path)
            try:
                codes = _open_codes(path, write=True)
            finally:
                lock.release()
            strays |= {code: number for code in codes if owner(code, len(journals)) != number}
    return strays


def _open_codes(path: Path, *, write: bool) -> list[str]:
    with reading(path, write=write) as db:
        return [table.code for table in db.tables(only_open=True)]


def warn_of_others(path: Path | None, count: int) -> None:
    """Warn of open tables in the journals of other processes, which nobody can reach now."""
    if path is None:
        return
    for number in range(count + 1, MAX_PROCESSES + 1):
        other = journal_of(path, number)
        if other.exists():
            with contextlib.suppress(JournalUnusable):
                if left := len(_open_codes(other, write=False)):
                    log.warning(
                        "tables of an earlier process stay in its journal; more --processes open them again",
                        extra={"journal": str(other), "tables": left, "processes": number},
                    )
