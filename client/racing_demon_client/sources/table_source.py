"""The interface of a table's source, which is all that the terminal and plain clients know of it.

There are four: a server's table (:class:`~racing_demon_client.net.connection.Client`), a broker's
(:class:`~.broker.BrokerSource`), a replay (:class:`~.replay.Replay`) and a solo table
(:class:`~.solo.place.SoloClient`).
"""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Protocol

from racing_demon_client.net.contributor import ShareState
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl

__all__ = ["TableSource"]


class TableSource(Protocol):
    """A place at a table, as a player or a spectator.

    Attributes:
        code: the table's code.
        seat: this player's seat; ``None`` for a spectator.
        patience: for how many seconds to try to restore a lost connection.
        notice: called with a sentence when the connection is lost or restored.
        watchers: the number of spectators.

    """

    code: str
    seat: int | None
    patience: float
    notice: Callable[[str], None]
    watchers: int

    @property
    def view(self) -> TableView:
        """The table after the last message yielded."""

    @property
    def part(self) -> ShareState:
        """The state of this client's contribution to the last deal."""

    @property
    def online(self) -> bool:
        """Whether the connection is up, as far as is known, and all missed messages have arrived."""

    @property
    def waiting(self) -> bool:
        """Whether a command of this seat is unanswered."""

    @property
    def in_doubt(self) -> Sequence[cl.Command]:
        """The unanswered commands, in order."""

    def legal_plays(self) -> Iterator[Play]:
        """Yield this seat's legal plays; none outside a hand or while disconnected."""

    def __aiter__(self) -> AsyncIterator[Message]:
        """Yield every message of the table after the view has applied it.

        Raises:
            ConnectionFailed: the table cannot be reached any more.
            CommandRefused: the table, or the seat at it, is gone.

        """

    def next_counter(self) -> int:
        """Return the counter for this seat's next command."""

    def play_command(self, play: Play) -> cl.PlayCards:
        """Return the command for a play on the table as seen so far."""

    async def send(self, command: cl.Command) -> None:
        """Send a command; the answer comes as a message."""

    def post(self, command: cl.Command) -> None:
        """Send a command without waiting."""

    async def ping(self, stamp: int) -> None:
        """Request a pong with the same stamp, which arrives as a message."""

    async def close(self) -> None:
        """Stop receiving. A seat stays reserved until the player leaves."""

    async def leave(self) -> None:
        """Give up the seat for good and stop receiving."""
