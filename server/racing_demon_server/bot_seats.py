"""The bots that sit at a table: when each looks up, and when its hand arrives."""

import asyncio
import random
from collections.abc import Callable
from typing import Final

from racing_demon_protocol.messages.client import Command
from racing_demon_protocol.view import TableView

from .bots import LEVELS, Bot

__all__ = ["BotSeats"]

START_SPREAD_MS: Final = 400
"""Bots look up at slightly different times at first, as people do."""


class BotSeats:
    """The bots of one table, and their timers.

    Args:
        view: the table that they look at.
        send: is given a bot's seat and its command, when its hand arrives.
        speed: they think so many times faster than people.
        seed: what their chances follow from.

    """

    def __init__(
        self, view: TableView, send: Callable[[int, Command], None], *, speed: float, seed: bytes
    ) -> None:
        self._view = view
        self._send = send
        self._speed = speed
        self._seed = seed
        self._loop = asyncio.get_running_loop()
        self._timers: dict[int, asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        return len(self._timers)

    def start(self, seat: int, level: str, counter: int = 0) -> None:
        """Let a bot play a seat, whose last command had a number."""
        rng = random.Random(self._seed + bytes([seat]))  # noqa: S311 - thinking times, not cards
        bot = Bot(seat, LEVELS[level], rng, counter)
        self._move_later(bot, None, rng.uniform(0, START_SPREAD_MS))

    def stop(self, seat: int) -> None:
        """Let nobody play a seat any more, if a bot did."""
        if seat in self._timers:
            self._timers.pop(seat).cancel()

    def close(self) -> None:
        """Let no bot play any more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _move_later(self, bot: Bot, command: Command | None, wait_ms: float) -> None:
        delay = wait_ms / 1_000 / self._speed
        self._timers[bot.seat] = self._loop.call_later(delay, self._move, bot, command)

    def _move(self, bot: Bot, command: Command | None) -> None:
        if command is not None:
            self._send(bot.seat, command)
        if bot.seat in self._timers:  # its command may have ended its stay
            self._move_later(bot, *bot.decide(self._view))
