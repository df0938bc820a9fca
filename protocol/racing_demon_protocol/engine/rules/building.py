"""The rules of the building games: sequences on foundations and on columns.

This module decides what is legal. :mod:`.candidates` lists possible plays, :mod:`.placement` knows what fits
where, :mod:`.stock` handles the stock, and :mod:`.special_rules` the special rules.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.specification import (
    Cells,
    Foundations,
    Game,
    Goal,
    Reserve,
    Stock,
    Tableau,
    Unit,
)
from racing_demon_protocol.errors import IllegalPlay

from .candidates import CandidateRules
from .fast_path import FastPath

__all__ = ["BuildingRules"]


class BuildingRules(CandidateRules):
    """The rules of one building game for the seats of one hand.

    Attributes:
        asks_more: whether a play's legality depends on more than its two piles.
        fast_path: the plays that two piles alone decide; ``None`` if all depend on more.
        takes_back: the seats that may take cards back from some foundation.

    """

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        super().__init__(game, seats)
        own, groups = self.layout.own, self.layout.groups
        self._forces = any(isinstance(group, Foundations) and group.forced_bases for group in game.groups)
        self._filled = {
            seat: [pile for pile in own(seat, Kind.TABLEAU) if self._column(pile).space.fill]
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
        self._fills_up = game.goal is Goal.FOUNDATIONS_FULL
        self._counting = {
            seat: [
                p.number
                for p in self.layout.piles
                if p.counts and p.seat == seat and p.kind is not Kind.STOCK
            ]
            for seat in seats
        }
        self._redeals_seen = max((effect.redeals_seen for effect in self._effects), default=0)
        self._liberties_seen = max((effect.liberties_seen for effect in self._effects), default=0)
        self.fast_path = None if self.asks_more else FastPath(self)

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
        if self.fast_path is not None and self.fast_path.allow(board, seat, play):
            return play
        return self.verify_fully(board, seat, play)

    def verify_fully(self, board: Board, seat: int, play: Play) -> Play:
        """Do the same without the fast path.

        Raises:
            IllegalPlay: it is illegal; the error has the reason.

        """
        self._verify_piles(seat, play)
        for effect in self._effects:
            own = effect.resolve(board, seat, play)
            if own is not None:
                return own
        if due := self.due(board, seat):
            raise IllegalPlay(due)
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

        Of several foundations of one group that accept the same card only the first is yielded; the others
        are legal and equally good.
        """
        yield from self._plain(board, seat)
        for effect in self._effects:
            yield from effect.plays(board, seat)

    def moves(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's legal plays as they are carried out."""
        yield from self._plain(board, seat)
        for effect in self._effects:
            yield from map(effect.carried_out, effect.plays(board, seat))

    def memory(self, board: Board, seat: int) -> tuple[int, ...]:
        """Return everything beside the cards that a seat's future plays depend on, as numbers.

        Unbounded counts are capped where they no longer make a difference.
        """
        turned = self._turning.memory(board, seat, self._redeals_seen)
        came = (board.came.get(pile, 0) for pile in self._counting[seat])
        return *turned, min(board.liberties.get(seat, 0), self._liberties_seen), *came

    def _plain(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that need no special rule."""
        forced = self._forced_plays(board, seat) if self._forces else []
        for play in forced or self._candidates(board, seat):
            if not self._must[seat] or self._is_due(board, seat, play):
                yield play

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether a special rule allows a seat something, now or after turning the stock."""
        return any(effect.may_help(board, seat) for effect in self._effects)

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Return the next automatic play: a card that must fill a space, or the next card of a deal."""
        for pile in self._filled.get(seat, ()):
            if not board.cards[pile] and board.cards[heap := self.layout.own(seat, Kind.RESERVE)[0]]:
                return Play(heap, 1, pile)
        due = self._turning.due(board, seat) if self._turning.goes_on else None
        for effect in self._effects:
            due = due or effect.automatic(board, seat)
        return due

    @property
    def turn_size(self) -> int:
        """How many cards of the stock are turned at a time."""
        return next((group.turn for group in self.game.groups if isinstance(group, Stock)), 1)

    def turn(self, board: Board, seat: int) -> Play | None:
        """Return the play of the stock's key: turn it, deal a round, or redeal.

        If the card turned last must be put aside first, return that play.
        """
        plays = [play for play in self._turning.plays(board, seat) if not self._refusal(board, seat, play)]
        if not plays and seat in self.layout.stock:
            stock, waste = self.layout.stock[seat], self.layout.waste.get(seat)
            own = (play for effect in self._effects for play in effect.plays(board, seat))
            plays = [play for play in own if play.source == stock or play.destination == waste]
        if not plays:
            aside = set(self.layout.own(seat, Kind.RESERVE))
            wastes = self.layout.own(seat, Kind.WASTE)
            candidates = self._fills(board, seat)
            plays = [play for play in candidates if play.source in wastes and play.destination in aside]
        return plays[-1] if plays else None

    def due(self, board: Board, seat: int) -> str:
        """Return what a special rule requires first, in words; empty if nothing."""
        return next((text for effect in self._effects if (text := effect.due(board, seat))), "")

    def is_progress(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether a legal play, before it is made, makes progress: positions cannot repeat then."""
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
        if not self._fills_up:
            return super().is_out(board, seat)
        return all(
            len(board.cards[pile]) == self._foundation(pile).length
            for pile in self.layout.foundations
            if self.layout.piles[pile].seat in {None, seat}
        )

    def all_progress(self, board: Board) -> dict[int, int]:
        """Return the progress of each seat, in one pass because every picture needs it."""
        return self.on_foundations(board)

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
                raise IllegalPlay("Cards on the foundations stay there.")
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

    def _is_due(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether a play is allowed while places must be filled."""
        empty = [pile for pile in self._must[seat] if not board.cards[pile]]
        if not empty or play.destination in empty:
            return True
        sources = [name for pile in empty for name in self.layout.groups[pile].takes or ()]
        return not any(board.cards[pile] for name in sources for pile in self.layout.named(seat, name))
