"""The use of a stock: turned to the waste, dealt in rounds, and redealt."""

from collections.abc import Iterator

from racing_demon_protocol.engine.board import MIN_SHIFTED, Board, Play
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Stock, StockShift, Tableau, TailRule
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.formatting import pluralize, there_are


class StockRules:
    """The part of a building game's rules that concerns the stock.

    Attributes:
        feeds_spaces: whether the stock's unseen top card may fill some place.
        deals_automatically: whether a started round or redeal continues automatically.

    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        stocks = [group for group in layout.game.groups if isinstance(group, Stock)]
        names = {group.name for group in stocks}
        self.deals_automatically = any(group.rounds or group.relay for group in stocks)
        takes = [
            group.space.takes if isinstance(group, Tableau) else group.takes for group in layout.game.groups
        ]
        self.feeds_spaces = any(names & set(some or ()) for some in takes)
        self._targets = {seat: {stock, layout.waste.get(seat)} for seat, stock in layout.stock.items()}
        self._counts = [pile.counts for pile in layout.piles]
        self._dealing = set(layout.stock.values()) if any(self._counts) else set()
        self._gathering = {
            seat: [pile.number for pile in layout.piles if pile.seat == seat and pile.gathers]
            for seat in layout.stock
        }
        self._steps: dict[tuple[int, int | None], list[tuple[int, int]]] = {}

    def is_stock_play(self, seat: int, play: Play) -> bool:
        """Return whether a play turns, deals or redeals the stock instead of playing a card."""
        if play.destination in self._targets.get(seat, ()):
            return True
        return play.source in self._dealing and play.destination >= 0 and self._counts[play.destination]

    def verify(self, board: Board, seat: int, play: Play) -> None:
        """Check that the stock can be used this way.

        Raises:
            IllegalPlay: it cannot; the error has the reason.

        """
        plays = list(self.plays(board, seat))
        if play in plays:
            return
        cards = board.cards[play.source]
        if not 0 < play.count <= len(cards):
            raise IllegalPlay(f"{there_are(len(cards), 'card')} there, not {play.count}.")
        if not plays:
            raise IllegalPlay("There is nothing left to turn.")
        turn = plays[-1]
        if (play.source, play.destination) == (turn.source, turn.destination):
            verb = "is" if turn.count == 1 else "are"
            raise IllegalPlay(f"{pluralize(turn.count, 'card')} {verb} turned here, not {play.count}.")
        raise IllegalPlay("The waste is turned over when the stock is empty, and takes only turned cards.")

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that turn cards, the usual one last."""
        stock, waste = self._layout.stock.get(seat), self._layout.waste.get(seat)
        if stock is None:
            return
        group = self._group(stock)
        left, turned = len(board.cards[stock]), 0 if waste is None else len(board.cards[waste])
        if left:
            if group.rounds:
                pile, count = self._round(board, seat, group)[0]
                yield Play(stock, min(count, left), pile)
            elif waste is not None and self._has_room(waste, turned):
                # Turning the last two one by one makes either of them available.
                if left == 2 < group.turn and group.tail_rule is TailRule.EITHER2:
                    yield Play(stock, 1, waste)
                yield Play(stock, min(group.turn, left), waste)
        elif group.redeals is None or board.redeals.get(seat, 0) < group.redeals:
            gathering = self._gathering[seat]
            if not gathering:
                if turned and waste is not None:
                    yield Play(waste, turned, stock)
            elif any(board.cards[pile] for pile in gathering) and (waste in gathering or not turned):
                yield Play(stock, 1, stock)

    def verify_shift(self, board: Board, seat: int) -> None:
        """Check that a seat may move the top card of its stock to the bottom.

        Raises:
            IllegalPlay: it may not; the error has the reason.

        """
        stock = self._layout.stock.get(seat)
        if stock is None or (shift := self._group(stock).shift) is None:
            raise IllegalPlay("At this table, the stock's top card cannot go to its bottom.")
        if shift is StockShift.ONCE and board.shifts.get(seat):
            raise IllegalPlay("You have done that in this pass. Turn the waste over first.")
        if len(board.cards[stock]) < MIN_SHIFTED:
            raise IllegalPlay("There are too few cards in the stock. Turn the waste over first.")

    def pass_length(self, board: Board, seat: int) -> int:
        """Return the number of turns in a full pass through stock and waste."""
        stock, waste = self._layout.stock[seat], self._layout.waste[seat]
        left = len(board.cards[stock]) + len(board.cards[waste])
        return -(-left // self._group(stock).turn) + 1 if left else 0

    def rule_state(self, board: Board, seat: int, redeals_seen: int) -> tuple[int, ...]:
        """Return what future turns depend on beside the cards.

        Args:
            board: the board.
            seat: the stock's seat.
            redeals_seen: redeals beyond this number make no difference to other rules.

        """
        stock = self._layout.stock.get(seat)
        if stock is None:
            return ()
        group = self._group(stock)
        max_redeals = max(redeals_seen, max(len(group.rounds), 1) if group.redeals is None else group.redeals)
        turned = min(board.came[stock], self.pass_length(board, seat)) if stock in board.came else 0
        return min(board.redeals.get(seat, 0), max_redeals), turned

    def next_step(self, board: Board, seat: int) -> Play | None:
        """Return the next step of a round or redeal in progress."""
        stock = self._layout.stock.get(seat)
        if stock is None or not board.cards[stock]:
            return None
        group, left = self._group(stock), len(board.cards[stock])
        if group.rounds:
            steps = self._round(board, seat, group)
            rounds = board.came.get(steps[0][0], 0)
        elif group.relay and board.redeals.get(seat, 0):
            steps, rounds = self._steps_of(seat, group, None), 1
        else:
            return None
        for pile, count in steps:
            if board.came.get(pile, 0) < rounds:
                return Play(stock, min(count, left), pile)
        return None

    def _round(self, board: Board, seat: int, group: Stock) -> list[tuple[int, int]]:
        """Return the piles and cards of one round in the current deal."""
        return self._steps_of(seat, group, min(board.redeals.get(seat, 0), len(group.rounds) - 1))

    def _steps_of(self, seat: int, group: Stock, number: int | None) -> list[tuple[int, int]]:
        """Return the piles and cards of a round, by its number; ``None`` for what follows a redeal."""
        if (seat, number) not in self._steps:
            deals = group.relay if number is None else group.rounds[number]
            self._steps[seat, number] = [
                step for deal in deals for step in self._layout.deal_step(deal, seat)
            ]
        return self._steps[seat, number]

    def _group(self, stock: int) -> Stock:
        group = self._layout.groups[stock]
        assert isinstance(group, Stock)
        return group

    def _has_room(self, waste: int, turned: int) -> bool:
        limit: int | None = getattr(self._layout.groups[waste], "limit", None)
        return limit is None or turned < limit
