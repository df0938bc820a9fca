"""Those who play in a simulation, and what their mirrors are checked against."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import Final

from racing_demon_client.net.client import Client
from racing_demon_client.net.shuffle_client import ContributionState
from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Accepted
from racing_demon_protocol.wire.options import CallOut
from tests.lab.histories.client_log import ClientLog, Heard, Sent
from tests.support.invariants import status
from tests.support.servers import end_tasks

REMEMBERED: Final = 1_000
"""So many events are known that mirrors may still be behind with."""
MAX_IN_DOUBT: Final = 5
GETS_ON: Final = (
    ev.Played,
    ev.StuckSaid,
    ev.Readied,
    ev.Dealt,
    ev.Signalled,
    ev.Continued,
    ev.Called,
    ev.HandOver,
)
"""What it means to get on: not that connections come and go, or that the hand pauses."""


class Boards:
    """What the mirrors of a table held after its newest events: all the same, and nothing broken."""

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[Card, ...]]] = {}

    def check(self, seq: int, rules: Rules, board: Board) -> None:
        """Check a mirror's board after an event: the first one's invariants, and all others against it."""
        known = self._known.get(seq)
        if known is None:
            wrong = status(rules, board)
            assert wrong == [], f"after event {seq}: {wrong}"
            self._known[seq] = board.cards.copy()
            self._known.pop(seq - REMEMBERED, None)
        assert known is None or known == board.cards, f"two mirrors differ after event {seq}"


class Player:
    """Somebody at the table, or who watches it, and writes down what they send and hear.

    Attributes:
        account: what that was.
        client: their connection.
        got_on: how often they have heard that somebody got on with the hand.
        parts: what became of their contributions to the deals.

    """

    def __init__(
        self, client: Client, clock: Callable[[], int], rng: random.Random, think: float, boards: Boards
    ) -> None:
        self.client = client
        self._boards = boards
        self.client_log = ClientLog(-1 if client.seat is None else client.seat, [])
        self._clock = clock
        self._rng = rng
        self._think = think
        self._newest: cl.Command | None = None
        self.got_on = 0
        self.parts: Counter[ContributionState] = Counter()
        self._tasks = [asyncio.create_task(self._listen())]
        if client.seat is not None:
            self._tasks.append(asyncio.create_task(self._play()))

    @property
    def is_over(self) -> bool:
        """Whether the match is."""
        return self.client.view.phase is Phase.OVER

    async def leave(self) -> None:
        """End, and raise what went wrong."""
        await end_tasks(self._tasks)
        await self.client.close()

    async def send(self, command: cl.Command) -> None:
        """Send a command."""
        self.client_log.entries.append(Sent(self._clock(), command))
        self._newest = command
        await self.client.send(command)

    async def _repeat(self, message: Message) -> None:
        """Send the newest command once more, now and then, though it was answered and carried out."""
        newest, client = self._newest, self.client
        answers = isinstance(message, Accepted) or (
            isinstance(message, Played) and message.seat == client.seat
        )
        if newest is None or not answers or message.counter != newest.counter:  # type: ignore[attr-defined]
            return
        if newest not in client.unanswered and client.online and self._rng.random() < 0.1:
            await client._connection.send(newest)

    async def _listen(self) -> None:
        async for message in self.client:
            self.client_log.entries.append(Heard(self._clock(), message))
            view = self.client.view
            self.got_on += isinstance(message, GETS_ON)
            if isinstance(message, ev.Dealt):
                self.parts[self.client.shuffle_client.contribution_state] += 1
            if isinstance(message, Event) and view.hand is not None:
                self._boards.check(view.seq, view.hand.rules, view.hand.board)
            await self._repeat(message)

    @property
    def is_out(self) -> bool:
        """Whether the player could call, or has called, as far as their mirror knows."""
        view, seat = self.client.view, self.client.seat
        if view.hand is None or seat not in view.hand_seats or not view.in_hand:
            return False
        return seat is not None and view.hand.rules.is_out(view.hand.board, seat)

    async def _play(self) -> None:
        client, rng = self.client, self._rng
        assert client.seat is not None
        while True:
            await asyncio.sleep(rng.expovariate(1 / self._think))
            view = client.view
            if len(client.unanswered) >= MAX_IN_DOUBT:
                continue
            if view.phase in {Phase.LOBBY, Phase.TALLY}:
                if not view.seats[client.seat].ready:
                    await self.send(cl.Ready(counter=client.next_counter(), seen=view.seq))
            elif view.host == client.seat and rng.random() < (0.3 if view.paused else 0.003):
                paused = not view.paused
                await self.send(cl.Pause(counter=client.next_counter(), paused=paused, seen=view.seq))
            elif view.in_hand and (not view.paused or rng.random() < 0.1):
                await self._move()

    async def _move(self) -> None:
        client, rng = self.client, self._rng
        view = client.view
        assert view.board is not None
        assert client.seat is not None
        plays = list(client.legal_plays())
        useful = [play for play in plays if view.board.is_progress(play)]
        if self.is_out and view.options.call_out is CallOut.SHOUT and rng.random() < 0.5:
            await self.send(cl.Call(counter=client.next_counter(), seen=view.seq))
        elif useful and rng.random() < 0.9:
            await self.send(client.play_command(rng.choice(useful)))
        elif plays and rng.random() < 0.6:
            await self.send(client.play_command(rng.choice(plays)))
        elif not useful and not view.seats[client.seat].stuck:
            await self.send(cl.Stuck(counter=client.next_counter(), seen=view.seq))
