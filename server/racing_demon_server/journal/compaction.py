"""What a journal need not keep: whatever a snapshot stands for that belongs to no match.

A table's log would grow for as long as its host changes options. So a snapshot is written now and then,
also where no hand ends. It stands for all events before it, and those that belong to no match are deleted:
what was said and changed in the lobby. What remains of a log are stretches. Each begins at the table's first
event or behind a snapshot, and each but the last ends with a match. In them no number is missing.
"""

from typing import Final

from racing_demon_protocol.reasons import Phase
from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages.server import Snapshot

from .operations import Change, Operation

__all__ = ["MOST_BYTES", "MOST_EVENTS", "closed", "opened", "snapped"]

MOST_EVENTS: Final = 256
"""After so many events outside of hands comes a snapshot."""
MOST_BYTES: Final = 16_384
"""So it does after so many bytes of them."""


def opened(table_id: int) -> list[Change]:
    """Return what deletes the table before a new one, if only its number was kept."""
    return [(Operation.FORGET_UNUSED, (table_id,))]


def snapped(table_id: int, snapshot: Snapshot, at_us: int) -> list[Change]:
    """Return what adds a snapshot of a table between two hands, and deletes what is not needed any more.

    Args:
        table_id: the table's number in the journal.
        snapshot: the table as it is.
        at_us: when that was, in microseconds on the server's clock.

    """
    seen_us = at_us - 1_000 * snapshot.options.watch_delay_ms
    values = (table_id, snapshot.seq, seen_us)
    changes: list[Change] = [(Operation.ADD_SNAPSHOT, (table_id, snapshot.seq, at_us, pack(snapshot)))]
    if snapshot.phase in {Phase.LOBBY, Phase.OVER}:
        changes.append((Operation.FOLD_LOBBY, values))
    return [*changes, (Operation.FORGET_SNAPSHOTS, values)]


def closed(table_id: int) -> list[Change]:
    """Return what deletes whatever a table that is closed for good does not need for its matches."""
    return [(Operation.FORGET_CLOSED, (table_id,))]
