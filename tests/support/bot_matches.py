"""Whole matches of bots in virtual time."""

import heapq
import random
from collections.abc import Callable, Generator, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from racing_demon_protocol.engine.deal import hand_seeds, subseed
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import AddBot, Command, Ready, SetHandicap, Start
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.bot import Bot, Decision
from racing_demon_server.bots.levels import LEVELS
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import CommandResult, Table

Arrived = tuple[int, Actor, Command]
"""A command as a table received it: its time, its sender, and the command."""


class Person(Bot):
    """Somebody who plays like a bot, and is ready for the next hand at once."""

    def observe(self, view: TableState) -> SlicedSearch[Decision]:
        """Look at the table, or be ready."""
        if view.phase is Phase.TALLY and not view.seats[self.seat].ready:
            ready = Ready(counter=self.next_counter(), ready=True, seen=view.seq)
            return SlicedSearch(_decided(ready))
        return super().observe(view)


def _decided(command: Command) -> Generator[int, None, Decision]:
    yield 0
    return command, 1


class Player(Protocol):
    """Somebody who looks at the table again and again, as a :class:`Bot` does."""

    def observe(self, view: TableState) -> SlicedSearch[Decision]:
        """Return a command, and the milliseconds until it is sent, as the result of a search."""


def play_match(
    seed: bytes,
    levels: Sequence[str],
    options: Options,
    others: Mapping[int, Player] = MappingProxyType({}),
    hear: Callable[[int, Actor, Command, CommandResult], None] = lambda *_: None,
    *,
    handicaps: Mapping[int, Handicap] = MappingProxyType({}),
) -> tuple[Table, list[Event], list[Arrived]]:
    """Play one match of bots in virtual time, as fast as the machine can.

    Args:
        seed: 32 bytes that determine the cards and the bots' randomness.
        levels: a level for each bot; empty for a person, whom one of the others plays.
        options: the table's.
        others: who plays in a bot's stead, by seat.
        hear: gets every command with its time, its sender and its answer.
        handicaps: what the host gives to seats before the start.

    Returns:
        The table after the match, its log, and the commands that made it, refused ones included.

    """
    table = Table("SIM", options, hand_seeds(seed))
    table.seat_tokens.add(None, b"host")
    arrived: list[Arrived] = []
    log: list[Event] = []

    def send(at: int, actor: Actor, command: Command) -> None:
        arrived.append((at, actor, command))
        answer = table.handle_command(actor, command, at)
        hear(at, actor, command, answer)
        log.extend(answer.events)

    for number, level in enumerate(levels):
        if level:
            send(0, None, AddBot(counter=number + 1, level=level))
        else:
            log.extend(join(table, number))
    for number, (seat, handicap) in enumerate(handicaps.items(), len(levels) + 1):
        send(0, None, SetHandicap(counter=number, seat=seat, handicap=handicap))
    send(0, None, Start(counter=len(levels) + len(handicaps) + 1))
    bots: list[Player] = [
        others[seat]
        if seat in others
        else Bot(seat, LEVELS[level], random.Random(subseed(seed, f"bot/{seat}")))
        for seat, level in enumerate(levels)
    ]
    waiting: list[tuple[int, int, Command | None]] = [(0, seat, None) for seat in range(len(bots))]
    while table.view.phase is not Phase.OVER:
        at, seat, command = heapq.heappop(waiting)
        log.extend(pass_time(table, at))
        if command is not None:
            send(at, seat, command)
        command, wait_ms = bots[seat].observe(table.view).finish()
        heapq.heappush(waiting, (at + wait_ms * 1_000, seat, command))
    return table, log, arrived


def insist(_at: int, actor: Actor, _command: Command, answer: CommandResult) -> None:
    """Hear that the host cannot do something, and pass on why."""
    if actor is None and isinstance(answer.reply, Refused):
        raise CommandRefused(answer.reply.reason, answer.reply.text)


def join(table: Table, number: int) -> list[Event]:
    """Let a person sit down before the match. Return what happened."""
    return table.join(f"Person {number}", bytes([number]), 0)[1]


def pass_time(table: Table, until: int) -> list[Event]:
    """Wake a table whenever it is due, up to a moment, as a room does. Return what happened."""
    events: list[Event] = []
    while (due := table.next_timer_at) is not None and due <= until:
        events += table.run_until(due)
    return events
