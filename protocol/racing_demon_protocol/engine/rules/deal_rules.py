"""Special rules for dealing, and for which plays are allowed meanwhile."""

from collections.abc import Iterator, Sequence

from racing_demon_protocol.engine import privileges
from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import KING, UNKNOWN, Card, rank, suit
from racing_demon_protocol.engine.groups import Foundations
from racing_demon_protocol.errors import InvalidGame

from .effects import Effect, RulesContext


class KingOpensColumnEffect(Effect):
    """Deals to columns that kings begin: see :class:`~.engine.privileges.KingOpensColumn`."""

    special: privileges.KingOpensColumn

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the place of the card just dealt; afterwards, plays onto a bare king."""
        columns = self.piles(seat, self.special.columns)
        waste = self.table.layout.waste[seat]
        dealt = board.top(waste)
        begun = [pile for pile in columns if board.cards[pile]]
        if dealt is not None and dealt != UNKNOWN:
            if rank(dealt) != KING:
                yield Play(waste, 1, begun[-1])
            elif len(begun) < len(columns):
                yield Play(waste, 1, columns[len(begun)])
        elif self.hand_out(board, seat):
            for bare in (pile for pile in begun if len(board.cards[pile]) == 1):
                yield from (Play(pile, 1, bare) for pile in begun if len(board.cards[pile]) > 1)


class GridEdgesEffect(Effect):
    """Blocks enclosed cards, and deals rows: see :class:`~.engine.privileges.GridEdges`."""

    special: privileges.GridEdges

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the stock's next card to the first gap, or as the first of a new row."""
        stock = self.table.layout.stock[seat]
        cells, laid = self._laid(board, seat)
        gap = next((cell for cell in laid if not board.cards[cell]), None)
        if gap is None and len(laid) < len(cells):
            gap = cells[len(laid)]
        if board.cards[stock] and gap is not None:
            yield Play(stock, 1, gap)

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse cards between two others."""
        cells, width = self.piles(seat, self.special.cells), self.special.width
        if play.source not in cells:
            return ""
        if self.special.fill_first and self._has_gap(board, seat):
            return "Gaps are filled first."
        place = cells.index(play.source)
        above, below = place - width, place + width
        covered = above >= 0 and board.cards[cells[above]]
        if covered and below < len(cells) and board.cards[cells[below]]:
            return "That card lies between two others."
        return ""

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Deal the rest of a row that was begun."""
        stock = self.table.layout.stock[seat]
        for cell in self._laid(board, seat)[1]:
            if board.cards[stock] and not board.came.get(cell, 0):
                return Play(stock, 1, cell)
        return None

    def _has_gap(self, board: Board, seat: int) -> bool:
        _, laid = self._laid(board, seat)
        return bool(board.cards[self.table.layout.stock[seat]]) and not all(board.cards[p] for p in laid)

    def _laid(self, board: Board, seat: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return all cells, and those of the rows that were begun."""
        cells, width = self.piles(seat, self.special.cells), self.special.width
        return cells, cells[: width * sum(1 for cell in cells[::width] if board.came.get(cell, 0))]


class FamilyByLayingEffect(Effect):
    """Keeps groups from foundations: see :class:`~.engine.privileges.FamilyByLaying`."""

    special: privileges.FamilyByLaying

    def __init__(self, table: RulesContext, special: privileges.FamilyByLaying) -> None:
        super().__init__(table, special)
        self.redeals_seen = special.most_deals

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse cards of other groups in the first deals."""
        piles, special = board.piles, self.special
        if play.destination == FOUNDATIONS or board.redeals.get(seat, 0) >= special.most_deals:
            return ""
        meant = piles[play.destination].group == special.foundations
        if meant and piles[play.source].group not in special.groups:
            return "In this laying that foundation takes cards from elsewhere only."
        return ""


class BasesFirstEffect(Effect):
    """Reserves bases for their places: see :class:`~.engine.privileges.BasesFirst`."""

    special: privileges.BasesFirst

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse a base while one of its own places is open."""
        if board.piles[play.destination].group != self.special.foundation:
            return ""
        places = [pile for pile in self.piles(seat, self.special.bases) if not board.cards[pile]]
        family = self.table.layout.groups[places[0]] if places else None
        if isinstance(family, Foundations) and rank(board.cards[play.source][-1]) == family.base:
            return "That card opens a foundation of its own."
        return ""


class PairedColumnEffect(Effect):
    """Pairs piles with foundations: see :class:`~.engine.privileges.PairedColumn`."""

    special: privileges.PairedColumn

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse cards of piles other than the foundation's own."""
        source, target = board.piles[play.source], board.piles[play.destination]
        if target.kind is Kind.FOUNDATION and source.index != target.index:
            return "A foundation takes only cards of the pile below it."
        return ""

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Play a base up, or deal the next card to the pile whose turn it is."""
        piles, stock = self.piles(seat, self.special.piles), self.table.layout.stock[seat]
        for pile in piles:
            top = board.top(pile)
            if top is not None and top != UNKNOWN and rank(top) == self.special.base:
                return Play(
                    pile, 1, next(p for p in self.table.foundations.goals(seat) if not board.cards[p])
                )
        if board.cards[stock]:
            return Play(stock, 1, min(self._open(board, seat), key=lambda pile: len(board.cards[pile])))
        return None

    def _open(self, board: Board, seat: int) -> list[int]:
        """Return the piles that are dealt to."""
        pairs = zip(self.piles(seat, self.special.piles), self.table.foundations.goals(seat), strict=True)
        return [pile for pile, family in pairs if self.special.finished or not self._is_full(board, family)]

    def _is_full(self, board: Board, family: int) -> bool:
        group = self.table.layout.groups[family]
        return isinstance(group, Foundations) and len(board.cards[family]) == group.length


class RankPlacesEffect(Effect):
    """Opens all places with one suit: see :class:`~.engine.privileges.RankPlaces`."""

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse other suits in the first stage, and second cards before it is over."""
        if board.piles[play.destination].kind is not Kind.FOUNDATION:
            return ""
        own = self.table.foundations.goals(seat)
        opened = [board.cards[pile][0] for pile in own if board.cards[pile]]
        if len(opened) == len(own) or not opened:
            return ""
        if board.cards[play.destination]:
            return "First all places are opened."
        card = board.cards[play.source][-1]
        return "" if suit(card) == suit(opened[0]) else "The places are opened by one suit."


class JointEntryEffect(Effect):
    """Makes pairs enter together: see :class:`~.engine.privileges.JointEntry`."""

    special: privileges.JointEntry

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse a card that would enter alone, or from elsewhere."""
        if board.piles[play.destination].group not in self.special.foundations:
            return ""
        if board.cards[play.destination]:
            return ""
        if board.piles[play.source].group != self.special.group:
            return "Both cards enter from where they wait."
        card = board.cards[play.source][-1]
        if self._partner(board, seat, play.destination, [card]) is None:
            return "These cards enter in pairs."
        return ""

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Let the second card follow the first."""
        for group in self.special.foundations:
            for pile in self.piles(seat, group):
                if len(board.cards[pile]) == 1:
                    partner = self._partner(board, seat, pile, board.cards[pile])
                    if partner is not None:
                        return Play(partner, 1, pile)
        return None

    def _partner(self, board: Board, seat: int, foundation: int, cards: Sequence[Card]) -> int | None:
        family = self.table.layout.groups[foundation]
        assert isinstance(family, Foundations)
        wanted = family.order[1]
        for pile in self.piles(seat, self.special.group):
            card = board.top(pile)
            if card is not None and rank(card) == wanted and suit(card) == suit(cards[0]):
                return pile
        return None


class BumpKingEffect(Effect):
    """Deals rows, and lets kings move on: see :class:`~.engine.privileges.BumpKing`."""

    special: privileges.BumpKing

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the king's play to the next place, and the next card's play, which leaves the king."""
        columns, laid = self._laid(board, seat)
        if self._may_go_on(board, columns, laid):
            stock, place = self.table.layout.stock[seat], columns[laid % len(columns)]
            yield Play(columns[(laid - 1) % len(columns)], 1, place)
            yield Play(stock, 1, place)

    def due(self, board: Board, seat: int) -> str:
        """Ask for a decision about a king, until the rows are dealt."""
        columns, laid = self._laid(board, seat)
        if laid == len(columns) * self.special.rows:
            return ""
        return "A king lies on a lower card of his suit: move him one place on, or turn the stock to lay on."

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Deal the next card, first of all to the place that a king has left."""
        columns, laid = self._laid(board, seat)
        if laid == len(columns) * self.special.rows or self._may_go_on(board, columns, laid):
            return None
        king = columns[laid % len(columns)]
        has_gone = len(board.cards[king]) > laid // len(columns)
        return Play(self.table.layout.stock[seat], 1, columns[laid % len(columns) - has_gone])

    def _laid(self, board: Board, seat: int) -> tuple[tuple[int, ...], int]:
        """Return the columns, and how many cards were dealt to them."""
        columns, layout = self.piles(seat, self.special.columns), self.table.layout
        dealt = layout.game.deck_size - len(board.cards[layout.stock[seat]])
        return columns, min(dealt, len(columns) * self.special.rows)

    def _may_go_on(self, board: Board, columns: Sequence[int], laid: int) -> bool:
        """Return whether the last card dealt is such a king with a next place to move to."""
        width = len(columns)
        last, place = board.cards[columns[(laid - 1) % width]], columns[laid % width]
        if laid in {width, width * self.special.rows} or len(board.cards[place]) > laid // width:
            return False
        king = last[-1]
        return rank(king) == KING and any(suit(card) == suit(king) and rank(card) < KING for card in last)


class RowEndsEffect(Effect):
    """Deals rows of which few cards are free: see :class:`~.engine.privileges.RowEnds`."""

    special: privileges.RowEnds

    def __init__(self, table: RulesContext, special: privileges.RowEnds) -> None:
        super().__init__(table, special)
        for seat in table.layout.seats:
            if len(self.piles(seat, special.row)) != len(self.piles(seat, special.columns)):
                raise InvalidGame("A row is laid upon the columns: there are as many cards in it as columns.")

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the stock's next card to a gap of the first row."""
        stock = self.table.layout.stock[seat]
        if board.cards[stock] and not self._rows(board, seat):
            gap = next((p for p in self.piles(seat, self.special.columns) if not board.cards[p]), None)
            if gap is not None:
                yield Play(stock, 1, gap)

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """While rows are dealt, refuse all but the free cards of the newest one."""
        layout, piles = self.table.layout, board.piles
        if not board.cards[layout.stock[seat]]:
            return ""
        rows, columns = self._rows(board, seat), self.piles(seat, self.special.columns)
        if play.source == layout.stock[seat]:
            gaps = not rows and any(not board.cards[pile] for pile in columns)
            return "The gaps of the first row are filled before the next is laid." if gaps else ""
        if piles[play.destination].kind is not Kind.FOUNDATION:
            return "Cards are married when the hand is out."
        if piles[play.source].group == self.special.columns:
            return "Another row lies upon that card." if rows else ""
        lying = [pile for pile in self.piles(seat, self.special.row) if board.cards[pile]]
        free = {*lying[-self.special.ends :], *lying[: self.special.left]}
        return "" if play.source in free else "Only the cards at the right-hand end are free."

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Move a row's card to its column when the next one has come, or when stock and waste are empty."""
        row, columns = self.piles(seat, self.special.row), self.piles(seat, self.special.columns)
        out = not board.cards[self.table.layout.stock[seat]]
        for cell, column in zip(row, columns, strict=True):
            if len(board.cards[cell]) > 1 or (out and board.cards[cell]):
                return Play(cell, -1, column)
        return None

    def _rows(self, board: Board, seat: int) -> int:
        return board.came.get(self.piles(seat, self.special.row)[0], 0)
