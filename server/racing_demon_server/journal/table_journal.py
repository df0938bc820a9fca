"""The journal of one table: turns events into changes, for any store."""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from racing_demon_protocol import __version__
from racing_demon_protocol.engine.commit_reveal import commitment
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import BETWEEN_MATCHES
from racing_demon_protocol.wire.codec import VERSION, pack
from racing_demon_protocol.wire.messages.events import Dealt, Played
from racing_demon_protocol.wire.messages.server import Refused, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.match.checkpoint import Checkpoint
from racing_demon_server.match.seat_tokens import Actor, SeatToken
from racing_demon_server.match.state import Ban

from .clock_watermark import ClockWatermark, ShiftedClockWatermark
from .interface import Journal
from .operations import Change, Operation
from .play_runs import MAX_RUN, RUN, encode_run
from .sealing import SALT_SIZE, checkpoint_name, sealed

MAX_EVENTS: Final = 256
"""A snapshot is written after this many events outside of hands."""
MAX_BYTES: Final = 16_384
"""A snapshot is written after this many bytes of such events."""


KNOWN_DEAL: Final = "known_deal"
"""What a table's initial options name besides, if its deal is given."""


def replace_by_snapshot(table_id: int, snapshot: Snapshot, at_us: int) -> list[Change]:
    """Return the operations that add a snapshot between two hands, and delete what it replaces.

    Snapshots are also written outside of hands, or a table's log would grow as its host changes options. A
    snapshot replaces all events before it, and the checkpoint of the hand that is over. Events that belong to
    no match (chat and changes in the lobby) are deleted. What remains of a log are stretches without gaps:
    each begins at the table's first event or after a snapshot, and each but the last ends with a match.

    Args:
        table_id: the table's number in the journal.
        snapshot: the table.
        at_us: the time, in microseconds on the server's clock.

    """
    seen_us = at_us - snapshot.options.watch_delay_us
    values = (table_id, snapshot.seq, seen_us)
    changes: list[Change] = [
        (Operation.ADD_SNAPSHOT, (table_id, snapshot.seq, at_us, pack(snapshot))),
        (Operation.DROP_CHECKPOINT, (table_id,)),
    ]
    if snapshot.phase in BETWEEN_MATCHES:
        changes.append((Operation.FOLD_LOBBY, values))
    return [*changes, (Operation.FORGET_SNAPSHOTS, values)]


MAX_EPOCHS = 16
"""The number of a table's epochs. A client that was last connected in an older one gets a snapshot."""


class Epochs:
    """The epochs of one table: the starts of a server that have written its log.

    Sequence numbers alone do not identify the history of a table: a server that continues from an older copy
    of its journal gives the same numbers to other events. So each start has a random name, its epoch.

    Attributes:
        current: the epoch that writes the log now.

    Args:
        begun: the table's epochs, oldest first, each with the number of the last event before it; the last
            one is current.

    """

    def __init__(self, begun: Iterable[tuple[str, int]]) -> None:
        begun = list(begun)
        self.current = begun[-1][0]
        self._ended = {epoch: end for (epoch, _), (_, end) in pairwise(begun)}

    def contain(self, epoch: str, seq: int) -> bool:
        """Return whether the log has the event that a client received with a number in an epoch.

        It has all events of the current epoch, and those of an earlier one up to its end. In a copy of the
        journal an epoch ends where the copy was made.
        """
        return epoch == self.current or seq <= self._ended.get(epoch, -1)


ADD_EVENT: Final = Operation.ADD_EVENT
"""Looked up once, because members of an enumeration are slow to look up."""
CHECKPOINT_EVENTS: Final = 2_000
"""Events of a hand between checkpoints. A restart reads that many in a thirtieth of a second."""
NOBODY: Final = -1
"""Stands for a host without a seat."""

Mark = tuple[int, list[EncodedEvent], int, tuple[int, int, int, int, int]]
"""How long a journal's changes, and its run of plays, were at some time, and its counts."""

WallClock = Callable[[], int]
"""Returns the milliseconds since 1970."""


class TableJournal:
    """The journal of one table. With a null journal it makes no rows.

    Attributes:
        number: the table's number in the journal.
        clock_watermark: the durable clock of its hands.
        seq: the number of the last event that was appended.

    Args:
        journal: the server's.
        number: the table's number in the journal.
        wall_clock: the wall clock.
        clock_watermark: the durable clock of its hands.

    """

    def __init__(
        self,
        journal: Journal,
        number: int,
        wall_clock: WallClock,
        clock_watermark: ClockWatermark | ShiftedClockWatermark,
    ) -> None:
        self.clock_watermark = clock_watermark
        self._journal = journal
        self.number = number
        self._wall_clock = wall_clock
        self._changes: list[Change] = []
        self._run: list[EncodedEvent] = []
        self._events = self._bytes = self.seq = self._whispers = self._since_checkpoint = 0

    def mark(self) -> Mark:
        """Return what has been appended so far, to go back to."""
        counts = self._events, self._bytes, self.seq, self._whispers, self._since_checkpoint
        return len(self._changes), self._run, len(self._run), counts

    def go_back(self, mark: Mark) -> None:
        """Forget what has been appended since, because something of it could not be."""
        length, self._run, plays, counts = mark
        del self._changes[length:], self._run[plays:]
        self._events, self._bytes, self.seq, self._whispers, self._since_checkpoint = counts

    @property
    def is_long(self) -> bool:
        """Whether it is time for another snapshot."""
        return self._events >= MAX_EVENTS or self._bytes >= MAX_BYTES

    @property
    def wants_checkpoint(self) -> bool:
        """Whether a hand has had enough events that another checkpoint is due."""
        return self._since_checkpoint >= CHECKPOINT_EVENTS

    @property
    def has_pending(self) -> bool:
        """Whether appended events are not written yet."""
        return bool(self._changes or self._run)

    def open(  # noqa: PLR0913 - what is kept of a new table
        self,
        code: str,
        number: int,
        options: Options,
        salt: bytes,
        passphrase: bytes | None,
        *,
        listed: bool = True,
        known_deal: str | None = None,
    ) -> None:
        """Write that the table was opened, with its number on this server and its passphrase's hash."""
        kept = options.model_dump(mode="json")
        if known_deal is not None:  # an older server must not go on with a table whose deal it does not know
            kept[KNOWN_DEAL] = known_deal
        row = (code, number, json.dumps(kept, separators=(",", ":")), salt, passphrase)
        values = (self.number, *row, __version__, VERSION, self._wall_clock())
        changes: list[Change] = [
            (Operation.OPEN_TABLE, values),
            (Operation.FORGET_UNUSED, (self.number,)),
        ]
        if not listed:
            changes.append((Operation.LIST_TABLE, (0, self.number)))
        self._journal.write(changes, lambda: None)

    def list_table(self, on_written: Callable[[], None]) -> None:
        """Write that the table is in the lists from now on, and call back when that is durable."""
        self._journal.write([(Operation.LIST_TABLE, (1, self.number))], on_written)

    def replace_passphrase(self, hash_: bytes) -> None:
        """Write another hash of the table's passphrase."""
        self._journal.write([(Operation.REHASH, (hash_, self.number))], lambda: None)

    def begin(self, epoch: str, seq: int, snapshot_seq: int, whispers: int = 0, plays: int = 0) -> None:
        """Record a new epoch that begins after an event, before anything else; keep only the newest epochs.

        Args:
            epoch: the epoch's name.
            seq: the number of the event.
            snapshot_seq: the number of the last event in the last snapshot; 0 without one.
            whispers: how many plays after the event were sent to their players only.
            plays: how many plays the running hand has had; after many of them, a checkpoint comes first.

        """
        self._since_checkpoint = plays
        self._events = seq - snapshot_seq
        self.seq, self._whispers = seq, whispers
        self._changes = [
            (Operation.ADD_EPOCH, (self.number, seq, epoch)),
            (Operation.FORGET_EPOCHS, (self.number, MAX_EPOCHS)),
        ]

    def close(self, on_written: Callable[[], None] = lambda: None) -> None:
        """Write that the table is closed for good, and delete what belongs to no match."""
        self.clock_watermark.track(self.number, 0)
        values = (self._wall_clock(), self.number)
        changes = [(Operation.CLOSE_TABLE, values), (Operation.FORGET_CLOSED, (self.number,))]
        self._journal.write(changes, on_written)

    def append(self, encoded: Sequence[EncodedEvent]) -> None:
        """Append events, to be written together with what was appended before."""
        if not self._journal.is_durable:
            return
        self._events += len(encoded)
        self._since_checkpoint += len(encoded)
        for each in encoded:
            is_play = type(each.event) is Played
            if not is_play:
                self._end_run()
            self.seq = each.event.seq
            self._whispers = 0 if each.seat is None else self._whispers + 1
            if not is_play:
                if type(each.event) is Dealt:
                    self._since_checkpoint = 0
                self._bytes += len(each.packed)
                self._changes.append(self._alone(each))
                continue
            self._run.append(each)
            if len(self._run) == MAX_RUN:
                self._end_run()

    def append_details(
        self,
        at: int,
        seeds: Iterable[tuple[str, bytes]] = (),
        seat_tokens: Iterable[tuple[Actor, SeatToken | None]] = (),
        snapshot: Snapshot | None = None,
        bans: Iterable[Ban] | None = None,
    ) -> None:
        """Append what events do not hold.

        Args:
            at: the time, in microseconds.
            seeds: the secrets of hands, by hand id.
            seat_tokens: the tokens that have changed; ``None`` for one that was dropped.
            snapshot: the table after all that, if no hand is being played.
            bans: all banned players, if they have changed.

        """
        if not self._journal.is_durable:
            return
        self._end_run()
        for hand_id, seed in seeds:
            values = (self.number, hand_id, seed, commitment(seed, hand_id))
            self._changes.append((Operation.ADD_SEED, values))
        for actor, seat_token in seat_tokens:
            self._changes.append(self._seat_token(actor, seat_token))
            if actor is not None and seat_token is not None and isinstance(seat_token.reply, Refused):
                self._changes += self._beaten(actor, seat_token.reply, at)
        if bans is not None:
            self._changes.append((Operation.DROP_BANS, (self.number,)))
            self._changes += [(Operation.ADD_BAN, (self.number, *ban)) for ban in bans]
        if snapshot is not None:
            self._events = self._bytes = 0
            self._changes += replace_by_snapshot(self.number, snapshot, at)

    def append_checkpoint(self, checkpoint: Checkpoint, secret: bytes) -> None:
        """Append the table in the middle of its hand.

        Args:
            checkpoint: the table.
            secret: the secret of the hand.

        """
        self._end_run()
        self._since_checkpoint = 0
        data = checkpoint._replace(whispers=self._whispers).packed()
        hand_id, salt = checkpoint.table.hand_id, secrets.token_bytes(SALT_SIZE)
        frame = sealed(secret, salt, checkpoint_name(self.number, self.seq, hand_id), data)
        values = (self.number, self.seq, self._whispers, hand_id, salt, frame)
        self._changes.append((Operation.KEEP_CHECKPOINT, values))

    def put_off_checkpoint(self) -> None:
        """Do without a checkpoint until as many events have followed again."""
        self._since_checkpoint = 0

    def write(self, on_written: Callable[[], None], until: int | None = 0) -> None:
        """Write atomically what was appended, and call back when it is durable.

        Args:
            on_written: the callback.
            until: until when, at least, times of the table are sent; ``None`` while a hand runs.

        """
        self._end_run()
        self.clock_watermark.track(self.number, until)
        changes, self._changes = self._changes, []
        self._journal.write(changes, on_written)

    def _end_run(self) -> None:
        """Make a row of consecutive plays, which are all public, or all private after the same event."""
        if not self._run:
            return
        run, self._run = self._run, []
        if len(run) == 1 and run[0].seat is None:
            self._changes.append(self._alone(run[0]))
            return
        plays = [(each.packed, each.at) for each in run]
        if run[0].seat is None:
            self._changes.append(self._event(run[-1].event.seq, RUN, *encode_run(plays)))
        else:
            frame, at = encode_run(plays, private=True)
            values = (self.number, self.seq, self._whispers, at, self._wall_clock(), frame)
            self._changes.append((Operation.ADD_WHISPER, values))

    def _alone(self, encoded: EncodedEvent) -> Change:
        return self._event(encoded.event.seq, encoded.event.TAG, encoded.packed, encoded.at)

    def _event(self, seq: int, kind: int, frame: bytes, at: int) -> Change:
        return ADD_EVENT, (self.number, seq, kind, at, self._wall_clock(), frame)

    def _seat_token(self, actor: Actor, seat_token: SeatToken | None) -> Change:
        key = (self.number, NOBODY if actor is None else actor)
        if seat_token is None:
            return Operation.DROP_CLAIM, key
        answer = seat_token.answer()
        values = (*key, seat_token.token_hash, seat_token.counter, None if answer is None else pack(answer))
        return Operation.KEEP_CLAIM, values

    def _beaten(self, actor: int, reply: Refused, at: int) -> Iterator[Change]:
        """Yield the operation that stores a lost race; nothing for other refusals."""
        if reply.reason is Reason.BEATEN:
            yield Operation.ADD_BEATEN, (self.number, actor, self.seq, at, self._wall_clock(), pack(reply))
