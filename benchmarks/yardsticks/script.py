"""A hand that is known beforehand: so the load knows what to send next, and need not think.

The plays come in rounds, one of each seat. All of a round are legal on the board that it begins with, and
none spoils another, so they may arrive in any order; what each of them leads to is the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.wire.messages.client import PlayCards, Start
from racing_demon_protocol.wire.messages.events import Event, Played
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.table import Table

SEATS: Final = 8
SEED: Final = bytes(range(32))
"""The seed of every hand that the measured server deals."""
OPTIONS: Final = Options(hands=100, countdown_ms=0, tally_ms=0, pause_after_ms=None)
MIN_LEFT: Final = 8
"""A hand is played until somebody has no more cards than this to play: nobody goes out."""


class Written(NamedTuple):
    """One play of the script: by whom, and what."""

    seat: int
    play: Play

    def message(self, counter: int, seen: int) -> PlayCards:
        """Return the command that makes it."""
        source, count, destination, _ = self.play
        return PlayCards(counter=counter, source=source, count=count, destination=destination, seen=seen)


@dataclass(frozen=True, slots=True)
class Step:
    """Plays that are sent together.

    Attributes:
        plays: one of each seat at most.
        frames: how many events come of them.

    """

    plays: Sequence[Written]
    frames: int


class Recorder:
    """A table on which the hand is played once, beforehand."""

    def __init__(self) -> None:
        self.table = Table("TEST", OPTIONS, repeat(SEED))
        self._counters = [0] * SEATS
        for seat in range(SEATS):
            self.table.join(f"Player {seat + 1}", bytes([seat]) * 32, 0)
        self._counters[0] += 1
        self.table.handle_command(0, Start(counter=1), 0)
        self.table.run_until(0)

    def carry_out(self, written: Written) -> list[Event]:
        """Carry a play out, and return the events."""
        self._counters[written.seat] += 1
        command = written.message(self._counters[written.seat], self.table.view.seq)
        answer = self.table.handle_command(written.seat, command, 0)
        if isinstance(answer.reply, Refused):
            raise ValueError(f"{written} is refused: {answer.reply.text}")
        return answer.events


def contested() -> list[Written]:
    """Return plays of different seats that all want the same place as the hand begins."""
    view = Recorder().table.view
    assert view.hand is not None
    found: dict[int, Written] = {}
    for seat in view.seats:
        for play in view.hand.rules.legal_plays(view.hand.board, seat):
            if view.hand.board.piles[play.destination].kind is Kind.FOUNDATION:
                found.setdefault(seat, Written(seat, play))
    assert len({written.play.destination for written in found.values()}) == 1
    return list(found.values())


def rounds(most: int = 60) -> list[Step]:
    """Return a hand in rounds, up to a limit."""
    recorder = Recorder()
    view, found = recorder.table.view, list[Step]()
    while len(found) < most:
        assert view.hand is not None
        if PACK_SIZE - max(view.hand.rules.on_foundations(view.hand.board).values()) <= MIN_LEFT:
            break
        plays = list(_round(view.hand.rules, recorder.table))
        if len(plays) < SEATS:
            break
        events = [event for written in plays for event in recorder.carry_out(written)]
        if not all(isinstance(event, Played) for event in events):
            raise ValueError("the hand ends too soon")
        found.append(Step(plays, len(events)))
    return found


def singles(steps: Sequence[Step]) -> list[Step]:
    """Return the same plays one by one."""
    recorder = Recorder()
    plays = [written for step in steps for written in step.plays]
    return [Step([written], len(recorder.carry_out(written))) for written in plays]


def cycle(seats: int = SEATS) -> list[Step]:
    """Return rounds in which seats turn their stocks until the board is as it was."""
    recorder = Recorder()
    view, found = recorder.table.view, list[Step]()
    assert view.hand is not None
    before = view.hand.board.copy()
    while not found or view.hand.board.cards != before.cards:
        plays = [
            Written(seat, play)
            for seat in range(seats)
            if (play := view.hand.rules.stock_play(view.hand.board, seat))
        ]
        events = [event for written in plays for event in recorder.carry_out(written)]
        found.append(Step(plays, len(events)))
    return found


def _round(rules: Rules, table: Table) -> Iterator[Written]:
    board, taken = table.view.board, set[int]()
    assert board is not None
    for seat in range(SEATS):
        for play in rules.legal_plays(board, seat):
            kind = board.piles[play.destination].kind
            builds = kind is Kind.FOUNDATION and play.destination not in taken
            if builds or (kind is Kind.TABLEAU and board.is_progress(play)) or kind is Kind.WASTE:
                break
        else:
            turn = rules.stock_play(board, seat)
            if turn is None:
                return
            play = turn
        if board.piles[play.destination].kind is Kind.FOUNDATION:
            taken.add(play.destination)
        yield Written(seat, play)
