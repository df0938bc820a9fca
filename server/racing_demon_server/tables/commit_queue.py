"""The commit queue of a table: from the judge to the disk, and from there to everybody.

What arrived together is written together, and nothing is sent before it is written. A null journal calls back
at once.
"""

from collections.abc import Callable, Sequence
from functools import partial

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import DEALT
from racing_demon_protocol.wire.messages.events import HandOver
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.match.table import Table

from .broadcast import Broadcast
from .failures import Failures
from .feed import Feed, Turn

Callback = Callable[[], None]
"""A callback for when everything before it is sent."""


class CommitQueue:
    """Writes what happens at one table, and then sends it.

    Attributes:
        unwritten: the number of writes that are not confirmed yet.

    Args:
        table: the judge's table.
        broadcast: the listeners.
        journal: the table's journal.
        feed: the committed events of the table.
        failures: counts what fails.

    """

    def __init__(
        self, table: Table, broadcast: Broadcast, journal: TableJournal, feed: Feed, failures: Failures
    ) -> None:
        self.unwritten = 0
        self._table = table
        self._broadcast = broadcast
        self._journal = journal
        self._feed = feed
        self._failures = failures
        self._unsent: list[Turn | Callback] = []
        self._newest = 0

    def add(self, encoded: list[EncodedEvent], at: int, then: Sequence[Callback] = ()) -> None:
        """Queue events, to be written and then sent. If that raises, nothing is queued.

        Args:
            encoded: the events, in a list that does not change any more.
            at: the time of the last one.
            then: callbacks for when they are sent, in order.

        """
        table, journal = self._table, self._journal
        mark = journal.mark()
        try:
            journal.append(encoded)
            snapshot = self._snapshot(encoded) if table.view.is_between_hands else None
            with_plays = snapshot is not None
            has_details = with_plays or table.has_details
            if has_details:
                seat_tokens = table.seat_tokens.changes(with_plays=with_plays)
                journal.append_details(at, table.new_secrets, seat_tokens, snapshot, table.bans.changes())
            turns = self._feed.judged(encoded) if encoded else []
        except Exception:
            journal.go_back(mark)
            raise
        if has_details:
            table.forget_secrets()
            table.bans.drain_changes()
            table.seat_tokens.drain_changes(with_plays=with_plays)
        if encoded:
            self._newest = max(self._newest, at)
        self._unsent += turns
        self._unsent += then

    def write(self) -> None:
        """Write everything that is queued, together. If that raises, all waits for the next call."""
        if not (self._unsent or self._journal.has_pending):
            return
        if self._journal.wants_checkpoint:
            self._write_checkpoint()
        unsent, self._unsent = self._unsent, []
        self.unwritten += 1
        try:
            self._journal.write(partial(self._send, unsent, self._newest), self._times_end())
        except Exception:
            self.unwritten -= 1
            self._unsent = unsent
            raise

    def _times_end(self) -> int | None:
        """Return until when times of the table are sent; ``None`` while a hand runs."""
        record = self._table.view.record
        if record.phase in DEALT and not record.paused:
            return None
        tally_ms = record.options.tally_ms if record.phase is Phase.TALLY else 0
        return self._newest + record.options.watch_delay_us + tally_ms * 1_000

    def _write_checkpoint(self) -> None:
        """Write the table in mid-hand, and the last plays of its seats, if the journal has all events."""
        mark = self._journal.mark()
        try:
            checkpoint = self._table.checkpoint()
            if checkpoint is None or checkpoint.table.seq != self._journal.seq:
                return
            checkpoint = checkpoint._replace(
                at=self._newest, delayed_view=self._broadcast.spectators.delayed_view()
            )
            seat_tokens = self._table.seat_tokens.changes(with_plays=True)
            self._journal.append_details(self._newest, seat_tokens=seat_tokens)
            self._journal.append_checkpoint(checkpoint, self._table.secret)
            self._table.seat_tokens.drain_changes(with_plays=True)
        except Exception:
            self._failures.note("a checkpoint could not be written")
            self._journal.go_back(mark)
            self._journal.put_off_checkpoint()

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

    def _send(self, news: Sequence[Turn | Callback], newest: int) -> None:
        """Send what was written."""
        self.unwritten -= 1
        self._journal.clock_watermark.advance(newest)
        for each in news:
            try:
                if isinstance(each, Turn):
                    self._feed.append(each)
                    self._broadcast.send(each)
                else:
                    each()
            except Exception:
                self._failures.note("what was written could not be told")
                if isinstance(each, Turn):
                    self._broadcast.begin_again()
