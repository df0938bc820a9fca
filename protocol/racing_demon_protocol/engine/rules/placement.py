"""What fits where: on columns, in spaces, and on foundations."""

from collections.abc import Iterator, Sequence

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card, rank, suit
from racing_demon_protocol.engine.specification import (
    Base,
    Cells,
    Foundations,
    Game,
    Group,
    Reserve,
    Stock,
    Tableau,
    TakeBack,
    Unit,
    Waits,
)

from .base import Rules
from .sequences import faces, followers, successors

__all__ = ["PlacementRules"]


class PlacementRules(Rules):
    """The part of a building game's rules that knows what fits where."""

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        super().__init__(game, seats)
        columns = [group for group in game.groups if isinstance(group, Tableau)]
        self._followers = {column.name: followers(column.build, column.wrap) for column in columns}
        self._openers = {
            column.name: frozenset(card for card in range(PACK_SIZE) if self.opens(column, card))
            for column in columns
        }
        self._successors = {
            group.name: successors(group) for group in game.groups if isinstance(group, Foundations)
        }
        piles = [self.layout.piles[number] for number in self.layout.foundations]
        self._beside = {p.number: [q.number for q in piles if q.seat == p.seat] for p in piles}
        self._alike = {
            number: [other for other in beside if self.layout.groups[other] is self.layout.groups[number]]
            for number, beside in self._beside.items()
        }

    def continues(self, column: Tableau, below: Card, above: Card) -> bool:
        """Return whether a card may lie on another in a column."""
        return above % PACK_SIZE in self._followers[column.name][below % PACK_SIZE]

    def opens(self, column: Tableau, card: Card) -> bool:
        """Return whether a card may go to an empty column."""
        return column.space.ranks is None or rank(card) in column.space.ranks

    def wanted(self, board: Board, pile: int) -> frozenset[Card]:
        """Return the cards of the first pack that may continue or open a column.

        The same faces of other packs fit equally.
        """
        name, cards = self.layout.groups[pile].name, board.cards[pile]
        return self._followers[name][cards[-1] % PACK_SIZE] if cards else self._openers[name]

    def units(self, group: Group, cards: Sequence[Card]) -> Iterator[int]:
        """Yield how many cards may move together from the end of a pile, fewest first."""
        if not isinstance(group, Tableau):
            yield from super().units(group, cards)
            return
        tails = group.unit in {Unit.TAIL, Unit.ONE_SIDE_SINGLE}
        for count in range(1, len(cards) + 1):
            if cards[-count] == UNKNOWN:
                return
            if count > 1 and not self.continues(group, cards[-count], cards[-count + 1]):
                return
            if count == 1 or tails or (group.unit is Unit.WHOLE and count == len(cards)):
                yield count
            elif group.unit is Unit.ONE:
                return

    def may_take_back(self, seat: int, foundation: int) -> bool:
        """Return whether a seat may take cards back from a foundation; never if others build on it (A9)."""
        group, owner = self.layout.groups[foundation], self.layout.piles[foundation].seat
        alone = owner == seat or self.layout.seats == (seat,)
        return isinstance(group, Foundations) and group.take_back is not TakeBack.NEVER and alone

    def follows_on(self, board: Board, foundation: int, cards: Sequence[Card], card: Card) -> bool:
        """Return whether a foundation would accept a card if it held these cards."""
        return card % PACK_SIZE in self.next_on(board, foundation, cards)

    def next_on(self, board: Board, foundation: int, cards: Sequence[Card]) -> frozenset[Card]:
        """Return the cards of the first pack that a foundation would accept if it held these cards."""
        group = self._foundation(foundation)
        if group.waits is not Waits.NEVER and self._must_wait(board, foundation, group.waits, len(cards)):
            return frozenset()
        if len(cards) >= group.length:
            return frozenset()
        if cards:
            return self._successors[group.name][len(cards)][cards[-1] % PACK_SIZE]
        base = self._base(board, foundation) if isinstance(group.base, Base) else group.base
        bases = faces(base)
        if group.one_per_suit:
            return frozenset(card for card in bases if not self._is_open(board, foundation, card))
        return bases

    def _must_wait(self, board: Board, foundation: int, waits: Waits, held: int) -> bool:
        """Return whether a foundation with so many cards must wait for others."""
        own = self._beside[foundation]
        if waits is Waits.OPEN:
            return any(not board.cards[pile] for pile in own if pile < foundation)
        return any(len(board.cards[pile]) < held for pile in own)

    # What may go where.

    def fills_space(self, source: int, column: Tableau, taken: Sequence[Card]) -> bool:
        """Return whether cards of a pile may fill a space."""
        group, takes = self.layout.groups[source], column.space.takes
        takes = column.takes if takes is None else takes
        if takes is not None and group.name not in takes:
            return False
        if group.plays_to is not None and column.name not in group.plays_to:
            return False
        if group.kind is Kind.STOCK:
            return takes is not None and column.space.ranks is None
        return (column.cap is None or len(taken) <= column.cap) and self.opens(column, taken[0])

    def _lands(self, board: Board, seat: int, play: Play, column: Tableau, taken: Sequence[Card]) -> bool:
        """Return whether cards may lie on the last one of a column."""
        cards = board.cards[play.destination]
        if UNKNOWN in {taken[0], cards[-1]} or not self.continues(column, cards[-1], taken[0]):
            return False
        if column.cap is not None and len(cards) + len(taken) > column.cap:
            return False
        if column.unit is Unit.ONE_SIDE_SINGLE and len(taken) > 1 and not self._ends_singly(column, cards):
            return False
        if column.spaces_first and any(not board.cards[p] for p in self.layout.named(seat, column.name)):
            return False
        return self.may_go(play.source, play.destination)

    def _ends_singly(self, column: Tableau, cards: Sequence[Card]) -> bool:
        return len(cards) < 2 or cards[-2] == UNKNOWN or not self.continues(column, cards[-2], cards[-1])

    def may_go(self, source: int, destination: int) -> bool:
        """Return whether the groups of two piles let cards move from one to the other."""
        origin, target = self.layout.groups[source], self.layout.groups[destination]
        if origin.plays_to is not None and target.name not in origin.plays_to:
            return False
        if target.takes is None:
            return origin.kind is not Kind.STOCK and target.kind in {Kind.TABLEAU, Kind.FOUNDATION}
        return origin.name in target.takes

    def _may_ever_go(self, source: int, column: int) -> bool:
        """Return whether a column may ever accept cards of a pile, if only into a space."""
        origin, target = self.layout.groups[source], self._column(column)
        if origin.plays_to is not None and target.name not in origin.plays_to:
            return False
        return self.may_go(source, column) or origin.name in (target.space.takes or ())

    def _may_fill(self, board: Board, seat: int, source: int, destination: int) -> bool:
        """Return whether a pile's card may go to a cell or reserve."""
        group = self.layout.groups[destination]
        if isinstance(group, Cells) and group.in_order:
            for name in group.takes or ():
                if any(board.cards[pile] for pile in self.layout.named(seat, name)):
                    return name == self.layout.groups[source].name
        return self.may_go(source, destination)

    def _takes_unseen(self, destination: int) -> bool:
        """Return whether a pile may be filled with the stock's unseen top card."""
        if destination == FOUNDATIONS:
            return False
        group = self.layout.groups[destination]
        takes = group.space.takes if isinstance(group, Tableau) else group.takes
        stocks = {stock.name for stock in self.game.groups if isinstance(stock, Stock)}
        return bool(stocks & set(takes or ())) and not isinstance(group, Foundations)

    def _is_free(self, board: Board, seat: int, source: int) -> bool:
        group = self.layout.groups[source]
        return not (isinstance(group, Reserve) and group.locked and self._has_stock(board, seat))

    def _has_stock(self, board: Board, seat: int) -> bool:
        piles = self.layout.own(seat, Kind.STOCK) + self.layout.own(seat, Kind.WASTE)
        return any(board.cards[pile] for pile in piles)

    def _may_leave(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether a foundation's card may go to a play's destination."""
        target = None if play.destination == FOUNDATIONS else board.piles[play.destination]
        if target is None or target.kind is Kind.FOUNDATION or not self.may_take_back(seat, play.source):
            return False
        if self._foundation(play.source).take_back is TakeBack.FREE:
            return True
        return target.kind is Kind.TABLEAU and not board.cards[target.number]

    # Helpers.

    def _column(self, pile: int) -> Tableau:
        group = self.layout.groups[pile]
        assert isinstance(group, Tableau)
        return group

    def _foundation(self, pile: int) -> Foundations:
        group = self.layout.groups[pile]
        assert isinstance(group, Foundations)
        return group

    def _base(self, board: Board, pile: int) -> int | None:
        """Return the rank that the first card of a foundation group has fixed for all of it."""
        group = self._foundation(pile)
        if group.base is Base.FIRST:
            for other in self._alike[pile]:
                if board.cards[other]:
                    return rank(board.cards[other][0])
        return None

    def _is_open(self, board: Board, pile: int, card: Card) -> bool:
        """Return whether a suit has already opened a foundation of this group."""
        return any(board.cards[p] and suit(board.cards[p][0]) == suit(card) for p in self._alike[pile])
