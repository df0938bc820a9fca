"""Positions of one seat's cards, packed so that a search can keep thousands of them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Board, CardRef, Counts, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card

from .base import Rules

FACE_DOWN: Final = 64
"""Added to a face that the public board does not show."""
END_OF_PILE: Final = b"\xff"


class Position(NamedTuple):
    """Everything that a seat's future plays depend on: equal positions have the same future.

    Attributes:
        faces: the cards of each of the seat's piles, and which are face down. Packs make no difference.
        memory: what the rules depend on beside the cards.

    """

    faces: bytes
    memory: tuple[int, ...]


class ScratchBoard:
    """A board for a search to set up one position after the other. No hand is played on it.

    Attributes:
        board: the public board.
        counts: its counts beside the cards, shared by many positions.
        plays_made: how many plays the last move led to.

    Args:
        rules: the rules of the hand.
        seat: the seat whose cards move. The others' piles stay as they are.
        board: the public board; it is copied.
        hidden: the same board with all cards known; it is copied.

    """

    def __init__(self, rules: Rules, seat: int, board: Board, hidden: Board) -> None:
        self._rules = rules
        self._seat = seat
        self.board = board.copy()
        self.counts = board.counts
        self.plays_made = 0
        self._hidden = hidden.copy()
        own = [pile.number for pile in rules.layout.piles if pile.seat in {None, seat}]
        self._places = {pile: place for place, pile in enumerate(own)}
        self._faces = [self._packed(pile) for pile in own]

    def position(self) -> Position:
        """Return the current position."""
        return Position(END_OF_PILE.join(self._faces), self._rules.rule_state(self.board, self._seat))

    def set_position(self, position: Position, counts: Counts) -> None:
        """Set up a position, with its counts."""
        faces = position.faces.split(END_OF_PILE)
        for pile, place in self._places.items():
            packed = faces[place]
            if packed != self._faces[place]:
                self._hidden.cards[pile] = tuple([face % FACE_DOWN for face in packed])
                shown = [UNKNOWN if face >= FACE_DOWN else face for face in packed]
                self.board.cards[pile] = tuple(shown)
        self._faces = faces
        self.board.counts = self.counts = counts

    def position_after(self, move: Play) -> tuple[Position, Counts]:
        """Return the position after a move and all automatic plays, and its counts.

        The current position stays set up.
        """
        board, hidden = self.board, self._hidden
        kept: dict[int, tuple[tuple[Card, ...], tuple[Card, ...]]] = {}
        self.plays_made = 0
        due: Play | None = move
        while due is not None:
            for pile in board.changed_by(due):
                if pile not in kept:
                    kept[pile] = board.cards[pile], hidden.cards[pile]
            self.plays_made += 1
            self._rules.carry_out(board, due, self._name)
            due = self._rules.automatic_play(board, self._seat)
        faces = self._faces
        self._faces = faces.copy()
        for pile in kept:
            self._faces[self._places[pile]] = self._packed(pile)
        outcome, changed = self.position(), board.counts
        for pile, (shown, known) in kept.items():
            board.cards[pile], hidden.cards[pile] = shown, known
        self._faces, board.counts = faces, self.counts
        return outcome, self.counts if changed == self.counts else changed

    def _name(self, play: Play, refs: Sequence[CardRef]) -> list[Card]:
        self._hidden.move(play)
        return [self._hidden.cards[pile][index] for pile, index in refs]

    def _packed(self, pile: int) -> bytes:
        shown, known = self.board.cards[pile], self._hidden.cards[pile]
        if UNKNOWN not in shown:
            return bytes([card % PACK_SIZE for card in known])
        pairs = zip(shown, known, strict=True)
        return bytes([face % PACK_SIZE + FACE_DOWN * (card == UNKNOWN) for card, face in pairs])
