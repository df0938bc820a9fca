"""The results of a server's matches, in a file beside its journal that all its processes share."""

import secrets
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple, Self

from racing_demon_protocol.records.summary import MatchSummary
from racing_demon_server.journal.sqlite.side_file import SideFile

from .query import ALL, Filter

LINK_BYTES: Final = 16
"""The random bytes of a match's link: whoever has it may see the match, so nobody may guess it."""

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
- ``finished_tables``: closed tables with all of their results, which are not read again after a restart.
"""


ALLOWED: Final = (
    "(?1 = '' OR game = ?1) AND (?2 = '' OR preset = ?2) "
    "AND (?3 IS NULL OR started_ms >= ?3) AND (?4 IS NULL OR started_ms < ?4)"
)
"""The results that a :class:`Filter` allows, which is the first parameters."""


class Result(NamedTuple):
    """What is remembered of a match.

    Attributes:
        id: rises with every change of any result.
        journal: the name of its journal.
        match: its name there.
        link: what its page is called.
        is_over: whether it has ended, by its last hand or with its table.
        summary: everything else.

    """

    id: int
    journal: str
    match: str
    link: str
    is_over: bool
    summary: MatchSummary


class ResultsFile:
    """The results of a server. One thread at a time may use it.

    Args:
        path: the file; created if it is missing.

    Raises:
        JournalUnusable: the file cannot be used.

    """

    def __init__(self, path: Path) -> None:
        self._db = RESULTS.open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def save(self, journal: str, match: str, summary: MatchSummary, *, is_over: bool) -> None:
        """Write the result of a match in place of an earlier one. Its link stays the same."""
        self._db.execute(
            "INSERT OR REPLACE INTO results SELECT NULL, ?1, ?2, coalesce("
            "(SELECT link FROM results WHERE journal = ?1 AND match = ?2), ?3), ?4, ?5, ?6, ?7, ?8, ?9",
            (
                *(journal, match, secrets.token_urlsafe(LINK_BYTES), is_over),
                *(summary.game, summary.preset, summary.started_ms, summary.ended_ms),
                summary.model_dump_json(exclude_defaults=True),
            ),
        )

    def of_match(self, journal: str, match: str) -> Result | None:
        """Return the result of a match; ``None`` without a finished hand."""
        return next(self._rows("WHERE journal = ? AND match = ?", journal, match), None)

    def of_link(self, link: str) -> Result | None:
        """Return the result with a link; ``None`` if there is none."""
        return next(self._rows("WHERE link = ?", link), None)

    def of_table(self, journal: str, table_id: int, most: int) -> list[Result]:
        """Return the newest results of a table."""
        names = f"{table_id}.*"
        return list(
            self._rows("WHERE journal = ? AND match GLOB ? ORDER BY id DESC LIMIT ?", journal, names, most)
        )

    def ended(self, only: Filter = ALL, since: int = 0) -> Iterator[Result]:
        """Yield the matches that have ended, in that order; only those that have changed since a version."""
        return self._rows(
            f"WHERE is_over AND {ALLOWED} AND id > ?5 ORDER BY ended_ms, started_ms, id", *(*only, since)
        )

    def of_players(self, players: Collection[str]) -> Iterator[Result]:
        """Yield the matches that have ended and in which one of some players sat, in that order."""
        for result in self._rows(
            f"WHERE is_over AND ({' OR '.join(['instr(summary, ?)'] * len(players))}) ORDER BY ended_ms, id",
            *(f'"player":"{player}"' for player in players),
        ):
            if any(player.player in players for player in result.summary.players):
                yield result

    def running(self, only: Filter) -> Iterator[Result]:
        """Yield the matches that have not ended."""
        return self._rows(f"WHERE NOT is_over AND {ALLOWED} ORDER BY id", *only)

    def newest(self) -> int:
        """Return the number of the last change; 0 before the first."""
        return int(self._db.execute("SELECT coalesce(max(id), 0) FROM results").fetchone()[0])

    def is_finished(self, journal: str, table_id: int) -> bool:
        """Return whether a table is closed, and has all of its results."""
        sql = "SELECT 1 FROM finished_tables WHERE journal = ? AND table_id = ?"
        return self._db.execute(sql, (journal, table_id)).fetchone() is not None

    def set_finished(self, journal: str, table_id: int) -> None:
        """Record that a closed table has all of its results."""
        self._db.execute("INSERT OR IGNORE INTO finished_tables VALUES (?, ?)", (journal, table_id))

    def _rows(self, where: str, *values: object) -> Iterator[Result]:
        sql = f"SELECT id, journal, match, link, is_over, summary FROM results {where}"  # noqa: S608 - our own texts
        with closing(self._db.execute(sql, values)) as rows:
            for number, journal, match, link, is_over, summary in rows:
                known = MatchSummary.model_validate_json(summary)
                yield Result(number, journal, match, link, bool(is_over), known)
