"""A table as everybody sees it: with what was told, and nothing that is still to be written down."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages.events import Event, Played, Progressed
from racing_demon_protocol.wire.messages.server import SeatState
from racing_demon_server.frames import Frames
from racing_demon_server.match.hand_clock import HandClock
from racing_demon_server.match.table import Table

__all__ = ["Ahead", "CommittedTable", "Published"]

MOST_PLAYS: Final = 64
"""After so many events the judge's own view is taken over, so that no more plays wait to be followed."""
FOLLOWED: Final = frozenset({Played, Progressed})
"""What is followed, as there is so much of it; with anything else the judge's own view is taken over,
and with it the hand's clock, which none of these changes."""

Ahead = tuple[TableView, HandClock]
"""A table as it is when all is told that is noted, and the clock of its hand."""


class CommittedTable(Protocol):
    """A table as everybody sees it."""

    @property
    def view(self) -> TableView:
        """What everybody sees. It is not to be kept: after the next event it may be another one."""

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """Who sits where; who is stuck may be some plays old."""

    @property
    def hand_clock(self) -> HandClock:
        """What the time of the hand is told by, in the view."""

    def certain(self, at: int) -> int:
        """Return a moment, or the last before it whose time can be told: no restart goes back behind it."""


class Published:
    """A table some moments behind its judge. Its plays are followed when somebody looks: mostly nobody does.

    Attributes:
        hand_clock: what the time of the hand is told by, in the view.
        certain: returns a moment, or the last before it whose time can be told.
        is_behind: whether something was judged that is not told yet; to be taken back by whoever tells it.

    Args:
        table: the table, as long as nothing of it waits to be told.
        certain: returns a moment, or the last before it whose time can be told.

    """

    def __init__(self, table: Table, certain: Callable[[int], int]) -> None:
        self.certain = certain
        self._table = table
        self._view, self.hand_clock = self._copied()
        self._plays: list[bytes] = []  # of which garbage collection need not know
        self.is_behind = False
        self._since_copy = 0

    @property
    def view(self) -> TableView:
        """What everybody sees."""
        if self._plays and not self.is_behind:
            self.take_over(*self._copied())
        for play in self._plays:
            event = decode_server(play)
            assert isinstance(event, Event)
            self._view.apply(event)
        self._plays.clear()
        return self._view

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """Who sits where; who is stuck may be some plays old."""
        return self._view.seats

    def note(self, frames: Sequence[Frames]) -> None:
        """Note what was judged, and is not told yet."""
        self.is_behind = True
        is_followed = FOLLOWED.issuperset([type(each.event) for each in frames])
        self._since_copy += len(frames) if is_followed else MOST_PLAYS

    def copy_ahead(self) -> Ahead | None:
        """Return now and then how the table is when all is told that is noted."""
        if self._since_copy < MOST_PLAYS:
            return None
        self._since_copy = 0
        return self._copied()

    def _copied(self) -> Ahead:
        return self._table.view.copy(), self._table.hand_clock

    def take_over(self, view: TableView, hand_clock: HandClock) -> None:
        """Go on from a copy that was made ahead, instead of following what is told now."""
        self._view, self.hand_clock = view, hand_clock
        self._plays.clear()

    def follow(self, frames: Sequence[Frames]) -> None:
        """Follow events that are told now."""
        for each in frames:
            if type(each.event) is Played:
                self._plays.append(each.packed)
            else:
                self.view.apply(each.event)
