"""The results of a server's matches, in a file beside its journal that all its processes share."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Self

from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.journal.matches import BlankedFrame
from racing_demon_server.journal.sqlite.database import empty_log, open_journal, transaction
from racing_demon_server.journal.sqlite.side_file import SideFile, SideFileStore

from .store import ResultsStore, blanking

_LAYOUT: Final = """
    CREATE TABLE IF NOT EXISTS results (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        journal TEXT NOT NULL,
        match TEXT NOT NULL,
        link TEXT NOT NULL UNIQUE,
        is_over INTEGER NOT NULL,
        game TEXT NOT NULL,
        preset TEXT NOT NULL,
        started_ms INTEGER,
        ended_ms INTEGER,
        summary TEXT NOT NULL,
        UNIQUE (journal, match)
    );
    CREATE INDEX IF NOT EXISTS results_ended ON results (ended_ms, id);
    CREATE INDEX IF NOT EXISTS results_running ON results (id) WHERE is_over = 0;
    CREATE TABLE IF NOT EXISTS hand_notes (
        journal TEXT NOT NULL,
        match TEXT NOT NULL,
        hand INTEGER NOT NULL,
        notes TEXT NOT NULL,
        PRIMARY KEY (journal, match, hand)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS finished_tables (
        journal TEXT NOT NULL,
        table_id INTEGER NOT NULL,
        PRIMARY KEY (journal, table_id)
    ) WITHOUT ROWID;
"""
RESULTS: Final = SideFile(
    "results",
    int.from_bytes(b"RDR1", "big"),
    1,
    _LAYOUT,
    "NORMAL",  # what a power failure takes is made from the journal again
)
"""The files of results, with these tables.

- ``results``: one row a match, replaced with each hand and each correction, so that ``id`` rises with every
  change. ``match`` is its name in its journal. ``summary`` is a :class:`MatchSummary`.
- ``hand_notes``: one row a hand, a :class:`HandNotes`. Matches of earlier versions get theirs when
  somebody asks for them. No part of a summary, which earlier versions would not read.
- ``finished_tables``: closed tables with all of their results, which are not read again after a restart.
"""


class ResultsFile(SideFileStore, ResultsStore):
    """The results in a file. See :class:`.store.ResultsStore`.

    Args:
        path: the file; created if it is missing.
        journal: the journal of this process; ``None`` if nothing is blanked in it.
        writes: whether it is to be written; otherwise it must exist.

    Raises:
        JournalUnusable: the file cannot be used.

    """

    is_shared = False

    def __init__(self, path: Path, journal: Path | None = None, *, writes: bool = True) -> None:
        super().__init__(RESULTS, path, writes=writes)
        self._journal = journal
        self._has_blanked = journal is not None  # perhaps before a crash

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def unfinished(self, journal: str, reader: JournalReader) -> Iterator[int]:
        """Yield the tables of a journal that may lack results, the newest first: open ones may."""
        sql = "SELECT 1 FROM finished_tables WHERE journal = ?1 AND table_id = ?2"
        for table_id in reversed([table.id for table in reader.tables()]):
            if not self.rows(sql, journal, table_id):
                yield table_id

    def set_finished(self, journal: str, table_id: int) -> None:
        """Record that a closed table has all of its results."""
        self.rows("INSERT OR IGNORE INTO finished_tables VALUES (?1, ?2)", journal, table_id)

    def blank(self, table_id: int, frames: Sequence[BlankedFrame]) -> None:
        """Store events of a closed table in the journal anew, and leave nothing of the former ones there."""
        if self._journal is None:
            return
        self._has_blanked = True
        with contextlib.closing(open_journal(self._journal, write=True)) as db, transaction(db):
            for sql, values in blanking(table_id, frames):
                db.rows(sql, *values)

    def tidy(self) -> None:
        """Leave nothing in the logs of both files that was overwritten since, but in busy ones."""
        super().tidy()
        if self._journal is not None and self._has_blanked:
            with contextlib.closing(open_journal(self._journal, write=True)) as db:
                self._has_blanked = not empty_log(db)

    def table_of(self, _code: str, _token_hash: bytes) -> int | None:
        """Return ``None``: the keeper knows all tables of its process, and other journals are not read."""
        return None
