"""What a journal need not keep: whatever a snapshot stands for that belongs to no match.

A table's log would grow for as long as its host changes options. So a snapshot is written now and then,
also where no hand ends. It stands for all events before it, and those that belong to no match are deleted:
what was said and changed in the lobby. What remains of a log are stretches. Each begins at the table's first
event or behind a snapshot, and each but the last ends with a match. In them no number is missing.
"""

from typing import Final

from racing_demon_protocol.reasons import Phase
from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages.events import Committed, MatchOver
from racing_demon_protocol.wire.messages.server import Snapshot

from .writer import Statement

__all__ = ["MOST_BYTES", "MOST_EVENTS", "closed", "opened", "snapped"]

MOST_EVENTS: Final = 256
"""After so many events outside of hands comes a snapshot."""
MOST_BYTES: Final = 16_384
"""So it does after so many bytes of them."""

_MARKS: Final = "table_id = ?1 AND kind NOT IN (0, 80)"
"""The events of a table that are no plays, in the words of the index that finds them."""

_ADD: Final = "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)"
_KEPT: Final = "(SELECT max(seq) FROM snapshots WHERE table_id = ?1 AND seq < ?2 AND at_us <= ?3)"
"""The newest snapshot before one; spectators with a delay have seen all that came before it."""
_MATCH_END: Final = f"""coalesce(
    (SELECT seq FROM events WHERE {_MARKS} AND kind = {MatchOver.TAG} ORDER BY seq DESC LIMIT 1), 0)"""  # noqa: S608
_FOLD_LOBBY: Final = f"DELETE FROM events WHERE {_MARKS} AND seq > {_MATCH_END} AND seq <= {_KEPT}"  # noqa: S608
_IS_NO_BEGINNING: Final = f"""NOT (
    NOT EXISTS (SELECT 1 FROM events WHERE {_MARKS} AND seq = snapshots.seq)
    AND EXISTS (SELECT 1 FROM events WHERE {_MARKS} AND seq = snapshots.seq + 1))
"""  # noqa: S608
"""Whether no stretch of the log begins behind a snapshot."""
_FORGET: Final = f"DELETE FROM snapshots WHERE table_id = ?1 AND seq < {_KEPT} AND {_IS_NO_BEGINNING}"  # noqa: S608

_LAST_WORD: Final = f"""(SELECT seq FROM events WHERE {_MARKS} AND kind IN ({MatchOver.TAG}, {Committed.TAG})
    ORDER BY seq DESC LIMIT 1)"""  # noqa: S608
_IS_UNUSED: Final = f"NOT EXISTS (SELECT 1 FROM events WHERE {_MARKS} AND kind = {Committed.TAG})"  # noqa: S608
"""Whether nothing is kept of any hand of a table."""
_CLOSE: Final = (
    f"DELETE FROM events WHERE {_MARKS} AND seq > {_LAST_WORD} AND {_LAST_WORD} = {_MATCH_END}",  # noqa: S608
    f"DELETE FROM seeds WHERE table_id = ?1 AND {_IS_UNUSED}",  # noqa: S608
    f"DELETE FROM events WHERE {_MARKS} AND {_IS_UNUSED}",  # noqa: S608
    f"DELETE FROM snapshots WHERE table_id = ?1 AND {_IS_NO_BEGINNING}",  # noqa: S608
    "DELETE FROM claims WHERE table_id = ?1",
    "DELETE FROM epochs WHERE table_id = ?1",
    "DELETE FROM bans WHERE table_id = ?1",
    # The newest table stays until there is a newer one, so that no other gets its number.
    f"DELETE FROM tables WHERE id = ?1 AND {_IS_UNUSED} AND id < (SELECT max(id) FROM tables)",  # noqa: S608
)

_BEFORE: Final = "(SELECT max(id) FROM tables WHERE id < ?1)"
_OPEN: Final = f"""DELETE FROM tables WHERE id = {_BEFORE} AND closed_ms IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM marks WHERE table_id = {_BEFORE})"""  # noqa: S608


def opened(table_id: int) -> list[Statement]:
    """Return what deletes the table before a new one, if only its number was kept."""
    return [(_OPEN, (table_id,))]


def snapped(table_id: int, snapshot: Snapshot, at_us: int) -> list[Statement]:
    """Return what adds a snapshot of a table between two hands, and deletes what is not needed any more.

    Args:
        table_id: the table's number in the journal.
        snapshot: the table as it is.
        at_us: when that was, in microseconds on the server's clock.

    """
    seen_us = at_us - 1_000 * snapshot.options.watch_delay_ms
    values = (table_id, snapshot.seq, seen_us)
    statements: list[Statement] = [(_ADD, (table_id, snapshot.seq, at_us, pack(snapshot)))]
    if snapshot.phase in {Phase.LOBBY, Phase.OVER}:
        statements.append((_FOLD_LOBBY, values))
    return [*statements, (_FORGET, values)]


def closed(table_id: int) -> list[Statement]:
    """Return what deletes whatever a table that is closed for good does not need for its matches."""
    return [(sql, (table_id,)) for sql in _CLOSE]
