"""Special rules for filling spaces."""

from collections.abc import Iterator

from racing_demon_protocol.engine import privileges
from racing_demon_protocol.engine.board import Board, Play

from .effects import Effect


class FillFromBottomEffect(Effect):
    """Fills spaces from the bottom of the stock: see :class:`~.engine.privileges.FillFromBottom`."""

    special: privileges.FillFromBottom

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of the stock's bottom card to each space."""
        stock = self.table.layout.stock[seat]
        is_left = any(board.cards[heap] for heap in self.piles(seat, self.special.heap))
        depth = len(board.cards[stock]) - 1
        if depth >= 0 and not is_left:
            columns = self.piles(seat, self.special.columns)
            yield from (Play(stock, 1, column, depth) for column in columns if not board.cards[column])

    def resolve(self, board: Board, seat: int, play: Play) -> Play | None:
        """Return the play of the bottom card, even if the play does not say how many cards lie on it."""
        return next((own for own in self.plays(board, seat) if play in {own, own._replace(depth=0)}), None)

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse other cards in a space while the stock has a bottom card."""
        stock = self.table.layout.stock[seat]
        is_space = play.destination in self.piles(seat, self.special.columns)
        is_space = is_space and not board.cards[play.destination]
        return "A space takes the bottom card of the stock." if is_space and board.cards[stock] else ""

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether there is a space, and a card for it once turning has led to nothing."""
        is_left = any(board.cards[heap] for heap in self.piles(seat, self.special.heap))
        is_full = all(board.cards[column] for column in self.piles(seat, self.special.columns))
        return not (is_left or is_full or self.hand_out(board, seat))


class FillFromDoublesEffect(Effect):
    """Splits double places: see :class:`~.engine.privileges.FillFromDoubles`."""

    special: privileges.FillFromDoubles

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of the upper cards of double places to empty ones."""
        places = self.piles(seat, self.special.places)
        if self.hand_out(board, seat):
            for empty in (pile for pile in places if not board.cards[pile]):
                yield from (Play(pile, 1, empty) for pile in places if len(board.cards[pile]) > 1)
