"""The candidate plays of a seat in a building game: cards that fit their destination.

:mod:`.building` decides whether they are legal at the moment.
"""

from collections.abc import Iterator, Sequence

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.privileges import Grace
from racing_demon_protocol.engine.specification import (
    Foundations,
    Game,
    Heads,
    Reserve,
    Stock,
    Tableau,
    TakeBack,
    Unit,
    Waste,
)

from .placement import PlacementRules
from .special_rules import effects_of
from .stock import StockRules

__all__ = ["CandidateRules"]


class CandidateRules(PlacementRules):
    """The part of a building game's rules that lists candidate plays.

    Attributes:
        is_classic: whether the game has only foundations, columns, reserves, and a stock turned to a waste,
            and any card may go wherever it fits.

    """

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        super().__init__(game, seats)
        own, groups = self.layout.own, self.layout.groups
        self._turning = StockRules(self.layout)
        self._goals = {
            seat: [pile for pile in self.layout.foundations if self.layout.piles[pile].seat in {None, seat}]
            for seat in seats
        }
        self._effects = effects_of(self)
        self.is_classic = _is_classic(game)
        self._singles = {seat: tuple(self._single_piles(seat)) for seat in seats}
        self._columns_of: dict[tuple[int, int], tuple[int, ...]] = {}
        self._fillable = {
            seat: [
                pile
                for kind in (Kind.CELL, Kind.RESERVE)
                for pile in own(seat, kind)
                if groups[pile].takes is not None
            ]
            for seat in seats
        }

    # All candidates.

    def plain_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's plays of cards, without turning the stock and without special rules."""
        for play in self._candidates(board, seat):
            if not self._turning.is_turn(seat, play):
                yield play

    def can_turn(self, board: Board, seat: int) -> bool:
        """Return whether a seat can turn or deal from its stock, or redeal."""
        return next(self._turning.plays(board, seat), None) is not None

    def pass_length(self, board: Board, seat: int) -> int:
        """Return the number of turns in a full pass through stock and waste."""
        return self._turning.pass_length(board, seat)

    # To the foundations.

    def open_foundations(
        self, board: Board, seat: int, card: Card, source: int | None = None
    ) -> Iterator[int]:
        """Yield the foundations that accept a seat's card now, or that accept it from ``source``."""
        for pile in self._goals.get(seat, ()):
            if self.accepts(board, pile, card) and self._may_go_up(board, seat, source, pile):
                yield pile

    def goals(self, seat: int) -> Sequence[int]:
        """Return the foundations that a seat builds on."""
        return self._goals.get(seat, ())

    def wanted_above(self, board: Board, seat: int) -> frozenset[Card]:
        """Return the cards of the first pack that the foundations accept from a seat now."""
        goals = self._goals.get(seat, ())
        return frozenset[Card]().union(*[self.next_on(board, pile, board.cards[pile]) for pile in goals])

    def _may_go_up(self, board: Board, seat: int, source: int | None, foundation: int) -> bool:
        """Return whether a pile's cards may go to a foundation at all; ``None`` stands for any pile."""
        if source is None:
            return True
        refused = self._effects and self._refusal(board, seat, Play(source, 1, foundation))
        return not refused and self.may_go(source, foundation)

    # Steps.

    def _refusal(self, board: Board, seat: int, play: Play) -> str:
        return next((text for effect in self._effects if (text := effect.refuses(board, seat, play))), "")

    def _candidates(self, board: Board, seat: int) -> Iterator[Play]:
        plays = self._all_candidates(board, seat)
        if self._effects:
            plays = (play for play in plays if not self._refusal(board, seat, play))
        return plays

    def _all_candidates(self, board: Board, seat: int) -> Iterator[Play]:
        columns = self.layout.own(seat, Kind.TABLEAU)
        sources = [
            pile
            for pile in (*self._singles[seat], *columns)
            if board.cards[pile] and (self.is_classic or self._is_free(board, seat, pile))
        ]
        goals = {pile: self.next_on(board, pile, board.cards[pile]) for pile in self._goals.get(seat, ())}
        for source in sources:
            yield from self._upward(board, seat, source, goals)
        wanted = {column: self.wanted(board, column) for column in columns}
        for source in sources:
            cards = board.cards[source]
            reached = self._reached(seat, source)
            for count in self.units(self.layout.groups[source], cards) if reached else ():
                taken = cards[-count:]
                head = taken[0] % PACK_SIZE
                for column in reached:
                    if head in wanted[column]:
                        play = Play(source, count, column)
                        if self.is_classic or self._column_takes(board, seat, play, taken):
                            yield play
        if self._fillable[seat] or self._turning.feeds_spaces:
            yield from self._fills(board, seat)
        yield from self._turning.plays(board, seat)

    def _reached(self, seat: int, source: int) -> tuple[int, ...]:
        """Return the columns that may ever accept cards of a pile."""
        if (seat, source) not in self._columns_of:
            columns = self.layout.own(seat, Kind.TABLEAU)
            self._columns_of[seat, source] = tuple(
                column for column in columns if column != source and self._may_ever_go(source, column)
            )
        return self._columns_of[seat, source]

    def _upward(
        self, board: Board, seat: int, source: int, goals: dict[int, frozenset[Card]]
    ) -> Iterator[Play]:
        """Yield the plays of a pile's last card to the foundations, one per group.

        Args:
            board: the board.
            seat: the pile's seat.
            source: the pile.
            goals: the cards of the first pack that each foundation accepts.

        """
        card, named = board.cards[source][-1], set()
        for pile, takes in goals.items() if card != UNKNOWN else ():
            if card % PACK_SIZE not in takes or pile == source:
                continue
            group, play = self.layout.groups[pile], Play(source, 1, pile)
            if group.name not in named and self._may_go_up(board, seat, source, pile):
                named.add(group.name)
                if board.piles[source].kind is not Kind.FOUNDATION or self._may_leave(board, seat, play):
                    yield play

    def _fills(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays to cells and reserves, and those of the stock's unseen card."""
        sources = [
            *self._singles[seat],
            *self.layout.own(seat, Kind.TABLEAU),
            *self.layout.own(seat, Kind.STOCK),
        ]
        spaces = [pile for pile in self.layout.own(seat, Kind.TABLEAU) if not board.cards[pile]]
        for source in sources:
            if not board.cards[source] or not self._is_free(board, seat, source):
                continue
            is_stock = board.piles[source].kind is Kind.STOCK
            for pile in self._fillable[seat]:
                room = board.piles[pile].kind is Kind.RESERVE or not board.cards[pile]
                if pile != source and room and self._may_fill(board, seat, source, pile):
                    yield Play(source, 1, pile)
            for pile in spaces if is_stock else ():
                if self._takes_unseen(pile) and self.fills_space(source, self._column(pile), [UNKNOWN]):
                    yield Play(source, 1, pile)

    def _single_piles(self, seat: int) -> Iterator[int]:
        """Yield the seat's piles of which only the top card is available."""
        groups = self.layout.groups
        yield from self.layout.own(seat, Kind.WASTE)
        yield from (
            pile for pile in self.layout.own(seat, Kind.RESERVE) if getattr(groups[pile], "playable", False)
        )
        yield from self.layout.own(seat, Kind.CELL)
        yield from (pile for pile in self.layout.foundations if self.may_take_back(seat, pile))

    def _column_takes(self, board: Board, seat: int, play: Play, taken: Sequence[Card]) -> bool:
        """Return whether a column accepts these cards."""
        if UNKNOWN in taken or not (
            self.layout.groups[play.source].kind is not Kind.FOUNDATION or self._may_leave(board, seat, play)
        ):
            return False
        column = self._column(play.destination)
        if not board.cards[play.destination]:
            return self.fills_space(play.source, column, taken)
        return self._lands(board, seat, play, column, taken)

    def _forced_plays(self, board: Board, seat: int) -> list[Play]:
        """Return the plays that open a foundation, if the game requires them first (A1)."""
        plays = []
        for play in self._candidates(board, seat):
            group = self.layout.groups[play.destination]
            forces = isinstance(group, Foundations) and group.forced_bases
            if forces and not board.cards[play.destination] and play.source not in self.layout.foundations:
                plays.append(play)
        return plays


def _is_classic(game: Game) -> bool:
    kinds = (Foundations, Tableau, Reserve, Stock, Waste, Heads)
    for group in game.groups:
        if not isinstance(group, kinds) or group.takes is not None or group.plays_to is not None:
            return False
        if isinstance(group, Tableau) and (group.cap is not None or group.space.takes is not None):
            return False
        if isinstance(group, Tableau) and group.unit is Unit.ONE_SIDE_SINGLE:
            return False
    stocks = [group for group in game.groups if isinstance(group, Stock)]
    turned = all(not stock.rounds and not stock.relay for stock in stocks)
    back = any(
        isinstance(group, Foundations) and group.take_back is TakeBack.TO_SPACE for group in game.groups
    )
    return turned and not back and all(isinstance(special, Grace) for special in game.specials)
