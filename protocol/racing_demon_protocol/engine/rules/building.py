"""The rules of the building games: sequences on foundations and on columns.

They are composed of small parts. :mod:`.columns` and :mod:`.foundations` know what fits there,
:mod:`.pile_moves` which piles give cards to which, :mod:`.stock` how the stock is used, and
:mod:`.special_rules` the special rules. :mod:`.move_generator` lists possible plays from them, and
:mod:`.legality` decides whether a play is legal.
"""

from collections.abc import Iterator, Sequence

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, Card
from racing_demon_protocol.engine.specification import Game, Goal, Stock, Tableau

from .base import Rules
from .legality import LegalityChecker
from .move_generator import MoveGenerator
from .move_tables import MoveTables


class BuildingRules(Rules):
    """The rules of one building game for the seats of one hand.

    Attributes:
        move_generator: lists what fits where.
        columns: what fits on the columns.
        foundations: what fits on the foundations.
        legality: decides all plays.
        move_tables: decides the plays that two piles alone decide; ``None`` if all depend on more.
        takes_back: the seats that may take cards back from some foundation.

    """

    def __init__(self, game: Game, seats: Sequence[int], extra_heap: Sequence[int] = ()) -> None:
        super().__init__(game, seats, extra_heap)
        layout = self.layout
        self.move_generator = move_generator = MoveGenerator(layout)
        self.columns = move_generator.columns
        self.foundations = move_generator.foundations
        self.legality = legality = LegalityChecker(move_generator)
        self._stock = move_generator.stock
        self._effects = effects = move_generator.effects
        asks_more = effects or legality.forces_openings or any(legality.must_fill.values())
        self.move_tables = None if asks_more else MoveTables(layout, self.columns)
        self.takes_back = frozenset(
            seat
            for seat in seats
            if any(self.foundations.may_take_back(seat, pile) for pile in layout.foundations)
        )
        self._filled_columns = {
            seat: [
                pile for pile in layout.seat_piles(seat, Kind.TABLEAU) if self.columns.group(pile).space.fill
            ]
            for seat in seats
        }
        self.plays_automatically = (
            bool(effects) or self._stock.deals_automatically or any(self._filled_columns.values())
        )
        self._needs_full_foundations = game.goal is Goal.FOUNDATIONS_FULL
        self._counting_piles = {
            seat: [p.number for p in layout.piles if p.counts and p.seat == seat and p.kind is not Kind.STOCK]
            for seat in seats
        }
        self._redeals_seen = max((effect.redeals_seen for effect in effects), default=0)
        self._liberties_seen = max((effect.liberties_seen for effect in effects), default=0)

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Return a seat's shuffled cards in the order in which they are dealt."""
        for effect in self._effects:
            deck = effect.arrange(deck)
        return deck

    # Legal plays.

    def verify_play(self, board: Board, seat: int, play: Play) -> Play:
        """Return the play with its foundation resolved, if it is legal for the seat.

        Raises:
            IllegalPlay: it is illegal; the error has the reason.

        """
        if self.move_tables is not None and self.move_tables.allows(board, seat, play):
            return play
        return self.legality.verify(board, seat, play)

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's legal plays lazily: to the foundations, to the columns, turning the stock.

        Of several foundations of one group that accept the same card only the first is yielded; the others
        are legal and equally good.
        """
        yield from self._plain(board, seat)
        for effect in self._effects:
            yield from effect.plays(board, seat)

    def resolved_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's legal plays as they are carried out."""
        yield from self._plain(board, seat)
        for effect in self._effects:
            yield from map(effect.carried_out, effect.plays(board, seat))

    def rule_state(self, board: Board, seat: int) -> tuple[int, ...]:
        """Return what a seat's future plays depend on beside the cards, as numbers.

        Unbounded counts are capped where they no longer make a difference.
        """
        turned = self._stock.rule_state(board, seat, self._redeals_seen)
        came = (board.came.get(pile, 0) for pile in self._counting_piles[seat])
        return *turned, min(board.liberties.get(seat, 0), self._liberties_seen), *came

    def _plain(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that need no special rule."""
        legality = self.legality
        forced = self.move_generator.opening_plays(board, seat) if legality.forces_openings else []
        for play in forced or self.move_generator.plays(board, seat):
            if not legality.must_fill[seat] or legality.respects_required_fills(board, seat, play):
                yield play

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether a special rule allows a seat something, now or after turning the stock."""
        return any(effect.may_help(board, seat) for effect in self._effects)

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return the next automatic play: a card that must fill a space, or the next card of a deal."""
        for pile in self._filled_columns.get(seat, ()):
            if not board.cards[pile] and board.cards[heap := self.layout.seat_piles(seat, Kind.RESERVE)[0]]:
                return Play(heap, 1, pile)
        play = self._stock.next_step(board, seat) if self._stock.deals_automatically else None
        for effect in self._effects:
            play = play or effect.automatic_play(board, seat)
        return play

    @property
    def turn_size(self) -> int:
        """How many cards of the stock are turned at a time."""
        return next((group.turn for group in self.game.groups if isinstance(group, Stock)), 1)

    def stock_play(self, board: Board, seat: int) -> Play | None:
        """Return the play that uses the stock: turn it, deal a round, or redeal.

        If the card turned last must be put aside first, return that play.
        """
        plays = (
            self._usual_stock_plays(board, seat)
            or self._special_stock_plays(board, seat)
            or self._plays_aside(board, seat)
        )
        return plays[-1] if plays else None

    def _usual_stock_plays(self, board: Board, seat: int) -> list[Play]:
        refusal = self.move_generator.refusal
        return [play for play in self._stock.plays(board, seat) if not refusal(board, seat, play)]

    def _special_stock_plays(self, board: Board, seat: int) -> list[Play]:
        """Return the plays of special rules from the stock, or to the waste."""
        if seat not in self.layout.stock:
            return []
        stock, waste = self.layout.stock[seat], self.layout.waste.get(seat)
        plays = (play for effect in self._effects for play in effect.plays(board, seat))
        return [play for play in plays if play.source == stock or play.destination == waste]

    def _plays_aside(self, board: Board, seat: int) -> list[Play]:
        """Return the plays of the card turned last to a reserve."""
        wastes, reserves = (self.layout.seat_piles(seat, kind) for kind in (Kind.WASTE, Kind.RESERVE))
        plays = self.move_generator.fill_plays(board, seat)
        return [play for play in plays if play.source in wastes and play.destination in reserves]

    @property
    def allows_shifts(self) -> bool:
        """Whether players may move the top card of their stock to the bottom, now or at other times."""
        return any(isinstance(group, Stock) and group.shift is not None for group in self.game.groups)

    def verify_shift(self, board: Board, seat: int) -> None:
        """Check that a seat may move the top card of its stock to the bottom.

        Raises:
            IllegalPlay: it may not; the error has the reason.

        """
        self._stock.verify_shift(board, seat)

    def required_first(self, board: Board, seat: int) -> str:
        """Return what a special rule requires first, in words; empty if nothing."""
        return next((text for effect in self._effects if (text := effect.required_first(board, seat))), "")

    def is_irreversible(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether no earlier position can come again after a legal play that is yet to be made."""
        kinds = {board.piles[play.source].kind, board.piles[play.destination].kind}
        if play.depth:
            return True
        if Kind.STOCK in kinds:
            stock = self.layout.groups[self.layout.stock[seat]]
            return isinstance(stock, Stock) and stock.redeals is not None
        if board.piles[play.destination].kind is Kind.WASTE:
            return False
        return kinds != {Kind.TABLEAU} and board.piles[play.source].kind is not Kind.FOUNDATION

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether a seat has reached the game's goal."""
        if not self._needs_full_foundations:
            return super().is_out(board, seat)
        return self.foundations.are_full(board, seat)

    def all_progress(self, board: Board) -> dict[int, int]:
        """Return the progress of each seat, in one pass because every picture needs it."""
        return self.on_foundations(board)

    # What clients need for hints.

    def movable_counts(self, column: Tableau, cards: Sequence[Card]) -> Iterator[int]:
        """Yield how many cards may move together from the end of a column, fewest first."""
        return self.columns.movable_counts(column, cards)

    def open_foundations(self, board: Board, seat: int, card: Card) -> Iterator[int]:
        """Yield the foundations that accept a seat's card now."""
        return self.move_generator.open_foundations(board, seat, card)

    def follows_on(self, board: Board, foundation: int, cards: Sequence[Card], card: Card) -> bool:
        """Return whether a foundation would accept a card if it held these cards."""
        return card % PACK_SIZE in self.foundations.next_cards(board, foundation, cards)

    def may_take_back(self, seat: int, foundation: int) -> bool:
        """Return whether a seat may take cards back from a foundation."""
        return self.foundations.may_take_back(seat, foundation)
