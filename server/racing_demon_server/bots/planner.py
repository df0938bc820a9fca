"""The planning of an expert bot: the value of each play on the public board."""

from collections.abc import Sequence
from typing import Final, TypeGuard

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, SUIT_SIZE, UNKNOWN, Card, rank
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Tableau

from .values import prepares

UNCOVERS: Final = 110
"""A face-down card is turned up, or can be next. This comes before everything else."""
WASTE_UP: Final = 90
COLUMN_UP: Final = 50
UP_UNCOVERS: Final = 60
UP_CLEARS: Final = 5
"""Added if a card that goes up uncovers a face-down card, or makes a space for a waiting king."""
PREPARES: Final = 50
CLEARS: Final = 50
"""A column becomes a space, and a king waits for it."""
IDLE: Final = -5
"""The same without a waiting king: not urgent."""
KING: Final = 40
WASTE_DOWN: Final = 30
NEEDED: Final = 60
WASTE_NEEDED: Final = 20
"""Subtracted for each card still to come that could be built on the card that goes up."""
CONTESTED: Final = 60
"""Added for a column's card if another player has its twin ready for the only place."""
POINT: Final = 20
"""Added for each point of a bonus: waiting could cost it."""
LOWEST_PLACE: Final = 2
"""No card needs a place on these ranks or lower ones, so they always go up."""


def knows(rules: Rules) -> TypeGuard[BuildingRules]:
    """Return whether there are plans for a game, which must have shared foundations built from aces."""
    return isinstance(rules, BuildingRules) and rules.game.name == "racing-demon"


class Planner:
    """Values the plays of one seat on the current board, for an expert bot. It sees only the public board.

    Most hands with shared foundations die because columns are cleared too eagerly: nothing can be built any
    more on a card that went to a foundation. So an expert uncovers face-down cards first. It holds back a
    card that its own cards may still need, until it has waited long enough or somebody else could take its
    only place. The weights were found in thousands of simulated hands.

    Args:
        rules: the rules of a game for which :func:`knows` is true.
        board: the public board.
        seat: the seat.

    """

    def __init__(self, rules: BuildingRules, board: Board, seat: int) -> None:
        self._rules = rules
        self._board = board
        self._seat = seat
        self._columns = rules.layout.seat_piles(seat, Kind.TABLEAU)
        column = rules.layout.groups[self._columns[0]]
        assert isinstance(column, Tableau)
        self._column = column
        self._heads = [head for pile in self._columns if (head := _covering(board.cards[pile])) is not None]
        self._to_come = self._still_to_come()

    def worth(self, play: Play) -> float | None:
        """Return the value of a legal play: at 0 and below it can wait; ``None`` means that it is useless."""
        board = self._board
        source, destination = board.piles[play.source], board.piles[play.destination]
        if destination.kind is Kind.FOUNDATION:
            return self._up(play.source, len(board.cards[play.source]) - 1)
        if destination.kind is not Kind.TABLEAU:
            return None
        if source.kind is Kind.WASTE:
            return self._down(play)
        if board.is_progress(play):
            return self._across(play)
        return PREPARES if self._prepares(play) else None

    def _up(self, pile: int, index: int) -> float:
        """Return the value of moving a pile's card to the foundations."""
        cards = self._board.cards[pile]
        card = cards[index]
        needed = sum(self._lands(card, other) for other in self._to_come) if rank(card) > LOWEST_PLACE else 0
        bonus = POINT * self._rules.game.scoring.king_bonus if rank(card) == SUIT_SIZE else 0
        if self._board.piles[pile].kind is not Kind.TABLEAU:
            return WASTE_UP + bonus - WASTE_NEEDED * needed
        worth = COLUMN_UP + bonus - NEEDED * needed + (CONTESTED if self._is_contested(card) else 0)
        if not index:
            return worth + (UP_CLEARS if self._king_waits() else 0)
        return worth + (UP_UNCOVERS + index if cards[index - 1] == UNKNOWN else 0)

    def _down(self, play: Play) -> float:
        """Return the value of moving the waste's card to a column."""
        if not self._board.cards[play.destination]:
            return KING
        card = self._board.cards[play.source][-1]
        return UNCOVERS - 5 if any(self._lands(card, head) for head in self._heads) else WASTE_DOWN

    def _across(self, play: Play) -> float:
        """Return the value of a tableau move that uncovers a card or gains a space."""
        left = len(self._board.cards[play.source]) - play.count
        if left:
            return UNCOVERS + left
        return CLEARS if self._king_waits() else IDLE

    def _prepares(self, play: Play) -> bool:
        """Return whether a neutral tableau move uncovers a card that should go to the foundations now."""
        index = len(self._board.cards[play.source]) - play.count - 1
        return prepares(self._rules, self._board, self._seat, play) and self._up(play.source, index) > 0

    def _still_to_come(self) -> frozenset[Card]:
        """Return the seat's cards that are neither on the foundations nor face up in its columns."""
        rules, board = self._rules, self._board
        size = rules.game.packs * PACK_SIZE
        first = rules.layout.seats.index(self._seat) * size
        there = {card for pile in self._columns for card in board.cards[pile]}
        there.update(card for pile in rules.foundations.piles_of(self._seat) for card in board.cards[pile])
        return frozenset(range(first, first + size)) - there

    def _lands(self, below: Card, above: Card) -> bool:
        return self._rules.columns.continues(self._column, below, above)

    def _king_waits(self) -> bool:
        """Return whether a king waits for a space: in the waste, or on top of face-down cards."""
        tops = (self._board.top(pile) for pile in self._rules.layout.seat_piles(self._seat, Kind.WASTE))
        waiting = [*self._heads, *(top for top in tops if top is not None)]
        return any(self._rules.columns.opens(self._column, card) for card in waiting)

    def _is_contested(self, card: Card) -> bool:
        """Return whether there is only one place for a card, and another player has its twin ready."""
        if self._places(card) != 1:
            return False
        return any(
            pile.seat not in {None, self._seat} and cards and cards[-1] % PACK_SIZE == card % PACK_SIZE
            for pile, cards in zip(self._board.piles, self._board.cards, strict=True)
            if pile.kind in {Kind.TABLEAU, Kind.WASTE}
        )

    def _places(self, card: Card) -> int:
        return sum(1 for _ in self._rules.open_foundations(self._board, self._seat, card))


def _covering(cards: Sequence[Card]) -> Card | None:
    """Return the lowest face-up card of a column with face-down cards."""
    covered = cards.count(UNKNOWN)
    return cards[covered] if 0 < covered < len(cards) else None
