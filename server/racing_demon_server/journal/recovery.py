"""What a restart needs of a table: a snapshot, the events after it, and what events do not hold."""

from collections.abc import Iterator
from typing import Final

from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.match.table import Past

from .interface import JournalReader, StoredTable
from .reader import (
    OtherVersion,
    UnknownContents,
    bans_of,
    beginnings_of,
    claims_of,
    epochs_of,
    log_of,
    seeds_of,
    snapshots_of,
    verify,
)

BEFORE_SNAPSHOT: Final = 256
"""Events read before a table's snapshot, for clients that resume and lack some of them."""


class _Log:
    """The events of a table from a number on, each with its time; every iteration reads them again."""

    def __init__(self, journal: JournalReader, table_id: int, first: int) -> None:
        self._table = journal, table_id
        self.first = first

    def __iter__(self) -> Iterator[tuple[Event, int]]:
        for kept in log_of(*self._table, first=self.first):
            yield kept.event, kept.at_us


def past_of(journal: JournalReader, table: StoredTable) -> Past:
    """Return what is needed to restore a table.

    Raises:
        UnknownContents: something cannot be read; iterating the log may raise it, too.

    """
    verify(table)
    if table.protocol != VERSION:
        raise OtherVersion(f"it was played with version {table.protocol} of the protocol, not {VERSION}")
    snapshot = _first_needed(journal, table.id)
    first = 1
    if snapshot is not None:
        if snapshot.code != table.code:
            raise UnknownContents(f"its snapshot is of table {snapshot.code}")
        stretches = [each.seq for each in beginnings_of(journal, table.id) if each.seq <= snapshot.seq]
        first = 1 + max(stretches[-1] if stretches else 0, snapshot.seq - BEFORE_SNAPSHOT)
    seeds, seat_tokens, epochs = (
        seeds_of(journal, table.id),
        claims_of(journal, table.id),
        epochs_of(journal, table.id),
    )
    return Past(
        snapshot, _Log(journal, table.id, first), seeds, seat_tokens, epochs, bans_of(journal, table.id)
    )


def first_event(past: Past) -> int:
    """Return the number of the first event in a log that :func:`past_of` returned; it reads nothing."""
    assert isinstance(past.log, _Log)
    return past.log.first


def _first_needed(journal: JournalReader, table_id: int) -> Snapshot | None:
    """Return the first snapshot that a restart needs: delayed spectators have seen everything before it.

    If none is old enough, it is the first one of the newest stretch of the log.
    """
    for snapshot in snapshots_of(journal, table_id, most=1):
        seen_us = journal.last_us() - 1_000 * snapshot.options.watch_delay_ms
        if not snapshot.options.watch_delay_ms:
            return snapshot
        for older in snapshots_of(journal, table_id, until_us=seen_us, most=1):
            return older
    return next(reversed(beginnings_of(journal, table_id)), None)
