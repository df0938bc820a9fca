"""The commit queue of a table: from the judge to the disk, and from there to everybody.

What arrived together is written together, and nothing is sent before it is written. A null journal calls back
at once.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import DEALT
from racing_demon_protocol.wire.messages.events import Dealt, HandOver, Left, OptionsSet
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.match.table import Table

from .broadcast import Broadcast
from .read_model import Ahead, ReadModel

Callback = Callable[[], None]
"""A callback for when everything before it is sent."""

ENDS_WRITE: Final = frozenset({Dealt, Left, OptionsSet})
"""Events after which the table itself is shown: to whoever left and watches from there, to delayed
spectators, and in the snapshot of a second deal. A write shows the table as it is at its end, so it ends
with them."""


class CommitQueue:
    """Writes what happens at one table, and then sends it.

    Attributes:
        unwritten: the number of writes that are not confirmed yet.

    Args:
        table: the judge's table.
        broadcast: the listeners.
        journal: the table's journal.
        read_model: the table as everybody sees it.

    """

    def __init__(
        self, table: Table, broadcast: Broadcast, journal: TableJournal, read_model: ReadModel
    ) -> None:
        self.unwritten = 0
        self._table = table
        self._broadcast = broadcast
        self._journal = journal
        self._read_model = read_model
        self._unsent: list[list[EncodedEvent] | Callback] = []
        self._newest = 0
        self._is_closed = False

    def add(
        self,
        encoded: list[EncodedEvent],
        at: int,
        seeds: Collection[tuple[str, bytes]] = (),
        then: Sequence[Callback] = (),
    ) -> None:
        """Queue events, to be written and then sent.

        Args:
            encoded: the events, in a list that does not change any more.
            at: the time of the last one.
            seeds: the secrets of hands that begin with them, by hand id.
            then: callbacks for when they are sent, in order.

        """
        if self._is_closed:
            return
        self._read_model.expect(encoded)
        if encoded:
            self._unsent.append(encoded)
            self._newest = max(self._newest, at)
        self._unsent += then
        self._journal.append(encoded)
        snapshot = self._snapshot(encoded) if self._table.view.is_between_hands else None
        seat_tokens = self._table.seat_tokens.drain_changes(with_plays=snapshot is not None)
        bans = self._table.bans.drain_changes()
        if seeds or seat_tokens or snapshot is not None or bans is not None:
            self._journal.append_details(at, seeds, seat_tokens, snapshot, bans)
        if not ENDS_WRITE.isdisjoint([type(each.event) for each in encoded]):
            self.write()

    def write(self) -> None:
        """Write everything that is queued, together."""
        if (self._unsent or self._journal.has_pending) and not self._is_closed:
            if self._journal.wants_checkpoint:
                self._write_checkpoint()
            self.unwritten += 1
            news = partial(self._send, self._unsent, self._read_model.copy_if_due(), self._newest)
            self._unsent = []
            view, options = self._table.view, self._table.view.options
            runs = view.phase in DEALT and not view.paused
            delay_ms = options.watch_delay_ms
            if not runs and view.phase is Phase.TALLY:
                delay_ms += options.tally_ms
            self._journal.write(news, runs=runs, until=self._newest + delay_ms * 1_000)

    def close(self, plays: list[EncodedEvent]) -> None:
        """Write and send what was judged before judging failed, and nothing after it.

        The judge's table is not used any more, because its state is unknown.

        Args:
            plays: those that are not in the journal yet.

        """
        self._is_closed = self._read_model.has_failed = True
        if plays:
            self._unsent.append(plays)
            self._newest = max(self._newest, plays[-1].at)
            self._journal.append(plays)
        self.unwritten += 1
        news, self._unsent = self._unsent, []
        self._journal.write(partial(self._send, news, None, self._newest), until=self._newest)

    def _write_checkpoint(self) -> None:
        """Write the table in mid-hand, and the last plays of its seats, if the journal has all events."""
        checkpoint = self._table.checkpoint()
        if checkpoint is None or checkpoint.table.seq != self._journal.seq:
            return
        checkpoint = checkpoint._replace(
            at=self._newest, delayed_view=self._broadcast.spectators.delayed_view()
        )
        seat_tokens = self._table.seat_tokens.drain_changes(with_plays=True)
        self._journal.append_details(self._newest, seat_tokens=seat_tokens)
        self._journal.append_checkpoint(checkpoint, self._table.secret)

    def when_written(self, then: Callback) -> None:
        """Call back when all events so far are sent."""
        if self.unwritten:
            self._unsent.append(then)
            self.write()
        else:
            then()

    def _snapshot(self, encoded: Sequence[EncodedEvent]) -> Snapshot | None:
        """Return a snapshot for the journal after a hand, or after many other events; otherwise ``None``."""
        is_over = any(isinstance(each.event, HandOver) for each in encoded)
        is_wanted = is_over or self._journal.is_long
        return self._table.view.snapshot_for(None, 0) if is_wanted else None

    def _send(self, news: Sequence[list[EncodedEvent] | Callback], ahead: Ahead | None, newest: int) -> None:
        """Send what was written. ``ahead`` is a copy of the table with all of it, if there is one."""
        self.unwritten -= 1
        self._journal.clock_watermark.advance(newest)
        if ahead is not None:
            self._read_model.replace(*ahead)
        for each in news:
            if isinstance(each, list):
                if ahead is None:
                    self._read_model.append(each)
                self._broadcast.send_events(each)
            else:
                each()
        self._read_model.is_behind = bool(self.unwritten or self._unsent)
