"""What a restart needs of a table: a snapshot, the events after it, and state that events do not hold."""

import logging
from collections.abc import Iterator, Mapping
from typing import Final

from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.match.checkpoint import Checkpoint
from racing_demon_server.match.table import SavedState

from .interface import JournalReader, StoredTable
from .reader import (
    OtherVersion,
    UnknownContents,
    bans_of,
    beginnings_of,
    checkpoint_of,
    claims_of,
    epochs_of,
    log_of,
    private_plays_after,
    rest_of,
    seeds_of,
    snapshots_of,
    verify,
)

BEFORE_SNAPSHOT: Final = 256
"""The number of events read before a table's snapshot or checkpoint, for clients that resume."""

log = logging.getLogger("racing_demon_server")


class _Log:
    """The events of a table from a number on, each with its time; every iteration reads them again.

    If only the rest is wanted, private plays that are in the table's checkpoint are left out.
    """

    def __init__(self, journal: JournalReader, table_id: int, first: int, *, rest: bool) -> None:
        self._journal, self._table_id = journal, table_id
        self.first, self.rest = first, rest

    def __iter__(self) -> Iterator[tuple[Event, int]]:
        read = rest_of if self.rest else log_of
        for kept in read(self._journal, self._table_id, first=self.first):
            yield kept.event, kept.at_us


def saved_state_of(journal: JournalReader, table: StoredTable) -> SavedState:
    """Return the saved state of a table.

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
    seeds = seeds_of(journal, table.id)
    checkpoint = _usable_checkpoint(journal, table, snapshot, seeds)
    is_private = checkpoint is not None and bool(checkpoint.table.progress)
    if checkpoint is not None:
        first = max(first, _first_unseen(checkpoint) - BEFORE_SNAPSHOT)
        if is_private:  # nobody resumes from before the deal
            first = max(first, checkpoint.hand.dealt_seq)
    events, seat_tokens = _Log(journal, table.id, first, rest=is_private), claims_of(journal, table.id)
    epochs, bans = epochs_of(journal, table.id), bans_of(journal, table.id)
    return SavedState(snapshot, events, seeds, seat_tokens, epochs, bans, checkpoint)


def _usable_checkpoint(
    journal: JournalReader, table: StoredTable, snapshot: Snapshot | None, seeds: Mapping[str, bytes]
) -> Checkpoint | None:
    """Return the checkpoint of a table, if it can be used and is newer than its snapshot."""
    try:
        checkpoint = checkpoint_of(journal, table.id, seeds)
        if checkpoint is not None and checkpoint.table.code != table.code:
            raise UnknownContents(f"its checkpoint is of table {checkpoint.table.code}")
        if checkpoint is not None and is_ahead(journal, table.id, checkpoint):
            raise UnknownContents("its checkpoint is ahead of its log")
    except UnknownContents as error:
        facts = {"table": table.code, "number": table.id, "why": str(error)}
        log.warning("a hand is read from its deal", extra=facts)
        return None
    if checkpoint is None or (snapshot is not None and checkpoint.table.seq <= snapshot.seq):
        return None
    return checkpoint if _has_all_for_spectators(checkpoint) else None


def is_ahead(journal: JournalReader, table_id: int, checkpoint: Checkpoint) -> bool:
    """Return whether a log lacks events that are in a checkpoint, so that its record would have a gap.

    Raises:
        UnknownContents: the end of the log cannot be read.

    """
    return private_plays_after(journal, table_id, checkpoint.table.seq) < checkpoint.whispers


def _has_all_for_spectators(checkpoint: Checkpoint) -> bool:
    """Return whether delayed spectators can continue from it, too.

    At identical deals it must be in their hand.
    """
    delayed_view = checkpoint.delayed_view
    if delayed_view is None:
        return not checkpoint.table.options.watch_delay_us
    return not checkpoint.table.progress or delayed_view.table.seq >= checkpoint.hand.dealt_seq


def _first_unseen(checkpoint: Checkpoint) -> int:
    """Return the number of the first event that is needed after a checkpoint."""
    seen = checkpoint.table.seq if checkpoint.delayed_view is None else checkpoint.delayed_view.table.seq
    return seen + 1


def wanted_events(saved_state: SavedState) -> tuple[int, bool]:
    """Return the number of the first event in a log that :func:`saved_state_of` returned; it reads nothing.

    Also return whether private plays that are in the checkpoint are left out.
    """
    assert isinstance(saved_state.log, _Log)
    return saved_state.log.first, saved_state.log.rest


def _first_needed(journal: JournalReader, table_id: int) -> Snapshot | None:
    """Return the first snapshot that a restart needs: delayed spectators have seen everything before it.

    If none is old enough, it is the first one of the newest stretch of the log.
    """
    for snapshot in snapshots_of(journal, table_id, most=1):
        if not snapshot.options.watch_delay_us:
            return snapshot
        seen_us = journal.last_us() - snapshot.options.watch_delay_us
        for older in snapshots_of(journal, table_id, until_us=seen_us, most=1):
            return older
    return next(reversed(beginnings_of(journal, table_id)), None)
