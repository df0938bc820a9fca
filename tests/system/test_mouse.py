"""The mouse, by the bytes that a terminal sends: each gesture does its work once."""

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest
from benchmarks.pty_program import ProgramEnded, PtyProgram, Terminals

from tests.support.servers import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

SIZE: Final = (80, 24)
POLL_SECONDS: Final = 0.02
"""A terminal tells when a program writes, and not when it ends."""
ENDED: Final = os.WEXITED | os.WNOHANG | os.WNOWAIT if sys.platform != "win32" else 0
LEFT, RIGHT, DRAGGED = 0, 2, 32
"""Buttons, as SGR mouse reports number them; ``DRAGGED`` is added while the left one is held."""


class Mouse:
    """A program on a terminal, and the mouse before it."""

    def __init__(self, terminals: Terminals, program: PtyProgram) -> None:
        self._terminals = terminals
        self._program = program

    @property
    def text(self) -> str:
        """What the screen shows."""
        return self._program.screen.text

    def until(self, pattern: str) -> re.Match[str]:
        """Wait until the screen shows something."""
        assert self.shows(pattern, PATIENCE), f"{pattern!r} is not on the screen:\n{self.text}"
        match = re.search(pattern, self.text)
        assert match is not None
        return match

    def shows(self, pattern: str, seconds: float) -> bool:
        """Wait for so long at most; tell whether the screen shows something, and is painted whole."""
        shown, screen = re.compile(pattern), self._program.screen
        return self._terminals.wait(
            lambda: not screen.is_painting and shown.search(screen.text) is not None, seconds
        )

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._program.pid

    def lose(self, how: str) -> None:
        """Close the terminal's window, or kill the program, and wait until it has ended."""
        if how == "window":
            self._terminals.forget(self._program.fd)
            hung_up, self._program.fd = self._program.fd, os.open(os.devnull, os.O_RDONLY)
            os.close(hung_up)
        else:
            os.kill(self.pid, signal.SIGKILL if how == "kill -9" else signal.SIGTERM)
        self.ended()

    def ended(self) -> None:
        """Wait until the program has ended."""
        until = time.monotonic() + PATIENCE
        while not os.waitid(os.P_PID, self.pid, ENDED):
            assert time.monotonic() < until, f"the program goes on:\n{self.text}"
            with contextlib.suppress(ProgramEnded):
                self._terminals.drain(POLL_SECONDS)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._program.fd, keys.encode())

    def report(self, button: int, pattern: str, *, is_down: bool = True) -> None:
        """Send what a terminal sends when a button goes down or up over a text on the screen."""
        place = self.until(pattern).start()
        before = self.text[:place]
        row, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        self.type(f"\x1b[<{button};{column};{row}{'M' if is_down else 'm'}")

    def click(self, pattern: str, button: int = LEFT) -> None:
        """Click a text."""
        self.report(button, pattern)
        self.report(button, pattern, is_down=False)

    def drag(self, source: str, destination: str) -> None:
        """Drag from one text to another."""
        self.report(LEFT, source)
        self.report(LEFT + DRAGGED, destination)
        self.report(LEFT, destination, is_down=False)


@contextmanager
def mouse(folder: Path, *arguments: str, size: tuple[int, int] = SIZE) -> Iterator[Mouse]:
    """Start the client on a terminal."""
    env = {name: text for name, text in os.environ.items() if not name.startswith("LC_")}
    env |= {f"RACING_DEMON_{kind}": str(folder) for kind in ("CONFIG", "STATE", "DATA")}
    env |= {"LANG": "C.UTF-8", "TERM": "xterm-256color"}
    with ExitStack() as stack:
        terminals = stack.enter_context(Terminals())
        command = [sys.executable, "-m", "racing_demon_client", *arguments]
        program = stack.enter_context(PtyProgram("client", command, size, env))
        terminals.add(program.fd, program.read)
        yield Mouse(terminals, program)


def test_a_click_a_drag_and_a_double_click_each_do_their_work_once(solo: Mouse) -> None:
    """A card that is dragged to where it fits is played, a click turns the stock, two send a card up."""
    solo.drag("5♠", "6♦")
    solo.until("1 play ")
    solo.drag("5♦", "Q♦")
    solo.until("0 of 52 done")
    for told in ("2 plays", "3 plays"):
        solo.click(r"(?<=stock )▒")
        solo.until(told)
    solo.until("stock ▒22")
    plays, ace = turn_up_an_ace(solo)
    for _ in range(2):
        solo.click(ace)
    solo.until(rf"{plays + 1} plays +1 of 52 done")


def turn_up_an_ace(solo: Mouse) -> tuple[int, str]:
    """Turn the stock until an ace lies on the waste; return how many plays that makes, and the ace."""
    for _ in range(24):
        if re.search(r"waste .*A[♠♥♣♦]", solo.text.split("\n")[7]):
            break
        left = int(solo.until(r"stock ▒(\d+)")[1])
        solo.click(r"(?<=stock )▒")
        solo.until(rf"stock (▒{left - 1}\b|··)")
    return int(solo.until(r"(\d+) plays?")[1]), solo.until("A[♠♥♣♦]")[0]


@pytest.mark.long
def test_a_right_click_sends_up_once(solo: Mouse) -> None:
    """A click with the right button sends one card up."""
    plays, ace = turn_up_an_ace(solo)
    solo.click(ace, RIGHT)
    solo.until(rf"{plays + 1} plays +1 of 52 done")


@pytest.mark.long
def test_one_click_picks_up_and_the_next_puts_down(solo: Mouse) -> None:
    """A click on a column holds its card, and one on another column plays it there."""
    solo.click("5♠")
    solo.until("▸5♠")
    solo.click("6♦")
    solo.until("1 play ")


@pytest.mark.long
def test_a_click_beside_everything_lets_go(solo: Mouse) -> None:
    """A click on nothing lets go of what is held, and plays nothing."""
    solo.click("5♠")
    solo.until("▸5♠")
    solo.click(r"(?m)^ +$")
    solo.until("(?<!▸)5♠")
    assert "0 plays" in solo.text


@pytest.mark.long
def test_each_click_in_the_lobby_does_one_thing(tmp_path: Path) -> None:
    """A click on a key of the lobby is one press of it: one bot comes, and one goes."""
    with mouse(tmp_path, "host", "--name", "Ann", "--port", "0") as lobby:
        lobby.click("b add a bot")
        lobby.click("1 easy")
        lobby.until(r"2 Ada")
        lobby.click("b add a bot")
        lobby.click("2 medium")
        lobby.until(r"3 \w+ .*medium")
        lobby.until("5 seats free")
        lobby.click("- remove bot")
        lobby.until("6 seats free")
        assert "2 Ada" in lobby.text


@pytest.mark.long
def test_a_click_closes_the_help_and_nothing_beneath(solo: Mouse) -> None:
    """The click that closes the help does nothing on the table below it."""
    solo.click(r"\? help")
    solo.until("other key: back")
    solo.click(r"(?m)^ .")
    solo.until("stock ▒24")
    assert "0 plays" in solo.text


@pytest.mark.long
def test_one_click_on_the_stock_turns_it_once_at_a_table(tmp_path: Path) -> None:
    """At a table with others, too, a click on the stock is one play."""
    options = ["--option", "countdown_ms=0", "--option", "tally_ms=600000", "--option", "turn=1"]
    with mouse(tmp_path, "host", "--name", "Ann", "--port", "0", *options) as table:
        table.click("b add a bot")
        table.click("1 easy")
        table.until("2 Ada")
        table.type("\r")
        table.click(r"(?<=\[space\] stock )▒")
        table.until("▒23")
        table.click(r"(?<=\[space\] stock )▒")
        table.until("▒22")
