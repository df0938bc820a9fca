"""Each operation in PostgreSQL's SQL. All of them can be repeated with the same values."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_server.journal.operations import COMMON_SQL, IS_UNUSED, KEEP_CHECKPOINT, Change, Operation
from racing_demon_server.journal.play_runs import RUN, plays_in

Statement = tuple[str, Sequence[Any]]
"""SQL, and its parameters."""

_SQL: Final[dict[Operation, Sequence[str]]] = COMMON_SQL | {
    Operation.KEEP_CLAIM: (
        "INSERT INTO claims VALUES ($1, $2, $3, $4, $5) ON CONFLICT (table_id, actor) DO UPDATE SET "
        "token_hash = excluded.token_hash, counter = excluded.counter, reply = excluded.reply",
    ),
    Operation.ADD_WHISPER: (
        f"INSERT INTO whispers (kind, table_id, seq, place, at_us, at_ms, frame) VALUES ({RUN}, "  # noqa: S608
        "$1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
    ),
    Operation.KEEP_CHECKPOINT: (
        KEEP_CHECKPOINT.format(
            last_play="SELECT id FROM whispers WHERE table_id = $1 AND (seq, place) <= ($2, $3) "
            "ORDER BY seq DESC, place DESC LIMIT 1"
        ),
    ),
    Operation.FORGET_UNUSED: (),  # numbers are never reused, so no row is needed to reserve one
    Operation.CLOSE_TABLE: (
        "UPDATE tables SET closed_ms = $1, last_event = (SELECT max(seq) FROM events WHERE table_id = $2) "
        "WHERE id = $2",
    ),
    Operation.FORGET_CLOSED: (
        *COMMON_SQL[Operation.FORGET_CLOSED],
        f"DELETE FROM tables WHERE id = $1 AND {IS_UNUSED}",  # noqa: S608
    ),
}
SQL: Final = {
    operation: [statement.replace("?", "$") for statement in statements]
    for operation, statements in _SQL.items()
}
"""All statements, with parameters as PostgreSQL has them."""

FENCE: Final = "SELECT fence($1)"
ADD_EVENTS: Final = (
    "INSERT INTO events (table_id, first, seq, frame, kind, at_us, at_ms, writer) "
    "SELECT *, $8::bigint FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bytea[], $5::int[], "
    "$6::bigint[], $7::bigint[])"
)
ADD_AGAIN: Final = ADD_EVENTS + " ON CONFLICT DO NOTHING"
VERIFY: Final = "SELECT verify_events($1::bigint[], $2::int[], $3::int[], $4::bytea[], $5::bigint)"
OPEN_TABLE: Final = (
    "INSERT INTO tables (id, code, number, options, salt, passphrase, software, protocol, opened_ms, owner, "
    "clock_node, opener) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10) ON CONFLICT (id) DO NOTHING"
)
ADD_SEED: Final = "INSERT INTO seeds VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING"
MOVE_TABLE: Final = "UPDATE tables SET owner = $2 WHERE id = $1 AND owner = $3"
KEEP_TIME: Final = (
    "INSERT INTO clock VALUES ($1, $2) ON CONFLICT (writer) DO UPDATE SET at_us = excluded.at_us"
)


def statements_for(
    changes: Sequence[Change], node: int, keys: ClusterKeys, *, again: bool
) -> Iterator[Statement]:
    """Yield the statements for changes, behind an incarnation's fence.

    Events come first, all in one statement, because deletions in the same batch never affect them.

    Args:
        changes: the changes.
        node: the incarnation.
        keys: encrypt seeds.
        again: whether they may have been written before.

    """
    yield FENCE, (node,)
    events = [
        (table_id, seq - plays_in(kind, frame) + 1, seq, frame, kind, at_us, at_ms)
        for operation, (table_id, seq, kind, at_us, at_ms, frame) in (
            change for change in changes if change[0] is Operation.ADD_EVENT
        )
    ]
    if events:
        columns = [list(column) for column in zip(*events, strict=True)]
        yield ADD_AGAIN if again else ADD_EVENTS, (*columns, node)
        if again:
            yield VERIFY, (*columns[:4], node)
    for operation, values in changes:
        match operation:
            case Operation.ADD_EVENT:
                pass
            case Operation.ADD_SEED:
                table_id, hand_id, seed, commitment = values
                yield ADD_SEED, (table_id, hand_id, *keys.encrypt(table_id, hand_id, seed), commitment)
            case Operation.KEEP_TIME:
                yield KEEP_TIME, (node, *values)
            case Operation.OPEN_TABLE:
                yield OPEN_TABLE, (*values, node)
            case Operation.MOVE_TABLE:
                yield MOVE_TABLE, (*values, node)
            case _:
                for sql in SQL[operation]:
                    yield sql, values
