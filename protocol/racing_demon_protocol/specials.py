"""What the rules of :mod:`.privileges` do: one small class each, asked by the rules of the building games.

An effect looks at the public board. It may add plays, refuse some, make some by itself, or change the order
of the deal.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

from .board import FOUNDATIONS, Board, Kind, Play
from .cards import KING, UNKNOWN, Card, rank, suit
from .declaration import Foundations, Game, Special, Stock, Tableau
from .layout import Layout
from .privileges import (
    BasesFirst,
    BottomCards,
    BumpKing,
    ChosenBase,
    Draw,
    FamilyByLaying,
    FillFromDoubles,
    Grace,
    GridEdges,
    JointEntry,
    KingOpensColumn,
    LayExtra,
    OpeningRescue,
    PairedColumn,
    RankPlaces,
    RowEnds,
    When,
)

__all__ = ["Effect", "effects_of"]


class Table(Protocol):
    """What an effect asks of the rules."""

    game: Game
    layout: Layout

    def open_foundations(
        self, board: Board, seat: int, card: Card, source: int | None = None
    ) -> Iterator[int]: ...

    def plain_plays(self, board: Board, seat: int) -> Iterator[Play]: ...

    def continues(self, column: Tableau, below: Card, above: Card) -> bool: ...

    def can_turn(self, board: Board, seat: int) -> bool: ...


class Effect:
    """One rule of its own, at work. By itself it changes nothing."""

    def __init__(self, table: Table, special: Any) -> None:
        self.table = table
        self.special = special

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Return a seat's shuffled cards in the order in which they are dealt."""
        return deck

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that this rule allows beside all others."""
        yield from ()

    def resolve(self, board: Board, seat: int, play: Play) -> Play | None:
        """Return a play with its foundation resolved, if it is one of this rule's own."""
        for own in self.plays(board, seat):
            upward = play.destination == FOUNDATIONS and board.piles[own.destination].kind is Kind.FOUNDATION
            if own == play or (upward and own._replace(destination=FOUNDATIONS) == play):
                return own
        return None

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Say why this rule forbids a play that is legal otherwise; an empty text if it does not."""
        return ""

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Return the next play that the game makes by itself through this rule."""
        return None

    def may_help(self, board: Board, seat: int) -> bool:
        """Tell whether this rule allows something, now or after turning the stock."""
        return next(self.plays(board, seat), None) is not None

    def piles(self, seat: int, group: str) -> tuple[int, ...]:
        """Return the numbers of the piles of a group."""
        return self.table.layout.named(seat, group)

    def hand_out(self, board: Board, seat: int) -> bool:
        """Tell whether stock and waste are empty."""
        layout = self.table.layout
        return not any(board.cards[p] for p in layout.own(seat, Kind.STOCK) + layout.own(seat, Kind.WASTE))

    def stuck(self, board: Board, seat: int) -> bool:
        """Tell whether nothing is left to play or to turn in the ordinary way."""
        nothing = next(self.table.plain_plays(board, seat), None) is None
        return nothing and not self.table.can_turn(board, seat)


class DrawEffect(Effect):
    """Plays a buried card: see :class:`~.privileges.Draw`."""

    special: Draw

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a play for each card that could be drawn, and where it could go."""
        if not self._may(board, seat):
            return
        for pile in (pile for group in self.special.groups for pile in self.piles(seat, group)):
            cards = board.cards[pile]
            if self.special.through:
                yield from self._blocked(board, seat, pile)
                continue
            for depth in range(1, len(cards)):
                card = cards[-depth - 1]
                if card != UNKNOWN:
                    for destination in self._targets(board, seat, pile, card):
                        yield Play(pile, 1, destination, depth)

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Take a card that was drawn through a heap to its foundation."""
        for heap in self.piles(seat, self.special.through) if self.special.through else ():
            if board.cards[heap]:
                to = next(self.table.open_foundations(board, seat, board.cards[heap][-1]), None)
                return None if to is None else Play(heap, 1, to)
        return None

    def _may(self, board: Board, seat: int) -> bool:
        special = self.special
        through = self.piles(seat, special.through) if special.through else ()
        used = sum(board.came.get(pile, 0) for pile in through) + board.liberties.get(seat, 0)
        if used >= special.times:
            return False
        if special.after and not any(board.came.get(pile, 0) for pile in self.piles(seat, special.after)):
            return False
        if special.when is When.HAND_OUT and not self.hand_out(board, seat):
            return False
        return special.when is When.ALWAYS or self.stuck(board, seat)

    def _blocked(self, board: Board, seat: int, pile: int) -> Iterator[Play]:
        card = board.top(pile)
        if card is not None and next(self.table.open_foundations(board, seat, card), None) is not None:
            yield Play(pile, 1, self.piles(seat, self.special.through)[0])

    def _targets(self, board: Board, seat: int, source: int, card: Card) -> Iterator[int]:
        yield from self.table.open_foundations(board, seat, card)
        for pile in self.table.layout.own(seat, Kind.TABLEAU) if self.special.marries else ():
            column, top = self.table.layout.groups[pile], board.top(pile)
            fits = isinstance(column, Tableau) and top is not None and top != UNKNOWN and pile != source
            if fits and isinstance(column, Tableau) and self.table.continues(column, top or 0, card):
                yield pile


class LayExtraEffect(Effect):
    """Fills the extra cells: see :class:`~.privileges.LayExtra`."""

    special: LayExtra

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play that lays the first of the extra cards."""
        cells = self.piles(seat, self.special.cells)
        if board.came.get(cells[0], 0) or not self._is_full(board, seat):
            return
        upward = any(
            board.piles[play.destination].kind is Kind.FOUNDATION
            for play in self.table.plain_plays(board, seat)
        )
        source = self._source(board, seat)
        if not upward and source is not None:
            yield Play(source, 1, cells[0])

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Lay the others."""
        first, *others = self.piles(seat, self.special.cells)
        source = self._source(board, seat)
        if board.came.get(first, 0) and source is not None:
            for cell in others:
                if not board.came.get(cell, 0):
                    return Play(source, 1, cell)
        return None

    def _source(self, board: Board, seat: int) -> int | None:
        """Return the pile that the next card comes from: that just dealt, or the stock."""
        layout = self.table.layout
        piles = layout.own(seat, Kind.WASTE) + layout.own(seat, Kind.STOCK)
        return next((pile for pile in piles if board.cards[pile]), None)

    def _is_full(self, board: Board, seat: int) -> bool:
        places = self.piles(seat, self.special.places)
        caps = [getattr(self.table.layout.groups[pile], "cap", None) or 1 for pile in places]
        return all(len(board.cards[pile]) >= cap for pile, cap in zip(places, caps, strict=True))


class GraceEffect(Effect):
    """Takes a card back from a foundation: see :class:`~.privileges.Grace`."""

    special: Grace

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the ways to put a foundation's top card to a column's foot, or to its head."""
        if self._is_blocked(board, seat):
            yield from self._ways(board, seat)

    def may_help(self, board: Board, seat: int) -> bool:
        """Tell whether a card could be taken back, if turning led to nothing."""
        return next(self._ways(board, seat), None) is not None

    def _ways(self, board: Board, seat: int) -> Iterator[Play]:
        if board.liberties.get(seat, 0) >= self.special.times:
            return
        layout = self.table.layout
        heads = {layout.piles[door].under: door for door in self.piles(seat, self.special.heads)}
        for foundation in layout.foundations:
            cards = board.cards[foundation]
            if layout.piles[foundation].seat not in {None, seat} or len(cards) < 2:
                continue
            for pile, door in heads.items():
                column, lying = layout.groups[pile or 0], board.cards[pile or 0]
                if pile is None or not isinstance(column, Tableau) or not lying:
                    continue
                if self.table.continues(column, lying[-1], cards[-1]):
                    yield Play(foundation, 1, pile)
                if self.table.continues(column, cards[-1], lying[0]):
                    yield Play(foundation, 1, door)

    def _is_blocked(self, board: Board, seat: int) -> bool:
        """Tell whether a pass through all cards has led to nothing, and no card can be played now."""
        layout = self.table.layout
        stock = layout.stock[seat]
        group = layout.groups[stock]
        assert isinstance(group, Stock)
        left = len(board.cards[stock]) + len(board.cards[layout.waste[seat]])
        turns = -(-left // group.turn) + 1 if left else 0
        passed = board.came.get(stock, 0) >= turns
        return passed and next(self.table.plain_plays(board, seat), None) is None


class KingOpensColumnEffect(Effect):
    """Deals to columns that kings begin: see :class:`~.privileges.KingOpensColumn`."""

    special: KingOpensColumn

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the place of the card just dealt; afterwards, plays upon a bare king."""
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
    """Blocks what lies between others, and lays rows: see :class:`~.privileges.GridEdges`."""

    special: GridEdges

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the stock's next card to the first gap, or as the first of a new row."""
        stock = self.table.layout.stock[seat]
        cells, rows = self._rows(board, seat)
        laid = cells[: rows * self.special.width]
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
        place = cells.index(play.source)
        above, below = place - width, place + width
        covered = above >= 0 and board.cards[cells[above]]
        if covered and below < len(cells) and board.cards[cells[below]]:
            return "That card lies between two others."
        return ""

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Lay the rest of a row that was begun."""
        stock = self.table.layout.stock[seat]
        cells, rows = self._rows(board, seat)
        for cell in cells[: rows * self.special.width]:
            if board.cards[stock] and not board.came.get(cell, 0):
                return Play(stock, 1, cell)
        return None

    def _rows(self, board: Board, seat: int) -> tuple[tuple[int, ...], int]:
        cells = self.piles(seat, self.special.cells)
        return cells, sum(1 for cell in cells[:: self.special.width] if board.came.get(cell, 0))


class FamilyByLayingEffect(Effect):
    """Keeps groups from foundations: see :class:`~.privileges.FamilyByLaying`."""

    special: FamilyByLaying

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse cards of other groups in the first layings."""
        piles, special = board.piles, self.special
        if play.destination == FOUNDATIONS or board.redeals.get(seat, 0) >= special.layings:
            return ""
        meant = piles[play.destination].group == special.foundations
        if meant and piles[play.source].group not in special.groups:
            return "In this laying that foundation takes cards from elsewhere only."
        return ""


class BasesFirstEffect(Effect):
    """Keeps bases for their places: see :class:`~.privileges.BasesFirst`."""

    special: BasesFirst

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
    """Pairs piles with foundations: see :class:`~.privileges.PairedColumn`."""

    special: PairedColumn

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse cards of other piles than the foundation's own."""
        source, target = board.piles[play.source], board.piles[play.destination]
        if target.kind is Kind.FOUNDATION and source.index != target.index:
            return "A foundation takes only cards of the pile below it."
        return ""

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Take a base up, or deal the next card to the pile that has come to its turn."""
        piles, stock = self.piles(seat, self.special.piles), self.table.layout.stock[seat]
        for pile in piles:
            top = board.top(pile)
            if top is not None and top != UNKNOWN and rank(top) == self.special.base:
                free = (p for p in self.table.layout.foundations if board.piles[p].seat in {None, seat})
                return Play(pile, 1, next(p for p in free if not board.cards[p]))
        if board.cards[stock]:
            return Play(stock, 1, min(piles, key=lambda pile: len(board.cards[pile])))
        return None


class RankPlacesEffect(Effect):
    """Opens all places with one suit: see :class:`~.privileges.RankPlaces`."""

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse other suits in the first stage, and second cards before it is over."""
        if board.piles[play.destination].kind is not Kind.FOUNDATION:
            return ""
        own = [p for p in self.table.layout.foundations if board.piles[p].seat in {None, seat}]
        opened = [board.cards[pile][0] for pile in own if board.cards[pile]]
        if len(opened) == len(own) or not opened:
            return ""
        if board.cards[play.destination]:
            return "First all places are opened."
        card = board.cards[play.source][-1]
        return "" if suit(card) == suit(opened[0]) else "The places are opened by one suit."


class JointEntryEffect(Effect):
    """Lets pairs enter: see :class:`~.privileges.JointEntry`."""

    special: JointEntry

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


class FillFromDoublesEffect(Effect):
    """Parts double places: see :class:`~.privileges.FillFromDoubles`."""

    special: FillFromDoubles

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the upper cards of double places, to the empty ones."""
        places = self.piles(seat, self.special.places)
        if self.hand_out(board, seat):
            for empty in (pile for pile in places if not board.cards[pile]):
                yield from (Play(pile, 1, empty) for pile in places if len(board.cards[pile]) > 1)


class OpeningRescueEffect(Effect):
    """Finds the first bases: see :class:`~.privileges.OpeningRescue`."""

    special: OpeningRescue

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield bases from under one card, if there is no other way to one."""
        if self._is_open(board, seat):
            return
        for play in self.table.plain_plays(board, seat):
            up = board.piles[play.destination].kind is Kind.FOUNDATION
            if up or next(self._bases(board, seat, play.source), None) is not None:
                return
        for pile in self.piles(seat, self.special.columns):
            for foundation in self._bases(board, seat, pile):
                yield Play(pile, 1, foundation, 1)

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse all but bases and marriages at first."""
        if self._is_open(board, seat) or play.depth:
            return ""
        if board.cards[play.destination] and board.piles[play.destination].kind is Kind.FOUNDATION:
            return "First one foundation of each kind is opened."
        if not board.cards[play.destination] and board.piles[play.destination].kind is Kind.TABLEAU:
            return "First one foundation of each kind is opened."
        return ""

    def _is_open(self, board: Board, seat: int) -> bool:
        layout = self.table.layout
        opened: dict[str, bool] = {}
        for pile in layout.foundations:
            if layout.piles[pile].seat in {None, seat}:
                name = layout.piles[pile].group
                opened[name] = opened.get(name, False) or bool(board.cards[pile])
        return all(opened.values())

    def _bases(self, board: Board, seat: int, pile: int) -> Iterator[int]:
        """Yield the foundations that the card under a pile's last one would open."""
        cards = board.cards[pile]
        if len(cards) > 1:
            for foundation in self.table.open_foundations(board, seat, cards[-2]):
                if not board.cards[foundation]:
                    yield foundation
                    return


class BumpKingEffect(Effect):
    """Moves kings on in the deal: see :class:`~.privileges.BumpKing`."""

    special: BumpKing

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Change each such king with the card behind it."""
        cards, width = list(deck), self.special.width
        for place in range(width, width * self.special.rows - 1):
            king = cards[place]
            below = cards[place % width : place : width]
            if rank(king) == KING and any(suit(c) == suit(king) and rank(c) < KING for c in below):
                cards[place], cards[place + 1] = cards[place + 1], king
        return cards


class BottomCardsEffect(Effect):
    """Turns the waste's bottom cards again: see :class:`~.privileges.BottomCards`."""

    special: BottomCards

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play as a player writes it: so many cards of the waste, to the stock."""
        stock, waste = self.table.layout.stock[seat], self.table.layout.waste[seat]
        count = min(self.special.count, len(board.cards[waste]))
        if count and not board.cards[stock] and not board.redeals.get(seat, 0):
            yield Play(waste, count, stock)

    def resolve(self, board: Board, seat: int, play: Play) -> Play | None:
        """Return the play as it is carried out: from the bottom."""
        own = super().resolve(board, seat, play)
        return None if own is None else own._replace(count=-own.count)


class RowEndsEffect(Effect):
    """Lays rows of which few cards are free: see :class:`~.privileges.RowEnds`."""

    special: RowEnds

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the stock's next card to a gap of the first row."""
        stock = self.table.layout.stock[seat]
        if board.cards[stock] and not self._rows(board, seat):
            gap = next((p for p in self.piles(seat, self.special.columns) if not board.cards[p]), None)
            if gap is not None:
                yield Play(stock, 1, gap)

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse, while rows are laid, all but the free cards of the newest one."""
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
        """Put a row's card upon its column when the next one has come, or when the hand is out."""
        row, columns = self.piles(seat, self.special.row), self.piles(seat, self.special.columns)
        out = not board.cards[self.table.layout.stock[seat]]
        for cell, column in zip(row, columns, strict=True):
            if len(board.cards[cell]) > 1 or (out and board.cards[cell]):
                return Play(cell, -1, column)
        return None

    def _rows(self, board: Board, seat: int) -> int:
        return board.came.get(self.piles(seat, self.special.row)[0], 0)


class ChosenBaseEffect(Effect):
    """Lets the first card choose: see :class:`~.privileges.ChosenBase`."""

    special: ChosenBase

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that open the first foundation."""
        layout, families = self.table.layout, self.piles(seat, self.special.foundations)
        if any(board.cards[pile] for pile in families):
            return
        stock, waste = layout.stock[seat], layout.waste[seat]
        undealt = layout.game.deck_size - sum(count for _, count in layout.deal_steps(seat))
        is_first = len(board.cards[waste]) == 1 and len(board.cards[stock]) == undealt - 1
        for kind in (Kind.WASTE, Kind.RESERVE, Kind.CELL):
            for pile in layout.own(seat, kind):
                card = board.top(pile)
                if card is None or card == UNKNOWN:
                    continue
                if rank(card) == self.special.rank or (pile == waste and is_first):
                    yield Play(pile, 1, families[0])


EFFECTS: Final[dict[type[Special], type[Effect]]] = {
    BasesFirst: BasesFirstEffect,
    BottomCards: BottomCardsEffect,
    BumpKing: BumpKingEffect,
    ChosenBase: ChosenBaseEffect,
    Draw: DrawEffect,
    FamilyByLaying: FamilyByLayingEffect,
    FillFromDoubles: FillFromDoublesEffect,
    Grace: GraceEffect,
    GridEdges: GridEdgesEffect,
    JointEntry: JointEntryEffect,
    KingOpensColumn: KingOpensColumnEffect,
    LayExtra: LayExtraEffect,
    OpeningRescue: OpeningRescueEffect,
    PairedColumn: PairedColumnEffect,
    RankPlaces: RankPlacesEffect,
    RowEnds: RowEndsEffect,
}
"""What each entry of the closed list does."""


def effects_of(table: Table) -> tuple[Effect, ...]:
    """Return the effects of a game's special rules, in the order declared."""
    return tuple(EFFECTS[type(special)](table, special) for special in table.game.specials)
