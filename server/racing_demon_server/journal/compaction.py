"""Deletes what snapshots have replaced and no match needs.

A table's log would grow as long as its host changes options. So snapshots are written also outside of
hands. A snapshot replaces all events before it, and the checkpoint of the hand that is over. Events that
belong to no match (chat and changes in the lobby) are deleted. The rest of a log consists of stretches
without gaps. Each begins at the table's first event or after a snapshot, and each but the last ends with a
match.
"""

from typing import Final

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages.server import Snapshot

from .operations import Change, Operation

MOST_EVENTS: Final = 256
"""A snapshot is written after this many events outside of hands."""
MOST_BYTES: Final = 16_384
"""A snapshot is written after this many bytes of such events."""


def snapped(table_id: int, snapshot: Snapshot, at_us: int) -> list[Change]:
    """Return the operations that add a snapshot between two hands, and delete what it replaces.

    Args:
        table_id: the table's number in the journal.
        snapshot: the table.
        at_us: the time, in microseconds on the server's clock.

    """
    seen_us = at_us - 1_000 * snapshot.options.watch_delay_ms
    values = (table_id, snapshot.seq, seen_us)
    changes: list[Change] = [
        (Operation.ADD_SNAPSHOT, (table_id, snapshot.seq, at_us, pack(snapshot))),
        (Operation.DROP_CHECKPOINT, (table_id,)),
    ]
    if snapshot.phase in {Phase.LOBBY, Phase.OVER}:
        changes.append((Operation.FOLD_LOBBY, values))
    return [*changes, (Operation.FORGET_SNAPSHOTS, values)]
