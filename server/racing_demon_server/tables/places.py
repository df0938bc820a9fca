"""Places at one table, for players and for spectators."""

from functools import partial

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.reasons import CloseCode, Reason
from racing_demon_protocol.wire.messages.server import Seated
from racing_demon_server.frames import Listener
from racing_demon_server.journal.epochs import Epochs
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import Table

from .broadcast import Broadcast
from .commit import CommitQueue


class Places:
    """Gives listeners their places.

    Args:
        table: the table.
        broadcast: the listeners.
        commit_queue: what is still to be written before a place is committed.
        epochs: the starts of the server that have written the table's log.

    """

    def __init__(self, table: Table, broadcast: Broadcast, commit_queue: CommitQueue, epochs: Epochs) -> None:
        self._table = table
        self._broadcast = broadcast
        self._commit_queue = commit_queue
        self._epochs = epochs

    def watch(self, listener: Listener) -> None:
        """Add a spectator.

        Raises:
            CommandRefused: the table allows no spectators.

        """
        if not self._table.view.options.spectators:
            raise CommandRefused(Reason.NO_SPECTATORS, "This table allows no spectators.")
        listener.reply(Seated(code=self._table.view.code))
        self._broadcast.watch(listener)

    def sit(self, listener: Listener, actor: Actor, token: str, seq: int) -> None:
        """Give a listener an actor's place, once committed, and what it missed since an event.

        The listener that had the place before is closed.
        """
        previous = self._broadcast.take_seat(listener, actor)
        if previous is not None:
            previous.close(CloseCode.TAKEN_OVER, "This seat was resumed from another connection.")
        counter, code = self._table.seat_tokens.counter(actor), self._table.view.code
        seated = Seated(code=code, seat=actor, token=token, counter=counter, epoch=self._epochs.current)
        self._commit_queue.when_written(partial(self._let_in, listener, actor, seated, seq))

    def _let_in(self, listener: Listener, actor: Actor, seated: Seated, seq: int) -> None:
        if self._broadcast.speakers.get(actor) is listener:  # else the connection is lost already
            listener.reply(seated)
            self._broadcast.catch_up(listener, seq, actor)
