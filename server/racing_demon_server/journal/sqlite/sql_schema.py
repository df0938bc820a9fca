"""The layout of the file: its tables as they are made today, and how older ones come to be like that."""

import re
import sqlite3
from typing import Final

__all__ = ["APPLICATION_ID", "LAYOUT", "MIGRATIONS", "TABLES", "VERSION", "layout"]

APPLICATION_ID: Final = int.from_bytes(b"RDJ1", "big")
"""What tells the file from other people's databases (``PRAGMA application_id``)."""

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
    # 4: plays that are told to their players alone.
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
    # 5: rows that hold several plays, which older programs would not understand.
    "-- the tables are as they were\n",
    # 6: events in the order in which they were written, so that those of many tables lie on a page together.
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
    # 7: which starts of a server have written a table.
    """
    CREATE TABLE epochs (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        epoch TEXT NOT NULL
    );
    CREATE INDEX epochs_table ON epochs (table_id, id);
    """,
    # 8: several snapshots of a table; what was beaten is no longer one thing for a seat and a counter.
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
    # 9: who was sent away.
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
    # 10: a time that was still to come.
    """
    CREATE TABLE clock (
        id INTEGER PRIMARY KEY,
        at_us INTEGER NOT NULL
    );
    """,
)
"""What makes each version of the file from the one before. Nothing here is ever changed: only added to.

Columns that older files have keep the place that they got then; today's layout has the same order.
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
    """Return what makes the tables of a new file; not strict ones for an SQLite that knows none."""
    return _STRICT_LAYOUT if strict else re.sub(",? STRICT", "", _STRICT_LAYOUT)


LAYOUT: Final = layout(strict=sqlite3.sqlite_version_info >= (3, 37))
"""The tables of a new file: those that the migrations make, and strict where this SQLite knows that.

A strict table takes no value of another type than its column's. Files that were made before keep tables
that are not, so whatever is read is checked as well (:mod:`.reader`).

``tables``: one row a table; ``number`` is the how-many-th of its server it is, ``options`` are those it was
opened with; no event of a closed one comes after ``last_event``. ``events``: the logs as they are on the wire
(``kind`` is the message's number), with the time on the server's clock in microseconds and that of the wall
in milliseconds; a row of the kind 0 has several plays, with the number of the last and the newest time
(:mod:`.play_runs`). They lie as they were written, those of all tables together. ``marks``: those that are no
plays, one among a hundred; an index finds them, and the plays of a table lie between its own. ``whispers``:
the plays of hands of identical deals, behind the event ``seq``, in their order. ``seeds``: the secret of each
deal. ``claims``: who may speak for a seat (-1: a host without one), and the last command of each with its
answer. ``beaten``: what those were told whose card came too late, behind the event ``seq``. ``corrections``:
what was said of a match afterwards, by the match's name, as the lines of its record. ``snapshots``: tables
after the event ``seq``, between two hands. A restart begins with one, and so does each stretch of a log whose
beginning was deleted (:mod:`.compaction`). ``epochs``: the random names of the newest starts of the server,
for each table with the number of the last event before that start, in their order. ``bans``: who was
sent away, and comes in again neither by the token nor by the name from the address. Which of these names
still count, the snapshots and events say. ``clock``: one row, while hands run, with a time of the server
that no restart goes back behind (:mod:`.timekeeper`).
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
"""What must be in a file of this version, ``marks`` as a view."""
