"""The closed list of special rules that no attribute expresses: each as a game declares it, and its effect.

An effect looks at the public board. It may add, refuse or automatically make plays, or change the order of
the deal. A game that needs another rule adds a declaration and an effect here, and a test: there is no
language of conditions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, Protocol, TypeVar

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import ACE, KING, PACK_SIZE, UNKNOWN, Card, rank, suit
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Foundations, Special, Tableau
from racing_demon_protocol.errors import InvalidGame

from .columns import ColumnRules
from .foundations import FoundationRules
from .pile_moves import has_stock
from .stock import StockRules


class When(StrEnum):
    """When a privilege may be used."""

    ALWAYS = "always"
    HAND_IN = "hand_in"
    """Cards are left in stock or waste, and nothing else can be played or turned."""
    HAND_OUT = "hand_out"
    """Stock and waste are empty, and nothing can be played but by a special rule."""
    STUCK = "stuck"
    """Nothing else can be played or turned, whether cards are left in stock and waste or not."""


class RulesContext(Protocol):
    """The part of the rules that effects use: see :class:`.move_generator.MoveGenerator`."""

    layout: Layout
    columns: ColumnRules
    foundations: FoundationRules
    stock: StockRules

    def open_foundations(
        self, board: Board, seat: int, card: Card, source: int | None = None
    ) -> Iterator[int]:
        """Yield the foundations that accept a card now."""
        ...

    def plain_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of cards without special rules."""
        ...


SpecialT = TypeVar("SpecialT", bound=Special)


class Effect(Generic[SpecialT]):
    """The effect of one special rule. The base class has none.

    Attributes:
        redeals_seen: redeals beyond this number make no difference to it.
        liberties_seen: liberties beyond this number make no difference to it.

    """

    redeals_seen = 0
    liberties_seen = 0

    def __init__(self, context: RulesContext, special: SpecialT) -> None:
        self.context = context
        self.special = special

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Return a seat's shuffled cards in the order in which they are dealt."""
        return deck

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that this rule adds."""
        yield from ()

    def resolve(self, board: Board, seat: int, play: Play) -> Play | None:
        """Return a play as it is carried out, if it is one of this rule's own."""
        for own in self.plays(board, seat):
            upward = play.destination == FOUNDATIONS and board.piles[own.destination].kind is Kind.FOUNDATION
            if own == play or (upward and own._replace(destination=FOUNDATIONS) == play):
                return self.carried_out(own)
        return None

    def carried_out(self, play: Play) -> Play:
        """Return one of this rule's own plays as it is carried out."""
        return play

    def required_first(self, board: Board, seat: int) -> str:
        """Return what this rule requires first, in words; empty if nothing."""
        return ""

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Return why this rule forbids an otherwise legal play; empty if it does not."""
        return self.required_first(board, seat)

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return this rule's next automatic play."""
        return None

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether this rule allows something, now or after turning the stock."""
        return next(self.plays(board, seat), None) is not None

    def group_piles(self, seat: int, group: str) -> tuple[int, ...]:
        """Return the numbers of the piles of a group."""
        return self.context.layout.group_piles(seat, group)

    def is_stock_used_up(self, board: Board, seat: int) -> bool:
        """Return whether stock and waste are empty."""
        return not has_stock(self.context.layout, board, seat)

    def is_pass_without_play(self, board: Board, seat: int) -> bool:
        """Return whether a full pass led to nothing, and no card can be played now. The stock must count."""
        return (
            self.is_pass_complete(board, seat) and next(self.context.plain_plays(board, seat), None) is None
        )

    def is_pass_complete(self, board: Board, seat: int) -> bool:
        """Return whether all cards have been turned since the pass began. The stock must count."""
        turns = board.came.get(self.context.layout.stock[seat], 0)
        return turns >= self.context.stock.pass_length(board, seat)

    def is_stuck(self, board: Board, seat: int) -> bool:
        """Return whether nothing can be played or turned without special rules."""
        is_blocked = next(self.context.plain_plays(board, seat), None) is None
        return is_blocked and next(self.context.stock.plays(board, seat), None) is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw(Special):
    """A buried or blocked card may be played to a foundation.

    Attributes:
        groups: where it may lie.
        times: how often in a hand: counted with all other draws, but not with those through a reserve.
        when: in which situation.
        marries: whether it may also be built on a column.
        after: a group to which cards must have come before.
        through: a reserve through which the card goes, which counts it; uncovered cards may go through it,
            too.

    """

    groups: tuple[str, ...]
    times: int = 1
    when: When = When.ALWAYS
    marries: bool = False
    after: str = ""
    through: str = ""


NEEDS_EMPTY_STOCK: Final = {When.HAND_IN: False, When.HAND_OUT: True}
"""Whether stock and waste must be empty."""


class DrawEffect(Effect[Draw]):
    """Plays a buried card: see :class:`Draw`."""

    def __init__(self, context: RulesContext, special: Draw) -> None:
        super().__init__(context, special)
        self.liberties_seen = 0 if special.through else special.times

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of each buried card to each pile where it fits."""
        if not self._is_allowed(board, seat):
            return
        wanted = self.context.foundations.accepted_cards(board, seat)
        for pile in (pile for group in self.special.groups for pile in self.group_piles(seat, group)):
            cards = board.cards[pile]
            for depth in range(0 if self.special.through else 1, len(cards)):
                card = cards[-depth - 1]
                if card != UNKNOWN and (self.special.marries or card % PACK_SIZE in wanted):
                    for destination in self._destinations(board, seat, pile, card):
                        yield Play(pile, 1, destination, depth)

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Play a card that came through a reserve to its foundation."""
        for heap in self.group_piles(seat, self.special.through) if self.special.through else ():
            if board.cards[heap]:
                to = next(self.context.open_foundations(board, seat, board.cards[heap][-1]), None)
                return None if to is None else Play(heap, 1, to)
        return None

    def _is_allowed(self, board: Board, seat: int) -> bool:
        special = self.special
        if special.through:
            used = sum(board.came.get(pile, 0) for pile in self.group_piles(seat, special.through))
        else:
            used = board.liberties.get(seat, 0)
        if used >= special.times:
            return False
        if special.after and not any(
            board.came.get(pile, 0) for pile in self.group_piles(seat, special.after)
        ):
            return False
        if (
            special.when in NEEDS_EMPTY_STOCK
            and self.is_stock_used_up(board, seat) is not NEEDS_EMPTY_STOCK[special.when]
        ):
            return False
        return special.when is When.ALWAYS or self.is_stuck(board, seat)

    def _destinations(self, board: Board, seat: int, source: int, card: Card) -> Iterator[int]:
        layout, foundations = self.context.layout, self.context.open_foundations(board, seat, card)
        if self.special.through:
            if next(foundations, None) is not None:
                yield self.group_piles(seat, self.special.through)[0]
            return
        yield from foundations
        for pile in layout.seat_piles(seat, Kind.TABLEAU) if self.special.marries else ():
            column, top = layout.groups[pile], board.top(pile)
            if pile == source or not isinstance(column, Tableau) or top is None or top == UNKNOWN:
                continue
            if self.context.columns.continues(column, top, card):
                yield pile


@dataclass(frozen=True, kw_only=True, slots=True)
class LayExtra(Special):
    """Once, when all places are full and nothing fits, cards from the stock fill some extra cells.

    Attributes:
        places: the group that must be full.
        cells: the group that is filled.

    """

    places: str
    cells: str


class LayExtraEffect(Effect[LayExtra]):
    """Fills the extra cells: see :class:`LayExtra`."""

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play that deals the first of the extra cards."""
        cells = self.group_piles(seat, self.special.cells)
        if board.came.get(cells[0], 0) or not self._is_full(board, seat):
            return
        upward = any(
            board.piles[play.destination].kind is Kind.FOUNDATION
            for play in self.context.plain_plays(board, seat)
        )
        source = self._source(board, seat)
        if not upward and source is not None:
            yield Play(source, 1, cells[0])

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Deal the others."""
        first, *others = self.group_piles(seat, self.special.cells)
        source = self._source(board, seat)
        if board.came.get(first, 0) and source is not None:
            for cell in others:
                if not board.came.get(cell, 0):
                    return Play(source, 1, cell)
        return None

    def _source(self, board: Board, seat: int) -> int | None:
        """Return the pile that the next card comes from: the card just dealt, or the stock."""
        layout = self.context.layout
        piles = layout.seat_piles(seat, Kind.WASTE) + layout.seat_piles(seat, Kind.STOCK)
        return next((pile for pile in piles if board.cards[pile]), None)

    def _is_full(self, board: Board, seat: int) -> bool:
        places = self.group_piles(seat, self.special.places)
        caps = [getattr(self.context.layout.groups[pile], "cap", None) or 1 for pile in places]
        return all(len(board.cards[pile]) >= cap for pile, cap in zip(places, caps, strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class Grace(Special):
    """After a full pass without a play, a foundation's top card may go back to a column.

    Attributes:
        heads: the doors to a column's head; at its foot the card may always be built.
        times: how often in a hand.

    """

    heads: str
    times: int = 1


class GraceEffect(Effect[Grace]):
    """Takes a card back from a foundation: see :class:`Grace`."""

    def __init__(self, context: RulesContext, special: Grace) -> None:
        super().__init__(context, special)
        self.liberties_seen = special.times

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of a foundation's top card to a column's foot or head."""
        if self.is_pass_without_play(board, seat):
            yield from self._plays_back(board, seat)

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether a card could be taken back once turning has led to nothing."""
        return next(self._plays_back(board, seat), None) is not None

    def _plays_back(self, board: Board, seat: int) -> Iterator[Play]:
        if board.liberties.get(seat, 0) >= self.special.times:
            return
        layout = self.context.layout
        heads = {layout.piles[door].under: door for door in self.group_piles(seat, self.special.heads)}
        for foundation in self.context.foundations.piles_of(seat):
            cards = board.cards[foundation]
            if len(cards) < 2:
                continue
            for pile, door in heads.items():
                column, lying = layout.groups[pile or 0], board.cards[pile or 0]
                if pile is None or not isinstance(column, Tableau) or not lying:
                    continue
                if self.context.columns.continues(column, lying[-1], cards[-1]):
                    yield Play(foundation, 1, pile)
                if self.context.columns.continues(column, cards[-1], lying[0]):
                    yield Play(foundation, 1, door)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reorder(Special):
    """After a full pass without a play, the cards of a turn may be laid off in any order.

    Attributes:
        held: the counting cells to which a whole turn comes, to be laid off one by one.
        times: how many turns in a hand.

    """

    held: str
    times: int = 12


class ReorderEffect(Effect[Reorder]):
    """Puts the cards of a turn on the waste in another order: see :class:`Reorder`."""

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play that puts a turn's first card aside; then, those of each card aside to the waste."""
        held, stock = self._piles(seat)
        lying, begun = self._held_cells(board, held), board.came.get(held[0], 0)
        is_whole = 1 < len(held) <= len(board.cards[stock])
        if lying:
            yield from (Play(cell, 1, self.context.layout.waste[seat]) for cell in lying)
        elif is_whole and begun < self.special.times and (begun or self._is_pass_in_vain(board, seat)):
            yield Play(stock, 1, held[0])

    def required_first(self, board: Board, seat: int) -> str:
        """Require that the cards put aside are laid off."""
        held = self._piles(seat)[0]
        return (
            "Put the cards that lie aside on the waste, in any order."
            if self._held_cells(board, held)
            else ""
        )

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Put the other cards of the turn aside; lay the last one off."""
        held, stock = self._piles(seat)
        lying = self._held_cells(board, held)
        for cell in held if lying else ():
            if board.came.get(cell, 0) < board.came.get(held[0], 0):
                return Play(stock, 1, cell)
        return Play(lying[0], 1, self.context.layout.waste[seat]) if len(lying) == 1 else None

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether cards could be laid off this way once turning has led to nothing."""
        held, stock = self._piles(seat)
        left = len(board.cards[stock]) + len(board.cards[self.context.layout.waste[seat]])
        return 1 < len(held) <= left and board.came.get(held[0], 0) < self.special.times

    def _is_pass_in_vain(self, board: Board, seat: int) -> bool:
        """Return whether a full pass brought no card that makes progress."""
        plays = self.context.plain_plays(board, seat)
        return self.is_pass_complete(board, seat) and not any(map(board.is_progress, plays))

    def _piles(self, seat: int) -> tuple[tuple[int, ...], int]:
        """Return the cells that a whole turn fills, and the stock."""
        stock = self.context.layout.stock[seat]
        turned: int = getattr(self.context.layout.groups[stock], "turn", 0)
        return self.group_piles(seat, self.special.held)[:turned], stock

    @staticmethod
    def _held_cells(board: Board, held: Sequence[int]) -> list[int]:
        return [cell for cell in held if board.cards[cell]]


@dataclass(frozen=True, kw_only=True, slots=True)
class KingOpensColumn(Special):
    """During the deal, each king begins the next column, and other cards go on the last one.

    Afterwards a bare king may take the last card of any other column.
    """

    columns: str


class KingOpensColumnEffect(Effect[KingOpensColumn]):
    """Deals to columns that kings begin: see :class:`KingOpensColumn`."""

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the place of the card just dealt; afterwards, plays onto a bare king."""
        columns = self.group_piles(seat, self.special.columns)
        waste = self.context.layout.waste[seat]
        dealt = board.top(waste)
        begun = [pile for pile in columns if board.cards[pile]]
        if dealt is not None and dealt != UNKNOWN:
            if rank(dealt) != KING:
                yield Play(waste, 1, begun[-1])
            elif len(begun) < len(columns):
                yield Play(waste, 1, columns[len(begun)])
        elif self.is_stock_used_up(board, seat):
            for bare in (pile for pile in begun if len(board.cards[pile]) == 1):
                yield from (Play(pile, 1, bare) for pile in begun if len(board.cards[pile]) > 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class GridEdges(Special):
    """A card of a grid is free if it has no neighbor above, or none below.

    Gaps are filled from the stock in their order; when there is none, the next row is dealt.

    Attributes:
        cells: the group.
        width: the places in a row.
        fill_first: whether gaps must be filled before anything else is played.

    """

    cells: str
    width: int
    fill_first: bool = False


class GridEdgesEffect(Effect[GridEdges]):
    """Blocks enclosed cards, and deals rows: see :class:`GridEdges`."""

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the stock's next card to the first gap, or as the first of a new row."""
        stock = self.context.layout.stock[seat]
        cells, dealt_cells = self._dealt(board, seat)
        gap = next((cell for cell in dealt_cells if not board.cards[cell]), None)
        if gap is None and len(dealt_cells) < len(cells):
            gap = cells[len(dealt_cells)]
        if board.cards[stock] and gap is not None:
            yield Play(stock, 1, gap)

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Refuse cards between two others."""
        cells, width = self.group_piles(seat, self.special.cells), self.special.width
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

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Deal the rest of a row that was begun."""
        stock = self.context.layout.stock[seat]
        for cell in self._dealt(board, seat)[1]:
            if board.cards[stock] and not board.came.get(cell, 0):
                return Play(stock, 1, cell)
        return None

    def _has_gap(self, board: Board, seat: int) -> bool:
        _, dealt_cells = self._dealt(board, seat)
        return bool(board.cards[self.context.layout.stock[seat]]) and not all(
            board.cards[p] for p in dealt_cells
        )

    def _dealt(self, board: Board, seat: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return all cells, and those of the rows that were begun."""
        cells, width = self.group_piles(seat, self.special.cells), self.special.width
        return cells, cells[: width * sum(1 for cell in cells[::width] if board.came.get(cell, 0))]


@dataclass(frozen=True, kw_only=True, slots=True)
class FamilyByLaying(Special):
    """In the first deals, a foundation accepts cards of some groups only.

    Attributes:
        foundations: the group of the foundations.
        groups: the groups that it accepts.
        most_deals: the number of these deals.

    """

    foundations: str
    groups: tuple[str, ...]
    most_deals: int = 1


class FamilyByLayingEffect(Effect[FamilyByLaying]):
    """Keeps cards of other groups from foundations: see :class:`FamilyByLaying`."""

    def __init__(self, context: RulesContext, special: FamilyByLaying) -> None:
        super().__init__(context, special)
        self.redeals_seen = special.most_deals

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Refuse cards of other groups in the first deals."""
        piles, special = board.piles, self.special
        if play.destination == FOUNDATIONS or board.redeals.get(seat, 0) >= special.most_deals:
            return ""
        meant = piles[play.destination].group == special.foundations
        if meant and piles[play.source].group not in special.groups:
            return "In this laying that foundation takes cards from elsewhere only."
        return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class BasesFirst(Special):
    """While a card can still open one group of foundations, another foundation does not accept it.

    Attributes:
        foundation: the group that must wait.
        bases: the group that is opened first.

    """

    foundation: str
    bases: str


class BasesFirstEffect(Effect[BasesFirst]):
    """Reserves cards for the foundations that they open: see :class:`BasesFirst`."""

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Refuse a base while one of its own places is open."""
        if board.piles[play.destination].group != self.special.foundation:
            return ""
        places = [pile for pile in self.group_piles(seat, self.special.bases) if not board.cards[pile]]
        family = self.context.layout.groups[places[0]] if places else None
        if isinstance(family, Foundations) and rank(board.cards[play.source][-1]) == family.base:
            return "That card opens a foundation of its own."
        return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedColumn(Special):
    """The stock is dealt around the piles; bases go up at once, and each foundation has its own pile.

    Attributes:
        piles: the group that is dealt to; the foundation above a pile accepts its cards only.
        base: the rank that goes up.
        finished: whether a pile is still dealt to after its foundation is complete.

    """

    piles: str
    base: int
    finished: bool = False


class PairedColumnEffect(Effect[PairedColumn]):
    """Pairs piles with foundations: see :class:`PairedColumn`."""

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Refuse cards of piles other than the foundation's own."""
        source, target = board.piles[play.source], board.piles[play.destination]
        if target.kind is Kind.FOUNDATION and source.index != target.index:
            return "A foundation takes only cards of the pile below it."
        return ""

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Play a base up, or deal the next card to the pile whose turn it is."""
        piles, stock = self.group_piles(seat, self.special.piles), self.context.layout.stock[seat]
        for pile in piles:
            top = board.top(pile)
            if top is not None and top != UNKNOWN and rank(top) == self.special.base:
                return Play(
                    pile, 1, next(p for p in self.context.foundations.piles_of(seat) if not board.cards[p])
                )
        if board.cards[stock]:
            return Play(stock, 1, min(self._open(board, seat), key=lambda pile: len(board.cards[pile])))
        return None

    def _open(self, board: Board, seat: int) -> list[int]:
        """Return the piles that are dealt to."""
        pairs = zip(
            self.group_piles(seat, self.special.piles), self.context.foundations.piles_of(seat), strict=True
        )
        return [pile for pile, family in pairs if self.special.finished or not self._is_full(board, family)]

    def _is_full(self, board: Board, family: int) -> bool:
        group = self.context.layout.groups[family]
        return isinstance(group, Foundations) and len(board.cards[family]) == group.length


@dataclass(frozen=True, kw_only=True, slots=True)
class RankPlaces(Special):
    """First all places are opened by one suit, that of the first card; then cards follow in turn."""


class RankPlacesEffect(Effect[RankPlaces]):
    """Opens all places with one suit: see :class:`RankPlaces`."""

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Refuse other suits in the first stage, and second cards before it is over."""
        if board.piles[play.destination].kind is not Kind.FOUNDATION:
            return ""
        own = self.context.foundations.piles_of(seat)
        opened = [board.cards[pile][0] for pile in own if board.cards[pile]]
        if len(opened) == len(own) or not opened:
            return ""
        if board.cards[play.destination]:
            return "First all places are opened."
        card = board.cards[play.source][-1]
        return "" if suit(card) == suit(opened[0]) else "The places are opened by one suit."


@dataclass(frozen=True, kw_only=True, slots=True)
class JointEntry(Special):
    """Two cards of a suit enter a foundation together, both from the same group.

    Attributes:
        group: where they must lie.
        foundations: the groups that are entered this way; the second card is the next in their order.

    """

    group: str
    foundations: tuple[str, ...]


class JointEntryEffect(Effect[JointEntry]):
    """Makes pairs enter together: see :class:`JointEntry`."""

    def refusal(self, board: Board, seat: int, play: Play) -> str:
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

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Let the second card follow the first."""
        for group in self.special.foundations:
            for pile in self.group_piles(seat, group):
                if len(board.cards[pile]) == 1:
                    partner = self._partner(board, seat, pile, board.cards[pile])
                    if partner is not None:
                        return Play(partner, 1, pile)
        return None

    def _partner(self, board: Board, seat: int, foundation: int, cards: Sequence[Card]) -> int | None:
        family = self.context.layout.groups[foundation]
        assert isinstance(family, Foundations)
        wanted = family.order[1]
        for pile in self.group_piles(seat, self.special.group):
            card = board.top(pile)
            if card is not None and rank(card) == wanted and suit(card) == suit(cards[0]):
                return pile
        return None


@dataclass(frozen=True, kw_only=True, slots=True)
class FillFromBottom(Special):
    """Once the reserve is empty, the stock's bottom card may fill a space; the waste only without a stock.

    Attributes:
        columns: the group with the spaces.
        heap: the group that must be empty.

    """

    columns: str
    heap: str


class FillFromBottomEffect(Effect[FillFromBottom]):
    """Fills spaces from the bottom of the stock: see :class:`FillFromBottom`."""

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of the stock's bottom card to each space."""
        stock = self.context.layout.stock[seat]
        is_left = any(board.cards[heap] for heap in self.group_piles(seat, self.special.heap))
        depth = len(board.cards[stock]) - 1
        if depth >= 0 and not is_left:
            columns = self.group_piles(seat, self.special.columns)
            yield from (Play(stock, 1, column, depth) for column in columns if not board.cards[column])

    def resolve(self, board: Board, seat: int, play: Play) -> Play | None:
        """Return the play of the bottom card, even if the play does not say how many cards lie on it."""
        return next((own for own in self.plays(board, seat) if play in {own, own._replace(depth=0)}), None)

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Refuse other cards in a space while the stock has a bottom card."""
        stock = self.context.layout.stock[seat]
        is_space = play.destination in self.group_piles(seat, self.special.columns)
        is_space = is_space and not board.cards[play.destination]
        return "A space takes the bottom card of the stock." if is_space and board.cards[stock] else ""

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether there is a space, and a card for it once turning has led to nothing."""
        is_left = any(board.cards[heap] for heap in self.group_piles(seat, self.special.heap))
        is_full = all(board.cards[column] for column in self.group_piles(seat, self.special.columns))
        return not (is_left or is_full or self.is_stock_used_up(board, seat))


@dataclass(frozen=True, kw_only=True, slots=True)
class FillFromDoubles(Special):
    """Once stock and waste are empty, the upper card of a double place may fill an empty one."""

    places: str


class FillFromDoublesEffect(Effect[FillFromDoubles]):
    """Plays the upper cards of double places: see :class:`FillFromDoubles`."""

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of the upper cards of double places to empty ones."""
        places = self.group_piles(seat, self.special.places)
        if self.is_stock_used_up(board, seat):
            for empty in (pile for pile in places if not board.cards[pile]):
                yield from (Play(pile, 1, empty) for pile in places if len(board.cards[pile]) > 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class OpeningRescue(Special):
    """Before each of the groups has a card, only bases and marriages are played.

    A base below few cards may be drawn out, if there is no other way to one.

    Attributes:
        columns: the group of the columns.
        under: the maximum number of cards on it.
        marriages_only: whether only bases and marriages may be played before.

    """

    columns: str
    under: int = 1
    marriages_only: bool = True


class OpeningRescueEffect(Effect[OpeningRescue]):
    """Restricts play until each kind of foundation is opened: see :class:`OpeningRescue`."""

    def __init__(self, context: RulesContext, special: OpeningRescue) -> None:
        super().__init__(context, special)
        self._kinds = {
            seat: [
                [pile for pile in context.foundations.piles_of(seat) if context.layout.groups[pile] is group]
                for group in context.layout.game.groups
                if isinstance(group, Foundations)
            ]
            for seat in context.layout.seats
        }

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield bases below few cards, if there is no other way to one."""
        if self._is_open(board, seat):
            return
        for play in self.context.plain_plays(board, seat):
            up = board.piles[play.destination].kind is Kind.FOUNDATION
            if up or next(self._bases(board, seat, play.source, 1), None) is not None:
                return
        for pile in self.group_piles(seat, self.special.columns):
            yield from self._bases(board, seat, pile, self.special.under)

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Refuse everything but bases and marriages at first."""
        if not self.special.marriages_only or play.depth or self._is_open(board, seat):
            return ""
        if board.cards[play.destination] and board.piles[play.destination].kind is Kind.FOUNDATION:
            return "First one foundation of each kind is opened."
        if not board.cards[play.destination] and board.piles[play.destination].kind is Kind.TABLEAU:
            return "First one foundation of each kind is opened."
        return ""

    def _is_open(self, board: Board, seat: int) -> bool:
        return all(any(board.cards[pile] for pile in kind) for kind in self._kinds[seat])

    def _bases(self, board: Board, seat: int, pile: int, under: int) -> Iterator[Play]:
        """Yield the plays that would open a foundation with a card below ``under`` others at most."""
        cards = board.cards[pile]
        for depth in range(1, min(under + 1, len(cards))):
            for foundation in self.context.open_foundations(board, seat, cards[-depth - 1]):
                if not board.cards[foundation]:
                    yield Play(pile, 1, foundation, depth)
                    break


@dataclass(frozen=True, kw_only=True, slots=True)
class BumpKing(Special):
    """While rows are dealt, a king that falls on a lower card of its suit may move one place on.

    The first row is dealt normally. The next card fills the king's place, and the deal continues behind the
    king.

    Attributes:
        columns: the group of the columns.
        rows: the number of rows.

    """

    columns: str
    rows: int


class BumpKingEffect(Effect[BumpKing]):
    """Deals rows, and lets kings move on: see :class:`BumpKing`."""

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the king's play to the next place, and the next card's play, which leaves the king."""
        columns, dealt = self._dealt(board, seat)
        if self._may_move_king(board, columns, dealt):
            stock, place = self.context.layout.stock[seat], columns[dealt % len(columns)]
            yield Play(columns[(dealt - 1) % len(columns)], 1, place)
            yield Play(stock, 1, place)

    def required_first(self, board: Board, seat: int) -> str:
        """Ask for a decision about a king, until the rows are dealt."""
        columns, dealt = self._dealt(board, seat)
        if dealt == len(columns) * self.special.rows:
            return ""
        return "A king lies on a lower card of his suit: move him one place on, or turn the stock to lay on."

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Deal the next card, first of all to the place that a king has left."""
        columns, dealt = self._dealt(board, seat)
        if dealt == len(columns) * self.special.rows or self._may_move_king(board, columns, dealt):
            return None
        king = columns[dealt % len(columns)]
        has_gone = len(board.cards[king]) > dealt // len(columns)
        return Play(self.context.layout.stock[seat], 1, columns[dealt % len(columns) - has_gone])

    def _dealt(self, board: Board, seat: int) -> tuple[tuple[int, ...], int]:
        """Return the columns, and how many cards were dealt to them."""
        columns, layout = self.group_piles(seat, self.special.columns), self.context.layout
        dealt = layout.game.deck_size - len(board.cards[layout.stock[seat]])
        return columns, min(dealt, len(columns) * self.special.rows)

    def _may_move_king(self, board: Board, columns: Sequence[int], dealt: int) -> bool:
        """Return whether the last card dealt is such a king with a next place to move to."""
        width = len(columns)
        last, place = board.cards[columns[(dealt - 1) % width]], columns[dealt % width]
        if dealt in {width, width * self.special.rows} or len(board.cards[place]) > dealt // width:
            return False
        king = last[-1]
        return rank(king) == KING and any(suit(card) == suit(king) and rank(card) < KING for card in last)


@dataclass(frozen=True, kw_only=True, slots=True)
class BottomCards(Special):
    """Once, when the stock is empty, some cards from the bottom of the waste may be turned again."""

    count: int


class BottomCardsEffect(Effect[BottomCards]):
    """Turns the waste's bottom cards again: see :class:`BottomCards`."""

    redeals_seen = 1

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play as a player writes it: a number of cards from the waste to the stock."""
        stock, waste = self.context.layout.stock[seat], self.context.layout.waste[seat]
        count = min(self.special.count, len(board.cards[waste]))
        if count and not board.cards[stock] and not board.redeals.get(seat, 0):
            yield Play(waste, count, stock)

    def carried_out(self, play: Play) -> Play:
        """Return the play with the cards taken from the bottom."""
        return play._replace(count=-play.count)


@dataclass(frozen=True, kw_only=True, slots=True)
class RowEnds(Special):
    """While rows are dealt after the first one, only the right-hand end cards of the newest are free.

    Attributes:
        row: the cells of the newest row.
        columns: the columns; the first row lies there, and each row when the next one comes.
        ends: how many cards are free at the right-hand end.
        left: how many are free at the other end.

    """

    row: str
    columns: str
    ends: int = 2
    left: int = 0


class RowEndsEffect(Effect[RowEnds]):
    """Deals rows of which few cards are free: see :class:`RowEnds`."""

    def __init__(self, context: RulesContext, special: RowEnds) -> None:
        super().__init__(context, special)
        for seat in context.layout.seats:
            if len(self.group_piles(seat, special.row)) != len(self.group_piles(seat, special.columns)):
                raise InvalidGame("A row is laid upon the columns: there are as many cards in it as columns.")

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the stock's next card to a gap of the first row."""
        stock = self.context.layout.stock[seat]
        if board.cards[stock] and not self._rows(board, seat):
            gap = next((p for p in self.group_piles(seat, self.special.columns) if not board.cards[p]), None)
            if gap is not None:
                yield Play(stock, 1, gap)

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """While rows are dealt, refuse all but the free cards of the newest one."""
        layout, piles = self.context.layout, board.piles
        if not board.cards[layout.stock[seat]]:
            return ""
        rows, columns = self._rows(board, seat), self.group_piles(seat, self.special.columns)
        if play.source == layout.stock[seat]:
            gaps = not rows and any(not board.cards[pile] for pile in columns)
            return "The gaps of the first row are filled before the next is laid." if gaps else ""
        if piles[play.destination].kind is not Kind.FOUNDATION:
            return "Cards are married when the hand is out."
        if piles[play.source].group == self.special.columns:
            return "Another row lies upon that card." if rows else ""
        lying = [pile for pile in self.group_piles(seat, self.special.row) if board.cards[pile]]
        free = {*lying[-self.special.ends :], *lying[: self.special.left]}
        return "" if play.source in free else "Only the cards at the right-hand end are free."

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Move a row's card to its column when the next one has come, or when stock and waste are empty."""
        row, columns = self.group_piles(seat, self.special.row), self.group_piles(seat, self.special.columns)
        out = not board.cards[self.context.layout.stock[seat]]
        for cell, column in zip(row, columns, strict=True):
            if len(board.cards[cell]) > 1 or (out and board.cards[cell]):
                return Play(cell, -1, column)
        return None

    def _rows(self, board: Board, seat: int) -> int:
        return board.came.get(self.group_piles(seat, self.special.row)[0], 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenBase(Special):
    """The first card turned may open the foundations with its rank; otherwise a fixed rank does.

    Attributes:
        foundations: the group.
        rank: the rank that may always open.

    """

    foundations: str
    rank: int = ACE


class ChosenBaseEffect(Effect[ChosenBase]):
    """Lets the first card turned choose the base: see :class:`ChosenBase`."""

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that open the first foundation."""
        layout, families = self.context.layout, self.group_piles(seat, self.special.foundations)
        if any(board.cards[pile] for pile in families):
            return
        stock, waste = layout.stock[seat], layout.waste[seat]
        undealt = layout.game.deck_size - sum(count for _, count in layout.deal_order(seat))
        turned = undealt - len(board.cards[stock])
        if not turned:
            return
        is_first = len(board.cards[waste]) == 1 == turned
        for kind in (Kind.WASTE, Kind.RESERVE, Kind.CELL):
            for pile in layout.seat_piles(seat, kind):
                card = board.top(pile)
                if card is None or card == UNKNOWN:
                    continue
                if rank(card) == self.special.rank or (pile == waste and is_first):
                    yield Play(pile, 1, families[0])


EFFECTS: Final[dict[type[Special], type[Effect[Any]]]] = {
    BasesFirst: BasesFirstEffect,
    BottomCards: BottomCardsEffect,
    BumpKing: BumpKingEffect,
    ChosenBase: ChosenBaseEffect,
    Draw: DrawEffect,
    FamilyByLaying: FamilyByLayingEffect,
    FillFromBottom: FillFromBottomEffect,
    FillFromDoubles: FillFromDoublesEffect,
    Grace: GraceEffect,
    GridEdges: GridEdgesEffect,
    JointEntry: JointEntryEffect,
    KingOpensColumn: KingOpensColumnEffect,
    LayExtra: LayExtraEffect,
    OpeningRescue: OpeningRescueEffect,
    PairedColumn: PairedColumnEffect,
    RankPlaces: RankPlacesEffect,
    Reorder: ReorderEffect,
    RowEnds: RowEndsEffect,
}
"""The effect of each special rule."""


def effects_of(context: RulesContext) -> tuple[Effect[Any], ...]:
    """Return the effects of a game's special rules, in the order declared."""
    return tuple(EFFECTS[type(special)](context, special) for special in context.layout.game.specials)
