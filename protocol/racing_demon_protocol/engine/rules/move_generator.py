"""The move generator of the building games: the plays of a seat whose cards fit their destination.

:mod:`.legality` decides whether a play is legal, generated or not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import filterfalse

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import (
    Foundations,
    Game,
    Group,
    Heads,
    Reserve,
    Stock,
    Tableau,
    TakeBack,
    Unit,
    Waste,
)

from .columns import ColumnRules
from .foundations import FoundationRules
from .pile_moves import accepts_unseen, is_playable, may_ever_move, may_fill, may_move
from .special_rules import Grace, effects_of
from .stock import StockRules


class MoveGenerator:
    """Lists what fits where, as far as the game's special rules do not refuse it.

    Attributes:
        layout: the piles.
        columns: what fits on the columns.
        foundations: what fits on the foundations.
        stock: how the stock is used.
        effects: the effects of the game's special rules, which list candidates themselves.
        is_unrestricted: whether the game has only foundations, columns, reserves, and a stock turned to a
            waste, and any card may go wherever it fits.
        are_columns_searched: whether the dead-hand test needs to search the columns only: in the same games,
            also if only reserves fill their spaces.

    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.columns = ColumnRules(layout)
        self.foundations = FoundationRules(layout)
        self.stock = StockRules(layout)
        self.effects = effects_of(self)
        self.is_unrestricted = _is_unrestricted(layout.game)
        self.are_columns_searched = _is_unrestricted(_with_any_spaces(layout.game))
        self._single_card_piles = {seat: tuple(self._find_single_card_piles(seat)) for seat in layout.seats}
        self._reachable: dict[tuple[int, int], tuple[int, ...]] = {}
        self._fillable_piles = {
            seat: [
                pile
                for kind in (Kind.CELL, Kind.RESERVE)
                for pile in layout.seat_piles(seat, kind)
                if layout.groups[pile].takes is not None
            ]
            for seat in layout.seats
        }

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's plays: to the foundations, to the columns, aside, and those of the stock."""
        plays = self._fitting_plays(board, seat)
        if self.effects:
            return filterfalse(partial(self.refusal, board, seat), plays)
        return plays

    def plain_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's plays of cards, without turning the stock and without special rules."""
        return filterfalse(partial(self.stock.is_stock_play, seat), self.plays(board, seat))

    def opening_plays(self, board: Board, seat: int) -> list[Play]:
        """Return the plays that open a foundation, which some games require first."""
        plays = []
        for play in self.plays(board, seat):
            group = self.layout.groups[play.destination]
            forces = isinstance(group, Foundations) and group.forced_bases
            if forces and not board.cards[play.destination] and play.source not in self.layout.foundations:
                plays.append(play)
        return plays

    def open_foundations(
        self, board: Board, seat: int, card: Card, source: int | None = None
    ) -> Iterator[int]:
        """Yield the foundations that accept a seat's card now, or that accept it from ``source``."""
        for pile in self.foundations.piles_of(seat):
            if self.foundations.accepts(board, pile, card) and self._may_go_to_foundation(
                board, seat, source, pile
            ):
                yield pile

    def refusal(self, board: Board, seat: int, play: Play) -> str:
        """Return why a special rule forbids a play that fits; empty if none does."""
        return next((text for effect in self.effects if (text := effect.refusal(board, seat, play))), "")

    def fill_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays to cells and reserves, and those of the stock's unseen card."""
        layout = self.layout
        sources = [
            *self._single_card_piles[seat],
            *layout.seat_piles(seat, Kind.TABLEAU),
            *layout.seat_piles(seat, Kind.STOCK),
        ]
        spaces = [pile for pile in layout.seat_piles(seat, Kind.TABLEAU) if not board.cards[pile]]
        for source in sources:
            if not board.cards[source] or not is_playable(layout, board, seat, source):
                continue
            is_stock = board.piles[source].kind is Kind.STOCK
            for pile in self._fillable_piles[seat]:
                room = board.piles[pile].kind is Kind.RESERVE or not board.cards[pile]
                if pile != source and room and may_fill(layout, board, seat, source, pile):
                    yield Play(source, 1, pile)
            for pile in spaces if is_stock else ():
                column = self.columns.group(pile)
                if accepts_unseen(layout, pile) and self.columns.fills_space(source, column, [UNKNOWN]):
                    yield Play(source, 1, pile)

    def _fitting_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's plays as if there were no special rules."""
        columns = self.layout.seat_piles(seat, Kind.TABLEAU)
        sources = [
            pile
            for pile in (*self._single_card_piles[seat], *columns)
            if board.cards[pile] and (self.is_unrestricted or is_playable(self.layout, board, seat, pile))
        ]
        on_foundations = self.foundations.accepted_by_pile(board, seat)
        for source in sources:
            yield from self._foundation_plays(board, seat, source, on_foundations)
        accepted = {column: self.columns.accepted_cards(board, column) for column in columns}
        for source in sources:
            cards = board.cards[source]
            reachable = self._reachable_columns(seat, source)
            for count in self._movable_counts(source, cards) if reachable else ():
                taken = cards[-count:]
                head = taken[0] % PACK_SIZE
                for column in reachable:
                    if head in accepted[column]:
                        play = Play(source, count, column)
                        if self.is_unrestricted or self._column_accepts(board, seat, play, taken):
                            yield play
        if self._fillable_piles[seat] or self.stock.feeds_spaces:
            yield from self.fill_plays(board, seat)
        yield from self.stock.plays(board, seat)

    def _movable_counts(self, source: int, cards: Sequence[Card]) -> Iterable[int]:
        """Return how many cards may move together from the end of a pile that has some."""
        group = self.layout.groups[source]
        if isinstance(group, Tableau):
            return self.columns.movable_counts(group, cards)
        return () if cards[-1] == UNKNOWN else (1,)

    def _reachable_columns(self, seat: int, source: int) -> tuple[int, ...]:
        """Return the columns that may ever accept cards of a pile."""
        if (seat, source) not in self._reachable:
            columns = self.layout.seat_piles(seat, Kind.TABLEAU)
            self._reachable[seat, source] = tuple(
                column
                for column in columns
                if column != source and may_ever_move(self.layout, source, column)
            )
        return self._reachable[seat, source]

    def _foundation_plays(
        self, board: Board, seat: int, source: int, accepted: dict[int, frozenset[Card]]
    ) -> Iterator[Play]:
        """Yield the plays of a pile's last card to the foundations, one per group.

        Args:
            board: the board.
            seat: the pile's seat.
            source: the pile.
            accepted: the cards of the first pack that each foundation accepts.

        """
        card, named = board.cards[source][-1], set()
        for pile, takes in accepted.items() if card != UNKNOWN else ():
            if card % PACK_SIZE not in takes or pile == source:
                continue
            group, play = self.layout.groups[pile], Play(source, 1, pile)
            if group.name not in named and self._may_go_to_foundation(board, seat, source, pile):
                named.add(group.name)
                if self._may_leave(board, seat, play):
                    yield play

    def _may_go_to_foundation(self, board: Board, seat: int, source: int | None, foundation: int) -> bool:
        """Return whether a pile's cards may go to a foundation at all; ``None`` stands for any pile."""
        if source is None:
            return True
        refused = self.effects and self.refusal(board, seat, Play(source, 1, foundation))
        return not refused and may_move(self.layout, source, foundation)

    def _may_leave(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether cards may leave their pile, if that is a foundation."""
        is_foundation = board.piles[play.source].kind is Kind.FOUNDATION
        return not is_foundation or self.foundations.may_leave(board, seat, play)

    def _column_accepts(self, board: Board, seat: int, play: Play, taken: Sequence[Card]) -> bool:
        """Return whether a column accepts these cards."""
        if UNKNOWN in taken or not self._may_leave(board, seat, play):
            return False
        column = self.columns.group(play.destination)
        if not board.cards[play.destination]:
            return self.columns.fills_space(play.source, column, taken)
        return self.columns.continues_column(board, seat, play, column, taken)

    def _find_single_card_piles(self, seat: int) -> Iterator[int]:
        """Yield the seat's piles of which only the top card is available."""
        layout = self.layout
        yield from layout.seat_piles(seat, Kind.WASTE)
        yield from (
            pile
            for pile in layout.seat_piles(seat, Kind.RESERVE)
            if getattr(layout.groups[pile], "playable", False)
        )
        yield from layout.seat_piles(seat, Kind.CELL)
        yield from (pile for pile in layout.foundations if self.foundations.may_take_back(seat, pile))


def _is_unrestricted(game: Game) -> bool:
    """Return whether a card may go wherever it fits: only faces decide, not where cards lie or come from."""
    specials = all(isinstance(special, Grace) for special in game.specials)
    return specials and all(_is_unrestricted_group(group) for group in game.groups)


def _with_any_spaces(game: Game) -> Game:
    """Return a game in which any card may fill the spaces that only reserves may."""
    reserves = {group.name for group in game.groups if isinstance(group, Reserve)}
    groups = [
        replace(group, space=replace(group.space, takes=None))
        if isinstance(group, Tableau) and group.space.takes and reserves.issuperset(group.space.takes)
        else group
        for group in game.groups
    ]
    return replace(game, groups=tuple(groups))


def _is_unrestricted_group(group: Group) -> bool:
    if group.takes is not None or group.plays_to is not None:
        return False
    match group:
        case Tableau():
            return group.cap is None and group.space.takes is None and group.unit is not Unit.ONE_SIDE_SINGLE
        case Foundations():
            return group.take_back is not TakeBack.TO_SPACE
        case Stock():
            return not group.rounds and not group.relay
        case _:
            return isinstance(group, Reserve | Waste | Heads)
