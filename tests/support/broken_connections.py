"""A client whose connection breaks, and all that it is given."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from racing_demon_client.net import transport
from racing_demon_client.net.client import Client
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from tests.support.relay import Relay
from tests.support.servers import PATIENCE, Served, serving, timeout

QUICK: Final = Options(countdown_ms=0, tally_ms=0, hands=1)
BROKEN: Final = "connection lost; reconnecting"
BACK: Final = "reconnected"


def come_back_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients make no pauses between their attempts to come back."""
    monkeypatch.setattr(transport, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(transport, "MAX_PAUSE_SECONDS", 0.01)


@asynccontextmanager
async def relayed(**settings: object) -> AsyncIterator[tuple[Served, Relay]]:
    """Run a server behind a wire that can be cut."""
    async with serving(**settings) as served, Relay.before(served.url) as relay:
        yield served, relay


class ReceivedMessages:
    """Listens to a client in the background, and keeps all that it is given."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.heard: list[Message] = []
        self.notices: list[str] = []
        client.notice = self.notices.append
        self._news = asyncio.Condition()
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        try:
            async for message in self.client:
                self.heard.append(message)
                async with self._news:
                    self._news.notify_all()
        finally:
            async with self._news:
                self._news.notify_all()

    def events(self) -> list[Event]:
        """Return the events so far."""
        return [message for message in self.heard if isinstance(message, Event)]

    def answers(self, counter: int) -> list[Message]:
        """Return everything that answers a command."""
        seat = self.client.seat
        played = (
            m for m in self.heard if isinstance(m, ev.Played) and m.seat == seat and m.counter == counter
        )
        replies = (m for m in self.heard if isinstance(m, Accepted | Refused) and m.counter == counter)
        return [*played, *replies]

    async def until(self, wanted: object) -> None:
        """Wait until the client's mirror has reached an event, or a phase."""

        def there() -> bool:
            view = self.client.view
            return self.task.done() or (
                view.seq >= wanted if isinstance(wanted, int) else view.phase is wanted
            )

        async with self._news:
            await timeout(PATIENCE, self._news.wait_for(there))

    async def until_answered(self, counter: int) -> None:
        """Wait until a command has been answered."""
        async with self._news:
            await timeout(PATIENCE, self._news.wait_for(lambda: bool(self.answers(counter))))


@asynccontextmanager
async def listening(client: Client) -> AsyncIterator[ReceivedMessages]:
    """Listen to a client until it is closed."""
    async with client:
        received = ReceivedMessages(client)
        yield received
    await timeout(PATIENCE, received.task)


def turn_of(view: TableState, seat: int) -> Play:
    """Return the play that turns a seat's stock."""
    assert view.hand is not None
    turn = view.hand.rules.stock_play(view.hand.board, seat)
    assert turn is not None
    return turn
