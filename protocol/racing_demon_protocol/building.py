"""The rules of the building games: sequences on foundations, and on columns.

Every attribute of a declaration is read here; rules of their own are in :mod:`.specials`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .board import FOUNDATIONS, Board, Kind, Play
from .cards import SUIT_SIZE, UNKNOWN, Card, rank
from .declaration import (
    Base,
    Filler,
    Foundations,
    Game,
    Group,
    Reserve,
    Stock,
    Tableau,
    TailRule,
    TakeBack,
    Unit,
)
from .errors import IllegalPlay
from .rules import Rules
from .sequences import follows, suits_agree

__all__ = ["BuildingRules"]


class BuildingRules(Rules):
    """The rules of one building game for the seats of one hand."""

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        super().__init__(game, seats)
        self._forces = any(isinstance(group, Foundations) and group.forced_bases for group in game.groups)

    # What is legal.

    def verify_play(self, board: Board, seat: int, play: Play) -> Play:
        """Return the play with its foundation resolved, if it is legal for the seat.

        Raises:
            IllegalPlay: it is not; the error carries the reason.

        """
        self._verify_piles(seat, play)
        taken = self._verify_source(board, seat, play)
        if play.destination == FOUNDATIONS:
            play = play._replace(destination=self._first_open(board, seat, taken))
        else:
            self._verify_target(board, seat, play, taken)
        if self._forces:
            self._verify_forced(board, seat, play)
        return play

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's legal plays lazily: to the foundations, to the columns, turning the stock.

        Of several foundations that accept the same card the first is named; the others are legal too,
        and worth the same.
        """
        forced = self._forced_plays(board, seat) if self._forces else []
        yield from forced or self._candidates(board, seat)

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Return the next play that the game makes for a seat by itself: a space's compulsory card."""
        for pile in self.layout.own(seat, Kind.TABLEAU):
            if not board.cards[pile]:
                for filler in self._column(pile).space.fill:
                    source, count = self._filler(seat, filler)
                    if board.cards[source]:
                        return Play(source, count, pile)
        return None

    @property
    def turn_size(self) -> int:
        """How many cards of the stock are turned at a time."""
        return next((group.turn for group in self.game.groups if isinstance(group, Stock)), 1)

    def turn(self, board: Board, seat: int) -> Play | None:
        """Return the play that turns the seat's stock, or its waste over; ``None`` if neither can be."""
        return next(reversed(list(self._turns(board, seat))), None)

    # Building.

    def continues(self, column: Tableau, below: Card, above: Card) -> bool:
        """Tell whether a card may lie on another in a column."""
        return any(follows(build, below, above, column.wrap) for build in column.build)

    def opens(self, column: Tableau, card: Card) -> bool:
        """Tell whether a card may go to an empty column."""
        return column.space.ranks is None or rank(card) in column.space.ranks

    def units(self, group: Group, cards: Sequence[Card]) -> Iterator[int]:
        """Yield how many cards may move together from the end of a pile, fewest first."""
        if not isinstance(group, Tableau):
            yield from super().units(group, cards)
            return
        column = group
        for count in range(1, len(cards) + 1):
            if cards[-count] == UNKNOWN:
                return
            if count > 1 and not self.continues(column, cards[-count], cards[-count + 1]):
                return
            if count == 1 or column.unit is Unit.TAIL or (column.unit is Unit.WHOLE and count == len(cards)):
                yield count

    def open_foundations(self, board: Board, seat: int, card: Card) -> Iterator[int]:
        """Yield the foundations that take a seat's card now."""
        for pile in self.layout.foundations:
            if self.layout.piles[pile].seat in {None, seat} and self.accepts(board, pile, card):
                yield pile

    def may_take_back(self, seat: int, foundation: int) -> bool:
        """Tell whether a seat may take cards from a foundation again: never where others build too (A9)."""
        group, owner = self.layout.groups[foundation], self.layout.piles[foundation].seat
        alone = owner == seat or self.layout.seats == (seat,)
        return isinstance(group, Foundations) and group.take_back is TakeBack.FREE and alone

    def follows_on(self, board: Board, foundation: int, cards: Sequence[Card], card: Card) -> bool:
        """Tell whether a foundation would take a card if it held these cards."""
        group = self.layout.groups[foundation]
        assert isinstance(group, Foundations)
        if not cards:
            base = self._base(board, foundation) if isinstance(group.base, Base) else group.base
            return rank(card) == base
        if len(cards) >= group.length:
            return False
        expected = rank(cards[-1]) + group.step
        if group.wrap:
            expected = (expected - 1) % SUIT_SIZE + 1
        return rank(card) == expected and suits_agree(group.suit, cards[-1], card)

    # Verification, step by step.

    def _verify_source(self, board: Board, seat: int, play: Play) -> list[Card]:
        """Return the cards that a play takes, bottom first, if the seat may take them."""
        cards = board.cards[play.source]
        if not 0 < play.count <= len(cards):
            raise IllegalPlay(f"There are {len(cards)} cards there, not {play.count}.")
        taken = cards[-play.count :]
        group = self.layout.groups[play.source]
        if play.destination in {self.layout.stock.get(seat), self.layout.waste.get(seat)}:
            self._verify_turn(board, seat, play)
            return taken
        if play.depth:
            raise IllegalPlay("Other cards lie upon that one.")
        match group:
            case Tableau():
                self._verify_unit(group, cards, taken)
            case Stock():
                raise IllegalPlay("The stock is turned to the waste, and played from there.")
            case Reserve(playable=False):
                raise IllegalPlay("The reserve only fills spaces.")
            case Foundations() if not self.may_take_back(seat, play.source):
                raise IllegalPlay("Nothing leaves the foundations again.")
            case _ if play.count > 1:
                raise IllegalPlay("Only the top card is available there.")
        return taken

    def _verify_turn(self, board: Board, seat: int, play: Play) -> None:
        if play in set(self._turns(board, seat)):
            return
        turn = self.turn(board, seat)
        if turn is None:
            raise IllegalPlay("There is nothing left to turn.")
        if (play.source, play.destination) == (turn.source, turn.destination):
            raise IllegalPlay(f"{turn.count} cards are turned here, not {play.count}.")
        raise IllegalPlay("The waste is turned over when the stock is empty, and takes only turned cards.")

    def _verify_unit(self, column: Tableau, cards: Sequence[Card], taken: Sequence[Card]) -> None:
        if UNKNOWN in taken:
            raise IllegalPlay("A face-down card cannot be moved.")
        if len(taken) > 1 and column.unit is Unit.ONE:
            raise IllegalPlay("Only single cards move here.")
        if len(taken) > 1 and column.unit is Unit.WHOLE and len(taken) != len(cards):
            raise IllegalPlay("A sequence moves as a whole column, or card by card.")
        if not all(self.continues(column, below, above) for below, above in pairwise(taken)):
            raise IllegalPlay("These cards are not a sequence.")

    def _first_open(self, board: Board, seat: int, taken: Sequence[Card]) -> int:
        if len(taken) > 1:
            raise IllegalPlay("Cards go to the foundations one by one.")
        pile = next(self.open_foundations(board, seat, taken[0]), None)
        if pile is None:
            raise IllegalPlay("No foundation takes that card.")
        return pile

    def _verify_target(self, board: Board, seat: int, play: Play, taken: Sequence[Card]) -> None:
        if play.destination == play.source:
            raise IllegalPlay("The card lies there already.")
        match self.layout.groups[play.destination]:
            case Foundations() if len(taken) > 1:
                raise IllegalPlay("Cards go to the foundations one by one.")
            case Foundations() if not self.accepts(board, play.destination, taken[0]):
                raise IllegalPlay("That foundation does not take this card.")
            case Tableau() as column if not board.cards[play.destination]:
                if not self.opens(column, taken[0]):
                    raise IllegalPlay("That card cannot fill a space.")
            case Tableau() as column:
                if not self.continues(column, board.cards[play.destination][-1], taken[0]):
                    raise IllegalPlay("That card does not continue the column.")
            case Reserve():
                raise IllegalPlay("Nothing is played to the reserve.")

    def _verify_forced(self, board: Board, seat: int, play: Play) -> None:
        forced = self._forced_plays(board, seat)
        opening = self.layout.piles[play.destination].kind is Kind.FOUNDATION and play.source in {
            other.source for other in forced
        }
        if forced and not opening:
            raise IllegalPlay("A card that opens a foundation must be played first.")

    # Generation, step by step.

    def _candidates(self, board: Board, seat: int) -> Iterator[Play]:
        singles = self._singles(seat)
        columns = self.layout.own(seat, Kind.TABLEAU)
        for source in [*singles, *columns]:
            card = board.top(source)
            if card is not None and card != UNKNOWN:
                for pile in self.open_foundations(board, seat, card):
                    if pile != source:
                        yield Play(source, 1, pile)
                        break
        for source in [*singles, *columns]:
            cards = board.cards[source]
            group = self.layout.groups[source]
            units = self.units(group, cards) if isinstance(group, Tableau) else range(1, 2 if cards else 1)
            for count in units:
                for column in columns:
                    if column != source and self._takes(board, column, cards[-count]):
                        yield Play(source, count, column)
        yield from self._turns(board, seat)

    def _singles(self, seat: int) -> list[int]:
        """Return the seat's piles of which the top card alone is available."""
        reserves = self.layout.own(seat, Kind.RESERVE)
        groups = self.layout.groups
        return [
            *self.layout.own(seat, Kind.WASTE),
            *(pile for pile in reserves if getattr(groups[pile], "playable", False)),
            *(pile for pile in self.layout.foundations if self.may_take_back(seat, pile)),
        ]

    def _takes(self, board: Board, pile: int, card: Card) -> bool:
        """Tell whether a column takes a card; never one that is not known."""
        column, top = self._column(pile), board.top(pile)
        if card == UNKNOWN:
            return False
        return self.opens(column, card) if top is None else self.continues(column, top, card)

    def _turns(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that turn cards, the usual one last."""
        stock, waste = self.layout.stock.get(seat), self.layout.waste.get(seat)
        if stock is None or waste is None:
            return
        group = self.layout.groups[stock]
        assert isinstance(group, Stock)
        left, turned = len(board.cards[stock]), len(board.cards[waste])
        if left:
            # Turning the last two singly makes either available, as seed 001 wants it.
            if left == 2 < group.turn and group.tail_rule is TailRule.EITHER2:
                yield Play(stock, 1, waste)
            yield Play(stock, min(group.turn, left), waste)
        elif turned and (group.redeals is None or board.redeals.get(seat, 0) < group.redeals):
            yield Play(waste, turned, stock)

    def _forced_plays(self, board: Board, seat: int) -> list[Play]:
        """Return the plays that open a foundation, where the game wants them first (A1)."""
        plays = []
        for play in self._candidates(board, seat):
            group = self.layout.groups[play.destination]
            forces = isinstance(group, Foundations) and group.forced_bases
            if forces and not board.cards[play.destination] and play.source not in self.layout.foundations:
                plays.append(play)
        return plays

    def _column(self, pile: int) -> Tableau:
        group = self.layout.groups[pile]
        assert isinstance(group, Tableau)
        return group

    def _filler(self, seat: int, filler: Filler) -> tuple[int, int]:
        """Return the pile that fills a space, and the count that takes one card from its proper end."""
        if filler is Filler.STOCK_BOTTOM:
            return self.layout.stock[seat], -1
        return self.layout.own(seat, Kind.RESERVE)[0], 1

    def _base(self, board: Board, pile: int) -> int | None:
        """Return the rank that the first card of a foundation group has fixed for all of it."""
        group, seat = self.layout.groups[pile], self.layout.piles[pile].seat
        for other in self.layout.foundations:
            fits = self.layout.groups[other] is group and self.layout.piles[other].seat == seat
            if fits and board.cards[other]:
                return rank(board.cards[other][0])
        return None
