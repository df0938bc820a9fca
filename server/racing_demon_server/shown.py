"""A table as everybody sees it: with what was told, and nothing that is still to be written down."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from racing_demon_protocol.codec import decode_server
from racing_demon_protocol.messages.events import Event, Played, Progressed
from racing_demon_protocol.messages.server import SeatState
from racing_demon_protocol.view import TableView

from .listener import Frames
from .table import Table

__all__ = ["Published", "Shown"]

MOST_PLAYS: Final = 64
"""After so many events the judge's own view is taken over, so that no more plays wait to be followed."""
FOLLOWED: Final = frozenset({Played, Progressed})
"""What is followed, as there is so much of it; with anything else the judge's own view is taken over."""


class Shown(Protocol):
    """A table as everybody sees it."""

    @property
    def view(self) -> TableView:
        """What everybody sees. It is not to be kept: after the next event it may be another one."""

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """Who sits where; who is stuck may be some plays old."""

    def elapsed_ms(self, at: int) -> int:
        """Return the milliseconds since the hand's signal at a moment, without its pauses."""


class Published:
    """A table some moments behind its judge. Its plays are followed when somebody looks: mostly nobody does.

    Attributes:
        is_behind: whether something was judged that is not told yet; to be taken back by whoever tells it.

    Args:
        table: the table, as long as nothing of it waits to be told.

    """

    def __init__(self, table: Table) -> None:
        self.elapsed_ms = table.elapsed_ms
        self._table = table
        self._view = table.view.copy()
        self._plays: list[bytes] = []  # of which garbage collection need not know
        self.is_behind = False
        self._since_copy = 0

    @property
    def view(self) -> TableView:
        """What everybody sees."""
        if self._plays and not self.is_behind:
            self.take_over(self._table.view.copy())
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

    def copy_ahead(self) -> TableView | None:
        """Return now and then how the table is when all is told that is noted."""
        if self._since_copy < MOST_PLAYS:
            return None
        self._since_copy = 0
        return self._table.view.copy()

    def take_over(self, view: TableView) -> None:
        """Go on from a copy that was made ahead, instead of following what is told now."""
        self._view = view
        self._plays.clear()

    def follow(self, frames: Sequence[Frames]) -> None:
        """Follow events that are told now."""
        for each in frames:
            if type(each.event) is Played:
                self._plays.append(each.packed)
            else:
                self.view.apply(each.event)
