"""The rules of the building games: sequences on foundations, and on columns.

Every attribute of a declaration is read here; how the stock is used is in :mod:`.turning`, and rules of
their own are in :mod:`.specials`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .board import FOUNDATIONS, Board, Kind, Play
from .cards import PACK_SIZE, UNKNOWN, Card
from .declaration import (
    Cells,
    Foundations,
    Game,
    Goal,
    Heads,
    Reserve,
    Stock,
    Tableau,
    TakeBack,
    Unit,
    Waste,
)
from .errors import IllegalPlay
from .fitting import FittingRules
from .privileges import Grace
from .specials import effects_of
from .turning import Turning
from .ways import NOTHING, Ways

__all__ = ["BuildingRules"]


class BuildingRules(FittingRules):
    """The rules of one building game for the seats of one hand.

    Attributes:
        asks_more: whether more is to be asked of a play than its two piles say.
        takes_back: the seats that may take cards from some foundation again.
        is_classic: whether the game has no more than foundations, columns, reserves, and a stock that is
            turned to a waste, and any card may go wherever it fits.

    """

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        super().__init__(game, seats)
        own, groups = self.layout.own, self.layout.groups
        self._forces = any(isinstance(group, Foundations) and group.forced_bases for group in game.groups)
        self._turning = Turning(self.layout)
        self._effects = effects_of(self)
        self.is_classic = _is_classic(game)
        self._singles = {seat: tuple(self._single_piles(seat)) for seat in seats}
        self._columns_of: dict[tuple[int, int], tuple[int, ...]] = {}
        self._goals = {
            seat: [pile for pile in self.layout.foundations if self.layout.piles[pile].seat in {None, seat}]
            for seat in seats
        }
        self._filled = {
            seat: [
                (pile, fillers)
                for pile in own(seat, Kind.TABLEAU)
                if (fillers := self._column(pile).space.fill)
            ]
            for seat in seats
        }
        self._fillable = {
            seat: [
                pile
                for kind in (Kind.CELL, Kind.RESERVE)
                for pile in own(seat, kind)
                if groups[pile].takes is not None
            ]
            for seat in seats
        }
        self._must = {
            seat: [pile for pile in own(seat, Kind.CELL) if getattr(groups[pile], "must", False)]
            for seat in seats
        }
        self.takes_back = frozenset(
            seat for seat in seats if any(self.may_take_back(seat, pile) for pile in self.layout.foundations)
        )
        self.asks_more = bool(self._effects or self._forces or any(self._must.values()))
        self._ways = None if self.asks_more else Ways(self)

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Return a seat's shuffled cards in the order in which they are dealt."""
        for effect in self._effects:
            deck = effect.arrange(deck)
        return deck

    # What is legal.

    def verify_play(self, board: Board, seat: int, play: Play) -> Play:
        """Return the play with its foundation resolved, if it is legal for the seat.

        Raises:
            IllegalPlay: it is not; the error carries the reason.

        """
        if self._ways is not None and self._ways.allow(board, seat, play):
            return play
        return self.verify_fully(board, seat, play)

    def verify_fully(self, board: Board, seat: int, play: Play) -> Play:
        """Do the same by asking every rule.

        Raises:
            IllegalPlay: it is not; the error carries the reason.

        """
        self._verify_piles(seat, play)
        for effect in self._effects:
            own = effect.resolve(board, seat, play)
            if own is not None:
                return own
        if self._turning.is_turn(seat, play):
            self._turning.verify(board, seat, play)
        else:
            taken = self._verify_source(board, seat, play)
            if play.destination == FOUNDATIONS:
                play = Play(
                    play.source, play.count, self._first_open(board, seat, play.source, taken), play.depth
                )
            else:
                self._verify_target(board, seat, play, taken)
        if self._effects and (refusal := self._refusal(board, seat, play)):
            raise IllegalPlay(refusal)
        if self._forces:
            self._verify_forced(board, seat, play)
        if self._must[seat] and not self._is_due(board, seat, play):
            raise IllegalPlay("An empty place must be filled first.")
        return play

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's legal plays lazily: to the foundations, to the columns, turning the stock.

        Of several foundations of one group that accept the same card the first is named; the others are
        legal too, and worth the same.
        """
        forced = self._forced_plays(board, seat) if self._forces else []
        for play in forced or self._candidates(board, seat):
            if not self._must[seat] or self._is_due(board, seat, play):
                yield play
        for effect in self._effects:
            yield from effect.plays(board, seat)

    def plain_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's plays of cards: neither turning the stock, nor by a rule of its own."""
        for play in self._candidates(board, seat):
            if not self._turning.is_turn(seat, play):
                yield play

    def may_help(self, board: Board, seat: int) -> bool:
        """Tell whether a rule of its own allows a seat something, now or after turning the stock."""
        return any(effect.may_help(board, seat) for effect in self._effects)

    def can_turn(self, board: Board, seat: int) -> bool:
        """Tell whether a seat can turn or deal cards from its stock, or make it up anew."""
        return next(self._turning.plays(board, seat), None) is not None

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Return the next play that the game makes by itself: a space's compulsory card, or the next deal."""
        for pile, fillers in self._filled.get(seat, ()):
            if not board.cards[pile]:
                for filler in fillers:
                    source, count = self._filler(seat, filler)
                    if board.cards[source]:
                        return Play(source, count, pile)
        due = self._turning.due(board, seat) if self._turning.goes_on else None
        for effect in self._effects:
            due = due or effect.automatic(board, seat)
        return due

    @property
    def turn_size(self) -> int:
        """How many cards of the stock are turned at a time."""
        return next((group.turn for group in self.game.groups if isinstance(group, Stock)), 1)

    def turn(self, board: Board, seat: int) -> Play | None:
        """Return what the key for the stock does: turn it, lay a round, or make it up anew.

        Where the card turned last must first be put aside, it does that.
        """
        plays = list(self._turning.plays(board, seat))
        if not plays and seat in self.layout.stock:
            stock = self.layout.stock[seat]
            own = (play for effect in self._effects for play in effect.plays(board, seat))
            plays = [play for play in own if play.source == stock]
        if not plays:
            aside = set(self.layout.own(seat, Kind.RESERVE))
            wastes = self.layout.own(seat, Kind.WASTE)
            candidates = self._fills(board, seat)
            plays = [play for play in candidates if play.source in wastes and play.destination in aside]
        return plays[-1] if plays else None

    def is_progress(self, board: Board, seat: int, play: Play) -> bool:
        """Tell whether a legal play, before it is made, leads on: positions cannot repeat through it."""
        kinds = {board.piles[play.source].kind, board.piles[play.destination].kind}
        if play.depth:
            return True
        if Kind.STOCK in kinds:
            stock = self.layout.groups[self.layout.stock[seat]]
            return isinstance(stock, Stock) and stock.redeals is not None
        return kinds != {Kind.TABLEAU} and board.piles[play.source].kind is not Kind.FOUNDATION

    def is_out(self, board: Board, seat: int) -> bool:
        """Tell whether a seat has reached the game's goal."""
        if self.game.goal is not Goal.FOUNDATIONS_FULL:
            return super().is_out(board, seat)
        return all(
            len(board.cards[pile]) == self._foundation(pile).length
            for pile in self.layout.foundations
            if self.layout.piles[pile].seat in {None, seat}
        )

    def all_progress(self, board: Board) -> dict[int, int]:
        """Return how far each seat has come: counted at once, for it is asked with every picture."""
        return self.on_foundations(board)

    # What fits.

    def open_foundations(
        self, board: Board, seat: int, card: Card, source: int | None = None
    ) -> Iterator[int]:
        """Yield the foundations that take a seat's card now; from a pile, those that take cards of it."""
        for pile in self._goals.get(seat, ()):
            if self.accepts(board, pile, card) and self._may_go_up(board, seat, source, pile):
                yield pile

    def wanted_above(self, board: Board, seat: int) -> frozenset[Card]:
        """Return the cards of the first pack that the foundations take from a seat now."""
        goals = self._goals.get(seat, ())
        return NOTHING.union(*[self.next_on(board, pile, board.cards[pile]) for pile in goals])

    def _may_go_up(self, board: Board, seat: int, source: int | None, foundation: int) -> bool:
        """Tell whether cards of a pile may go to a foundation at all; ``None``: whichever pile that is."""
        if source is None:
            return True
        refused = self._effects and self._refusal(board, seat, Play(source, 1, foundation))
        return not refused and self.may_go(source, foundation)

    # Verification, step by step.

    def _verify_source(self, board: Board, seat: int, play: Play) -> Sequence[Card]:
        """Return the cards that a play takes, bottom first, if the seat may take them."""
        cards = board.cards[play.source]
        if not 0 < play.count <= len(cards):
            raise IllegalPlay(f"There are {len(cards)} cards there, not {play.count}.")
        if play.depth:
            raise IllegalPlay("Other cards lie upon that one.")
        taken = cards[-play.count :]
        group = self.layout.groups[play.source]
        match group:
            case Tableau():
                self._verify_unit(group, cards, taken)
            case Stock() if not self._takes_unseen(play.destination):
                raise IllegalPlay("The stock is turned to the waste, and played from there.")
            case Reserve(playable=False):
                raise IllegalPlay("The reserve only fills spaces.")
            case Reserve(locked=True) if self._has_stock(board, seat):
                raise IllegalPlay("These cards are buried until the stock is empty.")
            case Foundations() if not self._may_leave(board, seat, play):
                raise IllegalPlay("Nothing leaves the foundations again.")
            case _ if play.count > 1:
                raise IllegalPlay("Only the top card is available there.")
        return taken

    def _verify_unit(self, column: Tableau, cards: Sequence[Card], taken: Sequence[Card]) -> None:
        if UNKNOWN in taken:
            raise IllegalPlay("A face-down card cannot be moved.")
        if len(taken) > 1 and column.unit is Unit.ONE:
            raise IllegalPlay("Only single cards move here.")
        if len(taken) > 1 and column.unit is Unit.WHOLE and len(taken) != len(cards):
            raise IllegalPlay("A sequence moves as a whole column, or card by card.")
        if not all(self.continues(column, below, above) for below, above in pairwise(taken)):
            raise IllegalPlay("These cards are not a sequence.")

    def _first_open(self, board: Board, seat: int, source: int, taken: Sequence[Card]) -> int:
        if len(taken) > 1:
            raise IllegalPlay("Cards go to the foundations one by one.")
        known = taken[0] != UNKNOWN
        pile = next(self.open_foundations(board, seat, taken[0], source), None) if known else None
        if pile is None:
            raise IllegalPlay("No foundation takes that card.")
        return pile

    def _verify_target(self, board: Board, seat: int, play: Play, taken: Sequence[Card]) -> None:
        if play.destination == play.source:
            raise IllegalPlay("The card lies there already.")
        match self.layout.groups[play.destination]:
            case Foundations():
                self._verify_foundation(board, play, taken)
            case Tableau() as column if not board.cards[play.destination]:
                if not self.fills_space(play.source, column, taken):
                    raise IllegalPlay("That card cannot fill a space.")
            case Tableau() as column:
                if not self._lands(board, seat, play, column, taken):
                    raise IllegalPlay("That card does not continue the column.")
            case Cells() | Reserve() as group:
                self._verify_fill(board, seat, play, group)
            case _:
                raise IllegalPlay("Nothing is played there.")

    def _verify_fill(self, board: Board, seat: int, play: Play, group: Cells | Reserve) -> None:
        if isinstance(group, Cells) and board.cards[play.destination]:
            raise IllegalPlay("There is room for one card only.")
        if group.takes is None:
            raise IllegalPlay(f"Nothing is played to the {group.name}.")
        if play.count > 1 or not self._may_fill(board, seat, play.source, play.destination):
            raise IllegalPlay("Nothing is played there from here.")

    def _verify_foundation(self, board: Board, play: Play, taken: Sequence[Card]) -> None:
        if len(taken) > 1:
            raise IllegalPlay("Cards go to the foundations one by one.")
        accepted = taken[0] != UNKNOWN and self.accepts(board, play.destination, taken[0])
        if not accepted or not self.may_go(play.source, play.destination):
            raise IllegalPlay("That foundation does not take this card.")

    def _verify_forced(self, board: Board, seat: int, play: Play) -> None:
        forced = self._forced_plays(board, seat)
        opening = self.layout.piles[play.destination].kind is Kind.FOUNDATION and play.source in {
            other.source for other in forced
        }
        if forced and not opening:
            raise IllegalPlay("A card that opens a foundation must be played first.")

    def _refusal(self, board: Board, seat: int, play: Play) -> str:
        return next((text for effect in self._effects if (text := effect.refuses(board, seat, play))), "")

    def _is_due(self, board: Board, seat: int, play: Play) -> bool:
        """Tell whether a play may be made while places must be filled."""
        empty = [pile for pile in self._must[seat] if not board.cards[pile]]
        if not empty or play.destination in empty:
            return True
        sources = [name for pile in empty for name in self.layout.groups[pile].takes or ()]
        return not any(board.cards[pile] for name in sources for pile in self.layout.named(seat, name))

    # Generation, step by step.

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
        """Return the columns that may ever take cards of a pile."""
        if (seat, source) not in self._columns_of:
            columns = self.layout.own(seat, Kind.TABLEAU)
            self._columns_of[seat, source] = tuple(
                column for column in columns if column != source and self._may_ever_go(source, column)
            )
        return self._columns_of[seat, source]

    def _upward(
        self, board: Board, seat: int, source: int, goals: dict[int, frozenset[Card]]
    ) -> Iterator[Play]:
        """Yield the plays of a pile's last card to the foundations, one for each group of these.

        Args:
            board: the board.
            seat: whose pile it is.
            source: the pile.
            goals: the cards of the first pack that each foundation takes.

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
        """Yield the plays to cells and heaps, and those of the stock's unseen card."""
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
        """Yield the seat's piles of which the top card alone is available."""
        groups = self.layout.groups
        yield from self.layout.own(seat, Kind.WASTE)
        yield from (
            pile for pile in self.layout.own(seat, Kind.RESERVE) if getattr(groups[pile], "playable", False)
        )
        yield from self.layout.own(seat, Kind.CELL)
        yield from (pile for pile in self.layout.foundations if self.may_take_back(seat, pile))

    def _column_takes(self, board: Board, seat: int, play: Play, taken: Sequence[Card]) -> bool:
        """Tell whether a column takes these cards."""
        if UNKNOWN in taken or not (
            self.layout.groups[play.source].kind is not Kind.FOUNDATION or self._may_leave(board, seat, play)
        ):
            return False
        column = self._column(play.destination)
        if not board.cards[play.destination]:
            return self.fills_space(play.source, column, taken)
        return self._lands(board, seat, play, column, taken)

    def _forced_plays(self, board: Board, seat: int) -> list[Play]:
        """Return the plays that open a foundation, where the game wants them first (A1)."""
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
