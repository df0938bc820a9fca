"""Decides whether a play of a building game is legal, and if not, why: the full rules, step by step."""

from collections.abc import Sequence
from itertools import pairwise

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.specification import Cells, Foundations, Reserve, Stock, Tableau, Unit
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.formatting import there_are

from .move_generator import MoveGenerator
from .pile_moves import accepts_unseen, has_stock, may_fill, may_move, verify_piles


class LegalityChecker:
    """Verifies plays step by step.

    Attributes:
        forces_openings: whether a card that opens a foundation must be played first.
        must_fill: each seat's cells that must be filled first.

    Args:
        move_generator: lists the plays that fit.

    """

    def __init__(self, move_generator: MoveGenerator) -> None:
        layout = move_generator.layout
        self.forces_openings = any(
            isinstance(group, Foundations) and group.forced_bases for group in layout.game.groups
        )
        self.must_fill = {
            seat: [
                pile
                for pile in layout.seat_piles(seat, Kind.CELL)
                if getattr(layout.groups[pile], "must", False)
            ]
            for seat in layout.seats
        }
        self._move_generator = move_generator
        self._layout = layout
        self._columns = move_generator.columns
        self._foundations = move_generator.foundations
        self._effects = move_generator.effects

    def verify(self, board: Board, seat: int, play: Play) -> Play:
        """Return the play with its foundation resolved, if it is legal for the seat.

        Raises:
            IllegalPlay: it is illegal; the error has the reason.

        """
        verify_piles(self._layout, seat, play)
        for effect in self._effects:
            own = effect.resolve(board, seat, play)
            if own is not None:
                return own
        for effect in self._effects:
            if due := effect.required_first(board, seat):
                raise IllegalPlay(due)
        if self._move_generator.stock.is_stock_play(seat, play):
            self._move_generator.stock.verify(board, seat, play)
        else:
            taken = self._verify_source(board, seat, play)
            if play.destination == FOUNDATIONS:
                play = play._replace(destination=self._first_open(board, seat, play.source, taken))
            else:
                self._verify_target(board, seat, play, taken)
        if self._effects and (refusal := self._move_generator.refusal(board, seat, play)):
            raise IllegalPlay(refusal)
        if self.forces_openings:
            self._verify_forced(board, seat, play)
        if self.must_fill[seat] and not self.respects_required_fills(board, seat, play):
            raise IllegalPlay("An empty place must be filled first.")
        return play

    def respects_required_fills(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether a play is allowed while places must be filled."""
        empty = [pile for pile in self.must_fill[seat] if not board.cards[pile]]
        if not empty or play.destination in empty:
            return True
        sources = [name for pile in empty for name in self._layout.groups[pile].takes or ()]
        return not any(board.cards[pile] for name in sources for pile in self._layout.group_piles(seat, name))

    def _verify_source(self, board: Board, seat: int, play: Play) -> Sequence[Card]:
        """Return the cards that a play takes, bottom first, if the seat may take them."""
        cards = board.cards[play.source]
        if not 0 < play.count <= len(cards):
            raise IllegalPlay(f"{there_are(len(cards), 'card')} there, not {play.count}.")
        if play.depth:
            raise IllegalPlay("Other cards lie upon that one.")
        taken = cards[-play.count :]
        group = self._layout.groups[play.source]
        match group:
            case Tableau():
                self._verify_unit(group, cards, taken)
            case Stock() if not accepts_unseen(self._layout, play.destination):
                raise IllegalPlay("The stock is turned to the waste, and played from there.")
            case Reserve(playable=False):
                raise IllegalPlay("The reserve only fills spaces.")
            case Reserve(locked=True) if has_stock(self._layout, board, seat):
                raise IllegalPlay("These cards are buried until the stock is empty.")
            case Foundations() if not self._foundations.may_leave(board, seat, play):
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
        if not all(self._columns.continues(column, below, above) for below, above in pairwise(taken)):
            raise IllegalPlay("These cards are not a sequence.")

    def _first_open(self, board: Board, seat: int, source: int, taken: Sequence[Card]) -> int:
        if len(taken) > 1:
            raise IllegalPlay("Cards go to the foundations one by one.")
        known = taken[0] != UNKNOWN
        pile = (
            next(self._move_generator.open_foundations(board, seat, taken[0], source), None)
            if known
            else None
        )
        if pile is None:
            raise IllegalPlay("No foundation takes that card.")
        return pile

    def _verify_target(self, board: Board, seat: int, play: Play, taken: Sequence[Card]) -> None:
        if play.destination == play.source:
            raise IllegalPlay("The card lies there already.")
        match self._layout.groups[play.destination]:
            case Foundations():
                self._verify_foundation(board, play, taken)
            case Tableau() as column if not board.cards[play.destination]:
                if not self._columns.fills_space(play.source, column, taken):
                    raise IllegalPlay("That card cannot fill an empty column.")
            case Tableau() as column:
                if not self._columns.continues_column(board, seat, play, column, taken):
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
        if play.count > 1 or not may_fill(self._layout, board, seat, play.source, play.destination):
            raise IllegalPlay("Nothing is played there from here.")

    def _verify_foundation(self, board: Board, play: Play, taken: Sequence[Card]) -> None:
        if len(taken) > 1:
            raise IllegalPlay("Cards go to the foundations one by one.")
        accepted = taken[0] != UNKNOWN and self._foundations.accepts(board, play.destination, taken[0])
        if not accepted or not may_move(self._layout, play.source, play.destination):
            raise IllegalPlay("That foundation does not take this card.")

    def _verify_forced(self, board: Board, seat: int, play: Play) -> None:
        forced = self._move_generator.opening_plays(board, seat)
        opening = self._layout.piles[play.destination].kind is Kind.FOUNDATION and play.source in {
            other.source for other in forced
        }
        if forced and not opening:
            raise IllegalPlay("A card that opens a foundation must be played first.")
