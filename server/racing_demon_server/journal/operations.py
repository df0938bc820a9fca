"""The operations on a journal: a closed set, each with plain values.

:mod:`.table_journal` creates them. Each store has SQL for them; the SQL that all stores share is here. Its
parameters are ``?1``, ``?2`` and so on, as SQLite has them.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

from racing_demon_protocol.wire.messages.events import Committed, MatchOver


class Operation(StrEnum):
    """An operation, with its values in order. ``table`` is the table's number in the journal.

    Times are ``at_us``, microseconds on the server's clock, and ``at_ms``, milliseconds since 1970. A
    frame is an encoded message.
    """

    ADD_EVENT = "add event"
    """table, number of the (last) event, kind, at_us, at_ms, frame; see :mod:`.play_runs`."""
    ADD_WHISPER = "add whisper"
    """table, number of the event before, number of the last play since that event, at_us, at_ms, frame: a
    run of plays that are sent to their players only."""
    KEEP_CLAIM = "keep claim"
    """table, actor, token hash, counter of the last command, frame of its answer or ``None``."""
    KEEP_TIME = "keep time"
    """at_us: the clock's watermark."""
    DROP_CLAIM = "drop claim"
    """table, actor."""
    ADD_BEATEN = "add beaten"
    """table, actor, number of the event before, at_us, at_ms, frame of the refusal."""
    ADD_SEED = "add seed"
    """table, id of the hand, seed, commitment."""
    DROP_BANS = "drop bans"
    """table."""
    ADD_BAN = "add ban"
    """table, name, token hash, address hash."""
    ADD_EPOCH = "add epoch"
    """table, number of the event before, name of the epoch."""
    FORGET_EPOCHS = "forget epochs"
    """table, number of newest epochs to keep."""
    OPEN_TABLE = "open table"
    """table, code, number among the server's tables, options, salt, passphrase's hash or ``None``,
    software, version of the protocol, at_ms."""
    LIST_TABLE = "list table"
    """1, or 0 if the table is in no list and no announcement; table. New tables are listed."""
    REHASH = "rehash"
    """passphrase's hash, table."""
    FORGET_UNUSED = "forget unused"
    """table: deletes the table before it if that was only a number."""
    CLOSE_TABLE = "close table"
    """at_ms, table."""
    MOVE_TABLE = "move table"
    """table, number of the incarnation that has it from now on; in a database of many servers."""
    FORGET_CLOSED = "forget closed"
    """table: deletes what the matches of a closed table do not need."""
    ADD_SNAPSHOT = "add snapshot"
    """table, number of the event before, at_us, frame."""
    KEEP_CHECKPOINT = "keep checkpoint"
    """table, number of the event before, number of the last play since that event, id of the hand, salt,
    sealed frame: a table in mid-hand, in place of the one before."""
    DROP_CHECKPOINT = "drop checkpoint"
    """table."""
    FOLD_LOBBY = "fold lobby"
    """table, number of the newest snapshot's event, at_us: deletes events that belong to no match, up to
    the newest snapshot that is older than both."""
    FORGET_SNAPSHOTS = "forget snapshots"
    """table, number of the newest snapshot's event, at_us: deletes snapshots with which nothing begins,
    older than the newest that is older than both."""


Change = tuple[Operation, Sequence[Any]]
"""An operation and its values."""

_IS_NO_PLAY: Final = "kind NOT IN (0, 80)"
"""The condition of the index that finds all events except plays."""
MARKS: Final = f"table_id = ?1 AND {_IS_NO_PLAY}"
"""The events of a table other than plays."""
_KEPT: Final = "(SELECT max(seq) FROM snapshots WHERE table_id = ?1 AND seq < ?2 AND at_us <= ?3)"
"""The newest snapshot before one that delayed spectators have yet to see."""
_MATCH_END: Final = f"""coalesce(
    (SELECT seq FROM events WHERE {MARKS} AND kind = {MatchOver.TAG} ORDER BY seq DESC LIMIT 1), 0)"""  # noqa: S608
BEGINS: Final = f"""NOT EXISTS (
    SELECT 1 FROM events WHERE table_id = snapshots.table_id AND {_IS_NO_PLAY} AND seq = snapshots.seq)"""  # noqa: S608
"""Whether a stretch of a table's log begins with a snapshot."""
_IS_NO_BEGINNING: Final = f"""NOT (
    NOT EXISTS (SELECT 1 FROM events WHERE {MARKS} AND seq = snapshots.seq)
    AND EXISTS (SELECT 1 FROM events WHERE {MARKS} AND seq = snapshots.seq + 1))
"""  # noqa: S608
"""Whether no stretch of the log begins after a snapshot."""
_LAST_WORD: Final = f"""(SELECT seq FROM events WHERE {MARKS} AND kind IN ({MatchOver.TAG}, {Committed.TAG})
    ORDER BY seq DESC LIMIT 1)"""  # noqa: S608
IS_UNUSED: Final = f"NOT EXISTS (SELECT 1 FROM events WHERE {MARKS} AND kind = {Committed.TAG})"  # noqa: S608
"""Whether no hand of a table is kept."""

KEEP_CHECKPOINT: Final = (
    "INSERT INTO checkpoints VALUES (?1, ?2, coalesce(({last_play}), 0), ?4, ?5, ?6) "
    "ON CONFLICT (table_id) DO UPDATE SET seq = excluded.seq, last_play = excluded.last_play, "
    "hand_id = excluded.hand_id, salt = excluded.salt, frame = excluded.frame"
)
"""Each store finds the row of the last play in its own way."""

COMMON_SQL: Final[dict[Operation, Sequence[str]]] = {
    Operation.LIST_TABLE: ("UPDATE tables SET listed = ?1 WHERE id = ?2",),
    Operation.REHASH: ("UPDATE tables SET passphrase = ?1 WHERE id = ?2",),
    Operation.DROP_CLAIM: ("DELETE FROM claims WHERE table_id = ?1 AND actor = ?2",),
    Operation.ADD_BEATEN: (
        "INSERT INTO beaten (table_id, actor, seq, at_us, at_ms, frame) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
        "ON CONFLICT DO NOTHING",
    ),
    Operation.ADD_BAN: (
        "INSERT INTO bans (table_id, name, token_hash, address_hash) VALUES (?1, ?2, ?3, ?4)",
    ),
    Operation.ADD_EPOCH: (
        "INSERT INTO epochs (table_id, seq, epoch) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
    ),
    Operation.ADD_SNAPSHOT: (
        "INSERT INTO snapshots VALUES (?1, ?2, ?3, ?4) ON CONFLICT (table_id, seq) DO UPDATE SET "
        "at_us = excluded.at_us, frame = excluded.frame",
    ),
    Operation.DROP_CHECKPOINT: ("DELETE FROM checkpoints WHERE table_id = ?1",),
    Operation.DROP_BANS: ("DELETE FROM bans WHERE table_id = ?1",),
    Operation.FORGET_EPOCHS: (
        "DELETE FROM epochs WHERE table_id = ?1 AND id <= "
        "(SELECT id FROM epochs WHERE table_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
    ),
    Operation.FOLD_LOBBY: (f"DELETE FROM events WHERE {MARKS} AND seq > {_MATCH_END} AND seq <= {_KEPT}",),  # noqa: S608
    Operation.FORGET_SNAPSHOTS: (
        f"DELETE FROM snapshots WHERE table_id = ?1 AND seq < {_KEPT} AND {_IS_NO_BEGINNING}",  # noqa: S608
    ),
    Operation.FORGET_CLOSED: (
        f"DELETE FROM events WHERE {MARKS} AND seq > {_LAST_WORD} AND {_LAST_WORD} = {_MATCH_END}",  # noqa: S608
        f"DELETE FROM seeds WHERE table_id = ?1 AND {IS_UNUSED}",  # noqa: S608
        "DELETE FROM claims WHERE table_id = ?1",
        "DELETE FROM epochs WHERE table_id = ?1",
        "DELETE FROM bans WHERE table_id = ?1",
        "DELETE FROM checkpoints WHERE table_id = ?1",
        f"DELETE FROM events WHERE {MARKS} AND {IS_UNUSED}",  # noqa: S608
        f"DELETE FROM snapshots WHERE table_id = ?1 AND {_IS_NO_BEGINNING}",  # noqa: S608
    ),
}
"""Statements that all stores share. Closing a table needs more."""
