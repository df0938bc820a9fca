"""Each operation in SQLite's SQL."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from racing_demon_protocol.wire.messages.events import Committed, MatchOver
from racing_demon_server.journal.operations import Change, Operation

__all__ = ["joined"]

_MARKS: Final = "table_id = ?1 AND kind NOT IN (0, 80)"
"""The events of a table other than plays, worded like the index that finds them."""
_KEPT: Final = "(SELECT max(seq) FROM snapshots WHERE table_id = ?1 AND seq < ?2 AND at_us <= ?3)"
"""The newest snapshot before one that delayed spectators have still to see."""
_MATCH_END: Final = f"""coalesce(
    (SELECT seq FROM events WHERE {_MARKS} AND kind = {MatchOver.TAG} ORDER BY seq DESC LIMIT 1), 0)"""  # noqa: S608
_IS_NO_BEGINNING: Final = f"""NOT (
    NOT EXISTS (SELECT 1 FROM events WHERE {_MARKS} AND seq = snapshots.seq)
    AND EXISTS (SELECT 1 FROM events WHERE {_MARKS} AND seq = snapshots.seq + 1))
"""  # noqa: S608
"""Whether no stretch of the log begins after a snapshot."""
_LAST_WORD: Final = f"""(SELECT seq FROM events WHERE {_MARKS} AND kind IN ({MatchOver.TAG}, {Committed.TAG})
    ORDER BY seq DESC LIMIT 1)"""  # noqa: S608
_IS_UNUSED: Final = f"NOT EXISTS (SELECT 1 FROM events WHERE {_MARKS} AND kind = {Committed.TAG})"  # noqa: S608
"""Whether no hand of a table is kept."""
_BEFORE: Final = "(SELECT max(id) FROM tables WHERE id < ?1)"

SQL: Final[dict[Operation, Sequence[str]]] = {
    Operation.ADD_EVENT: ("INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?)",),
    Operation.ADD_WHISPER: ("INSERT INTO whispers VALUES (NULL, ?, ?, ?, ?, ?)",),
    Operation.KEEP_CLAIM: ("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",),
    Operation.KEEP_TIME: ("INSERT OR REPLACE INTO clock VALUES (1, ?)",),
    Operation.DROP_CLAIM: ("DELETE FROM claims WHERE table_id = ? AND actor = ?",),
    Operation.ADD_BEATEN: ("INSERT INTO beaten VALUES (NULL, ?, ?, ?, ?, ?, ?)",),
    Operation.ADD_SEED: ("INSERT INTO seeds VALUES (?, ?, ?, ?)",),
    Operation.DROP_BANS: ("DELETE FROM bans WHERE table_id = ?",),
    Operation.ADD_BAN: ("INSERT INTO bans VALUES (NULL, ?, ?, ?, ?)",),
    Operation.ADD_EPOCH: ("INSERT INTO epochs VALUES (NULL, ?, ?, ?)",),
    Operation.FORGET_EPOCHS: (
        "DELETE FROM epochs WHERE table_id = ?1 AND id <= "
        "(SELECT id FROM epochs WHERE table_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
    ),
    Operation.OPEN_TABLE: ("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",),
    Operation.FORGET_UNUSED: (
        f"DELETE FROM tables WHERE id = {_BEFORE} AND closed_ms IS NOT NULL "  # noqa: S608
        f"AND NOT EXISTS (SELECT 1 FROM marks WHERE table_id = {_BEFORE})",
    ),
    Operation.CLOSE_TABLE: (
        "UPDATE tables SET closed_ms = ?, last_event = (SELECT max(id) FROM events) WHERE id = ?",
    ),
    Operation.FORGET_CLOSED: (
        f"DELETE FROM events WHERE {_MARKS} AND seq > {_LAST_WORD} AND {_LAST_WORD} = {_MATCH_END}",  # noqa: S608
        f"DELETE FROM seeds WHERE table_id = ?1 AND {_IS_UNUSED}",  # noqa: S608
        f"DELETE FROM events WHERE {_MARKS} AND {_IS_UNUSED}",  # noqa: S608
        f"DELETE FROM snapshots WHERE table_id = ?1 AND {_IS_NO_BEGINNING}",  # noqa: S608
        "DELETE FROM claims WHERE table_id = ?1",
        "DELETE FROM epochs WHERE table_id = ?1",
        "DELETE FROM bans WHERE table_id = ?1",
        # The newest table stays until there is a newer one, so that its number is not used again.
        f"DELETE FROM tables WHERE id = ?1 AND {_IS_UNUSED} AND id < (SELECT max(id) FROM tables)",  # noqa: S608
    ),
    Operation.ADD_SNAPSHOT: ("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)",),
    Operation.FOLD_LOBBY: (f"DELETE FROM events WHERE {_MARKS} AND seq > {_MATCH_END} AND seq <= {_KEPT}",),  # noqa: S608
    Operation.FORGET_SNAPSHOTS: (
        f"DELETE FROM snapshots WHERE table_id = ?1 AND seq < {_KEPT} AND {_IS_NO_BEGINNING}",  # noqa: S608
    ),
}

ROWS: Final = 100
"""The most rows written with one statement."""
HOT: Final = {
    Operation.ADD_EVENT: ", (NULL, ?, ?, ?, ?, ?, ?)",
    Operation.KEEP_CLAIM: ", (?, ?, ?, ?, ?)",
    Operation.KEEP_TIME: ", (1, ?)",
}
"""Frequent operations, with the SQL for one more row."""

_OPERATION: Final = itemgetter(0)


def joined(changes: Sequence[Change]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield SQL for changes, each with its parameters, rows of a kind together.

    The thread releases the interpreter with each statement, and has to wait for it again.
    """
    if {operation for operation, _ in changes} <= HOT.keys():  # they do not depend on each other
        changes = sorted(changes, key=_OPERATION)
    for operation, alike in groupby(changes, _OPERATION):
        rows = [values for _, values in alike]
        if operation in HOT:
            (sql,) = SQL[operation]
            for begin in range(0, len(rows), ROWS):
                some = rows[begin : begin + ROWS]
                yield sql + HOT[operation] * (len(some) - 1), [value for row in some for value in row]
        else:
            for row in rows:
                for sql in SQL[operation]:
                    yield sql, row
