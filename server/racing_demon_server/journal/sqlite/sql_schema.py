"""The layout of the file: its tables, and the migrations of older files."""

import re
import sqlite3
from typing import Final

__all__ = ["APPLICATION_ID", "LAYOUT", "MIGRATIONS", "TABLES", "VERSION", "layout"]

APPLICATION_ID: Final = int.from_bytes(b"RDJ1", "big")
"""Identifies the file as a journal (``PRAGMA application_id``)."""

MIGRATIONS: Final = (
    # 1: the first release.
    """
    CREATE TABLE tables (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL,
        number INTEGER NOT NULL,
        options TEXT NOT NULL,
        salt BLOB NOT NULL,
        passphrase BLOB,
        software TEXT NOT NULL,
        protocol INTEGER NOT NULL,
        opened_ms INTEGER NOT NULL,
        closed_ms INTEGER
    );
    CREATE INDEX tables_open ON tables (id) WHERE closed_ms IS NULL;
    CREATE TABLE events (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL,
        PRIMARY KEY (table_id, seq)
    ) WITHOUT ROWID;
    CREATE TABLE seeds (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        hand_id TEXT NOT NULL,
        seed BLOB NOT NULL,
        commitment TEXT NOT NULL,
        PRIMARY KEY (table_id, hand_id)
    ) WITHOUT ROWID;
    CREATE TABLE claims (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        token_hash BLOB NOT NULL,
        counter INTEGER NOT NULL,
        reply BLOB,
        PRIMARY KEY (table_id, actor)
    ) WITHOUT ROWID;
    """,
    # 2: what a record tells beside the events.
    """
    CREATE TABLE beaten (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        counter INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL,
        PRIMARY KEY (table_id, actor, counter)
    ) WITHOUT ROWID;
    CREATE TABLE corrections (
        id INTEGER PRIMARY KEY,
        match TEXT NOT NULL,
        entry TEXT NOT NULL
    );
    CREATE INDEX corrections_match ON corrections (match);
    """,
    # 3: where a restart begins.
    """
    CREATE TABLE snapshots (
        table_id INTEGER PRIMARY KEY REFERENCES tables (id),
        seq INTEGER NOT NULL,
        frame BLOB NOT NULL
    );
    """,
    # 4: plays that are sent to their players only.
    """
    CREATE TABLE whispers (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    );
    CREATE INDEX whispers_table ON whispers (table_id, seq, id);
    """,
    # 5: rows of several plays, which older programs would not understand.
    "-- the tables are as they were\n",
    # 6: events in the order of writing, so that those of many tables share a page.
    """
    ALTER TABLE events RENAME TO events_by_table;
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    );
    INSERT INTO events (table_id, seq, kind, at_us, at_ms, frame)
        SELECT table_id, seq, kind, at_us, at_ms, frame FROM events_by_table ORDER BY table_id, seq;
    DROP TABLE events_by_table;
    CREATE INDEX events_marks ON events (table_id, seq) WHERE kind NOT IN (0, 80);
    CREATE VIEW marks AS SELECT * FROM events WHERE kind NOT IN (0, 80);
    ALTER TABLE tables ADD COLUMN last_event INTEGER;
    CREATE TEMP TABLE lasts (table_id INTEGER PRIMARY KEY, id INTEGER);
    INSERT INTO lasts SELECT table_id, max(id) FROM events GROUP BY table_id;
    UPDATE tables SET last_event = (SELECT id FROM lasts WHERE table_id = tables.id)
        WHERE closed_ms IS NOT NULL;
    DROP TABLE lasts;
    """,
    # 7: the starts of a server that have written a table.
    """
    CREATE TABLE epochs (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        epoch TEXT NOT NULL
    );
    CREATE INDEX epochs_table ON epochs (table_id, id);
    """,
    # 8: several snapshots of a table; one seat and counter may have several lost races.
    """
    ALTER TABLE snapshots RENAME TO one_snapshot;
    CREATE TABLE snapshots (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        frame BLOB NOT NULL,
        PRIMARY KEY (table_id, seq)
    ) WITHOUT ROWID;
    INSERT INTO snapshots SELECT table_id, seq, coalesce(
        (SELECT max(at_us) FROM marks WHERE table_id = one_snapshot.table_id AND seq <= one_snapshot.seq), 0
    ), frame FROM one_snapshot;
    DROP TABLE one_snapshot;
    ALTER TABLE beaten RENAME TO one_beaten;
    CREATE TABLE beaten (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    );
    INSERT INTO beaten (table_id, actor, seq, at_us, at_ms, frame)
        SELECT table_id, actor, seq, at_us, at_ms, frame FROM one_beaten ORDER BY table_id, seq, at_us;
    DROP TABLE one_beaten;
    CREATE INDEX beaten_table ON beaten (table_id, seq);
    """,
    # 9: the banned players.
    """
    CREATE TABLE bans (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        name TEXT NOT NULL,
        token_hash BLOB NOT NULL,
        address_hash BLOB NOT NULL
    );
    CREATE INDEX bans_table ON bans (table_id, id);
    """,
    # 10: a time in the future.
    """
    CREATE TABLE clock (
        id INTEGER PRIMARY KEY,
        at_us INTEGER NOT NULL
    );
    """,
)
"""The migration to each version from the one before. Only add to this.

Columns of older files keep their places; the current layout has the same order.
"""

_STRICT_LAYOUT: Final = """
    CREATE TABLE tables (
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
    CREATE INDEX tables_open ON tables (id) WHERE closed_ms IS NULL;
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX events_marks ON events (table_id, seq) WHERE kind NOT IN (0, 80);
    CREATE VIEW marks AS SELECT * FROM events WHERE kind NOT IN (0, 80);
    CREATE TABLE whispers (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX whispers_table ON whispers (table_id, seq, id);
    CREATE TABLE seeds (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        hand_id TEXT NOT NULL,
        seed BLOB NOT NULL,
        commitment TEXT NOT NULL,
        PRIMARY KEY (table_id, hand_id)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE claims (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        token_hash BLOB NOT NULL,
        counter INTEGER NOT NULL,
        reply BLOB,
        PRIMARY KEY (table_id, actor)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE beaten (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX beaten_table ON beaten (table_id, seq);
    CREATE TABLE corrections (
        id INTEGER PRIMARY KEY,
        match TEXT NOT NULL,
        entry TEXT NOT NULL
    ) STRICT;
    CREATE INDEX corrections_match ON corrections (match);
    CREATE TABLE snapshots (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        frame BLOB NOT NULL,
        PRIMARY KEY (table_id, seq)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE epochs (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        epoch TEXT NOT NULL
    ) STRICT;
    CREATE INDEX epochs_table ON epochs (table_id, id);
    CREATE TABLE bans (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        name TEXT NOT NULL,
        token_hash BLOB NOT NULL,
        address_hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX bans_table ON bans (table_id, id);
    CREATE TABLE clock (
        id INTEGER PRIMARY KEY,
        at_us INTEGER NOT NULL
    ) STRICT;
"""


def layout(*, strict: bool) -> str:
    """Return the tables of a new file; not strict if this SQLite does not support that."""
    return _STRICT_LAYOUT if strict else re.sub(",? STRICT", "", _STRICT_LAYOUT)


LAYOUT: Final = layout(strict=sqlite3.sqlite_version_info >= (3, 37))
"""The tables of a new file: those of the migrations, strict if this SQLite supports that.

A strict table accepts values of its columns' types only. Older files keep tables that are not strict, so
reading checks the types as well (:mod:`.reader`).

- ``tables``: one row a table. ``number`` counts the server's tables, ``options`` are the initial ones.
  ``last_event`` is the last event of a closed table.
- ``events``: the logs of all tables in the order of writing, as encoded messages. ``kind`` is the message's
  number, or 0 for a row of several plays (:mod:`.play_runs`), which has the number and time of the last one.
  Times are those of the server's clock in microseconds and of the wall clock in milliseconds.
- ``marks``: the events other than plays, one among a hundred. An index finds them, and the plays of a table
  lie between its marks.
- ``whispers``: the plays of hands on identical deals, in order, after the event ``seq``.
- ``seeds``: the secret of each deal.
- ``claims``: the token hash of each seat (-1: a host without one), and its last command with the answer.
- ``beaten``: the refusals of lost races, after the event ``seq``.
- ``corrections``: corrections of a match, by its name, as the lines of its record.
- ``snapshots``: tables after the event ``seq``, between two hands. A restart begins with one, as does each
  stretch of a log whose beginning was deleted (:mod:`.compaction`).
- ``epochs``: the random names of the server's newest starts, in order, for each table with the number of the
  last event before that start.
- ``bans``: the kicked players, by token hash, and by name and address hash. Snapshots and events say which of
  these names still count.
- ``clock``: one row, while hands run, with a time that no restart goes back behind (:mod:`.timekeeper`).
"""

VERSION: Final = len(MIGRATIONS)
"""The version of the file that this program writes (``PRAGMA user_version``)."""

TABLES: Final = frozenset(
    (
        "tables",
        "events",
        "marks",
        "seeds",
        "claims",
        "beaten",
        "corrections",
        "snapshots",
        "whispers",
        "epochs",
        "bans",
        "clock",
    )
)
"""The tables of a file of this version; ``marks`` is a view."""
