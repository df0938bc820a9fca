"""All SQL about the results of matches, in words that SQLite and PostgreSQL share."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple, Protocol

from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import MatchSummary
from racing_demon_server.journal.interface import JournalReader, SqlStore
from racing_demon_server.journal.matches import BlankedFrame

from .query import ALL, Filter

LINK_BYTES: Final = 16
"""The random bytes of a match's link: whoever has it may see the match, so nobody may guess it."""

ALLOWED: Final = (
    "(?1 = '' OR game = ?1) AND (?2 = '' OR preset = ?2) "
    "AND (CAST(?3 AS bigint) IS NULL OR started_ms >= CAST(?3 AS bigint)) "
    "AND (CAST(?4 AS bigint) IS NULL OR started_ms < CAST(?4 AS bigint))"
)
"""The results that a :class:`Filter` allows, which is the first parameters."""
BLANK_EVENT: Final = "UPDATE events SET frame = ?1 WHERE table_id = ?2 AND seq = ?3 AND kind = ?4"
BLANK_SNAPSHOT: Final = "UPDATE snapshots SET frame = ?1 WHERE table_id = ?2 AND seq = ?3"
OF_TABLE: Final = "journal = ?1 AND match >= ?2 AND match < ?3"
SELECT: Final = "SELECT id, journal, match, link, is_over, summary FROM results"


Reading = Callable[[], AbstractContextManager[JournalReader]]
"""Opens a journal for reading."""


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


class ResultsStore(SqlStore, Protocol):
    """The results of a server.

    Attributes:
        is_shared: whether several servers make results of the same journal.

    """

    is_shared: bool

    # For each database.

    def unfinished(self, journal: str, reader: JournalReader) -> Iterator[int]:
        """Yield the tables of a journal that may lack results, the newest first."""

    def set_finished(self, journal: str, table_id: int) -> None:
        """Record that a closed table has all of its results."""

    def table_of(self, code: str, token_hash: bytes) -> int | None:
        """Return the number of another server's open table at which a token has a seat, if there is one."""

    def blank(self, table_id: int, frames: Sequence[BlankedFrame]) -> None:
        """Store events of a closed table in the journal anew, without what is to be forgotten."""

    # Writing.

    def save(
        self, journal: str, match: str, summary: MatchSummary, *, is_over: bool, replaces: int = 0
    ) -> bool:
        """Write the result of a match in place of an earlier one. Its link stays the same.

        Args:
            journal: the name of its journal.
            match: its name there.
            summary: the result.
            is_over: whether it has ended.
            replaces: the number of the earlier result, read before the journal was; 0 if there was none.

        Returns:
            Whether it was written: not if somebody else has written a result meanwhile.

        """
        with self.transaction():
            ((known, link),) = self.rows(
                "SELECT id, link FROM results WHERE journal = ?1 AND match = ?2", journal, match
            ) or ((0, secrets.token_urlsafe(LINK_BYTES)),)
            if known != replaces:
                return False
            self.rows("DELETE FROM results WHERE id = ?1", known)
            self.rows(
                "INSERT INTO results (journal, match, link, is_over, game, preset, started_ms, ended_ms, "
                "summary) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                *(journal, match, link, int(is_over), summary.game, summary.preset),
                *(summary.started_ms, summary.ended_ms, summary.model_dump_json(exclude_defaults=True)),
            )
        return True

    def save_notes(self, journal: str, match: str, notes: Mapping[int, HandNotes]) -> None:
        """Write the notes of hands of a match, in place of earlier ones.

        Args:
            journal: the name of its journal.
            match: its name there.
            notes: what is known of each hand, by its number.

        """
        with self.transaction():
            for hand, each in notes.items():
                self.rows(
                    "INSERT INTO hand_notes (journal, match, hand, notes) VALUES (?1, ?2, ?3, ?4) "
                    "ON CONFLICT (journal, match, hand) DO UPDATE SET notes = excluded.notes",
                    *(journal, match, hand, each.model_dump_json(exclude_defaults=True)),
                )

    # Reading.

    def notes_of(self, journal: str, match: str) -> dict[int, HandNotes]:
        """Return the notes of those hands of a match that have some, by their numbers."""
        rows = self.rows(
            "SELECT hand, notes FROM hand_notes WHERE journal = ?1 AND match = ?2 ORDER BY hand",
            *(journal, match),
        )
        return {int(hand): HandNotes.model_validate_json(notes) for hand, notes in rows}

    def matches_of(self, journal: str, table_id: int) -> list[str]:
        """Return the names of a table's matches that have results."""
        rows = self.rows(f"SELECT match FROM results WHERE {OF_TABLE}", journal, *_names_of(table_id))  # noqa: S608 - our own texts
        return [match for (match,) in rows]

    def of_match(self, journal: str, match: str) -> Result | None:
        """Return the result of a match; ``None`` without a finished hand."""
        return next(iter(self._few("WHERE journal = ?1 AND match = ?2", journal, match)), None)

    def of_link(self, link: str) -> Result | None:
        """Return the result with a link; ``None`` if there is none."""
        return next(iter(self._few("WHERE link = ?1", link)), None)

    def of_table(self, journal: str, table_id: int, most: int) -> Iterator[Result]:
        """Yield the newest results of a table."""
        where = f"WHERE {OF_TABLE} ORDER BY id DESC LIMIT ?4"
        return self._many(where, journal, *_names_of(table_id), most)

    def ended(self) -> Iterator[Result]:
        """Yield the matches that have ended, in that order."""
        return self.of_ids([*self.ids_of_ended()])

    def ids_of_ended(self, only: Filter = ALL, since: int = 0) -> Iterator[int]:
        """Yield the numbers of the matches that have ended, in that order; only those after a number."""
        rows = self.stream(
            f"SELECT id FROM results WHERE is_over = 1 AND {ALLOWED} AND id > ?5 "  # noqa: S608 - our own texts
            "ORDER BY ended_ms, started_ms, id",
            *(*only, since),
        )
        return (int(id_) for (id_,) in rows)

    def of_ids(self, ids: Iterable[int]) -> Iterator[Result]:
        """Yield the results with some numbers; what has changed meanwhile has another."""
        for id_ in ids:
            yield from self._few("WHERE id = ?1", id_)

    def running(self, only: Filter) -> Iterator[Result]:
        """Yield the matches that have not ended."""
        return self._many(f"WHERE is_over = 0 AND {ALLOWED} ORDER BY id", *only)

    def newest(self) -> int:
        """Return the number of the last change; 0 before the first."""
        ((newest,),) = self.rows("SELECT coalesce(max(id), 0) FROM results")
        return int(newest)

    def _few(self, where: str, *values: object) -> list[Result]:
        return [_result(row) for row in self.rows(f"{SELECT} {where}", *values)]

    def _many(self, where: str, *values: object) -> Iterator[Result]:
        return (_result(row) for row in self.stream(f"{SELECT} {where}", *values))


def blanking(table_id: int, frames: Iterable[BlankedFrame]) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the statements, with their values, that store frames of a table anew."""
    for seq, kind, frame in frames:
        if kind is None:
            yield BLANK_SNAPSHOT, (frame, table_id, seq)
        else:
            yield BLANK_EVENT, (frame, table_id, seq, kind)


def table_number(match: str) -> int:
    """Return the number of a match's table, which its name begins with."""
    return int(match.partition(".")[0])


def _names_of(table_id: int) -> tuple[str, str]:
    """Return what the names of a table's matches lie between: a slash follows the point."""
    return f"{table_id}.", f"{table_id}/"


def _result(row: Sequence[Any]) -> Result:
    id_, journal, match, link, is_over, summary = row
    return Result(id_, journal, match, link, bool(is_over), MatchSummary.model_validate_json(summary))
