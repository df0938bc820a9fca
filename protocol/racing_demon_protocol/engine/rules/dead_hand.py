"""The dead-hand test: can anybody still make a play?

It implements the source's "no player can make a play" exactly (``docs/rules.md``). The test needs
the cards that a player can surface by turning alone, which the dealer knows; the search itself looks at the
public board.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.sliced_search import SearchSteps
from racing_demon_protocol.engine.specification import Reserve, Stock, StockShift, TailRule

from .building import BuildingRules
from .position import ScratchBoard

MAX_ARRANGEMENTS: Final = 2_000
"""The arrangements of one tableau to examine before giving up with "not dead".

Neutral moves lead to a few dozen at most; the limit is for declarations not yet written.
"""
MAX_POSITIONS: Final = 10_000
"""The same for whole positions, where every attribute of a game may matter."""
START_UNITS: Final = 10
POSITION_UNITS: Final = 6
MOVE_UNITS: Final = 3
"""The work of starting, of finding the moves of a position, and of making one of them."""


class ColumnState(NamedTuple):
    """One column in the search: its rules, whether cards lie face down below, and those face up."""

    pile: int
    covered: bool
    cards: tuple[Card, ...]


class Available(NamedTuple):
    """A card that can be played to a column, and the group that it comes from."""

    card: Card
    group: str


Columns = tuple[ColumnState, ...]
"""An arrangement of the tableau.

Columns are interchangeable, so the search sorts them, and names each by the first pile of its group.
"""


def turnable_cards(
    stock: Stock, hand: Sequence[Card], waste: Sequence[Card], redeals: int = 0, shifts: int = 0
) -> set[Card]:
    """Return every card that comes to the top of the waste by turning and shifting alone, without any play.

    If redeals shuffle the cards, that may be any of them; so it is if the stock may be shifted in each pass,
    and there is another one. With few redeals left, that may be more than there are turns for.

    Args:
        stock: the declaration: how many are turned, and how often the waste may be turned over.
        hand: the cards of the stock, bottom first, known.
        waste: the cards of the waste, bottom first, known.
        redeals: the number of redeals so far.
        shifts: how often the stock was shifted in this pass.

    """
    cycle = [*waste, *reversed(hand)]
    shown = set(_turned_tops(cycle, len(waste), stock))
    if waste:
        shown.add(waste[-1])
    if stock.redeals is None or redeals < stock.redeals:
        if stock.shuffle or stock.shift is not None:
            return set(cycle)
        shown.update(_turned_tops(cycle, 0, stock))
    elif stock.shift is StockShift.ANY_TIME:
        shown.update(hand)
    elif stock.shift is StockShift.ONCE and not shifts:
        for start in range(len(waste), len(cycle) - 1, stock.turn):
            shifted = [*cycle[:start], *cycle[start + 1 :], cycle[start]]
            shown.update(_turned_tops(shifted, start, stock))
    return shown


def columns_can_progress(
    rules: BuildingRules, board: Board, seat: int, turnable: Iterable[Card]
) -> SearchSteps:
    """Find out whether a seat has a play, now or after turning and neutral tableau moves.

    A play is one that brings the hand closer to its end: see :meth:`~.engine.board.Board.is_progress`. If
    cards may leave foundations again, the answer is always yes.

    Args:
        rules: the rules of the hand.
        board: the public board.
        seat: the seat.
        turnable: the result of :func:`turnable_cards` for the seat.

    """
    layout = rules.layout
    if seat in rules.takes_back:
        return True
    available = [Available(card, layout.groups[layout.waste[seat]].name) for card in turnable]
    for pile in layout.seat_piles(seat, Kind.RESERVE):
        group = layout.groups[pile]
        if isinstance(group, Reserve) and group.playable and board.cards[pile]:
            available.append(Available(board.cards[pile][-1], group.name))
    accepted = rules.foundations.accepted_cards(board, seat)
    if any(card % PACK_SIZE in accepted for card, _ in available):
        return True
    columns = layout.seat_piles(seat, Kind.TABLEAU)
    start = tuple(sorted(_column(rules, pile, board.cards[pile]) for pile in columns))
    yield START_UNITS
    seen, waiting = {start}, [start]
    while waiting and len(seen) < MAX_ARRANGEMENTS:
        for outcome in _outcomes(rules, accepted, waiting.pop(), available):
            if outcome is None or _count_spaces(outcome) > _count_spaces(start):
                return True
            if outcome not in seen:
                seen.add(outcome)
                waiting.append(outcome)
                yield MOVE_UNITS
        yield POSITION_UNITS
    return bool(waiting)


def can_progress(rules: BuildingRules, board: Board, hidden: Board, seat: int) -> SearchSteps:
    """Find out the same for any building game, by making all neutral moves, including redeals.

    If redeals shuffle the cards, their result is unknown, and the answer is yes; so it is while the stock may
    be shifted, which would lead to too many positions.

    Args:
        rules: the rules of the hand.
        board: the public board.
        hidden: the same board with all cards known.
        seat: the seat.

    """
    scratch = ScratchBoard(rules, seat, board, hidden)
    start = scratch.position()
    shuffled = rules.layout.shuffled
    seen, waiting = {start}, [(start, scratch.counts)]
    yield START_UNITS
    while waiting and len(seen) < MAX_POSITIONS:
        scratch.set_position(*waiting.pop())
        if rules.may_shift(scratch.board, seat):
            return True
        for move in rules.resolved_plays(scratch.board, seat):
            if move.destination in shuffled or rules.is_irreversible(scratch.board, seat, move):
                return True
            outcome, counts = scratch.position_after(move)
            if outcome not in seen:
                seen.add(outcome)
                waiting.append((outcome, counts))
            yield MOVE_UNITS * scratch.plays_made
        yield POSITION_UNITS
    return bool(waiting)


def _turned_tops(cycle: Sequence[Card], start: int, stock: Stock) -> Iterator[Card]:
    left = len(cycle) - start
    if not left:
        return
    yield from cycle[start + stock.turn - 1 :: stock.turn]
    yield cycle[-1]
    if left % stock.turn == 2 and stock.tail_rule is TailRule.EITHER2:
        yield cycle[-2]


def _column(rules: BuildingRules, pile: int, cards: Sequence[Card]) -> ColumnState:
    face_up = tuple(card for card in cards if card != UNKNOWN)
    return ColumnState(
        rules.layout.first_pile[rules.layout.groups[pile].name], len(face_up) < len(cards), face_up
    )


def _count_spaces(columns: Columns) -> int:
    return sum(not column.cards for column in columns)


def _outcomes(
    rules: BuildingRules, accepted: Collection[Card], columns: Columns, available: Sequence[Available]
) -> Iterator[Columns | None]:
    """Yield ``None`` for a play that makes progress, and the arrangement after each other move."""
    for column in columns:
        if column.cards and column.cards[-1] % PACK_SIZE in accepted:
            yield None
        if any(_accepts(rules, column, card, source) for card, source in available):
            yield None
    for number, column in enumerate(columns):
        name = rules.columns.group(column.pile).name
        face_down = (UNKNOWN,) if column.covered else ()
        for count in rules.columns.movable_counts(rules.columns.group(column.pile), face_down + column.cards):
            head, rest = column.cards[-count], column.cards[:-count]
            for target, other in enumerate(columns):
                if target == number or not _accepts(rules, other, head, name):
                    continue
                if not rest and column.covered:
                    yield None
                    continue
                moved = list(columns)
                moved[number] = column._replace(cards=rest)
                moved[target] = other._replace(cards=other.cards + column.cards[-count:])
                yield tuple(sorted(moved))


def _accepts(rules: BuildingRules, column: ColumnState, card: Card, source: str) -> bool:
    columns = rules.columns
    group = columns.group(column.pile)
    if column.cards:
        return columns.continues(group, column.cards[-1], card)
    return (group.space.takes is None or source in group.space.takes) and columns.opens(group, card)
