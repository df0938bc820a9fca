"""What can be written to a journal: a closed set of operations, each with plain values.

:mod:`.rows` and :mod:`.compaction` create them. Each store has SQL for them.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

__all__ = ["Change", "Operation"]


class Operation(StrEnum):
    """An operation, with its values in order. ``table`` is the table's number in the journal.

    Times are ``at_us``, microseconds on the server's clock, and ``at_ms``, milliseconds since 1970. A
    frame is an encoded message.
    """

    ADD_EVENT = "add event"
    """table, number of the (last) event, kind, at_us, at_ms, frame; see :mod:`.play_runs`."""
    ADD_WHISPER = "add whisper"
    """table, number of the event before, at_us, at_ms, frame: a play that is sent to its player only."""
    KEEP_CLAIM = "keep claim"
    """table, actor, token hash, counter of the last command, frame of its answer or ``None``."""
    KEEP_TIME = "keep time"
    """at_us: a time that no restart goes back behind."""
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
    FORGET_UNUSED = "forget unused"
    """table: deletes the table before it if only its number was needed."""
    CLOSE_TABLE = "close table"
    """at_ms, table."""
    MOVE_TABLE = "move table"
    """table, number of the incarnation that has it from now on; in a database of many servers."""
    FORGET_CLOSED = "forget closed"
    """table: deletes what a closed table does not need for its matches."""
    ADD_SNAPSHOT = "add snapshot"
    """table, number of the event before, at_us, frame."""
    FOLD_LOBBY = "fold lobby"
    """table, number of the newest snapshot's event, at_us: deletes events that belong to no match, up to
    the newest snapshot that is older than both."""
    FORGET_SNAPSHOTS = "forget snapshots"
    """table, number of the newest snapshot's event, at_us: deletes snapshots with which nothing begins,
    older than the newest that is older than both."""


Change = tuple[Operation, Sequence[Any]]
"""An operation and its values."""
