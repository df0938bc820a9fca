"""The bots of a table: when each observes and thinks, and when its play arrives."""

import asyncio
import random
from collections.abc import Callable
from typing import Final

from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Connected, Event, Joined, Left, StoodIn
from racing_demon_server.match.seat_tokens import SeatTokens

from .bot import Bot, Decision
from .levels import LEVELS

START_SPREAD_MS: Final = 400
"""Bots start at slightly different times, like people."""
RETRY_MS: Final = 2_000
"""How long a bot rests that has failed."""
SLICE_UNITS: Final = 24
"""The work of one slice of a bot's thought: see :mod:`.engine.sliced_search`."""
SLICE_GAP_SECONDS: Final = 0.002
"""Time between two slices, which other work may use."""


class BotScheduler:
    """The bots of one table, and their timers.

    Args:
        view: the table that they observe.
        catch_up: called before each observation and command, so that they overtake nothing that was read
            before.
        send: receives a bot's seat and command.
        pay: receives the units of work of each thought, and returns how many milliseconds the bot rests
            for it.
        failed: called in an exception of a bot, which then looks at the table again, some time later.
        speed: how many times faster than people they play.
        seed: the seed of their randomness.

    """

    def __init__(  # noqa: PLR0913 - all that a room lends to its bots
        self,
        view: TableState,
        catch_up: Callable[[], object],
        send: Callable[[int, Command], None],
        pay: Callable[[int], float] = lambda _units: 0,
        failed: Callable[[], None] = lambda: None,
        *,
        speed: float,
        seed: bytes,
    ) -> None:
        self._view = view
        self._catch_up = catch_up
        self._send = send
        self._pay = pay
        self._failed = failed
        self._speed = speed
        self._seed = seed
        self._loop = asyncio.get_running_loop()
        self._bots: dict[int, Bot] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        return len(self._bots)

    def apply(self, event: Event, seat_tokens: SeatTokens) -> None:
        """Apply an event to the bots."""
        match event:
            case Joined() if event.bot:
                self.start(event.seat, event.bot)
            case StoodIn():
                self.stop(event.seat)
                self.start(event.seat, event.bot, seat_tokens.counter(event.seat))
            case Connected(connected=True) | Left():
                self.stop(event.seat)

    def continue_after_restart(self, seat_tokens: SeatTokens) -> None:
        """Continue with the bots that played before the restart."""
        for seat, state in self._view.seats.items():
            level = state.bot or state.stand_in
            if level and not state.left:
                self.start(seat, level, seat_tokens.counter(seat))

    def start(self, seat: int, level: str, counter: int = 0) -> None:
        """Let a bot play a seat, whose last command had this counter."""
        rng = random.Random(self._seed + bytes([seat]))  # noqa: S311 - thinking times, not cards
        self._bots[seat] = bot = Bot(seat, LEVELS[level], rng, counter)
        self._wait(bot, rng.uniform(0, START_SPREAD_MS), self._observe)

    def stop(self, seat: int) -> None:
        """Stop the bot of a seat, if there is one."""
        if seat in self._bots:
            del self._bots[seat]
            self._timers.pop(seat).cancel()

    def close(self) -> None:
        """Stop all bots."""
        for seat in tuple(self._bots):
            self.stop(seat)

    def _wait(self, bot: Bot, wait_ms: float, then: Callable[..., None], *arguments: object) -> None:
        delay = wait_ms / 1_000 / self._speed
        self._timers[bot.seat] = self._loop.call_later(delay, self._act, then, bot, *arguments)

    def _act(self, act: Callable[..., None], bot: Bot, *arguments: object) -> None:
        """Let a bot do something. One that fails begins anew, if it still plays."""
        try:
            act(bot, *arguments)
        except Exception:
            self._failed()
            if self._sits(bot):
                self._wait(bot, RETRY_MS * self._speed, self._observe)

    def _observe(self, bot: Bot) -> None:
        self._catch_up()
        if self._sits(bot):
            self._think(bot, bot.observe(self._view))

    def _think(self, bot: Bot, thought: SlicedSearch[Decision]) -> None:
        """Think for one slice. Then yield to the loop, or wait until the play is due."""
        decision = thought.advance(SLICE_UNITS)
        if decision is None:
            later = self._loop.call_later(SLICE_GAP_SECONDS, self._act, self._think, bot, thought)
            self._timers[bot.seat] = later
            return
        command, wait_ms = decision
        after_ms = wait_ms + self._pay(thought.units) * self._speed  # paying takes real time
        if command is None:
            self._wait(bot, after_ms, self._observe)
        else:
            self._wait(bot, after_ms, self._move, command)

    def _move(self, bot: Bot, command: Command) -> None:
        """Make a bot's play. Its consequences and the next observation are separate turns of the loop."""
        self._catch_up()
        if self._sits(bot):
            self._send(bot.seat, command)
        if self._sits(bot):
            self._wait(bot, 0, self._observe)

    def _sits(self, bot: Bot) -> bool:
        """Return whether a bot still plays its seat: a command may have ended that."""
        return self._bots.get(bot.seat) is bot
