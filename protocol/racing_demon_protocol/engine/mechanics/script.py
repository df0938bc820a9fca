"""Card tricks: a script that a player advances (Cheney 40 and 41). They are shown, not won.

The cards start in a known order. Each play starts a beat; the rest of the beat is automatic. The next step
follows from the number of cards in each pile, and of those that came to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, Card, parse
from racing_demon_protocol.engine.specification import Game, Mechanic
from racing_demon_protocol.errors import InvalidGame

from .common import MechanicRules

State = tuple[tuple[int, ...], tuple[int, ...]]
"""The number of cards in each of a seat's piles, and of those that came to counting piles."""


class ScriptStep(NamedTuple):
    """Cards from the top of one pile to another, each named by its group and its place in it."""

    source: tuple[str, int]
    destination: tuple[str, int]
    cards: int = 1


@dataclass(frozen=True, slots=True)
class Beat:
    """Steps that are made together.

    Attributes:
        text: the patter.
        steps: the steps.

    """

    text: str
    steps: tuple[ScriptStep, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Script(Mechanic):
    """A demonstration.

    Attributes:
        order: the faces of the cards in the order of the deal; all others come before them.
        beats: the beats.

    """

    order: tuple[str, ...]
    beats: tuple[Beat, ...]


class ScriptRules(MechanicRules[Script]):
    """The rules of a trick: its next step, and no other."""

    refusal = "A trick goes on with its next step only."

    def __init__(self, game: Game, seats: Sequence[int], extra_heap: Sequence[int] = ()) -> None:
        super().__init__(game, seats, extra_heap)
        self._beats = [number for number, beat in enumerate(self.mechanic.beats) for _ in beat.steps]
        self._own = {
            seat: [pile for pile in self.layout.piles if pile.seat == seat] for seat in self.layout.seats
        }
        self._plays = {seat: self._plays_of(seat) for seat in seats}
        self._states: dict[State, int] = self._states_of(self.layout.seats[0])  # the same for all seats

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Return a seat's cards in the script's order."""
        wanted = [parse(face) for face in self.mechanic.order]
        ordered = {card % PACK_SIZE: card for card in deck}
        others = [card for face, card in sorted(ordered.items()) if face not in set(wanted)]
        return [*others, *(ordered[face] for face in wanted)]

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the next step, if it begins a beat."""
        step = self.progress(board, seat)
        if step < len(self._plays[seat]) and self._begins(step):
            yield self._plays[seat][step]

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return the next step, if it belongs to a beat that has begun."""
        step = self.progress(board, seat)
        return self._plays[seat][step] if step < len(self._plays[seat]) and not self._begins(step) else None

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether the script has ended."""
        return self.progress(board, seat) == len(self._plays[seat])

    def goal(self, seat: int) -> int:
        """Return the number of all steps."""
        return len(self._plays[seat])

    def progress(self, board: Board, seat: int) -> int:
        """Return how many steps were made."""
        return self._states[self._state(board, seat)]

    def caption(self, board: Board, seat: int) -> str:
        """Return the patter for the next beat; empty at the end."""
        step = self.progress(board, seat)
        return self.mechanic.beats[self._beats[step]].text if step < len(self._beats) else ""

    def _begins(self, step: int) -> bool:
        return step == 0 or self._beats[step] != self._beats[step - 1]

    def _plays_of(self, seat: int) -> list[Play]:
        steps = [step for beat in self.mechanic.beats for step in beat.steps]
        return [
            Play(self.group_piles(seat, source)[one], cards, self.group_piles(seat, destination)[other])
            for (source, one), (destination, other), cards in steps
        ]

    def _states_of(self, seat: int) -> dict[State, int]:
        board = self.deal()
        states = {self._state(board, seat): 0}
        for number, play in enumerate(self._plays[seat], 1):
            board.move(play)
            if states.setdefault(self._state(board, seat), number) != number:
                raise InvalidGame(f"{self.game.name} comes to step {number} twice")
        return states

    def _state(self, board: Board, seat: int) -> State:
        own = self._own[seat]
        sizes = tuple(len(board.cards[pile.number]) for pile in own)
        return sizes, tuple(board.came.get(pile.number, 0) for pile in own if pile.counts)
