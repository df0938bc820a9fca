"""A table as everybody sees it: the read model of its committed events."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages.events import Event, Played, Progressed
from racing_demon_protocol.wire.messages.server import SeatState
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.match.hand_clock import HandClock
from racing_demon_server.match.table import Table

MAX_PENDING_EVENTS: Final = 128
"""After this many events the judge's view is copied, so that few plays wait to be applied."""
APPLIED_ONE_BY_ONE: Final = frozenset({Played, Progressed})
"""Frequent events, which are applied one by one. Any other event copies the judge's view and the clock of the
hand."""

Ahead = tuple[TableState, HandClock]
"""A copy of a table, with all events applied so far, and the clock of its hand."""


class CommittedTable(Protocol):
    """A table as everybody sees it."""

    @property
    def view(self) -> TableState:
        """The public state. Hold no reference: after the next event it may be another object."""

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """The seats. Who is stuck may be some plays old."""

    @property
    def hand_clock(self) -> HandClock:
        """The clock of the hand, in the view."""

    def durable_time(self, at: int) -> int:
        """Clamp a time to the last durable one: after a restart the clock never resumes before it."""


class ReadModel:
    """The committed state of a table, a few moments behind its judge. Plays are applied lazily.

    Attributes:
        hand_clock: the clock of the hand, in the view.
        durable_time: clamps a time to the last durable one.
        is_behind: whether judged events are not committed yet; the caller resets it.
        has_failed: whether the judge's table is in an unknown state, and not used any more.

    Args:
        table: the table, while none of its events waits.
        durable_time: the same, as an argument.

    """

    def __init__(self, table: Table, durable_time: Callable[[int], int]) -> None:
        self.durable_time = durable_time
        self._table = table
        self._view, self.hand_clock = self._copied()
        self._unapplied: list[bytes] = []  # the garbage collector does not track bytes
        self.is_behind = self.has_failed = False
        self._since_copy = 0

    @property
    def view(self) -> TableState:
        """The public state."""
        if self._unapplied and not (self.is_behind or self.has_failed):
            self.replace(*self._copied())
        for packed in self._unapplied:
            event = decode_server(packed)
            assert isinstance(event, Event)
            self._view.apply(event)
        self._unapplied.clear()
        return self._view

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """The seats. Who is stuck may be some plays old."""
        return self._view.seats

    def expect(self, encoded: Sequence[EncodedEvent]) -> None:
        """Queue events that were judged and are not committed yet."""
        self.is_behind = True
        is_followed = APPLIED_ONE_BY_ONE.issuperset([type(each.event) for each in encoded])
        self._since_copy += len(encoded) if is_followed else MAX_PENDING_EVENTS

    def copy_if_due(self) -> Ahead | None:
        """Return a copy of the table with all applied events when it is due; otherwise ``None``."""
        if self._since_copy < MAX_PENDING_EVENTS:
            return None
        self._since_copy = 0
        return self._copied()

    def _copied(self) -> Ahead:
        return self._table.view.copy(), self._table.hand_clock

    def replace(self, view: TableState, hand_clock: HandClock) -> None:
        """Continue from a copy, instead of applying the events."""
        self._view, self.hand_clock = view, hand_clock
        self._unapplied.clear()

    def append(self, encoded: Sequence[EncodedEvent]) -> None:
        """Queue committed plays and progress, to be applied when the view is next read."""
        self._unapplied += [each.packed for each in encoded]
