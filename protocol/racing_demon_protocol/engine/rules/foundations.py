"""What fits on a game's foundations, and which of their cards may be taken back."""

from collections.abc import Sequence

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, Card, rank, suit
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Base, Foundations, TakeBack, Waits

from .sequences import faces, successors


class FoundationRules:
    """The part of a building game's rules that concerns the foundations."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        groups = [group for group in layout.game.groups if isinstance(group, Foundations)]
        self._successors = {group.name: successors(group) for group in groups}
        piles = [layout.piles[number] for number in layout.foundations]
        self._beside = {p.number: [q.number for q in piles if q.seat == p.seat] for p in piles}
        self._alike = {
            number: [other for other in beside if layout.groups[other] is layout.groups[number]]
            for number, beside in self._beside.items()
        }
        self._piles_of = {seat: [p.number for p in piles if p.seat in {None, seat}] for seat in layout.seats}

    def group(self, pile: int) -> Foundations:
        """Return the declaration of a foundation."""
        group = self._layout.groups[pile]
        assert isinstance(group, Foundations)
        return group

    def piles_of(self, seat: int) -> Sequence[int]:
        """Return the foundations that a seat builds on; none for a seat not in the hand."""
        return self._piles_of.get(seat, ())

    def are_full(self, board: Board, seat: int) -> bool:
        """Return whether all foundations that a seat builds on are complete."""
        return all(len(board.cards[pile]) == self.group(pile).length for pile in self._piles_of[seat])

    def accepted_cards(self, board: Board, seat: int) -> frozenset[Card]:
        """Return the cards of the first pack that the foundations accept from a seat now."""
        return frozenset[Card]().union(*self.accepted_by_pile(board, seat).values())

    def accepted_by_pile(self, board: Board, seat: int) -> dict[int, frozenset[Card]]:
        """Return the cards of the first pack that each foundation accepts from a seat now."""
        return {pile: self.next_cards(board, pile, board.cards[pile]) for pile in self.piles_of(seat)}

    def accepts(self, board: Board, foundation: int, card: Card) -> bool:
        """Return whether a foundation accepts a card now."""
        return card % PACK_SIZE in self.next_cards(board, foundation, board.cards[foundation])

    def next_cards(self, board: Board, foundation: int, cards: Sequence[Card]) -> frozenset[Card]:
        """Return the cards of the first pack that a foundation would accept if it held these cards."""
        group = self.group(foundation)
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

    def may_take_back(self, seat: int, foundation: int) -> bool:
        """Return whether a seat may take cards back from a foundation; never if others build on it."""
        group, owner = self._layout.groups[foundation], self._layout.piles[foundation].seat
        alone = owner == seat or self._layout.seats == (seat,)
        return isinstance(group, Foundations) and group.take_back is not TakeBack.NEVER and alone

    def may_leave(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether a foundation's card may go to a play's destination."""
        target = None if play.destination == FOUNDATIONS else board.piles[play.destination]
        if target is None or target.kind is Kind.FOUNDATION or not self.may_take_back(seat, play.source):
            return False
        if self.group(play.source).take_back is TakeBack.FREE:
            return True
        return target.kind is Kind.TABLEAU and not board.cards[target.number]

    def _must_wait(self, board: Board, foundation: int, waits: Waits, held: int) -> bool:
        """Return whether a foundation must wait for others before it gets more than ``held`` cards."""
        own = self._beside[foundation]
        if waits is Waits.OPEN:
            return any(not board.cards[pile] for pile in own if pile < foundation)
        return any(len(board.cards[pile]) < held for pile in own)

    def _base(self, board: Board, pile: int) -> int | None:
        """Return the rank that the first card of a foundation group has fixed for all of it."""
        if self.group(pile).base is Base.FIRST:
            for other in self._alike[pile]:
                if board.cards[other]:
                    return rank(board.cards[other][0])
        return None

    def _is_open(self, board: Board, pile: int, card: Card) -> bool:
        """Return whether a suit has already opened a foundation of this group."""
        return any(board.cards[p] and suit(board.cards[p][0]) == suit(card) for p in self._alike[pile])
