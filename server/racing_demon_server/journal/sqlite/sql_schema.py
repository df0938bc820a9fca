"""The layout of the file: its tables, and how files of older versions get them."""

import re
import sqlite3
from typing import Final, NamedTuple

APPLICATION_ID: Final = int.from_bytes(b"RDJ1", "big")
"""Identifies the file as a journal (``PRAGMA application_id``)."""

VERSION: Final = 11
"""The version of the file that this program writes (``PRAGMA user_version``)."""


class _Rebuilt(NamedTuple):
    """How the rows of a table of older versions come into the table of the current one.

    Attributes:
        table: the table.
        versions: those whose files have it in another form.
        fill: takes the rows from the former table, which has ``old_`` before its name.

    """

    table: str
    versions: range
    fill: str


_REBUILT: Final = (
    # In the order of their tables before. Closed tables did not know their last event.
    _Rebuilt(
        "events",
        range(1, 6),
        """
        INSERT INTO events (table_id, seq, kind, at_us, at_ms, frame)
            SELECT table_id, seq, kind, at_us, at_ms, frame FROM old_events ORDER BY table_id, seq;
        CREATE TEMP TABLE lasts (table_id INTEGER PRIMARY KEY, id INTEGER);
        INSERT INTO lasts SELECT table_id, max(id) FROM events GROUP BY table_id;
        ALTER TABLE tables ADD COLUMN last_event INTEGER;
        UPDATE tables SET last_event = (SELECT id FROM lasts WHERE table_id = tables.id)
            WHERE closed_ms IS NOT NULL;
        DROP TABLE lasts;
        """,
    ),
    # One for each table before, without a time.
    _Rebuilt(
        "snapshots",
        range(3, 8),
        """
        INSERT INTO snapshots SELECT table_id, seq, coalesce(
            (SELECT max(at_us) FROM marks WHERE table_id = old.table_id AND seq <= old.seq), 0
        ), frame FROM old_snapshots AS old;
        """,
    ),
    # One for each seat and counter before.
    _Rebuilt(
        "beaten",
        range(2, 8),
        """
        INSERT INTO beaten (table_id, actor, seq, at_us, at_ms, frame)
            SELECT table_id, actor, seq, at_us, at_ms, frame FROM old_beaten ORDER BY table_id, seq, at_us;
        """,
    ),
)
"""What files of older versions have in another form."""

_STRICT_LAYOUT: Final = """
    CREATE TABLE IF NOT EXISTS tables (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL,
        number INTEGER NOT NULL,
        options TEXT NOT NULL,
        salt BLOB NOT NULL,
        passphrase BLOB,
        software TEXT NOT NULL,
        protocol INTEGER NOT NULL,
        opened_ms INTEGER NOT NULL,
        closed_ms INTEGER,
        last_event INTEGER
    ) STRICT;
    CREATE INDEX IF NOT EXISTS tables_open ON tables (id) WHERE closed_ms IS NULL;
    CREATE TABLE IF NOT EXISTS events (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS events_marks ON events (table_id, seq) WHERE kind NOT IN (0, 80);
    CREATE VIEW IF NOT EXISTS marks AS SELECT * FROM events WHERE kind NOT IN (0, 80);
    CREATE TABLE IF NOT EXISTS whispers (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS whispers_table ON whispers (table_id, seq, id);
    CREATE TABLE IF NOT EXISTS seeds (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        hand_id TEXT NOT NULL,
        seed BLOB NOT NULL,
        commitment TEXT NOT NULL,
        PRIMARY KEY (table_id, hand_id)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE IF NOT EXISTS claims (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        token_hash BLOB NOT NULL,
        counter INTEGER NOT NULL,
        reply BLOB,
        PRIMARY KEY (table_id, actor)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE IF NOT EXISTS beaten (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS beaten_table ON beaten (table_id, seq);
    CREATE TABLE IF NOT EXISTS corrections (
        id INTEGER PRIMARY KEY,
        match TEXT NOT NULL,
        entry TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS corrections_match ON corrections (match);
    CREATE TABLE IF NOT EXISTS snapshots (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        frame BLOB NOT NULL,
        PRIMARY KEY (table_id, seq)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE IF NOT EXISTS checkpoints (
        table_id INTEGER PRIMARY KEY REFERENCES tables (id),
        seq INTEGER NOT NULL,
        last_play INTEGER NOT NULL,
        hand_id TEXT NOT NULL,
        salt BLOB NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS epochs (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        epoch TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS epochs_table ON epochs (table_id, id);
    CREATE TABLE IF NOT EXISTS bans (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        name TEXT NOT NULL,
        token_hash BLOB NOT NULL,
        address_hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS bans_table ON bans (table_id, id);
    CREATE TABLE IF NOT EXISTS clock (
        id INTEGER PRIMARY KEY,
        at_us INTEGER NOT NULL
    ) STRICT;
"""


def layout(*, strict: bool) -> str:
    """Return the tables of a new file; not strict if this SQLite does not support that."""
    return _STRICT_LAYOUT if strict else re.sub(",? STRICT", "", _STRICT_LAYOUT)


LAYOUT: Final = layout(strict=sqlite3.sqlite_version_info >= (3, 37))
"""The tables of a new file, strict if this SQLite supports that.

A strict table accepts values of its columns' types only. Older files keep tables that are not strict, so
reading checks the types as well (:mod:`.reader`).

- ``tables``: one row a table. ``number`` counts the server's tables, ``options`` are the initial ones.
  ``last_event`` is the last event of a closed table.
- ``events``: the logs of all tables in the order of writing, as encoded messages. ``kind`` is the message's
  number, or 0 for a row of several plays (:mod:`.play_runs`), which has the number and time of the last one;
  plays that are sent to their players only have no numbers, and the row has that of the event before them.
  Times are those of the server's clock in microseconds and of the wall clock in milliseconds.
- ``marks``: the events other than plays, one among a hundred. An index finds them, and the plays of a table
  lie between its marks.
- ``whispers``: such plays, one by one, as servers wrote them up to version 10.
- ``seeds``: the secret of each deal.
- ``claims``: the token hash of each seat (-1: a host without one), and its last command with the answer.
- ``beaten``: the refusals of lost races, after the event ``seq``.
- ``corrections``: corrections of a match, by its name, as the lines of its record.
- ``snapshots``: tables after the event ``seq``, between two hands. A restart begins with one, as does each
  stretch of a log whose beginning was deleted (:mod:`.compaction`).
- ``checkpoints``: tables in the middle of a long hand, after the event ``seq``, sealed with the secret of the
  hand (:mod:`~racing_demon_server.journal.sealing`). A restart goes on from there. Plays up to the row
  ``last_play`` are in it.
- ``epochs``: the random names of the server's newest starts, in order, for each table with the number of the
  last event before that start.
- ``bans``: the kicked players, by token hash, and by name and address hash. Snapshots and events say which of
  these names still count.
- ``clock``: one row, while hands run, with a time that no restart goes back behind (:mod:`.timekeeper`).
"""

TABLES: Final = frozenset(re.findall(r"CREATE (?:TABLE|VIEW) IF NOT EXISTS (\w+)", LAYOUT))
"""The tables of a file of this version; ``marks`` is a view."""


SINCE: Final = {
    "beaten": 2,
    "corrections": 2,
    "snapshots": 3,
    "whispers": 4,
    "marks": 6,
    "epochs": 7,
    "bans": 9,
    "clock": 10,
    "checkpoints": 11,
}
"""The first versions of tables that are not in every file."""


def tables_of(version: int) -> frozenset[str]:
    """Return the tables that a file of a version has."""
    return frozenset(name for name in TABLES if SINCE.get(name, 1) <= version)


def upgrade(version: int) -> str:
    """Return what brings a file of an older version up to date; its tables stay not strict."""
    former = [each for each in _REBUILT if version in each.versions]
    renamed = [f"ALTER TABLE {each.table} RENAME TO old_{each.table};" for each in former]
    filled = [f"{each.fill} DROP TABLE old_{each.table};" for each in former]
    return "".join([*renamed, layout(strict=False), *filled])
