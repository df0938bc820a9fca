"""Checks journals, also while a server writes them.

A journal is valid if nothing is missing or altered, and a server can restore every open table.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from racing_demon_protocol.engine.commit_reveal import SEED_SIZE, matches_commitment
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot

from .interface import JournalReader, StoredTable
from .reader import (
    OtherVersion,
    UnknownContents,
    beaten_of,
    checkpoint_of,
    claims_of,
    corrections_of,
    epochs_of,
    log_of,
    opened_table,
    seeds_of,
    snapshots_of,
    verify,
)

FindUnrestorable = Callable[[JournalReader], Sequence[tuple[StoredTable, Exception]]]
"""Restores the tables of a journal without writing. Returns those that cannot be restored, and why."""


class CheckReport(NamedTuple):
    """The result of a check.

    Attributes:
        tables: the number of tables.
        events: the number of events.
        hands: the number of hands.
        faults: what is missing or altered.
        waiting: intact tables that need a server with their version of the protocol.

    """

    tables: int
    events: int
    hands: int
    faults: list[str]
    waiting: list[str]


def check(journal: JournalReader, unrestorable: FindUnrestorable) -> CheckReport:
    """Check a journal.

    Its events must be complete and fit, its seeds match their commitments, and its snapshots equal the state
    after the events. The check reads table by table. One long transaction would keep a busy server's log from
    being truncated.

    Args:
        journal: the journal.
        unrestorable: restores the open tables as a server does.

    """
    count = events = hands = 0
    faults, waiting, faulty = list[str](), list[str](), set[int]()
    try:
        faults += journal.faults()
        for table in list(journal.tables()):
            count += 1
            with journal.moment():
                try:
                    table_events, table_hands = _check_table(journal, table)
                    events, hands = events + table_events, hands + table_hands
                except journal.errors:
                    raise
                except Exception as error:  # whatever the exception, the journal's contents cause it
                    faults.append(f"{_named(table)}: {_reason(error)}")
                    faulty.add(table.id)
        with journal.moment():
            faults += _wrong_corrections(journal)
            for table, why in unrestorable(journal):
                if table.id in faulty:
                    continue
                text = f"{_named(table)}: it cannot go on: {_reason(why)}"
                (waiting if isinstance(why, OtherVersion) else faults).append(text)
    except journal.errors as error:
        faults = [f"the file cannot be read: {error}"]
    return CheckReport(count, events, hands, faults, waiting)


def _named(table: StoredTable) -> str:
    return f"table {table.id} ({table.code})"


def _reason(error: Exception) -> str:
    return str(error) or repr(error)


def _check_table(journal: JournalReader, table: StoredTable) -> tuple[int, int]:
    verify(table)
    view, seeds, hands = opened_table(table), seeds_of(journal, table.id), 0
    snapshots = {snapshot.seq: snapshot for snapshot in snapshots_of(journal, table.id)}
    claims_of(journal, table.id)
    epochs_of(journal, table.id)
    for _ in beaten_of(journal, table.id):
        pass
    events, may_begin, whispers = 0, True, 0
    checkpoint = None
    with suppress(UnknownContents):  # then the table is restored without it
        checkpoint = checkpoint_of(journal, table.id, seeds)
    for event, _, _ in log_of(journal, table.id):
        whispers = whispers + 1 if event.seq == view.seq else 0
        if may_begin and event.seq > view.seq + 1 and event.seq - 1 in snapshots:
            view.restore(snapshots[event.seq - 1])  # a new stretch
        events += event.seq > view.seq
        view.apply(event)
        may_begin = isinstance(event, ev.MatchOver)
        if (snapshot := snapshots.get(event.seq)) is not None:
            _compare(snapshot, view.snapshot_for(None, snapshot.elapsed_ms))
        if checkpoint is not None and (event.seq, whispers) == (checkpoint.table.seq, checkpoint.whispers):
            _compare(checkpoint.table, view.snapshot(checkpoint.table.elapsed_ms))
        if isinstance(event, ev.Prepared | ev.Committed):
            seed = seeds.get(event.hand_id, b"")
            if len(seed) != SEED_SIZE or not matches_commitment(seed, event.hand_id, event.commitment):
                raise UnknownContents(f"the seed of hand {event.hand_id} is not the one that was promised")
            hands += isinstance(event, ev.Committed)
    if checkpoint is not None and (view.seq, whispers) < (checkpoint.table.seq, checkpoint.whispers):
        raise UnknownContents("its checkpoint is ahead of its log")
    if snapshots and max(snapshots) > view.seq:
        raise UnknownContents(f"its snapshot is of event {max(snapshots)}, and the last one is {view.seq}")
    return events, hands


def _compare(kept: Snapshot, folded: Snapshot) -> None:
    """Compare a snapshot with the state after the events, in all fields that existed when it was written."""
    known = [name for name in Snapshot.model_fields if name in kept.model_fields_set]
    wrong = [name for name in known if getattr(kept, name) != getattr(folded, name)]
    if wrong:
        text = f"its snapshot after event {kept.seq} does not follow from its events: {', '.join(wrong)}"
        raise UnknownContents(text)


def _wrong_corrections(journal: JournalReader) -> Iterator[str]:
    for match in journal.corrected():
        try:
            corrections_of(journal, match)
        except UnknownContents as error:
            yield str(error)
