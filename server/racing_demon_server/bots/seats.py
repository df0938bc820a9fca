"""The bots that sit at a table: when each looks up and thinks, and when its hand arrives."""

import asyncio
import random
from collections.abc import Callable
from typing import Final

from racing_demon_protocol.engine.search import Search
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Connected, Event, Joined, Left, StoodIn
from racing_demon_server.match.seat_tokens import SeatTokens

from .players import LEVELS, Bot, Decision

__all__ = ["BotSeats"]

START_SPREAD_MS: Final = 400
"""Bots look up at slightly different times at first, as people do."""
SLICE_UNITS: Final = 24
"""A bot thinks for so long at a time: see :mod:`.engine.search`."""
SLICE_GAP_SECONDS: Final = 0.002
"""From one slice to the next: time for all others."""


class BotSeats:
    """The bots of one table, and their timers.

    Args:
        view: the table that they look at.
        catch_up: is called before each look and each command, so that nothing read before is overtaken.
        send: is given a bot's seat and its command, when its hand arrives.
        speed: they think so many times faster than people.
        seed: what their chances follow from.

    """

    def __init__(
        self,
        view: TableView,
        catch_up: Callable[[], object],
        send: Callable[[int, Command], None],
        *,
        speed: float,
        seed: bytes,
    ) -> None:
        self._view = view
        self._catch_up = catch_up
        self._send = send
        self._speed = speed
        self._seed = seed
        self._loop = asyncio.get_running_loop()
        self._bots: dict[int, Bot] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        return len(self._bots)

    def follow(self, event: Event, seat_tokens: SeatTokens) -> None:
        """Do what an event means for bots."""
        match event:
            case Joined() if event.bot:
                self.start(event.seat, event.bot)
            case StoodIn():
                self.stop(event.seat)
                self.start(event.seat, event.bot, seat_tokens.counter(event.seat))
            case Connected(connected=True) | Left():
                self.stop(event.seat)

    def begin_again(self, seat_tokens: SeatTokens) -> None:
        """Let bots go on that played before the server was started anew."""
        for seat, state in self._view.seats.items():
            level = state.bot or state.stand_in
            if level and not state.left:
                self.start(seat, level, seat_tokens.counter(seat))

    def start(self, seat: int, level: str, counter: int = 0) -> None:
        """Let a bot play a seat, whose last command had a number."""
        rng = random.Random(self._seed + bytes([seat]))  # noqa: S311 - thinking times, not cards
        self._bots[seat] = bot = Bot(seat, LEVELS[level], rng, counter)
        self._wait(bot, rng.uniform(0, START_SPREAD_MS), self._look, bot)

    def stop(self, seat: int) -> None:
        """Let nobody play a seat any more, if a bot did."""
        if seat in self._bots:
            del self._bots[seat]
            self._timers.pop(seat).cancel()

    def close(self) -> None:
        """Let no bot play any more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._bots.clear()

    def _wait(self, bot: Bot, wait_ms: float, then: Callable[..., None], *arguments: object) -> None:
        delay = wait_ms / 1_000 / self._speed
        self._timers[bot.seat] = self._loop.call_later(delay, then, *arguments)

    def _look(self, bot: Bot) -> None:
        self._catch_up()
        if self._sits(bot):
            self._think(bot, bot.look(self._view))

    def _think(self, bot: Bot, thought: Search[Decision]) -> None:
        """Think for one slice; then let the others at the loop, or wait until the hand arrives."""
        decision = thought.advance(SLICE_UNITS)
        if decision is None:
            self._timers[bot.seat] = self._loop.call_later(SLICE_GAP_SECONDS, self._think, bot, thought)
            return
        command, wait_ms = decision
        if command is None:
            self._wait(bot, wait_ms, self._look, bot)
        else:
            self._wait(bot, wait_ms, self._move, bot, command)

    def _move(self, bot: Bot, command: Command) -> None:
        """Let a bot's hand arrive; what its play led to is a step of its own, and so is the next look."""
        self._catch_up()
        if self._sits(bot):
            self._send(bot.seat, command)
        if self._sits(bot):
            self._wait(bot, 0, self._look, bot)

    def _sits(self, bot: Bot) -> bool:
        """Tell whether a bot still plays its seat: others' commands, or its own, may have ended that."""
        return self._bots.get(bot.seat) is bot
