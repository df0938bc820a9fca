"""A replica of another server's table, as its spectators see it."""

from collections.abc import Mapping
from typing import Final

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.server import SeatState, Snapshot
from racing_demon_server.match.hand_clock import HandClock

BEFORE_DEAL: Final = frozenset({Phase.LOBBY, Phase.SHUFFLING})
"""The phases in which no hand has a time."""


class Replica:
    """A table of another server, as its spectators see it.

    Attributes:
        view: the state of the table.
        hand_clock: the clock of the hand.

    """

    def __init__(self, view: TableState, hand_clock: HandClock) -> None:
        self.view = view
        self.hand_clock = hand_clock

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot, at: int) -> "Replica":
        """Return the table of a snapshot that came at a time, in microseconds."""
        hand_clock = HandClock()
        if snapshot.phase not in BEFORE_DEAL:
            hand_clock = HandClock(at - snapshot.elapsed_ms * 1_000, at if snapshot.paused else None)
        return cls(TableState.from_snapshot(snapshot), hand_clock)

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """The seats."""
        return self.view.seats

    @staticmethod
    def durable_time(at: int) -> int:
        """Return the argument: a relay has no journal."""
        return at

    def is_like(self, other: "Replica") -> bool:
        """Return whether another replica has the same contents, apart from the clock."""
        return self.view.snapshot_for(None, 0) == other.view.snapshot_for(None, 0)

    def apply(self, event: Event, at: int) -> None:
        """Apply the next event.

        Raises:
            InconsistentEvent: it does not fit.

        """
        self.view.apply(event)
        self.hand_clock = self.hand_clock.after(event, at)
