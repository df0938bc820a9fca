"""All SQL about nodes, their heartbeats, and the owners of tables."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import psycopg

from racing_demon_cluster.postgres.connection import NOW_MS, Database, connect
from racing_demon_cluster.postgres.nodes import fence, limit_idleness, name_connection
from racing_demon_cluster.postgres.schema import NOBODY

LOCK_TIMEOUT: Final = "1s"
"""How long a takeover waits for the last transaction of the dead node."""


LIVING_NODES: Final = (
    "SELECT id, name, url, inside, version, protocol, rules, keys, draining, coalesce(beat, 0), "
    "coalesce(load, 0) FROM nodes LEFT JOIN beats ON node = id WHERE NOT fenced ORDER BY id"
)
"""The columns of :class:`Node`, of all that are not fenced."""
REASSIGN_ORPHANS: Final = """
    WITH orphans AS (
        SELECT t.id, t.protocol, coalesce(opener.rules, '{}') AS rules, needed_keys(t.id) AS keys,
            row_number() OVER (ORDER BY t.id) AS place
        FROM tables t JOIN nodes n ON n.id = t.owner LEFT JOIN nodes opener ON opener.id = t.opener
        WHERE t.closed_ms IS NULL AND n.fenced
    ), heirs AS (
        SELECT o.id AS orphan, h.id AS heir, o.place, count(*) OVER (PARTITION BY o.id) AS many,
            row_number() OVER (PARTITION BY o.id ORDER BY b.load, h.id) - 1 AS rank
        FROM orphans o JOIN nodes h ON h.protocol = o.protocol AND h.rules @> o.rules
                AND coalesce(h.keys @> o.keys, true)
            JOIN beats b ON b.node = h.id
        WHERE NOT h.fenced AND NOT h.draining
    )
    UPDATE tables SET owner = heir FROM heirs WHERE tables.id = orphan AND rank = place % many
    RETURNING orphan
"""


KEY_USES: Final = """
    SELECT CASE WHEN n.fenced THEN 0 ELSE n.id END AS place, key_id, count(DISTINCT t.id)
    FROM seeds s JOIN tables t ON t.id = s.table_id JOIN nodes n ON n.id = t.owner
    WHERE closed_ms IS NULL GROUP BY place, key_id ORDER BY place, key_id
"""
DEVICE_KEYS: Final = (
    "SELECT encode(substr(device_key, 1, 3), 'hex') AS key, count(*) FROM devices GROUP BY key ORDER BY key"
)
"""What was sealed begins with the key's id (``seed_encryption``)."""


class Node(NamedTuple):
    """A running node.

    Attributes:
        id: its number.
        name: the name that the operator gave it.
        url: where players reach it.
        inside: where other servers reach it, as host and port; empty if it does not listen yet.
        version: its software's.
        protocol: the version of the protocol that it speaks.
        rules: digests of the rules of the games that it knows, and the extensions of the wire.
        keys: the ids of its keys, first that of the one that encrypts; ``None`` if it does not say.
        draining: whether it is handing over its tables.
        beat: how many heartbeats it has written.
        load: how many tables it had at its last heartbeat.

    """

    id: int
    name: str
    url: str
    inside: str
    version: str
    protocol: int
    rules: list[str]
    keys: list[int] | None
    draining: bool
    beat: int
    load: int

    def knows_rules_of(self, other: "Node") -> bool:
        """Return whether it can continue all tables of another node."""
        return self.protocol == other.protocol and set(other.rules) <= set(self.rules)

    def lacks_keys_of(self, other: "Node") -> bool:
        """Return whether it may be unable to open a table of another node."""
        return self.keys is not None and not set(other.keys or ()) <= set(self.keys)


class Overview(NamedTuple):
    """The result of one read of the database.

    Attributes:
        nodes: all that are not fenced.
        missing: open tables of the reading node that it did not know of.
        orphans: whether a fenced node has open tables.
        now_ms: the database's time, in milliseconds since 1970.

    """

    nodes: list[Node]
    missing: list[int]
    orphans: bool
    now_ms: int = 0


class TableOwner(NamedTuple):
    """Where an open table is: its number, its owner, and whether that is fenced."""

    table: int
    owner: int
    url: str
    inside: str
    fenced: bool


def store_address(db: Database, node: int, url: str, inside: str) -> None:
    """Store a node's address, as soon as it accepts connections."""
    db.execute("UPDATE nodes SET url = $1, inside = $2 WHERE id = $3", (url, inside, node))


def read_overview(
    db: Database, node: int, own: Sequence[int], *, orphans: bool, beats: bool = False
) -> Overview:
    """Return all nodes, and the tables that the reading node owns without knowing.

    All is sent at once, and so takes as long as one answer of the database.

    Args:
        db: the connection.
        node: the node that reads.
        own: the tables that it knows of.
        orphans: whether to look for tables of fenced nodes as well.
        beats: whether to write a heartbeat first.

    Raises:
        psycopg.Error: it is fenced, or the database cannot be reached.

    """
    with db.pipeline():
        if beats:
            db.execute("SELECT fence($1)", (node,))
            db.execute(
                "INSERT INTO beats VALUES ($1, 1, $2) "
                "ON CONFLICT (node) DO UPDATE SET beat = beats.beat + 1, load = excluded.load",
                (node, len(own)),
            )
        missing = db.execute(
            "SELECT id FROM tables WHERE owner = $1 AND closed_ms IS NULL AND id <> ALL($2) ORDER BY id",
            (node, list(own)),
        )
        is_orphaned = db.execute(
            "SELECT $1::bool AND EXISTS (SELECT FROM tables t JOIN nodes n ON n.id = t.owner "
            "WHERE t.closed_ms IS NULL AND n.fenced)",
            (orphans,),
        )
        living = db.execute(LIVING_NODES)
        now_ms = db.execute(f"SELECT {NOW_MS}")
    return Overview(
        list(map(Node._make, living.fetchall())),
        [table for (table,) in missing.fetchall()],
        orphans=is_orphaned.fetchone() == (True,),
        now_ms=_number(now_ms),
    )


def _number(cursor: psycopg.Cursor[tuple[Any, ...]]) -> int:
    row = cursor.fetchone()
    assert row is not None
    return int(row[0])


def nodes(db: Database) -> list[Node]:
    """Return all nodes that are not fenced."""
    return list(map(Node._make, db.execute(LIVING_NODES)))


def key_uses(db: Database) -> list[tuple[int, int, int]]:
    """Return how many open tables of each node need each key, as rows of node, key and number.

    The node is :data:`~racing_demon_cluster.postgres.schema.NOBODY` for tables that wait for one.
    """
    return [(node, key, tables) for node, key, tables in db.execute(KEY_USES)]


def device_keys(db: Database) -> list[tuple[str, int]]:
    """Return how many devices of players are sealed with each key."""
    return [(key, devices) for key, devices in db.execute(DEVICE_KEYS)]


def connect_as(node: int, url: str) -> Database:
    """Connect under the name of a node, by which others find and end the connection when they fence it.

    Raises:
        JournalUnusable: the database cannot be reached.

    """
    db = connect(url)
    limit_idleness(db)
    name_connection(db, node)
    return db


def take_over(db: Database, me: int, dead: int | None = None) -> int:
    """Fence a dead node, if one is named, and move tables of fenced nodes to running ones; return how many.

    Raises:
        psycopg.Error: another node did the same, or the database cannot be reached.

    """
    with db.pipeline(), db.transaction():
        db.execute("SELECT set_config('lock_timeout', $1, true)", (LOCK_TIMEOUT,))
        db.execute("SELECT fence($1)", (me,))
        if dead is not None:
            fence(db, dead)
        return reassign_orphans(db)


def reassign_orphans(db: Database) -> int:
    """Move tables of fenced nodes to running ones; return how many.

    Candidates are all nodes that are not draining, speak the table's protocol, know all rules of the node
    that opened it, and have all keys that its seeds need. They take turns, the least loaded first. A table
    without a candidate does not move.
    """
    moved = len(db.execute(REASSIGN_ORPHANS).fetchall())
    if moved:
        db.execute("NOTIFY racing_demon_owners")
    return moved


def set_draining(db: Database, node: int) -> None:
    """Assign no further tables to a node, and let it hand over those that it has."""
    db.execute("UPDATE nodes SET draining = true WHERE id = $1", (node,))


def give_back(db: Database, node: int, tables: Sequence[int]) -> None:
    """Leave tables that a node cannot open to one that can, as soon as there is one."""
    db.execute("UPDATE tables SET owner = $1 WHERE id = ANY($2) AND owner = $3", (NOBODY, list(tables), node))


def locate(db: Database, codes: Sequence[str]) -> dict[str, TableOwner]:
    """Return where the open tables with these codes are; codes without a table are left out."""
    rows = db.execute(
        "SELECT t.code, t.id, t.owner, n.url, n.inside, n.fenced "
        "FROM tables t JOIN nodes n ON n.id = t.owner WHERE t.code = ANY($1) AND t.closed_ms IS NULL",
        (list(codes),),
    )
    return {code: TableOwner(*where) for code, *where in rows}


def store_offsets(db: Database, node: int, offsets: Mapping[int, int]) -> None:
    """Store by how many microseconds the clocks of tables are ahead of their new node's clock."""
    db.execute(
        "UPDATE tables SET clock_node = $1, clock_offset_us = kept.offset_us "
        "FROM unnest($2::bigint[], $3::bigint[]) AS kept (id, offset_us) WHERE tables.id = kept.id",
        (node, list(offsets), list(offsets.values())),
    )
