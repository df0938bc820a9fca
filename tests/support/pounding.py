"""Clients that pound the same foundations over real sockets, and keep a record of what they were told."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count

from racing_demon_client.net.connection import Client
from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages.client import Stuck
from racing_demon_protocol.wire.messages.events import Event, Played
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from tests.support.invariants import status
from tests.support.servers import patience

Slot = tuple[int, int]
"""A foundation and a height on it: only one card can win it."""


class Pounder:
    """One client, with its mirror of the table checked after every event.

    Attributes:
        client: the connection.
        log: every event, in the order received.
        answers: what each of its commands was answered, by counter.
        tried: which slot each of its plays to the foundations was for, by counter.

    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.log: list[Event] = []
        self.answers: dict[int, Played | Refused | Accepted] = {}
        self.tried: dict[int, Slot] = {}
        self.changed = asyncio.Condition()

    @property
    def seat(self) -> int:
        """The own seat."""
        assert self.client.seat is not None
        return self.client.seat

    async def listen(self) -> None:
        """Follow the table for as long as the task runs."""
        async for message in self.client:
            if isinstance(message, Event):
                self.log.append(message)
                view = self.client.view
                if view.rules is not None and view.board is not None:
                    assert status(view.rules, view.board) == []
            if (isinstance(message, Played) and message.seat == self.seat) or isinstance(
                message, Refused | Accepted
            ):
                self.answers[message.counter] = message
            async with self.changed:
                self.changed.notify_all()

    async def until_answered(self, counters: Sequence[int]) -> None:
        """Wait until commands have been answered, or the hand has ended."""
        await self._until(lambda: all(number in self.answers for number in counters))

    async def until(self, seq: int) -> None:
        """Wait until the mirror has followed an event."""
        await self._until(lambda: self.client.view.seq >= seq)

    async def until_playing(self, hand: int) -> None:
        """Wait until the signal of a hand."""
        view = self.client.view
        await self._until(lambda: view.hand == hand and view.phase is Phase.PLAYING)

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with patience(lambda: f"seat {self.seat} is at event {self.client.view.seq}"), self.changed:
            await self.changed.wait_for(holds)

    async def strike(self) -> list[int]:
        """Send every play to the foundations that the mirror allows, or else one other; return counters."""
        view = self.client.view
        assert view.rules is not None
        assert view.board is not None
        if view.phase is not Phase.PLAYING or view.seats[self.seat].stuck:
            return []
        plays = list(view.rules.legal_plays(view.board, self.seat))
        upward = [p for p in plays if view.board.piles[p.destination].kind is Kind.FOUNDATION]
        others = [p for p in plays if view.board.is_progress(p) and p not in upward]
        slots = {play.destination: play for play in upward}  # two aces of one's own go one by one
        chosen = (
            list(slots.values())
            or others[:1]
            or [p for p in plays if view.rules.turn(view.board, self.seat) == p]
        )
        if not chosen:
            command = Stuck(counter=self.client.next_counter())
            await self.client.send(command)
            return [command.counter]
        return [await self._send(play) for play in chosen]

    async def _send(self, play: Play) -> int:
        board = self.client.view.board
        assert board is not None
        counter = await self.client.play(play)
        if board.piles[play.destination].kind is Kind.FOUNDATION:
            self.tried[counter] = (play.destination, len(board.cards[play.destination]))
        return counter


async def pound(pounders: Sequence[Pounder], rounds: int) -> Counter[Slot]:
    """Let all strike at once, round after round from equal mirrors; return how often slots were tried.

    Only slots that at least two went for in one round are counted.
    """
    contended: Counter[Slot] = Counter()
    for number in count():
        if number >= rounds or pounders[0].client.view.phase is not Phase.PLAYING:
            return contended
        before = [set(pounder.tried) for pounder in pounders]
        sent = await asyncio.gather(*(pounder.strike() for pounder in pounders))
        await asyncio.gather(*(p.until_answered(c) for p, c in zip(pounders, sent, strict=True)))
        newest = max(pounder.client.view.seq for pounder in pounders)
        await asyncio.gather(*(pounder.until(newest) for pounder in pounders))
        newest = max(pounder.client.view.seq for pounder in pounders)
        await asyncio.gather(*(pounder.until(newest) for pounder in pounders))
        tried = Counter(
            slot
            for pounder, old in zip(pounders, before, strict=True)
            for counter, slot in pounder.tried.items()
            if counter not in old
        )
        contended.update({slot: times for slot, times in tried.items() if times > 1})
    return contended
