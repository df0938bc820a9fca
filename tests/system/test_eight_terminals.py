"""Terminal clients on terminals of their own, on one table, against each other: eight in the long run."""

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest
from benchmarks.pty_program import ProgramEnded, PtyProgram, Terminals

from racing_demon_protocol.records.format import read_messages
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages.events import HandOver, Played
from tests.support.effort import amount, more_when_long
from tests.support.recordings import events_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

PLAYERS: Final = amount(2, 8)
SIZE: Final = (80, 24)
PATIENCE: Final = 60.0
OVER: Final = "Checked: you took part in the shuffle"
ROUNDS: Final = amount(1, 6)
MAX_ROUNDS: Final = 15
"""Each turns two cards: the whole stock, whose aces the script plays."""
CARD: Final = re.compile(r"[A2-9TJQK][♠♥♣♦]")
SCRIPT: Final = ("w", "r", "u", "e", "i", "o", "q", " ", ";;", " ", "p")
"""What hands on a keyboard may do without looking: up from all columns, turn, best plays, waste up."""
KEY_SECONDS: Final = 0.5
"""Whoever presses faster, and finds nothing, is ignored for a moment."""


class Eight:
    """The eight programs, read as they write."""

    def __init__(self, terminals: Terminals, programs: list[PtyProgram]) -> None:
        self.terminals = terminals
        self.programs = programs

    def until(self, pattern: str, *programs: PtyProgram) -> None:
        """Wait until a screen, or all of them, shows something."""
        shown = re.compile(pattern)
        for program in programs or self.programs:
            found = self.terminals.wait(lambda: shown.search(program.screen.text) is not None, PATIENCE)  # noqa: B023
            assert found, f"{program.name} does not show {pattern!r}:\n{program.screen.text}"

    def type(self, keys: str, *programs: PtyProgram) -> None:
        """Type at one, or at all."""
        for program in programs or self.programs:
            os.write(program.fd, keys.encode())

    def race(self) -> None:
        """Press the script's keys at all, ``ROUNDS`` times and until a card is on the foundations."""
        for number in range(MAX_ROUNDS):
            if number >= ROUNDS and any(CARD.search(text) for text in self.foundations()):
                return
            for keys in SCRIPT:
                self.type(keys)
                self.terminals.drain(KEY_SECONDS)

    def end_stuck(self) -> None:
        """Let all say that they are stuck; a card that is played takes that back, and all say it again."""
        for _ in range(ROUNDS):
            self.type(
                "v", *(each for each in self.programs if "said that you are stuck" not in each.screen.text)
            )
            if self.terminals.wait(lambda: all(OVER in each.screen.text for each in self.programs), 10.0):
                return
        self.until(OVER)

    def foundations(self) -> set[str]:
        """Return what the screens show of the foundations: one text where all show the same.

        Of two aces that came at once each screen may have another first.
        """
        rows = [program.screen.text.split("\n")[2:6] for program in self.programs]
        return {"\n".join(" ".join(sorted(row[:40].split())) for row in four) for four in rows}

    def leave(self, program: PtyProgram) -> int:
        """Leave the table as a player does, and return the exit code."""
        self.type("\x03", program)
        self.until("Leave the table", program)
        self.type("y", program)
        with contextlib.suppress(ProgramEnded):
            self.terminals.drain(PATIENCE)
            raise AssertionError(f"{program.name} goes on:\n{program.screen.text}")
        self.terminals.forget(program.fd)
        return os.waitstatus_to_exitcode(os.waitpid(program.pid, 0)[1])


@contextmanager
def eight(folder: Path) -> Iterator[Eight]:
    """Let one host a table, and seven join it."""
    env = {
        **{name: text for name, text in os.environ.items() if not name.startswith("LC_")},
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }
    with ExitStack() as stack:
        terminals = stack.enter_context(Terminals())
        players = Eight(terminals, [])

        def start(*arguments: str) -> None:
            number = len(players.programs) + 1
            kinds = ("CONFIG", "STATE", "DATA")
            own = {f"RACING_DEMON_{kind}": str(folder / f"player-{number}") for kind in kinds}
            record = str(folder / f"{number}.jsonl")
            command = [sys.executable, "-m", "racing_demon_client", *arguments]
            command += ["--name", f"Player {number}", "--record", record]
            program = PtyProgram(f"player {number}", command, SIZE, env | own)
            stack.enter_context(program)
            terminals.add(program.fd, program.read)
            players.programs.append(program)

        start(
            "host",
            "--port",
            "0",
            "--hands",
            "2",
            "--option",
            "countdown_ms=1000",
            "--option",
            "tally_ms=600000",
            "--option",
            "turn=1",  # whoever goes on reaches every card of the stock, and so an ace
        )
        players.until(r"http://\S+/[A-Z]{4} in a browser")
        found = re.search(r"http://[^:]+:(\d+)/([A-Z]{4})", players.programs[0].screen.text)
        assert found is not None
        for _ in range(PLAYERS - 1):
            start("join", f"ws://127.0.0.1:{found[1]}", found[2])
        players.until(rf"Player {PLAYERS}")
        yield players


@more_when_long
def test_all_terminals_on_one_table(tmp_path: Path) -> None:
    """All race for a hand by keys; all screens and all records end alike, and nothing goes wrong."""
    with eight(tmp_path) as players:
        players.type("\r", *players.programs[1:])
        for number in range(2, PLAYERS + 1):
            players.until(f"Player {number} +(you +)?ready")
        players.type("\r", players.programs[0])
        players.until(r"0:0\d  play!")
        players.race()
        agreed = players.terminals.wait(lambda: len(players.foundations()) == 1, PATIENCE)
        assert agreed, "\n".join(program.screen.text for program in players.programs)
        (foundations,) = players.foundations()
        assert CARD.search(foundations)
        players.end_stuck()
        codes = [players.leave(program) for program in reversed(players.programs)]
    assert codes == [0] * PLAYERS
    assert not list(tmp_path.glob("*/fault.txt"))
    records = [events_of(tmp_path / f"{number}.jsonl") for number in range(1, PLAYERS + 1)]
    since = max(events[0].seq for events in records)  # whoever came last saw no more than this
    hands = []
    for events in records:
        over = next(number for number, event in enumerate(events) if isinstance(event, HandOver))
        hands.append([event for event in events[: over + 1] if event.seq >= since])
    for hand in hands:
        assert hand == hands[0]
    movers = {event.seat for event in hands[0] if isinstance(event, Played)}
    assert movers == set(range(PLAYERS))
    for number in range(1, PLAYERS + 1):
        lines = (tmp_path / f"{number}.jsonl").read_text("utf-8").splitlines()
        assert verify(read_messages(lines)).hands == 1
