"""Players at terminals: clients of ours that follow their table by themselves."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from racing_demon_client.net.client import Client
from racing_demon_client.net.shuffle_client import ContributionState
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev


class Guest:
    """A player at a terminal: a client of ours, and all that it was told.

    Attributes:
        client: the client.
        messages: what it was told.
        states: what it says of its contribution to each deal.

    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.messages: list[Message] = []
        self.states: list[ContributionState] = []

    @classmethod
    @asynccontextmanager
    async def seated(cls, client: Client) -> AsyncIterator["Guest"]:
        """Follow the table until the end."""
        async with client:
            guest = cls(client)
            following = asyncio.create_task(guest._follow())
            try:
                yield guest
            finally:
                following.cancel()
                with suppress(asyncio.CancelledError):
                    await following

    async def _follow(self) -> None:
        async for message in self.client:
            self.messages.append(message)
            if isinstance(message, ev.Dealt):
                self.states.append(self.client.contribution_state)

    async def send(self, cls: type[cl.Command], **fields: Any) -> None:
        """Send a command."""
        await self.client.send(cls(counter=self.client.next_counter(), **fields))

    def heaps(self) -> list[int]:
        """Return the sizes of the heaps as they were dealt."""
        hand = self.client.view.hand
        assert hand is not None
        board = hand.rules.deal()
        return [len(board.cards[hand.rules.layout.seat_piles(seat, Kind.RESERVE)[0]]) for seat in hand.seats]
