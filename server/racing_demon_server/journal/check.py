"""Checks journals, also while a server writes them.

A journal is right if nothing is missing, nothing was changed, and a server takes up every open table.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from racing_demon_protocol.engine.shuffle import SEED_SIZE, keeps
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot

from .interface import JournalReader, StoredTable
from .reader import (
    OtherVersion,
    UnknownContents,
    beaten_of,
    claims_of,
    corrections_of,
    epochs_of,
    log_of,
    options_of,
    seeds_of,
    snapshots_of,
    tables,
    verify,
)

__all__ = ["LeftOut", "Report", "check"]

LeftOut = Callable[[JournalReader], Sequence[tuple[StoredTable, Exception]]]
"""Starts a server on a journal that it only reads; returns which open tables it leaves out, and why."""


class Report(NamedTuple):
    """What a check has found.

    Attributes:
        tables: how many tables there are.
        events: how many events.
        hands: how many hands.
        faults: what is missing, or was changed.
        waiting: the tables that are whole, and wait for a server that speaks their version of the protocol.

    """

    tables: int
    events: int
    hands: int
    faults: list[str]
    waiting: list[str]


def check(journal: JournalReader, left_out: LeftOut) -> Report:
    """Check a journal: that no event is missing and each fits, that seeds keep their promises, and all else.

    Snapshots must be what the events have led to. It is not read at one moment, which would hold the log of
    a busy server, but table by table.

    Args:
        journal: the journal.
        left_out: what a server does with the open tables. It does that here, too.

    """
    count = events = hands = 0
    faults, waiting, faulty = list[str](), list[str](), set[int]()
    try:
        faults += journal.faults()
        for table in list(tables(journal)):
            count += 1
            with journal.moment():
                try:
                    table_events, table_hands = _check_table(journal, table)
                    events, hands = events + table_events, hands + table_hands
                except journal.errors:
                    raise
                except Exception as error:  # whatever it is, it comes of what stands there
                    faults.append(f"{_named(table)}: {str(error) or repr(error)}")
                    faulty.add(table.id)
        with journal.moment():
            faults += _wrong_corrections(journal)
            for table, why in left_out(journal):
                if table.id in faulty:
                    continue
                text = f"{_named(table)}: it cannot go on: {str(why) or repr(why)}"
                (waiting if isinstance(why, OtherVersion) else faults).append(text)
    except journal.errors as error:
        faults = [f"the file cannot be read: {error}"]
    return Report(count, events, hands, faults, waiting)


def _named(table: StoredTable) -> str:
    return f"table {table.id} ({table.code})"


def _check_table(journal: JournalReader, table: StoredTable) -> tuple[int, int]:
    verify(table)
    view, seeds, hands = TableView(table.code, options_of(table)), seeds_of(journal, table.id), 0
    view.locked = table.passphrase is not None
    snapshots = {snapshot.seq: snapshot for snapshot in snapshots_of(journal, table.id)}
    claims_of(journal, table.id)
    epochs_of(journal, table.id)
    for _ in beaten_of(journal, table.id):
        pass
    events, may_begin = 0, True
    for event, _, _ in log_of(journal, table.id):
        if may_begin and event.seq > view.seq + 1 and event.seq - 1 in snapshots:
            view.restore(snapshots[event.seq - 1])  # a new stretch
        events += event.seq > view.seq
        view.apply(event)
        may_begin = isinstance(event, ev.MatchOver)
        if (snapshot := snapshots.get(event.seq)) is not None:
            _compare(snapshot, view.snapshot_for(None, snapshot.elapsed_ms))
        if isinstance(event, ev.Prepared | ev.Committed):
            seed = seeds.get(event.hand_id, b"")
            if len(seed) != SEED_SIZE or not keeps(seed, event.hand_id, event.commitment):
                raise UnknownContents(f"the seed of hand {event.hand_id} is not the one that was promised")
            hands += isinstance(event, ev.Committed)
    if snapshots and max(snapshots) > view.seq:
        raise UnknownContents(f"its snapshot is of event {max(snapshots)}, and the last one is {view.seq}")
    return events, hands


def _compare(kept: Snapshot, folded: Snapshot) -> None:
    """Compare a snapshot with what the events have led to, in all that it had when it was written."""
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
