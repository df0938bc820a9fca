"""Players who press keys blindly, twenty times a second, and one who insists on being stuck."""

import random
from collections.abc import Generator
from typing import Final

from racing_demon_client.shared.trackers import BestPlayThrottle
from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.table.suggestions import best_play
from racing_demon_protocol.wire.messages.client import Command, PlayCards, Stuck
from racing_demon_server.bots.bot import IDLE_MS, Bot, Decision
from racing_demon_server.bots.levels import LEVELS

PATIENCE_MS: Final = 20_000
"""After this long without anybody's progress, they say that they are stuck."""
PILES: Final = (Kind.TABLEAU, Kind.WASTE, Kind.RESERVE, Kind.STOCK)


class Masher:
    """Presses the keys of piles at random: for the best play from each, or to send its card up.

    Args:
        seat: the seat.
        rng: chooses the keys.
        ups: whether the keys send cards up.
        limit: the client's limit of automatic choices; ``None`` for a client without one.
        pressed_ms: the time from key to key.

    """

    def __init__(
        self,
        seat: int,
        rng: random.Random,
        *,
        ups: bool,
        limit: BestPlayThrottle | None,
        pressed_ms: int = 50,
    ) -> None:
        self._seat = seat
        self._rng = rng
        self._ups = ups
        self._limit = limit
        self._pressed_ms = pressed_ms
        self._now = self._progress_at = self._counter = 0
        self._out = -1

    def observe(self, view: TableState) -> SlicedSearch[Decision]:
        """Press the next key, whatever lies there."""
        return SlicedSearch(self._press(view))

    def _press(self, view: TableState) -> Generator[int, None, Decision]:
        yield 0
        self._now += self._pressed_ms
        if view.phase is not Phase.PLAYING or view.hand is None:
            return None, self._pressed_ms
        out = sum(view.hand.rules.on_foundations(view.hand.board).values())
        if out != self._out:
            self._out, self._progress_at = out, self._now
        if self._now - self._progress_at > PATIENCE_MS and not view.seats[self._seat].stuck:
            self._counter += 1
            return Stuck(counter=self._counter, seen=view.seq), self._pressed_ms
        return self._key(view), self._pressed_ms

    def _key(self, view: TableState) -> Command | None:
        assert view.hand is not None
        rules, board, seat = view.hand.rules, view.hand.board, self._seat
        pile = self._rng.choice([p for kind in PILES for p in rules.layout.seat_piles(seat, kind)])
        play: Play | None
        if board.piles[pile].kind is Kind.STOCK:
            play = rules.stock_play(board, seat)
        elif self._ups:
            play = Play(pile, 1, FOUNDATIONS) if board.cards[pile] else None
        elif self._limit is not None and not self._limit.allows(self._now):
            return None
        else:
            play = best_play(rules, board, seat, pile)
            if play is None and self._limit is not None:
                self._limit.record_miss(self._now)
        if play is None:
            return None
        self._counter += 1
        return PlayCards.of(play, counter=self._counter, seen=view.seq)


class Insistent:
    """Plays as a bot does, says "stuck" after a pass of the stock in vain, and again when that is taken back.

    Args:
        seat: the seat.
        rng: the bot's.
        level: the bot's.

    """

    def __init__(self, seat: int, rng: random.Random, level: str) -> None:
        self._bot = Bot(seat, LEVELS[level], rng)
        self._seat = seat
        self._turns = 0

    def observe(self, view: TableState) -> SlicedSearch[Decision]:
        """Say it again, or look as the bot does."""
        return SlicedSearch(self._decide(view))

    def _decide(self, view: TableState) -> Generator[int, None, Decision]:
        yield 0
        if view.hand is None or view.phase is not Phase.PLAYING:
            return self._bot.observe(view).finish()
        board, rules, seat = view.hand.board, view.hand.rules, self._seat
        stock = (pile for kind in (Kind.STOCK, Kind.WASTE) for pile in rules.layout.seat_piles(seat, kind))
        turns = sum(len(board.cards[pile]) for pile in stock) // rules.turn_size + 1
        has_play = any(board.is_progress(play) for play in rules.legal_plays(board, seat))
        if self._turns > turns and not has_play:
            is_said = view.seats[seat].stuck
            return None if is_said else Stuck(counter=self._bot.next_counter(), seen=view.seq), IDLE_MS
        command, wait_ms = self._bot.observe(view).finish()
        if isinstance(command, PlayCards):
            is_turn = Kind.STOCK in {board.piles[command.source].kind, board.piles[command.destination].kind}
            self._turns = self._turns + 1 if is_turn else 0
        return command, wait_ms
