"""What is written of one table: from what happened to rows."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from racing_demon_protocol import __version__
from racing_demon_protocol.codec import VERSION, encode
from racing_demon_protocol.messages.server import Refused, Snapshot
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.shuffle import commitment

from ..claims import Actor, Claim
from ..listener import Frames
from .writer import INSERT_EVENT, KEEP_CLAIM, Journal, Statement

__all__ = ["NOBODY", "TableJournal", "WallClock"]

NOBODY: Final = -1
"""Stands for a host without a seat, where seats have their numbers."""

WallClock = Callable[[], int]
"""Returns the milliseconds since 1970."""


class TableJournal:
    """The journal of one table.

    Args:
        journal: the server's.
        number: the table's number in it.
        wall_clock: tells the time.

    """

    def __init__(self, journal: Journal, number: int, wall_clock: WallClock) -> None:
        self._journal = journal
        self._id = number
        self._wall_clock = wall_clock

    @property
    def is_halted(self) -> bool:
        """Whether nothing can be written at the moment."""
        return self._journal.is_halted

    def open(self, code: str, number: int, options: Options, salt: bytes, passphrase: bytes | None) -> None:
        """Write down that the table was opened, as a server's how-many-th, and the hash of its passphrase."""
        row = (code, number, options.model_dump_json(), salt, passphrase)
        sql = "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"
        values = (self._id, *row, __version__, VERSION, self._wall_clock())
        self._journal.write([(sql, values)], _nothing)

    def close(self) -> None:
        """Write down that the table is closed for good."""
        sql = "UPDATE tables SET closed_ms = ? WHERE id = ?"
        self._journal.write([(sql, (self._wall_clock(), self._id))], _nothing)

    def write(self, statements: Sequence[Statement], told: Callable[[], None]) -> None:
        """Write down what belongs together, and call back when it is certain."""
        self._journal.write(statements, told)

    def statements(
        self,
        frames: Sequence[Frames],
        at: int,
        seeds: Iterable[tuple[str, bytes]],
        claims: Iterable[tuple[Actor, Claim | None]],
        snapshot: Snapshot | None = None,
    ) -> list[Statement]:
        """Return what is to be written of something that has happened.

        Args:
            frames: the events.
            at: when they happened, in microseconds.
            seeds: the secrets of hands that were dealt, by their ids.
            claims: the claims that have changed; ``None`` for one that is gone.
            snapshot: the table after all that, where no hand is played.

        """
        wall = self._wall_clock()
        statements: list[Statement] = [
            (
                INSERT_EVENT,
                (self._id, each.event.seq, each.event.TAG, at, wall, each.packed()),
            )
            if each.seat is None
            else (
                "INSERT INTO whispers VALUES (NULL, ?, ?, ?, ?, ?)",
                (self._id, each.event.seq, at, wall, each.packed()),
            )
            for each in frames
        ]
        for hand_id, seed in seeds:
            values = (self._id, hand_id, seed, commitment(seed, hand_id))
            statements.append(("INSERT INTO seeds VALUES (?, ?, ?, ?)", values))
        for actor, claim in claims:
            statements.append(self._claim(actor, claim))
            if actor is not None and claim is not None and isinstance(claim.reply, Refused):
                statements += self._beaten(actor, claim.reply, at, wall)
        if snapshot is not None:
            sql = "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)"
            statements.append((sql, (self._id, snapshot.seq, encode(snapshot))))
        return statements

    def _claim(self, actor: Actor, claim: Claim | None) -> Statement:
        key = (self._id, NOBODY if actor is None else actor)
        if claim is None:
            return "DELETE FROM claims WHERE table_id = ? AND actor = ?", key
        answer = claim.answer()
        values = (*key, claim.token_hash, claim.counter, None if answer is None else encode(answer))
        return KEEP_CLAIM, values

    def _beaten(self, actor: int, reply: Refused, at: int, wall: int) -> list[Statement]:
        """Return what keeps by how much a card came too late; nothing for other refusals."""
        if reply.reason is not Reason.BEATEN:
            return []
        sql = (
            "INSERT OR IGNORE INTO beaten SELECT ?, ?, ?, coalesce(max(seq), 0), ?, ?, ? "
            "FROM events WHERE table_id = ?"
        )
        return [(sql, (self._id, actor, reply.counter, at, wall, encode(reply), self._id))]


def _nothing() -> None:
    """Tell nobody."""
