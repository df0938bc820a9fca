"""Hints: which play helps, and when none does, however long one turns the stock."""

from typing import Final

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Stock, TailRule
from racing_demon_protocol.table.intent import helpful_play
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot

NOTHING_HELPS: Final = "Nothing helps: stuck"
"""The hint for a player whom no play helps."""


class Hints:
    """Finds plays for one player, and follows how the stock is turned.

    Attributes:
        is_fruitless: whether the whole stock was turned and nothing helped. Where the hidden cards are known,
            as at a solo table, it may be set earlier.

    """

    def __init__(self) -> None:
        self.is_fruitless = False
        self._is_whole = False

    def follow(self, message: Message, view: TableState, seat: int | None) -> None:
        """Follow a message that the view has applied."""
        rules, board = view.rules, view.board
        if rules is None or board is None or seat is None or seat not in view.hand_seats:
            return
        if isinstance(message, ev.Played):
            kinds = board.piles[message.source].kind, board.piles[message.destination].kind
            if message.seat == seat and kinds in {(Kind.STOCK, Kind.WASTE), (Kind.WASTE, Kind.STOCK)}:
                self._follow_turn(rules, board, seat)
            elif message.seat == seat or Kind.FOUNDATION in kinds:
                self._begin(rules, board, seat)
        elif isinstance(message, Snapshot | ev.Dealt | ev.Rotated):
            self._begin(rules, board, seat)

    def play(self, rules: Rules, board: Board, seat: int) -> Play | None:
        """Return a play that helps, or that turns the stock; ``None`` if nothing helps."""
        (helpful, is_sure), turn = helpful_play(rules, board, seat), rules.turn(board, seat)
        if helpful is not None or turn is not None:
            return helpful or (None if self.is_fruitless else turn)
        plays = rules.legal_plays(board, seat)
        if is_sure and isinstance(rules, BuildingRules):  # these cards only wander, or come back
            plays = (p for p in plays if board.piles[p.source].kind not in {Kind.TABLEAU, Kind.FOUNDATION})
        return next(plays, None)

    def _begin(self, rules: Rules, board: Board, seat: int) -> None:
        """Look through the stock anew: other cards may help now."""
        waste = rules.layout.waste.get(seat)
        self._is_whole = waste is not None and not board.cards[waste]
        self.is_fruitless = False

    def _follow_turn(self, rules: Rules, board: Board, seat: int) -> None:
        stock = rules.layout.stock[seat]
        group = rules.layout.groups[stock]
        shows_all = isinstance(group, Stock) and not group.shuffle and group.tail_rule is TailRule.TOP
        if not shows_all or helpful_play(rules, board, seat) != (None, True):
            self._begin(rules, board, seat)
        elif not board.cards[stock]:
            self.is_fruitless = self.is_fruitless or self._is_whole
        elif not board.cards[rules.layout.waste[seat]]:
            self._is_whole = True
