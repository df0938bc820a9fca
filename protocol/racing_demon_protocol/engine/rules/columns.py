"""What fits on a game's columns and in their spaces, and which of their cards move together."""

from collections.abc import Iterator, Sequence

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card, rank
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Tableau, Unit

from .pile_moves import may_move
from .sequences import followers


class ColumnRules:
    """The part of a building game's rules that concerns the columns."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        columns = [group for group in layout.game.groups if isinstance(group, Tableau)]
        self._followers = {column.name: followers(column.build, column.wrap) for column in columns}
        self._openers = {
            column.name: frozenset(card for card in range(PACK_SIZE) if self.opens(column, card))
            for column in columns
        }

    def group(self, pile: int) -> Tableau:
        """Return the declaration of a column."""
        group = self._layout.groups[pile]
        assert isinstance(group, Tableau)
        return group

    def continues(self, column: Tableau, below: Card, above: Card) -> bool:
        """Return whether a card may lie on another in a column."""
        return above % PACK_SIZE in self._followers[column.name][below % PACK_SIZE]

    def opens(self, column: Tableau, card: Card) -> bool:
        """Return whether a card may go to an empty column."""
        return column.space.ranks is None or rank(card) in column.space.ranks

    def accepted_cards(self, board: Board, pile: int) -> frozenset[Card]:
        """Return the cards of the first pack that may continue or open a column.

        The same faces of other packs fit equally.
        """
        name, cards = self._layout.groups[pile].name, board.cards[pile]
        return self._followers[name][cards[-1] % PACK_SIZE] if cards else self._openers[name]

    def movable_counts(self, column: Tableau, cards: Sequence[Card]) -> Iterator[int]:
        """Yield how many cards may move together from the end of a column, fewest first."""
        tails = column.unit in {Unit.TAIL, Unit.ONE_SIDE_SINGLE}
        for count in range(1, len(cards) + 1):
            if cards[-count] == UNKNOWN:
                return
            if count > 1 and not self.continues(column, cards[-count], cards[-count + 1]):
                return
            if count == 1 or tails or (column.unit is Unit.WHOLE and count == len(cards)):
                yield count
            elif column.unit is Unit.ONE:
                return

    def fills_space(self, source: int, column: Tableau, taken: Sequence[Card]) -> bool:
        """Return whether cards of a pile may fill a space."""
        group, takes = self._layout.groups[source], column.space.takes
        takes = column.takes if takes is None else takes
        if takes is not None and group.name not in takes:
            return False
        if group.plays_to is not None and column.name not in group.plays_to:
            return False
        if group.kind is Kind.STOCK:
            return takes is not None and column.space.ranks is None
        return (column.cap is None or len(taken) <= column.cap) and self.opens(column, taken[0])

    def continues_column(
        self, board: Board, seat: int, play: Play, column: Tableau, taken: Sequence[Card]
    ) -> bool:
        """Return whether cards may lie on the last one of a column."""
        cards = board.cards[play.destination]
        if UNKNOWN in {taken[0], cards[-1]} or not self.continues(column, cards[-1], taken[0]):
            return False
        if column.cap is not None and len(cards) + len(taken) > column.cap:
            return False
        if column.unit is Unit.ONE_SIDE_SINGLE and len(taken) > 1 and not self._ends_singly(column, cards):
            return False
        if column.spaces_first and any(
            not board.cards[p] for p in self._layout.group_piles(seat, column.name)
        ):
            return False
        return may_move(self._layout, play.source, play.destination)

    def _ends_singly(self, column: Tableau, cards: Sequence[Card]) -> bool:
        return len(cards) < 2 or cards[-2] == UNKNOWN or not self.continues(column, cards[-2], cards[-1])
