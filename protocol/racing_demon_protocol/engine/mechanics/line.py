"""Rows: a line of cards that is made shorter (Cheney 11 and 19).

The piles of a line keep their numbers. Neighbors are the nearest piles that hold a card: where cards have
left, the line closes up on the screen without a move.

Groups: ``line``, ``stock``, ``out``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from racing_demon_protocol.engine.board import Board, Kind, Play, Shows
from racing_demon_protocol.engine.cards import rank, suit
from racing_demon_protocol.engine.specification import Group, Mechanic, PileSpec

from .common import MechanicRules


@dataclass(frozen=True, kw_only=True, slots=True)
class Line(Group):
    """Piles in one line, as many as may ever be needed.

    Attributes:
        count: the number of piles.

    """

    name: str = "line"
    count: int

    @property
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.TABLEAU

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(self.count, Shows.ALL)


LineT = TypeVar("LineT", bound="PushPin | DoubleJump")


class LineRules(MechanicRules[LineT]):
    """The common part of games with one line."""

    def line(self, board: Board, seat: int) -> list[int]:
        """Return the piles of the line that hold a card, from the left."""
        return [pile for pile in self.group_piles(seat, "line") if board.cards[pile]]

    def deal_next(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play that deals the next card to the end of the line."""
        stock, places = self.single_pile(seat, "stock"), self.group_piles(seat, "line")
        if board.cards[stock]:
            used = [number for number, pile in enumerate(places) if board.cards[pile]]
            yield Play(stock, 1, places[used[-1] + 1 if used else 0])

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether all cards are dealt, and few enough cards or piles are left."""
        left = len(self.line(board, seat))
        return not board.cards[self.single_pile(seat, "stock")] and left <= self.mechanic.left

    def goal(self, seat: int) -> int:
        """Return the progress when as few cards or piles are left as the game requires."""
        return self.game.deck_size - self.mechanic.left


@dataclass(frozen=True, kw_only=True, slots=True)
class PushPin(Mechanic):
    """Cards between two that agree are pushed out.

    Attributes:
        while_laying: whether cards may be pushed out before all are dealt.
        end_shift: whether, after the last card, the first one may be moved to the end, once.
        left: the maximum number of cards left when the game is won.

    """

    while_laying: bool = True
    end_shift: bool = True
    left: int = 2


class PushPinRules(LineRules[PushPin]):
    """The rules of Push Pin.

    A single card is played to ``out``. A block of one suit between two cards of equal rank is named by its
    ends: its last card is played onto its first, and the rest follows automatically. A block that contains a
    card of that rank itself is two blocks and a single card.
    """

    refusal = (
        "A card leaves from between two of one suit or rank; a block of one suit from between two of a rank."
    )

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: cards and blocks to push out, the next card, the first one to the end."""
        line, stock = self.line(board, seat), board.cards[self.single_pile(seat, "stock")]
        if not stock or self.mechanic.while_laying:
            yield from self._pushes(board, line, self.single_pile(seat, "out"))
        if stock:
            yield from self.deal_next(board, seat)
        elif self._may_shift(board, seat) and len(line) > 1:
            yield Play(line[0], 1, self.group_piles(seat, "line")[-1])

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return the next automatic play: gather a block on its first card, and remove it."""
        line = self.line(board, seat)
        for number, pile in enumerate(line):
            if len(board.cards[pile]) > 1:
                left, right = board.cards[line[number - 1]][-1], line[number + 1]
                if rank(board.cards[right][-1]) != rank(left):
                    return Play(right, 1, pile)
                return Play(pile, len(board.cards[pile]), self.single_pile(seat, "out"))
        return None

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards were pushed out."""
        return len(board.cards[self.single_pile(seat, "out")])

    @staticmethod
    def _pushes(board: Board, line: Sequence[int], out: int) -> Iterator[Play]:
        cards = [board.cards[pile][-1] for pile in line]
        for left in range(len(line) - 2):
            one, other = cards[left], cards[left + 2]
            if suit(one) == suit(other) or rank(one) == rank(other):
                yield Play(line[left + 1], 1, out)
        for left in range(len(line) - 3):
            if rank(cards[left + 1]) == rank(cards[left]):
                continue
            for right in range(left + 2, len(line)):
                if suit(cards[right - 1]) != suit(cards[left + 1]):
                    break
                if rank(cards[right]) == rank(cards[left]):
                    if right > left + 2:
                        yield Play(line[right - 1], 1, line[left + 1])
                    break

    def _may_shift(self, board: Board, seat: int) -> bool:
        """Return whether the first card may move to the end, where a place is kept for it."""
        return self.mechanic.end_shift and not board.cards[self.group_piles(seat, "line")[-1]]


@dataclass(frozen=True, kw_only=True, slots=True)
class DoubleJump(Mechanic):
    """Piles jump to the right over two others, onto a pile that agrees in suit or rank.

    Attributes:
        final_jumps: whether, of three piles once all cards are dealt, one may jump over one, and of two, onto
            the other.
        left: the maximum number of piles left when the game is won.

    """

    final_jumps: bool = True
    left: int = 1


class DoubleJumpRules(LineRules[DoubleJump]):
    """The rules of Double Jump."""

    refusal = "A pile jumps over just two to its right, upon one of the same suit or rank."

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: jumps, and the next card."""
        line = self.line(board, seat)
        yield from self._jumps(board, line, 3)
        yield from self.deal_next(board, seat)
        is_dealt = not board.cards[self.single_pile(seat, "stock")]
        if self.mechanic.final_jumps and is_dealt and len(line) in {2, 3}:
            yield from self._jumps(board, line, len(line) - 1)

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards lie on others: once all are dealt, fewer piles mean more."""
        return sum(len(board.cards[pile]) - 1 for pile in self.line(board, seat))

    def _jumps(self, board: Board, line: Sequence[int], distance: int) -> Iterator[Play]:
        for pile, target in zip(line, line[distance:], strict=False):
            one, other = board.cards[pile][-1], board.cards[target][-1]
            if suit(one) == suit(other) or rank(one) == rank(other):
                yield Play(pile, len(board.cards[pile]), target)
