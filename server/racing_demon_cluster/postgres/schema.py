"""The layout of the database. The first server creates it, or upgrades an older one."""

from typing import Final

import psycopg

from racing_demon_server.journal.interface import JournalUnusable

PARTITION: Final = 100_000
"""The number of tables in a partition of events, which can be exported and dropped as a whole."""

NOBODY: Final = 0
"""The fenced incarnation that owns tables which no server has, or which were given back."""

MIGRATIONS: Final = (
    f"""
    CREATE TABLE nodes (
        id bigserial PRIMARY KEY,
        name text NOT NULL,
        url text NOT NULL,
        version text NOT NULL,
        protocol int NOT NULL,
        backend int,
        backend_start timestamptz,
        draining bool NOT NULL DEFAULT false,
        fenced bool NOT NULL DEFAULT false
    );
    CREATE INDEX nodes_living ON nodes (name) WHERE NOT fenced;
    CREATE TABLE beats (node bigint PRIMARY KEY, beat bigint NOT NULL, load int NOT NULL);
    CREATE SEQUENCE table_numbers;
    CREATE TABLE tables (
        id bigint PRIMARY KEY,
        code text NOT NULL,
        number bigint NOT NULL,
        options text NOT NULL,
        salt bytea NOT NULL,
        passphrase bytea,
        software text NOT NULL,
        protocol int NOT NULL,
        opened_ms bigint NOT NULL,
        closed_ms bigint,
        last_event bigint,
        owner bigint NOT NULL
    );
    CREATE UNIQUE INDEX tables_code ON tables (code) WHERE closed_ms IS NULL;
    CREATE INDEX tables_owner ON tables (owner) WHERE closed_ms IS NULL;
    CREATE TABLE events (
        table_id bigint NOT NULL,
        first int NOT NULL,
        seq int NOT NULL,
        kind int NOT NULL,
        at_us bigint NOT NULL,
        at_ms bigint NOT NULL,
        writer bigint NOT NULL,
        frame bytea NOT NULL,
        PRIMARY KEY (table_id, first)
    ) PARTITION BY RANGE (table_id);
    CREATE INDEX events_marks ON events (table_id, seq) WHERE kind NOT IN (0, 80);
    CREATE TABLE whispers (
        id bigserial PRIMARY KEY,
        table_id bigint NOT NULL,
        seq int NOT NULL,
        at_us bigint NOT NULL,
        at_ms bigint NOT NULL,
        frame bytea NOT NULL,
        UNIQUE (table_id, seq, frame)
    );
    CREATE TABLE seeds (
        table_id bigint NOT NULL,
        hand_id text NOT NULL,
        key_id int NOT NULL,
        salt bytea NOT NULL,
        masked bytea NOT NULL,
        commitment text NOT NULL,
        PRIMARY KEY (table_id, hand_id)
    );
    CREATE TABLE claims (
        table_id bigint NOT NULL,
        actor int NOT NULL,
        token_hash bytea NOT NULL,
        counter bigint NOT NULL,
        reply bytea,
        PRIMARY KEY (table_id, actor)
    );
    CREATE TABLE beaten (
        id bigserial PRIMARY KEY,
        table_id bigint NOT NULL,
        actor int NOT NULL,
        seq int NOT NULL,
        at_us bigint NOT NULL,
        at_ms bigint NOT NULL,
        frame bytea NOT NULL,
        UNIQUE (table_id, seq, actor, frame)
    );
    CREATE TABLE corrections (id bigserial PRIMARY KEY, match text NOT NULL, entry text NOT NULL);
    CREATE INDEX corrections_match ON corrections (match);
    CREATE TABLE snapshots (
        table_id bigint NOT NULL,
        seq int NOT NULL,
        at_us bigint NOT NULL,
        frame bytea NOT NULL,
        PRIMARY KEY (table_id, seq)
    );
    CREATE TABLE epochs (
        id bigserial PRIMARY KEY,
        table_id bigint NOT NULL,
        seq int NOT NULL,
        epoch text NOT NULL,
        UNIQUE (table_id, epoch)
    );
    CREATE TABLE bans (
        id bigserial PRIMARY KEY,
        table_id bigint NOT NULL,
        name text NOT NULL,
        token_hash bytea NOT NULL,
        address_hash bytea NOT NULL
    );
    CREATE INDEX bans_table ON bans (table_id, id);
    CREATE TABLE clock (writer bigint PRIMARY KEY, at_us bigint NOT NULL);
    CREATE TABLE digests (match text PRIMARY KEY, ended_ms bigint NOT NULL, digest jsonb NOT NULL);
    CREATE UNLOGGED TABLE listings (
        table_id bigint PRIMARY KEY,
        game text NOT NULL,
        phase text NOT NULL,
        free int NOT NULL,
        locked bool NOT NULL,
        record jsonb NOT NULL
    );

    CREATE FUNCTION fence(node bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM 1 FROM nodes WHERE id = node AND NOT fenced FOR SHARE;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'server % was fenced', node USING ERRCODE = 'RD001';
        END IF;
    END $$;

    CREATE FUNCTION verify_events(tables bigint[], firsts int[], seqs int[], frames bytea[], node bigint)
    RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM 1 FROM unnest(tables, firsts, seqs, frames) AS sent (table_id, first, seq, frame)
            LEFT JOIN events USING (table_id, first)
            WHERE events.writer IS DISTINCT FROM node OR events.seq IS DISTINCT FROM sent.seq
                OR events.frame IS DISTINCT FROM sent.frame;
        IF FOUND THEN
            RAISE EXCEPTION 'another server has written events of these numbers' USING ERRCODE = 'RD002';
        END IF;
    END $$;

    CREATE FUNCTION take_numbers(most bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
    DECLARE number bigint; part bigint;
    BEGIN
        PERFORM pg_advisory_xact_lock(5252, 2);
        FOR i IN 1..most LOOP
            number := nextval('table_numbers');
            part := number / {PARTITION};
            IF to_regclass('events_' || part) IS NULL THEN
                EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES FROM (%s) TO (%s)',
                    part, part * {PARTITION}, (part + 1) * {PARTITION});
            END IF;
            RETURN NEXT number;
        END LOOP;
    END $$;
    """,
    """
    ALTER TABLE nodes ADD COLUMN inside text NOT NULL DEFAULT '';
    ALTER TABLE tables ADD COLUMN clock_node bigint, ADD COLUMN clock_offset_us bigint NOT NULL DEFAULT 0;
    """,
    """
    ALTER TABLE nodes ADD COLUMN rules text[] NOT NULL DEFAULT '{}';
    ALTER TABLE tables ADD COLUMN opener bigint;
    DROP TABLE digests;
    """,
    """
    CREATE TABLE codes (code text PRIMARY KEY, node bigint NOT NULL);
    CREATE FUNCTION reserve_codes(wanted text[], me bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
    DECLARE added text[];
    BEGIN
        PERFORM fence(me);
        DELETE FROM codes USING nodes WHERE nodes.id = codes.node AND nodes.fenced;
        WITH new AS (
            INSERT INTO codes SELECT sent, me FROM unnest(wanted) AS sent ORDER BY sent
            ON CONFLICT DO NOTHING RETURNING code
        ) SELECT array_agg(code) INTO added FROM new;
        -- Asked last: a code that another server used just now is in the one table or in the other.
        RETURN QUERY WITH used AS (
            DELETE FROM codes USING tables
            WHERE closed_ms IS NULL AND tables.code = ANY(added) AND codes.code = tables.code
            RETURNING codes.code
        ) SELECT unnest(added) EXCEPT SELECT code FROM used;
    END $$;
    CREATE FUNCTION use_code() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO codes VALUES (NEW.code, NEW.owner) ON CONFLICT DO NOTHING;
        DELETE FROM codes WHERE code = NEW.code AND node = NEW.owner;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'another server has reserved code %', NEW.code USING ERRCODE = '23505';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER use_code BEFORE INSERT ON tables FOR EACH ROW EXECUTE FUNCTION use_code();
    """,
    # Servers of older layouts may still write: columns that they omit have defaults, and runs have other
    # places.
    """
    ALTER TABLE whispers ADD COLUMN place int NOT NULL DEFAULT 0, ADD COLUMN kind int NOT NULL DEFAULT 80;
    ALTER TABLE whispers DROP CONSTRAINT whispers_table_id_seq_frame_key;
    CREATE UNIQUE INDEX whispers_place ON whispers (table_id, seq, place, md5(frame));
    CREATE TABLE checkpoints (
        table_id bigint PRIMARY KEY,
        seq int NOT NULL,
        last_play bigint NOT NULL,
        hand_id text NOT NULL,
        salt bytea NOT NULL,
        frame bytea NOT NULL
    );
    """,
    """
    ALTER TABLE tables ADD COLUMN has_results bool NOT NULL DEFAULT false;
    CREATE INDEX tables_unfinished ON tables (id) WHERE closed_ms IS NOT NULL AND NOT has_results;
    CREATE INDEX tables_finished ON tables (closed_ms) WHERE has_results;
    CREATE TABLE results (
        id bigserial PRIMARY KEY,
        journal text NOT NULL,
        match text COLLATE "C" NOT NULL,
        link text NOT NULL UNIQUE,
        is_over int NOT NULL,
        game text NOT NULL,
        preset text NOT NULL,
        started_ms bigint,
        ended_ms bigint,
        summary text NOT NULL,
        UNIQUE (journal, match)
    );
    CREATE INDEX results_ended ON results (ended_ms, id);
    CREATE TABLE pruned (table_id bigint PRIMARY KEY);
    """,
    """
    CREATE TABLE player_server (id text NOT NULL);
    CREATE TABLE players (
        id text PRIMARY KEY,
        name text NOT NULL,
        created_ms bigint NOT NULL,
        seen_ms bigint NOT NULL,
        has_played int NOT NULL,
        merged_into text NOT NULL
    );
    CREATE INDEX players_idle ON players (seen_ms) WHERE has_played = 0;
    CREATE INDEX players_merged ON players (merged_into) WHERE merged_into <> '';
    CREATE TABLE devices (
        number bigserial PRIMARY KEY,
        player text NOT NULL,
        device_key bytea NOT NULL UNIQUE,
        label text NOT NULL,
        added_ms bigint NOT NULL,
        seen_ms bigint NOT NULL,
        is_linked int NOT NULL
    );
    CREATE INDEX devices_player ON devices (player);
    CREATE TABLE device_codes (
        player text PRIMARY KEY,
        name text NOT NULL,
        code bytea NOT NULL,
        until_ms bigint NOT NULL,
        wrong int NOT NULL
    );
    CREATE TABLE seatings (
        id bigserial PRIMARY KEY,
        journal text NOT NULL,
        table_id bigint NOT NULL,
        seat int NOT NULL,
        at_ms bigint NOT NULL,
        player text NOT NULL,
        device bigint NOT NULL
    );
    CREATE INDEX seatings_table ON seatings (journal, table_id, at_ms);
    CREATE INDEX seatings_player ON seatings (player);
    CREATE TABLE player_changes (id bigserial PRIMARY KEY, player text NOT NULL, added bigint NOT NULL);
    """,
    "ALTER TABLE tables ADD COLUMN listed int NOT NULL DEFAULT 1;",
    """
    ALTER TABLE nodes ADD COLUMN keys int[];
    INSERT INTO nodes (id, name, url, version, protocol, fenced) VALUES (0, '', '', '', 0, true);
    CREATE FUNCTION needed_keys(number bigint) RETURNS int[] LANGUAGE sql STABLE AS $$
        SELECT coalesce(array_agg(DISTINCT key_id), '{}') FROM seeds WHERE table_id = number
    $$;
    """,
    """
    CREATE TABLE wrong_codes (
        id bigserial PRIMARY KEY,
        player text NOT NULL,
        guesser bytea NOT NULL,
        wrong int NOT NULL,
        UNIQUE (player, guesser)
    );
    """,
    "ALTER TABLE nodes ADD COLUMN superseded timestamptz;",
    """
    CREATE TABLE server_bans (
        kind text NOT NULL,
        subject text NOT NULL,
        made bigint NOT NULL,
        until bigint NOT NULL,
        reason text NOT NULL,
        PRIMARY KEY (kind, subject)
    );
    """,
    """
    CREATE TABLE operator_orders (
        id bigserial PRIMARY KEY,
        at bigint NOT NULL,
        kind text NOT NULL,
        text text NOT NULL
    );
    """,
    """
    CREATE TABLE hand_notes (
        journal text NOT NULL,
        match text COLLATE "C" NOT NULL,
        hand int NOT NULL,
        notes text NOT NULL,
        PRIMARY KEY (journal, match, hand)
    );
    """,
)
"""The statements that make each version of the layout from the one before. Only add to them.

Columns are those of SQLite's file (:mod:`~racing_demon_server.journal.sqlite.database`), with these
differences. ``nodes``: one row for each start of a server, an incarnation; one that is ``fenced`` never
writes again; ``rules`` are what it can continue: digests of rules, and extensions; ``keys`` are the ids of
those that it has, if it says so; ``superseded``: when it found a newer start of its name.
``tables.owner``: what plays a table; ``opener``: the one that opened it, if its rules are known. The table's
clock is ahead of that of the incarnation ``clock_node`` by ``clock_offset_us``.
``events``: keyed by the first number of a row, so that two
writers who continue from the same event always collide; ``writer`` is the incarnation.
``whispers``: runs of private plays, too; ``place`` counts them since the event ``seq``.
``seeds``: encrypted, see :mod:`~racing_demon_cluster.seed_encryption`. ``clock``: a row for each incarnation.
``codes``: those that incarnations have reserved for new tables.
``results`` and ``hand_notes``: what is remembered of matches, as in :mod:`~racing_demon_server.results.file`;
``tables.has_results``: whether a closed table has all of them. ``pruned``: tables that were deleted, but
for their logs. ``players`` and what follows: as in :mod:`~racing_demon_server.players.file`, with keys and
codes encrypted. ``server_bans``: the operator's, for all servers. ``operator_orders``: what all servers
shall do with all tables, and when that was said. ``beats`` and ``listings``: for the servers of a cluster;
the last is rebuilt after a crash.
"""

VERSION: Final = len(MIGRATIONS)
"""The version of the layout that this program writes."""


def migrate(db: psycopg.Connection[tuple[object, ...]]) -> None:
    """Create the layout or upgrade an older one; other servers wait meanwhile.

    Raises:
        JournalUnusable: a newer version made it.

    """
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(5252, 1)")
        version = _version(db)
        if version >= VERSION:
            verify_version(db)
            return
        if not version:
            db.execute("CREATE TABLE IF NOT EXISTS layout (version int NOT NULL)")
            db.execute("INSERT INTO layout VALUES (0)")
        for statements in MIGRATIONS[version:]:
            db.execute(statements.encode())
        db.execute("UPDATE layout SET version = $1", (VERSION,))


def verify_version(db: psycopg.Connection[tuple[object, ...]]) -> None:
    """Verify that this program knows the layout.

    Raises:
        JournalUnusable: there is none, or it is of another version.

    """
    version = _version(db)
    if not version:
        raise JournalUnusable("There is no journal in this database yet. A server creates it when it starts.")
    if version < VERSION:
        raise JournalUnusable("The journal has an older layout. A server upgrades it when it starts.")
    if version > VERSION:
        raise JournalUnusable(
            f"The journal was made by a newer version (layout {version}, known here: {VERSION}). "
            "Update this program."
        )


def _version(db: psycopg.Connection[tuple[object, ...]]) -> int:
    is_there = db.execute("SELECT to_regclass('layout') IS NOT NULL").fetchone()
    if is_there != (True,):
        return 0
    row = db.execute("SELECT version FROM layout").fetchone()
    return 0 if row is None else int(str(row[0]))
