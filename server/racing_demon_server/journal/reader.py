"""Reads tables from a journal."""

import sqlite3
from collections.abc import Iterator, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import ValidationError

from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Seated, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.bans import Ban
from racing_demon_server.match.seat_tokens import Actor, SeatToken

from .play_runs import LONGEST, RUN, BrokenRun, StoredPlay, parted
from .rows import NOBODY

if TYPE_CHECKING:
    from racing_demon_protocol.records.match_file import Correction, TimedMessage

__all__ = [
    "OtherVersion",
    "StoredEvent",
    "StoredTable",
    "UnknownContents",
    "bans_of",
    "beaten_of",
    "beginnings_of",
    "claims_of",
    "corrections_of",
    "epochs_of",
    "last_us",
    "log_of",
    "options_of",
    "seeds_of",
    "snapshots_of",
    "tables",
    "verify",
]


_BETWEEN: Final = """id BETWEEN
    coalesce(
        (SELECT id FROM marks WHERE table_id = :table AND seq <= :first ORDER BY seq DESC LIMIT 1),
        (SELECT id FROM marks WHERE table_id = :table ORDER BY seq LIMIT 1),
        1
    )
    AND coalesce(
        (SELECT id FROM marks WHERE table_id = :table AND seq >= :end ORDER BY seq LIMIT 1),
        (SELECT last_event FROM tables WHERE id = :table),
        9223372036854775807
    )
"""
"""Between which rows, of all tables, some events of one lie."""


class UnknownContents(Exception):
    """What stands in the file is not understood here: another version wrote it, or it is damaged."""


class OtherVersion(UnknownContents):
    """A table was played with another version of the protocol, and waits for a server that speaks that."""


class StoredTable(NamedTuple):
    """A table as it was opened. ``closed_ms`` is ``None`` for one that goes on, as is where its log ends."""

    id: int
    code: str
    number: int
    options: str
    salt: bytes
    passphrase: bytes | None
    software: str
    protocol: int
    opened_ms: int
    closed_ms: int | None
    last_event: int | None


class StoredEvent(NamedTuple):
    """An event with its times: microseconds on the server's clock, milliseconds since 1970."""

    event: Event
    at_us: int
    at_ms: int


_COLUMNS: Final = (
    *((int,), (str,), (int,), (str,), (bytes,), (bytes, NoneType), (str,), (int,), (int,)),
    *((int, NoneType), (int, NoneType)),
)
"""What each field of a :class:`StoredTable` is."""
_KINDS: Final = {int: "a number", str: "a text", bytes: "a row of bytes"}
_KEPT: Final = ((int,), (int,), (int,), (int,), (bytes,))
"""Number, kind, two times and frame of an event."""


def _verify_row(what: str, row: Sequence[object], columns: Sequence[tuple[type, ...]]) -> None:
    """Verify that a row holds what it should: SQLite sees to that in new and undamaged files only."""
    for value, kinds in zip(row, columns, strict=True):
        if type(value) not in kinds:
            raise UnknownContents(f"{what} has {value!r:.40} where {_KINDS[kinds[0]]} belongs")


def verify(table: StoredTable) -> None:
    """Verify that a table's row can be used.

    Raises:
        UnknownContents: it holds something of another type.

    """
    _verify_row("its row", table, _COLUMNS)
    try:
        Seated(code=table.code)
    except ValidationError as error:
        raise UnknownContents("its code is none") from error


def tables(db: sqlite3.Connection, *, only_open: bool = False) -> Iterator[StoredTable]:
    """Yield the tables, the oldest first, as they stand there: see :func:`verify`."""
    where = "WHERE closed_ms IS NULL " if only_open else ""
    for row in db.execute(f"SELECT * FROM tables {where}ORDER BY id"):  # noqa: S608 - two texts of our own
        yield StoredTable(*row)


def options_of(table: StoredTable) -> Options:
    """Return the options that a table was opened with.

    Raises:
        UnknownContents: they are not understood.

    """
    try:
        return Options.model_validate_json(table.options)
    except ValidationError as error:
        raise UnknownContents("its options are unknown here") from error


def log_of(
    db: sqlite3.Connection,
    table_id: int,
    *,
    kinds: frozenset[int] = frozenset(),
    first: int = 1,
    last: int = 2**31,
) -> Iterator[StoredEvent]:
    """Yield the events of a table from a number up to another, all or those of some kinds that are no plays.

    Without kinds, plays that were told to their players alone come where they were made: behind the event
    whose number they bear.

    Raises:
        UnknownContents: one is not understood.

    """
    bounds = {"table": table_id, "first": first, "last": last, "end": last + LONGEST}
    where = "WHERE table_id = :table AND seq BETWEEN :first AND"
    columns = "kind, at_us, at_ms, frame"
    if kinds:
        some = f"AND kind IN ({', '.join(map(str, sorted(kinds)))})"
        sql = f"SELECT seq, {columns} FROM marks {where} :last {some} ORDER BY seq"  # noqa: S608 - of our own
    else:
        sql = (
            f"SELECT seq, {columns} FROM ("  # noqa: S608
            f"SELECT seq, 0 AS place, {columns} FROM events {where} :end AND {_BETWEEN} "
            f"UNION ALL SELECT seq, id, {Played.TAG}, at_us, at_ms, frame FROM whispers {where} :last) "
            "ORDER BY seq, place"
        )
    for seq, *rest in db.execute(sql, bounds):
        _verify_row(f"event {seq}", (seq, *rest), _KEPT)
        kind, at_us, at_ms, frame = rest
        row = StoredPlay(frame, at_us)
        plays = _parted(seq, row) if kind == RUN else [row]
        for number, play in enumerate(plays, seq - len(plays) + 1):
            if first <= number <= last:
                yield StoredEvent(_event(number, play.frame), play.at_us, at_ms)


def _parted(seq: int, run: StoredPlay) -> list[StoredPlay]:
    try:
        return list(parted(run))
    except BrokenRun as error:
        raise UnknownContents(f"what stands up to event {seq} is {error}") from error


def _event(seq: int, frame: bytes) -> Event:
    try:
        event = decode_server(frame)
    except InvalidFrame as error:
        raise UnknownContents(f"event {seq} is not understood: {error}") from error
    if not isinstance(event, Event) or event.seq != seq:
        raise UnknownContents(f"what stands as event {seq} is none")
    return event


def beaten_of(
    db: sqlite3.Connection, table_id: int, *, first: int = 1, last: int = 2**31
) -> Iterator[tuple[int, "TimedMessage"]]:
    """Yield what those were told whose card came too late, each with the event before it.

    Raises:
        UnknownContents: it is not understood.

    """
    from racing_demon_protocol.records.match_file import TimedMessage  # noqa: PLC0415 - no server needs records to be read

    columns = "seq, actor, at_us, at_ms, frame"
    sql = f"SELECT {columns} FROM beaten WHERE table_id = ? AND seq BETWEEN ? AND ? ORDER BY seq, at_us"  # noqa: S608
    for row in db.execute(sql, (table_id, first, last)):
        _verify_row("what somebody was told whose card came too late", row, _KEPT)
        seq, actor, at_us, at_ms, frame = row
        reply = _reply(frame)
        assert reply is not None
        yield seq, TimedMessage(reply, at_us, at_ms, actor)


def corrections_of(db: sqlite3.Connection, match: str) -> "list[Correction]":
    """Return what was said of a match afterwards, by its name.

    Raises:
        UnknownContents: it is not understood.

    """
    from racing_demon_protocol.records.match_file import Correction  # noqa: PLC0415

    rows = db.execute("SELECT entry FROM corrections WHERE match = ? ORDER BY id", (match,))
    try:
        return [Correction.model_validate_json(entry) for (entry,) in rows]
    except ValidationError as error:
        raise UnknownContents(f"a correction of match {match} is not understood") from error


def seeds_of(db: sqlite3.Connection, table_id: int) -> dict[str, bytes]:
    """Return the secrets of a table's hands, by their ids.

    Raises:
        UnknownContents: what stands there is none.

    """
    rows = db.execute("SELECT hand_id, seed FROM seeds WHERE table_id = ?", (table_id,)).fetchall()
    for row in rows:
        _verify_row("the secret of a hand", row, ((str,), (bytes,)))
    return dict(rows)


def claims_of(db: sqlite3.Connection, table_id: int) -> dict[Actor, SeatToken]:
    """Return who may speak for a table's seats, and what was answered last.

    Raises:
        UnknownContents: an answer, or something else, is not understood.

    """
    rows = db.execute("SELECT actor, token_hash, counter, reply FROM claims WHERE table_id = ?", (table_id,))
    seat_tokens: dict[Actor, SeatToken] = {}
    for row in rows:
        _verify_row("a claim", row, ((int,), (bytes,), (int,), (bytes, NoneType)))
        actor, token_hash, counter, reply = row
        seat_tokens[None if actor == NOBODY else actor] = SeatToken(token_hash, counter, _reply(reply))
    return seat_tokens


def bans_of(db: sqlite3.Connection, table_id: int) -> list[Ban]:
    """Return who was sent away from a table.

    Raises:
        UnknownContents: what stands there is nobody.

    """
    columns = "name, token_hash, address_hash"
    sql = f"SELECT {columns} FROM bans WHERE table_id = ? ORDER BY id"  # noqa: S608 - of our own
    rows = db.execute(sql, (table_id,)).fetchall()
    for row in rows:
        _verify_row("a player who was sent away", row, ((str,), (bytes,), (bytes,)))
    return [Ban(*row) for row in rows]


def epochs_of(db: sqlite3.Connection, table_id: int) -> list[tuple[str, int]]:
    """Return the starts of the server that have written a table, each with the last event before it.

    Raises:
        UnknownContents: what stands there is none.

    """
    rows = db.execute("SELECT epoch, seq FROM epochs WHERE table_id = ? ORDER BY id", (table_id,)).fetchall()
    for row in rows:
        _verify_row("a start of the server", row, ((str,), (int,)))
    return rows


def beginnings_of(db: sqlite3.Connection, table_id: int) -> list[Snapshot]:
    """Return the snapshots that stretches of a table's log begin with, the oldest first (:mod:`.compaction`).

    Raises:
        UnknownContents: one is not understood.

    """
    sql = (
        "SELECT seq, frame FROM snapshots WHERE table_id = :table AND NOT EXISTS "
        "(SELECT 1 FROM marks WHERE table_id = :table AND seq = snapshots.seq) ORDER BY seq"
    )
    return [_snapshot(*row) for row in db.execute(sql, {"table": table_id})]


def snapshots_of(
    db: sqlite3.Connection, table_id: int, *, until_us: int = 2**63 - 1, most: int = -1
) -> Iterator[Snapshot]:
    """Yield a table as it was between its hands, at some moments, the newest first.

    Raises:
        UnknownContents: one is not understood.

    """
    sql = "SELECT seq, frame FROM snapshots WHERE table_id = ? AND at_us <= ? ORDER BY seq DESC LIMIT ?"
    for row in db.execute(sql, (table_id, until_us, most)):
        yield _snapshot(*row)


def _snapshot(seq: int, frame: bytes) -> Snapshot:
    _verify_row("its snapshot", (seq, frame), ((int,), (bytes,)))
    try:
        snapshot = decode_server(frame)
    except InvalidFrame as error:
        raise UnknownContents(f"its snapshot is not understood: {error}") from error
    if not isinstance(snapshot, Snapshot) or snapshot.seq != seq:
        raise UnknownContents("what stands as its snapshot is none")
    return snapshot


def last_us(db: sqlite3.Connection) -> int:
    """Return the newest time on the clock of the server that wrote a journal; 0 if it wrote none.

    That of a server that died while a hand was running may have been still to come.
    Of what arrived together the last one written may be some milliseconds older than another.
    """
    going_on = "WHERE table_id IN (SELECT id FROM tables WHERE closed_ms IS NULL)"
    marks = f"SELECT max(id) AS last FROM marks {going_on} GROUP BY table_id"  # noqa: S608 - of our own
    recent = f"AND id >= (SELECT min(last) FROM ({marks}))"  # noqa: S608
    newest = 0
    times = f"events {going_on} {recent}", f"whispers {going_on}", f"snapshots {going_on}", "clock WHERE TRUE"
    for where in times:
        sql = f"SELECT max(at_us) FROM {where} AND typeof(at_us) = 'integer'"  # noqa: S608
        newest = max(newest, db.execute(sql).fetchone()[0] or 0)
    return newest


def _reply(frame: bytes | None) -> Accepted | Refused | None:
    if frame is None:
        return None
    try:
        reply = decode_server(frame)
    except InvalidFrame as error:
        raise UnknownContents(f"an answer is not understood: {error}") from error
    if not isinstance(reply, Accepted | Refused):
        raise UnknownContents("what stands as an answer is none")
    return reply
