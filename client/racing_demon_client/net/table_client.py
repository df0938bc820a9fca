"""What the terminal and plain clients know of a table: of a server, a broker, a record, or solo."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Self

from racing_demon_client.shared.title_text import SeatTitle
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.games import declare
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import SpectatorState
from racing_demon_protocol.wire.serial_numbers import next_counter

from .shuffle_client import ContributionState


class TableClient(ABC):
    """A place at a table, as a player or a spectator.

    There are four: a server's table (:class:`~.client.Client`), a broker's
    (:class:`~racing_demon_client.sources.broker.BrokerClient`), a replay
    (:class:`~racing_demon_client.sources.replay.ReplayClient`) and a solo table
    (:class:`~racing_demon_client.sources.solo.SoloClient`).

    Attributes:
        code: the table's code.
        seat: this player's seat; ``None`` for a spectator.
        patience: for how many seconds to try to restore a lost connection.
        notice: called with a sentence when the connection is lost or restored.
        watchers: the number of spectators.
        spectators: who they are, as the host was last told.
        is_listed: whether lists name the table, as far as is known here.

    """

    def __init__(self, patience: float = 60.0) -> None:
        self.code = ""
        self.seat: int | None = None
        self.patience = patience
        self.notice: Callable[[str], None] = lambda text: None
        self.watchers = 0
        self.spectators: tuple[SpectatorState, ...] = ()
        self.is_listed = False
        self._view: TableState | None = None
        self._counter = 0
        self._entered = False
        self._goodbye = False

    @property
    def view(self) -> TableState:
        """The table after the last message yielded."""
        assert self._view is not None
        return self._view

    @property
    def can_come_back(self) -> bool:
        """Whether a player who leaves now can take the seat back: in a match, if the server knows how."""
        return False

    @property
    def contribution_state(self) -> ContributionState:
        """The state of this client's contribution to the last deal."""
        return ContributionState.NONE

    @property
    def waiting(self) -> bool:
        """Whether a command of this seat is unanswered."""
        return bool(self.unanswered)

    @property
    def online(self) -> bool:
        """Whether the connection is up, as far as is known, and all missed messages have arrived."""
        return self._entered

    @property
    def unanswered(self) -> tuple[cl.Command, ...]:
        """The unanswered commands, in order."""
        return ()

    @property
    def is_alone(self) -> bool:
        """Whether nobody else, not even a bot, has a seat yet, though the game is for several."""
        others = [state for seat, state in self.view.seats.items() if seat != self.seat and not state.left]
        is_bot_coming = any(isinstance(command, cl.AddBot) for command in self.unanswered)
        return not others and not is_bot_coming and declare(self.view.options, 1).max_seats > 1

    def legal_plays(self) -> Iterator[Play]:
        """Yield this seat's legal plays; none outside a hand or while disconnected."""
        view, seat = self.view, self.seat
        if self.online and view.in_hand and view.plays_hand(seat) and seat is not None:
            assert view.hand is not None
            yield from view.hand.rules.legal_plays(view.hand.board, seat)

    async def titles(self) -> Sequence[SeatTitle]:
        """Return the titles of the evening after a match, as soon as they are made; none if nobody does."""
        return ()

    # Receiving.

    @abstractmethod
    def __aiter__(self) -> AsyncIterator[Message]:
        """Yield every message of the table after the view has applied it, until the player leaves.

        Raises:
            ConnectionFailed: the table cannot be reached any more.
            CommandRefused: the table, or the seat at it, is gone.

        """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @abstractmethod
    async def close(self) -> None:
        """Stop receiving. The seat stays reserved until the player leaves."""

    async def leave(self) -> None:
        """Give up the seat for good and stop receiving."""
        await self.close()

    # Sending.

    def next_counter(self) -> int:
        """Return the counter for this seat's next command."""
        self._counter = next_counter(self._counter)
        return self._counter

    @abstractmethod
    async def send(self, command: cl.Command) -> None:
        """Send a command; the answer comes as a message."""

    @abstractmethod
    def post(self, command: cl.Command) -> None:
        """Send a command without waiting."""

    @abstractmethod
    async def ping(self, stamp: int) -> None:
        """Request a pong with the same stamp, which arrives as a message. Does nothing while disconnected."""

    async def play(self, play: Play) -> int:
        """Send a play and return its counter; the answer is an event or a refusal."""
        command = self.play_command(play)
        await self.send(command)
        return command.counter

    def play_command(self, play: Play) -> cl.PlayCards:
        """Return the command for a play on the table as seen so far."""
        return cl.PlayCards.of(play, counter=self.next_counter(), seen=self.view.seq)


class SpectatorClient(TableClient):
    """A spectator's place at a table that carries no commands."""

    async def send(self, command: cl.Command) -> None:
        """Do nothing: spectators send no commands."""

    def post(self, command: cl.Command) -> None:
        """Do nothing."""
