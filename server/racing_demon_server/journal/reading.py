"""Reads tables from a journal."""

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import ValidationError

from racing_demon_protocol.codec import VERSION, decode_server
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.messages import Event
from racing_demon_protocol.messages.events import Played
from racing_demon_protocol.messages.server import Accepted, Refused, Snapshot
from racing_demon_protocol.options import Options

from ..claims import Actor, Claim
from ..table import Past
from .keeping import NOBODY
from .runs import LONGEST, RUN, BrokenRun, Play, parted

if TYPE_CHECKING:
    from racing_demon_protocol.portable import Correction, Entry

__all__ = [
    "Kept",
    "KeptTable",
    "UnknownContents",
    "beaten_of",
    "claims_of",
    "corrections_of",
    "last_us",
    "log_of",
    "options_of",
    "past_of",
    "seeds_of",
    "snapshot_of",
    "tables",
]


BEFORE_SNAPSHOT: Final = 256
"""So many events before a table's snapshot are read, for clients who come back and lack some of them."""


_BETWEEN: Final = """id BETWEEN
    coalesce((SELECT id FROM marks WHERE table_id = :table AND seq <= :first ORDER BY seq DESC LIMIT 1), 1)
    AND coalesce(
        (SELECT id FROM marks WHERE table_id = :table AND seq >= :end ORDER BY seq LIMIT 1),
        (SELECT last_event FROM tables WHERE id = :table),
        9223372036854775807
    )
"""
"""Between which rows, of all tables, some events of one lie."""


class UnknownContents(Exception):
    """What stands in the file is not understood here: another version wrote it, or it is damaged."""


class KeptTable(NamedTuple):
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


class Kept(NamedTuple):
    """An event with its times: microseconds on the server's clock, milliseconds since 1970."""

    event: Event
    at_us: int
    at_ms: int


def tables(db: sqlite3.Connection, *, only_open: bool = False) -> Iterator[KeptTable]:
    """Yield the tables, the oldest first."""
    where = "WHERE closed_ms IS NULL " if only_open else ""
    for row in db.execute(f"SELECT * FROM tables {where}ORDER BY id"):  # noqa: S608 - two texts of our own
        yield KeptTable(*row)


def options_of(table: KeptTable) -> Options:
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
) -> Iterator[Kept]:
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
    for seq, kind, at_us, at_ms, frame in db.execute(sql, bounds):
        row = Play(bytes(frame), at_us)
        plays = _parted(seq, row) if kind == RUN else [row]
        for number, play in enumerate(plays, seq - len(plays) + 1):
            if first <= number <= last:
                yield Kept(_event(number, play.frame), play.at_us, at_ms)


def _parted(seq: int, run: Play) -> list[Play]:
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


def beaten_of(db: sqlite3.Connection, table_id: int) -> Iterator[tuple[int, "Entry"]]:
    """Yield what those were told whose card came too late, each with the event before it.

    Raises:
        UnknownContents: it is not understood.

    """
    from racing_demon_protocol.portable import Entry  # noqa: PLC0415 - no server needs records to be read

    sql = "SELECT seq, actor, at_us, at_ms, frame FROM beaten WHERE table_id = ? ORDER BY seq, at_us"
    for seq, actor, at_us, at_ms, frame in db.execute(sql, (table_id,)):
        reply = _reply(bytes(frame))
        assert reply is not None
        yield seq, Entry(reply, at_us, at_ms, actor)


def corrections_of(db: sqlite3.Connection, match: str) -> "list[Correction]":
    """Return what was said of a match afterwards, by its name.

    Raises:
        UnknownContents: it is not understood.

    """
    from racing_demon_protocol.portable import Correction  # noqa: PLC0415

    rows = db.execute("SELECT entry FROM corrections WHERE match = ? ORDER BY id", (match,))
    try:
        return [Correction.model_validate_json(entry) for (entry,) in rows]
    except ValidationError as error:
        raise UnknownContents(f"a correction of match {match} is not understood") from error


def seeds_of(db: sqlite3.Connection, table_id: int) -> dict[str, bytes]:
    """Return the secrets of a table's hands, by their ids."""
    return dict(db.execute("SELECT hand_id, seed FROM seeds WHERE table_id = ?", (table_id,)))


def claims_of(db: sqlite3.Connection, table_id: int) -> dict[Actor, Claim]:
    """Return who may speak for a table's seats, and what was answered last.

    Raises:
        UnknownContents: an answer is not understood.

    """
    rows = db.execute("SELECT actor, token_hash, counter, reply FROM claims WHERE table_id = ?", (table_id,))
    return {
        None if actor == NOBODY else actor: Claim(token_hash, counter, _reply(reply))
        for actor, token_hash, counter, reply in rows
    }


def past_of(db: sqlite3.Connection, table: KeptTable) -> Past:
    """Return what is needed to go on with a table.

    Raises:
        UnknownContents: something is not understood; the log may raise it, too.

    """
    if table.protocol != VERSION:
        raise UnknownContents(f"it was played with version {table.protocol} of the protocol, not {VERSION}")
    snapshot = snapshot_of(db, table.id)
    first = 1
    if snapshot is not None and not _is_still_to_be_seen(db, table.id, snapshot):
        first = max(1, snapshot.seq - BEFORE_SNAPSHOT)
    log = ((kept.event, kept.at_us) for kept in log_of(db, table.id, first=first))
    return Past(snapshot, log, seeds_of(db, table.id), claims_of(db, table.id))


def _is_still_to_be_seen(db: sqlite3.Connection, table_id: int, snapshot: Snapshot) -> bool:
    """Tell whether spectators with a delay have not seen the hand's end yet that a snapshot was made at."""
    delay_us = 1_000 * snapshot.options.watch_delay_ms
    if not delay_us:
        return False
    sql = "SELECT max(at_us) FROM marks WHERE table_id = ? AND seq <= ?"
    ended_us = db.execute(sql, (table_id, snapshot.seq)).fetchone()[0]
    return ended_us is not None and last_us(db) - ended_us < delay_us


def snapshot_of(db: sqlite3.Connection, table_id: int) -> Snapshot | None:
    """Return a table as it was after its last hand; ``None`` if none is over.

    Raises:
        UnknownContents: it is not understood.

    """
    row = db.execute("SELECT frame FROM snapshots WHERE table_id = ?", (table_id,)).fetchone()
    if row is None:
        return None
    try:
        snapshot = decode_server(row[0])
    except InvalidFrame as error:
        raise UnknownContents(f"its snapshot is not understood: {error}") from error
    if not isinstance(snapshot, Snapshot):
        raise UnknownContents("what stands as its snapshot is none")
    return snapshot


def last_us(db: sqlite3.Connection) -> int:
    """Return the newest time on the clock of the server that wrote a journal; 0 if it wrote none.

    Of what arrived together the last one written may be some milliseconds older than another.
    """
    going_on = "WHERE table_id IN (SELECT id FROM tables WHERE closed_ms IS NULL)"
    marks = f"SELECT max(id) AS last FROM marks {going_on} GROUP BY table_id"  # noqa: S608 - of our own
    sql = (
        f"SELECT max(at_us) FROM events {going_on} AND id >= (SELECT min(last) FROM ({marks})) "  # noqa: S608
        f"UNION SELECT max(at_us) FROM whispers {going_on}"
    )
    return max(at_us or 0 for (at_us,) in db.execute(sql))


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
