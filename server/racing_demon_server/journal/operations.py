"""What can be written to a journal: a closed set of operations, each with plain values.

:mod:`.rows` and :mod:`.compaction` make them of what happens. Each store says what they are in its SQL.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

__all__ = ["Change", "Operation"]


class Operation(StrEnum):
    """What is written, with its values in their order. ``table`` is the table's number in the journal.

    Times are ``at_us``, microseconds on the server's clock, and ``at_ms``, milliseconds since 1970. A frame
    is a message as it is on the wire.
    """

    ADD_EVENT = "add event"
    """table, number of the (last) event, kind, at_us, at_ms, frame; see :mod:`.play_runs`."""
    ADD_WHISPER = "add whisper"
    """table, number of the event before, at_us, at_ms, frame: a play that its player alone is told."""
    KEEP_CLAIM = "keep claim"
    """table, actor, hash of the token, counter of the last command, frame of its answer or ``None``."""
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
    """table, name, hash of the token, hash of the address."""
    ADD_EPOCH = "add epoch"
    """table, number of the event before, name of the epoch."""
    FORGET_EPOCHS = "forget epochs"
    """table, how many of the newest stay."""
    OPEN_TABLE = "open table"
    """table, code, how-many-th of its server, options, salt, passphrase's hash or ``None``, software,
    version of the protocol, at_ms."""
    FORGET_UNUSED = "forget unused"
    """table: the one before it is deleted, if only its number was kept."""
    CLOSE_TABLE = "close table"
    """at_ms, table."""
    FORGET_CLOSED = "forget closed"
    """table: deletes what a closed table does not need for its matches."""
    ADD_SNAPSHOT = "add snapshot"
    """table, number of the event before, at_us, frame."""
    FOLD_LOBBY = "fold lobby"
    """table, number of the newest snapshot's event, at_us: deletes events that belong to no match, up to the
    newest snapshot that is older than both."""
    FORGET_SNAPSHOTS = "forget snapshots"
    """table, number of the newest snapshot's event, at_us: deletes snapshots that nothing begins with, older
    than the newest that is older than both."""


Change = tuple[Operation, Sequence[Any]]
"""An operation and its values."""
