"""Incarnations: each start of a server has a number, and can write until it is fenced."""

from collections.abc import Sequence
from typing import Final

from racing_demon_protocol import __version__
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_server.journal.interface import Fenced

from .connection import Database
from .rules_digests import supported_rules

LONGEST_WAIT: Final = 600
"""The most seconds that a server waits before it takes part."""
IDLE: Final = "30s"
"""How long a server that is frozen may hold a transaction, before the database ends it."""
BACKEND = "(SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())"


def register(db: Database, name: str, url: str = "", keys: Sequence[int] | None = None) -> int:
    """Add an incarnation and return its number; earlier ones with its name are fenced.

    It receives those of their tables that it can continue.

    Args:
        db: the connection over which the incarnation writes.
        name: the server's name.
        url: where players reach it.
        keys: the ids of its keys; ``None`` if they are not known.

    """
    with db.transaction():
        sql = (
            "INSERT INTO nodes (name, url, version, protocol, rules, keys, backend, backend_start) "  # noqa: S608 - of our own
            f"VALUES ($1, $2, $3, $4, $5, $6, pg_backend_pid(), {BACKEND}) RETURNING id"
        )
        rules, own_keys = supported_rules(), None if keys is None else list(keys)
        row = db.execute(sql, (name, url, __version__, VERSION, rules, own_keys)).fetchone()
        assert row is not None
        (node,) = row
        earlier = db.execute("SELECT id FROM nodes WHERE name = $1 AND NOT fenced AND id < $2", (name, node))
        for (other,) in earlier.fetchall():
            fence(db, other)
        db.execute(
            "UPDATE tables SET owner = $2 WHERE closed_ms IS NULL AND protocol = $3 "
            "AND coalesce((SELECT rules FROM nodes WHERE id = opener), '{}') <@ $4::text[] "
            "AND coalesce($5::int[] @> needed_keys(tables.id), true) "
            "AND owner IN (SELECT id FROM nodes WHERE name = $1 AND fenced)",
            (name, node, VERSION, rules, own_keys),
        )
    return int(node)


def is_superseded(db: Database, node: int) -> bool:
    """Return whether a newer start has the name of an incarnation, which remembers that if it is so."""
    updated = db.execute(
        "UPDATE nodes SET superseded = clock_timestamp() WHERE id = $1 AND fenced AND EXISTS "
        "(SELECT FROM nodes newer WHERE newer.name = nodes.name AND newer.id > nodes.id)",
        (node,),
    )
    return updated.rowcount > 0


def seconds_to_wait(db: Database, name: str) -> int:
    """Return how long a server with this name must wait before it takes part.

    Two that share a name by mistake fence each other, and supervisors start them again. Each time within the
    last hour that one found itself superseded while it ran doubles the time.
    """
    row = db.execute(
        "SELECT count(*) FROM nodes WHERE name = $1 AND superseded > clock_timestamp() - interval '1 hour'",
        (name,),
    ).fetchone()
    assert row is not None
    return min(2 ** min(row[0], 10), LONGEST_WAIT) if row[0] else 0


def renew(db: Database, node: int) -> None:
    """Let an incarnation write over a new connection, and end the earlier one.

    Raises:
        Fenced: it may never write again.

    """
    end_backend(db, node)
    sql = (
        f"UPDATE nodes SET backend = pg_backend_pid(), backend_start = {BACKEND} "  # noqa: S608 - of our own
        "WHERE id = $1 AND NOT fenced RETURNING id"
    )
    if db.execute(sql, (node,)).fetchone() is None:
        raise Fenced(f"incarnation {node} was fenced")


def fence(db: Database, node: int) -> bool:
    """Fence an incarnation, so that it can never write again; return whether it still could.

    All its connections are ended first: an open transaction of one that is frozen, or whose host has died,
    may hold a lock on its row, or what others have to wait for. All is sent at once: a database that answers
    late would otherwise take long for it.
    """
    with db.pipeline():
        end_backend(db, node)
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = $1 AND pid <> pg_backend_pid()",
            (application_name(node),),
        )
        fenced = db.execute(
            "UPDATE nodes SET fenced = true WHERE id = $1 AND NOT fenced RETURNING id", (node,)
        )
        return fenced.fetchone() is not None


def application_name(node: int) -> str:
    """Return what the connections of an incarnation are called, but for that of its journal."""
    return f"racing-demon node {node}"


def name_connection(db: Database, node: int) -> None:
    """Let an incarnation's connection end when that is fenced."""
    db.execute("SELECT set_config('application_name', $1, false)", (application_name(node),))


def limit_idleness(db: Database) -> None:
    """Let the database end a transaction in which a connection, perhaps a frozen server's, says nothing.

    Not for readers: who checks or exports a journal may think about one match for long.
    """
    db.execute("SELECT set_config('idle_in_transaction_session_timeout', $1, false)", (IDLE,))


def end_backend(db: Database, node: int) -> None:
    """End an incarnation's connection, because an unfinished transaction may hold a lock on its row."""
    db.execute(
        "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity "
        "JOIN nodes ON pid = backend AND pg_stat_activity.backend_start = nodes.backend_start "
        "WHERE nodes.id = $1 AND pid <> pg_backend_pid()",
        (node,),
    )
