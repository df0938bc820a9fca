"""Whoever is at a table: on a seat or watching, over a connection, a broker or a record, or all alone."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import Self

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.counters import next_counter
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl

from .contributor import ShareState

__all__ = ["Guest"]


class Guest(ABC):
    """One place at a table, as screens and plain text know it.

    Iterating gives every message of the table, after the view has followed it.

    Attributes:
        code: the table's code.
        seat: the own seat; ``None`` for a spectator.
        patience: for how many seconds a broken connection is tried to be restored.
        notice: is told, in a sentence, when the connection breaks and when it is back.
        watchers: how many watch the table without a seat.

    """

    def __init__(self, patience: float = 60.0) -> None:
        self.code = ""
        self.seat: int | None = None
        self.patience = patience
        self.notice: Callable[[str], None] = lambda text: None
        self.watchers = 0
        self._view: TableView | None = None
        self._counter = 0
        self._entered = False
        self._goodbye = False

    @property
    def view(self) -> TableView:
        """The table, as of the last message taken."""
        assert self._view is not None
        return self._view

    @property
    def part(self) -> ShareState:
        """What became of the own contribution to the hand that was dealt last."""
        return ShareState.NONE

    @property
    def waiting(self) -> bool:
        """Whether a command of this seat is not answered yet."""
        return bool(self.in_doubt)

    @property
    def online(self) -> bool:
        """Whether the connection stands, as far as this end knows, and all that was missed has come."""
        return self._entered

    @property
    def in_doubt(self) -> tuple[cl.Command, ...]:
        """The commands that are not answered yet, in their order."""
        return ()

    def legal_plays(self) -> Iterator[Play]:
        """Yield the plays that the rules allow this seat now; none without a hand, or a connection."""
        view, seat = self.view, self.seat
        if self.online and view.in_hand and seat in view.hand_seats and seat is not None:
            assert view.rules is not None
            assert view.board is not None
            yield from view.rules.legal_plays(view.board, seat)

    # Listening.

    @abstractmethod
    def __aiter__(self) -> AsyncIterator[Message]:
        """Yield the table's messages until it is left."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @abstractmethod
    async def close(self) -> None:
        """End the listening. A seat stays the player's until it is left."""

    @abstractmethod
    async def leave(self) -> None:
        """Give the seat up for good, and end the listening."""

    # Speaking.

    def next_counter(self) -> int:
        """Return the number for this seat's next command."""
        self._counter = next_counter(self._counter)
        return self._counter

    @abstractmethod
    async def send(self, command: cl.Command) -> None:
        """Send a command."""

    @abstractmethod
    def post(self, command: cl.Command) -> None:
        """Send a command without waiting."""

    @abstractmethod
    async def ping(self, stamp: int) -> None:
        """Ask for a pong with the same stamp, which comes as a message; not while there is no connection."""

    async def play(self, play: Play) -> int:
        """Send a play and return its counter; the answer comes as an event, or a refusal."""
        command = self.play_command(play)
        await self.send(command)
        return command.counter

    def play_command(self, play: Play) -> cl.PlayCards:
        """Return the command that makes a play, on the table as it has been seen."""
        return cl.PlayCards.of(play, counter=self.next_counter(), seen=self.view.seq)
