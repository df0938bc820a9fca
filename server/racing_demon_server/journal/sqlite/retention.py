"""Deletes old matches from a journal, also while a server writes it: in many short transactions."""

import contextlib
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

from racing_demon_protocol.wire.codec import pack
from racing_demon_server.journal.interface import StoredTable
from racing_demon_server.journal.matches import Match, apply_event, matches_of, stretch_of
from racing_demon_server.journal.reader import UnknownContents, log_of

from .database import TABLES, JournalFile, open_journal, transaction

AT_ONCE: Final = 10_000
"""Rows of one transaction, for which a running server's writes have to wait."""
LOGS: Final = ("events", "whispers", "beaten")
OF_TABLES: Final = sorted(TABLES - {"clock", "tables", "marks", "corrections", *LOGS})
"""The other rows of one table: a few each."""


class PruneResult(NamedTuple):
    """What was deleted.

    Attributes:
        matches: the number of matches that were deleted, or would be.
        free: the free bytes of the file; the journal uses them again.
        kept: the tables of which nothing was deleted, because their contents are unknown, with the reasons.

    """

    matches: int
    free: int
    kept: list[str]


def prune(path: Path, before_ms: int, *, dry_run: bool = False) -> PruneResult:
    """Delete the matches that ended before a moment, with everything that belongs to them.

    Args:
        path: the file.
        before_ms: the moment, in milliseconds since 1970.
        dry_run: whether only to count them.

    Raises:
        JournalUnusable: the file cannot be used.

    """
    count, kept = 0, list[str]()
    with contextlib.closing(open_journal(path, write=not dry_run)) as db:
        tables = list(db.tables())
        for table in tables:
            try:
                played = list(matches_of(db, table))
                is_over = table.closed_ms is not None and table.closed_ms < before_ms
                if is_over and table is not tables[-1]:  # the newest number is not used again
                    count += len(played)
                    if not dry_run:
                        _remove(db, table, played)
                else:
                    ended = takewhile(lambda match: (match.ended_ms or before_ms) < before_ms, played)
                    old = [match for match in ended if match.last is not None and _is_followed(db, match)]
                    count += len(old)
                    for match in () if dry_run else old:
                        _cut(db, match)
            except UnknownContents as error:
                kept.append(f"table {table.id} ({table.code}): {error}")
        for name in () if dry_run else LOGS:
            _delete_ownerless(db, name)
        pages, size = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_size"))
    return PruneResult(count, pages * size, kept)


def _remove(db: JournalFile, table: StoredTable, played: list[Match]) -> None:
    """Delete a table. Its log has no owner then, and is deleted in pieces."""
    with transaction(db):
        for name in OF_TABLES:
            db.execute(f"DELETE FROM {name} WHERE table_id = ?", (table.id,))  # noqa: S608 - our own names
        db.executemany("DELETE FROM corrections WHERE match = ?", [(match.key,) for match in played])
        db.execute("DELETE FROM tables WHERE id = ?", (table.id,))


def _is_followed(db: JournalFile, match: Match) -> bool:
    """Return whether anything follows the end of a match at its table."""
    newest = db.execute("SELECT max(seq) FROM marks WHERE table_id = ?", (match.table.id,)).fetchone()[0]
    return bool(newest != match.last)


def _cut(db: JournalFile, match: Match) -> None:
    """Delete a table's log up to the end of a match, and put a snapshot there for what follows."""
    assert match.last is not None
    table_id, last = match.table.id, match.last
    view, first = stretch_of(db, match)
    for event, _, _ in log_of(db, table_id, first=first, last=last):
        apply_event(view, event)
    with transaction(db):
        db.execute("DELETE FROM snapshots WHERE table_id = ? AND seq < ?", (table_id, last))
        db.execute(
            "INSERT OR REPLACE INTO snapshots SELECT table_id, seq, at_us, ? FROM marks "
            "WHERE table_id = ? AND seq = ?",
            (pack(view.snapshot_for(None, 0)), table_id, last),
        )
        db.execute("DELETE FROM corrections WHERE match = ?", (match.key,))
        db.execute(
            "DELETE FROM events WHERE table_id = :table AND seq <= :last AND id BETWEEN "
            "(SELECT id FROM marks WHERE table_id = :table ORDER BY seq LIMIT 1) AND "
            "(SELECT id FROM marks WHERE table_id = :table AND seq = :last)",
            {"table": table_id, "last": last},
        )
        for name in ("whispers", "beaten"):
            db.execute(f"DELETE FROM {name} WHERE table_id = ? AND seq <= ?", (table_id, last))  # noqa: S608


def _delete_ownerless(db: JournalFile, name: str) -> None:
    """Delete the rows of deleted tables, a few at a time."""
    (first,), (last,) = (db.execute(f"SELECT {what}(id) FROM {name}").fetchone() for what in ("min", "max"))  # noqa: S608
    for begin in range(first or 0, (last or -1) + 1, AT_ONCE):
        sql = f"DELETE FROM {name} WHERE id BETWEEN ? AND ? AND table_id NOT IN (SELECT id FROM tables)"  # noqa: S608
        db.execute(sql, (begin, begin + AT_ONCE - 1))
