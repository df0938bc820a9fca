"""Bots: players who see only the public board and react at human speed.

A bot observes the table and decides. Its play arrives some time later, on a board that may have changed.
It never sees the dealer. Randomness and time are arguments, so a match of bots is reproducible. Bots think
in slices, so that eight of them delay nobody.
"""

import random
from collections.abc import Callable, Generator
from functools import partial
from typing import Final

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import Call, Command, PlayCards, ShiftStock, Stuck
from racing_demon_protocol.wire.options import CallOut
from racing_demon_protocol.wire.serial_numbers import next_counter

from .foresight import Foresight
from .levels import Level, Skill
from .planner import Planner, knows
from .values import value_of

IDLE_MS: Final = 500
"""How often a waiting bot looks at the table."""
LOOKED_THROUGH: Final = 2
"""After this many passes through the stock without progress by anybody, a bot considers every play. After one
more pass it declares being stuck."""
IMPATIENCE: Final = 20
"""Added to the value of plays that can wait, for each pass without a play."""

PILES_A_UNIT: Final = 12
"""The number of piles that are searched for one unit of work: see :mod:`.engine.sliced_search`."""
PLAY_UNITS: Final = 3
"""The work of finding and valuing a play."""

Decision = tuple[Command | None, int]
"""What a bot sends, if anything, and the milliseconds until then. Its next observation follows."""

Weigh = Callable[[Play], float | None]
"""Returns the value of a play: at 0 and below it can wait; ``None`` means that it is useless."""

Standing = tuple[int, int, int]
"""Everybody's progress: cards on foundations, cards still to be turned or in reserves, face-down cards."""


class Bot:
    """One bot.

    Attributes:
        seat: its seat.
        level: its level of skill.

    Args:
        seat: its seat.
        level: its level of skill.
        rng: its source of randomness; the cards never depend on it.
        counter: the number of the seat's last command.

    """

    def __init__(self, seat: int, level: Skill, rng: random.Random, counter: int = 0) -> None:
        self.seat = seat
        self.level = level
        self._level: Level
        self._foresight: Foresight | None = None
        self._rng = rng
        self._counter = counter
        self._fruitless = self._turns = self._shifts = 0
        self._hand: tuple[int, str] | None = None
        self._standing: Standing = (0, 0, 0)
        self._gave_up_at: Standing | None = None

    def observe(self, view: TableState) -> SlicedSearch[Decision]:
        """Observe the table, and return a search that thinks in slices and returns a decision.

        It considers the present cards, whatever changes meanwhile.
        """
        return SlicedSearch(self._think(view))

    def _think(self, view: TableState) -> Generator[int, None, Decision]:
        if (view.hand_number, view.hand_id) != self._hand:
            self._hand = view.hand_number, view.hand_id
            self._fruitless = self._turns = self._shifts = 0
            self._gave_up_at = None
            self._level = self.level.in_hand(view, self.seat)
            self._foresight = None
        may_play = self.seat in view.hand_seats and self.seat not in view.waiting
        if view.phase is not Phase.PLAYING or view.paused or not may_play:
            return None, self._wait(IDLE_MS)
        assert view.hand is not None
        rules, board = view.hand.rules, view.hand.board
        if view.options.call_out is CallOut.SHOUT and rules.is_out(board, self.seat):
            return Call(counter=self.next_counter(), seen=view.seq), self._wait(self._level.turn_ms)
        is_stuck = view.seats[self.seat].stuck
        if is_stuck and (view.is_private or _standing(rules, board) == self._gave_up_at):
            self._fruitless = 0
            return None, self._wait(IDLE_MS)
        return (yield from self._choose(rules, board.copy(), view.seq, is_stuck=is_stuck))

    def _choose(
        self, rules: Rules, board: Board, seen: int, *, is_stuck: bool
    ) -> Generator[int, None, Decision]:
        """Choose a play. A stuck bot tries again when others have made progress."""
        yield len(board.piles) // PILES_A_UNIT
        if (standing := _standing(rules, board)) != self._standing:
            self._standing, self._fruitless, self._shifts = standing, 0, 0
        turn = rules.stock_play(board, self.seat)
        turns = self._turns_of_pass(rules, board)
        is_attentive = self._fruitless > LOOKED_THROUGH * turns
        patience = float("inf") if is_attentive else IMPATIENCE * self._turns / turns
        weigh, useful = self._weigh(rules, board, is_attentive=is_attentive), list[tuple[float, Play]]()
        for play in rules.legal_plays(board, self.seat):
            yield PLAY_UNITS
            worth = weigh(play)
            if worth is not None and worth + patience > 0:
                useful.append((worth, play))
        foresight = self._remembering(rules, board)
        if foresight is not None and useful and not is_attentive:
            useful = yield from self._foreseen(foresight, board, useful)
        if useful and (is_attentive or self._rng.random() >= self._level.overlooks):
            self._fruitless = self._turns = self._shifts = 0
            best = max(useful, key=lambda item: (item[0], self._rng.random()))[1]
            return self._send(best, seen), self._wait(self._level.play_ms, self._level.least_ms)
        passes = self._fruitless / turns - LOOKED_THROUGH
        shifts_on = rules.allows_shifts and self._shifts < rules.turn_size - 1
        if shifts_on and passes > 1 and rules.may_shift(board, self.seat):
            self._shifts += 1
            self._fruitless = LOOKED_THROUGH * turns
            return ShiftStock(counter=self.next_counter(), seen=seen), self._wait(self._level.turn_ms)
        if passes > 1 + shifts_on:  # the stock may be too short for a shift until the waste is turned over
            self._gave_up_at = standing
            if is_stuck:
                return None, self._wait(IDLE_MS)
            return Stuck(counter=self.next_counter(), seen=seen), self._wait(self._level.turn_ms)
        self._fruitless += 1
        self._turns += 1
        command = None if turn is None else self._send(turn, seen)
        return command, self._wait(self._level.turn_ms)

    def _remembering(self, rules: Rules, board: Board) -> Foresight | None:
        """Return what compares plays by what they lead to, at levels and in games that have it.

        It remembers what has been face up since the hand's beginning.
        """
        if self._foresight is None and self._level.deals and Foresight.applies(rules, self.seat):
            self._foresight = Foresight(rules, self.seat, self._rng)
        if self._foresight is not None:
            self._foresight.observe(board)
        return self._foresight

    def _foreseen(
        self, foresight: Foresight, board: Board, useful: list[tuple[float, Play]]
    ) -> Generator[int, None, list[tuple[float, Play]]]:
        """Return the plays to choose from: those that go up, or the one that leads furthest, if any does."""
        ups = [each for each in useful if board.piles[each[1].destination].kind is Kind.FOUNDATION]
        if ups:
            return ups
        best = yield from foresight.best(board, [play for _, play in useful], self._level.deals)
        return [(worth, play) for worth, play in useful if play == best]

    def _weigh(self, rules: Rules, board: Board, *, is_attentive: bool) -> Weigh:
        """Return the function that values plays."""
        if self._level.plans and knows(rules):
            return Planner(rules, board, self.seat).worth
        sees_ahead = self._level.looks_ahead or is_attentive
        return partial(value_of, rules, board, self.seat, sees_ahead=sees_ahead)

    def _turns_of_pass(self, rules: Rules, board: Board) -> int:
        """Return the most turns of one pass, including the redeal."""
        layout = rules.layout
        piles = (own.get(self.seat) for own in (layout.stock, layout.waste))
        left = sum(len(board.cards[pile]) for pile in piles if pile is not None)
        return left // rules.turn_size + 2

    def _send(self, play: Play, seen: int) -> PlayCards:
        return PlayCards.of(play, counter=self.next_counter(), seen=seen)

    def next_counter(self) -> int:
        """Return the number of the seat's next command."""
        self._counter = next_counter(self._counter)
        return self._counter

    def _wait(self, median_ms: int, least_ms: int = 1) -> int:
        """Return a random time around a median, distributed like human reactions: a few are very slow."""
        return max(1, least_ms, int(median_ms * self._rng.lognormvariate(0, 0.35)))


def _standing(rules: Rules, board: Board) -> Standing:
    """Return everybody's progress. On identical deals only this seat's own cards matter."""
    if rules.is_private:
        return 0, 0, 0
    up = to_come = covered = 0
    for pile, cards in zip(board.piles, board.cards, strict=True):
        if pile.kind is Kind.FOUNDATION:
            up += len(cards)
        elif pile.kind is Kind.TABLEAU:
            covered += cards.count(UNKNOWN)
        else:
            to_come += len(cards)
    return up, to_come, covered
