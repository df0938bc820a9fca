"""How the terminal client ends when somebody else ends it, or a fault."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from benchmarks.pty_program import ProgramEnded, PtyProgram, Terminals

from tests.support.effort import usually
from tests.support.servers import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@contextmanager
def playing(folder: Path) -> Iterator[tuple[PtyProgram, Terminals]]:
    """Start the program on a terminal of its own, and wait until it shows its table."""
    env = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    env |= {f"RACING_DEMON_{kind}": str(folder) for kind in ("CONFIG", "STATE")}
    command = [sys.executable, "-m", "racing_demon_client", "play", "--bots", "1"]
    with Terminals() as terminals, PtyProgram("the program", command, (80, 24), env) as program:
        terminals.add(program.fd, program.read)
        assert terminals.wait(lambda: "Enter deals." in program.screen.text, PATIENCE)
        yield program, terminals


def exit_code(pid: int) -> int:
    """Wait until a program has ended, and return its exit code, or minus the signal that ended it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    raise AssertionError("the program goes on")


@pytest.mark.long
def test_a_terminal_that_is_gone_ends_the_program(tmp_path: Path) -> None:
    """Whoever loses the terminal, as with a broken ssh, leaves no program behind that nobody sees."""
    with playing(tmp_path) as (program, terminals):
        terminals.forget(program.fd)
        hung_up, program.fd = program.fd, os.open(os.devnull, os.O_RDONLY)
        os.close(hung_up)
        assert exit_code(program.pid) == -signal.SIGHUP


@pytest.mark.long
def test_a_program_that_is_ended_restores_the_terminal(tmp_path: Path) -> None:
    """SIGTERM ends the program with 143, and gives back the cursor and the screen that was there before."""
    with playing(tmp_path) as (program, terminals):
        os.write(program.fd, b"\r")
        seen: list[bytes] = []
        terminals.forget(program.fd)
        terminals.add(program.fd, lambda: seen.append(_read(program)))
        os.kill(program.pid, signal.SIGTERM)
        with pytest.raises(ProgramEnded):
            terminals.drain(PATIENCE)
        assert exit_code(program.pid) == 128 + signal.SIGTERM
        assert b"\x1b[?1049l" in b"".join(seen)
        assert b"\x1b[?25h" in b"".join(seen)


def _read(program: PtyProgram) -> bytes:
    try:
        return os.read(program.fd, 65_536)
    except OSError as error:
        raise ProgramEnded("it ended") from error


@pytest.mark.long
@pytest.mark.parametrize("command", usually(1, [["solo", "clock", "--plain"], ["play", "--plain"]]))
def test_an_interrupt_ends_plain_text_at_once(tmp_path: Path, command: list[str]) -> None:
    """Ctrl-C ends a game in plain text with 130 while it waits for a line, and without a traceback."""
    env = {**os.environ, "LANG": "C.UTF-8"}
    env |= {f"RACING_DEMON_{kind}": str(tmp_path) for kind in ("CONFIG", "STATE")}
    whole = [sys.executable, "-m", "racing_demon_client", *command]
    with Terminals() as terminals, PtyProgram("the program", whole, (80, 24), env) as program:
        terminals.add(program.fd, program.read)
        assert terminals.wait(lambda: "? lists the commands." in program.screen.text, PATIENCE)
        os.write(program.fd, b"\x03")
        with pytest.raises(ProgramEnded):
            terminals.drain(PATIENCE)
        assert exit_code(program.pid) == 130
        assert "Traceback" not in program.screen.text


@pytest.mark.long
def test_a_dumb_terminal_gets_no_escape_sequences(tmp_path: Path) -> None:
    """Where the terminal says that it is dumb, the table is played line by line."""
    env = {**os.environ, "TERM": "dumb", "LANG": "C.UTF-8"}
    env |= {f"RACING_DEMON_{kind}": str(tmp_path) for kind in ("CONFIG", "STATE")}
    command = [sys.executable, "-m", "racing_demon_client", "play", "--bots", "1"]
    with Terminals() as terminals, PtyProgram("the program", command, (80, 24), env) as program:
        seen = bytearray()
        terminals.add(program.fd, lambda: seen.extend(os.read(program.fd, 65_536)))
        assert terminals.wait(lambda: b"you have seat 1" in seen, PATIENCE)
        assert b"\x1b" not in seen


FAULTY = """
import sys
from racing_demon_client.__main__ import main
from racing_demon_client.terminal.app import TerminalApp

TerminalApp.on_mount = lambda self: 1 / 0
sys.exit(main())
"""
"""The program with an error in its screens."""


@pytest.mark.parametrize("command", usually(1, [["solo", "clock"], []]))
def test_a_fault_of_a_screen_ends_the_program_with_5(tmp_path: Path, command: list[str]) -> None:
    """At a table and on the first screen it is told where the details are, and scripts see that it failed."""
    env = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    env |= {f"RACING_DEMON_{kind}": str(tmp_path) for kind in ("CONFIG", "STATE")}
    whole = [sys.executable, "-c", FAULTY, *command]
    with Terminals() as terminals, PtyProgram("the program", whole, (80, 24), env) as program:
        terminals.add(program.fd, program.read)
        with pytest.raises(ProgramEnded, match="This program failed because of an error in it"):
            terminals.drain(PATIENCE)
        assert exit_code(program.pid) == 5
    assert "ZeroDivisionError" in (tmp_path / "fault.txt").read_text("utf-8")
