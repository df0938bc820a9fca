"""Klondike with all cards known, solved by a program in C; what it finds is played by the engine."""

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from benchmarks.yardsticks.loading import compiled

from racing_demon_protocol.engine.board import FOUNDATIONS, CardRef, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card, card, rank, suit
from racing_demon_protocol.engine.rules.base import Rules
from tests.support.boards import Position

SOURCE: Final = Path(__file__).with_name("solver.c")
MAX_TURNS: Final = 50
"""More turns of the stock than show all that it can show."""


class Outcome(StrEnum):
    """What is known of a position."""

    WON = "won"
    LOST = "lost"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Solved:
    """What the solver says of a position.

    Attributes:
        outcome: whether it can be won.
        positions: how many different positions were found.
        line: if it is won, the plays: a card, and whether it goes to its foundation, or else upon a column.

    """

    outcome: Outcome
    positions: int
    line: Sequence[tuple[Card, bool]] = ()


def solve(rules: Rules, positions: Iterable[Position], most: int) -> Iterator[Solved]:
    """Tell of each position of a game of Klondike whether it can be won, by looking at ``most`` others."""
    backward = any(rules.may_take_back(0, pile) for pile in rules.layout.foundations)
    command = [str(compiled(SOURCE)), str(rules.turn_size), str(int(backward)), str(most)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:  # noqa: S603 - compiled here
        assert process.stdin is not None
        assert process.stdout is not None
        for position in positions:
            process.stdin.write(" ".join(map(str, _written(position))) + "\n")
            process.stdin.flush()
            outcome, found, *plays = process.stdout.readline().split()
            yield Solved(Outcome(outcome), int(found), [_read(play) for play in plays])


def play_line(position: Position, line: Iterable[tuple[Card, bool]]) -> None:
    """Make the plays of a line, and those between them that the solver leaves out.

    Raises:
        IllegalPlay: one of them is not legal.

    """
    for wanted, goes_up in line:
        pile, index = _surfaced(position, wanted)
        above = len(position.hidden.cards[pile]) - index - 1
        if goes_up:
            if above:
                _shift(position, (pile, index + 1))
            position.play(0, Play(pile, 1, FOUNDATIONS))
        else:
            _shift(position, (pile, index))


def can_be_won(position: Position, most: int) -> Outcome:
    """Tell whether one player can go out, from looking at every position that legal plays lead to.

    All that it knows of the rules is what the engine says; after ``most`` positions it gives up.
    """
    seen = {_key(position)}
    waiting = [position]
    while waiting:
        here = waiting.pop()
        for play in reversed(here.plays()):  # so that what leads on is looked at first
            after = here.copy()
            after.play(0, play)
            if after.rules.is_out(after.board, 0):
                return Outcome.WON
            key = _key(after)
            if key not in seen:
                seen.add(key)
                waiting.append(after)
        if len(seen) > most:
            return Outcome.UNKNOWN
    return Outcome.LOST


def _written(position: Position) -> Iterator[int]:
    layout, board, hidden = position.rules.layout, position.board.cards, position.hidden.cards
    (stock,), (waste,) = layout.seat_piles(0, Kind.STOCK), layout.seat_piles(0, Kind.WASTE)
    raised = [each for pile in layout.foundations for each in board[pile]]
    yield from (sum(suit(each) == number for each in raised) for number in range(4))
    talon = hidden[waste] + hidden[stock][::-1]
    yield from (len(hidden[waste]), len(talon), *map(_number, talon))
    for column in layout.seat_piles(0, Kind.TABLEAU):
        first = hidden[column][: board[column].count(UNKNOWN) + 1]
        yield from (len(first), *map(_number, first))


def _number(known: Card) -> int:
    return 4 * (rank(known) - 1) + suit(known)


def _read(play: str) -> tuple[Card, bool]:
    number = int(play[1:])
    return card(number // 4 + 1, number % 4), play[0] == "+"


def _surfaced(position: Position, wanted: Card) -> CardRef:
    """Return where a card lies, after the stock was turned until it is at hand."""
    waste = position.rules.layout.waste[0]
    for _ in range(MAX_TURNS):
        for pile, cards in enumerate(position.hidden.cards):
            kind = position.board.piles[pile].kind
            if wanted in cards and (kind is not Kind.STOCK and (pile != waste or cards[-1] == wanted)):
                return pile, cards.index(wanted)
        turn = position.rules.stock_play(position.board, 0)
        assert turn is not None
        position.play(0, turn)
    raise AssertionError(f"{wanted} does not come up")


def _shift(position: Position, place: CardRef) -> None:
    """Move a card, and all that lies upon it, upon another column."""
    pile, index = place
    moved = position.hidden.cards[pile][index:]
    for column in position.rules.layout.seat_piles(0, Kind.TABLEAU):
        play = Play(pile, len(moved), column)
        if column != pile and position.rules.can_play(position.board, 0, play):
            position.play(0, play)
            return
    raise AssertionError(f"nothing takes {moved}")


def _key(position: Position) -> tuple[object, ...]:
    """Return what tells positions apart; columns that have changed places make no difference."""
    layout, board, hidden = position.rules.layout, position.board.cards, position.hidden.cards
    columns = [
        (tuple(hidden[pile]), board[pile].count(UNKNOWN)) for pile in layout.seat_piles(0, Kind.TABLEAU)
    ]
    heaps = [layout.stock[0], layout.waste[0], *layout.foundations]
    return tuple(sorted(columns)), *(tuple(hidden[pile]) for pile in heaps)
