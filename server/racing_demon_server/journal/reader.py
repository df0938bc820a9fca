"""Reads tables from a journal, in any store."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from racing_demon_protocol.engine.commit_reveal import SEED_SIZE, matches_commitment
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages.base import Hash
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Seated, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.checkpoint import Checkpoint
from racing_demon_server.match.seat_tokens import Actor, SeatToken
from racing_demon_server.match.state import Ban

from .interface import JournalReader, Row, StoredTable
from .play_runs import RUN, BrokenRun, StoredPlay, decode_run, is_private
from .sealing import BrokenSeal, checkpoint_name, opened
from .table_journal import KNOWN_DEAL, NOBODY

if TYPE_CHECKING:
    from racing_demon_protocol.records.format import Correction, TimedMessage


class UnknownContents(Exception):
    """The contents cannot be read: another version wrote them, or they are damaged."""


class OtherVersion(UnknownContents):
    """A table needs a server with another version of the protocol."""


class StoredEvent(NamedTuple):
    """An event with its times: microseconds on the server's clock, milliseconds since 1970."""

    event: Event
    at_us: int
    at_ms: int


LAST: Final = 2**31 - 1
"""The highest number of an event, or of rows."""
NEWEST_US: Final = 2**63 - 1
"""The latest time."""

_COLUMNS: Final = (
    *((int,), (str,), (int,), (str,), (bytes,), (bytes, NoneType), (str,), (int,), (int,)),
    *((int, NoneType), (int, NoneType), (int,)),
)
"""The types of a :class:`StoredTable`."""
_KNOWN_DEAL: Final[TypeAdapter[str | None]] = TypeAdapter(Hash | None)
_KINDS: Final = {int: "a number", str: "a text", bytes: "a row of bytes"}
_KEPT: Final = ((int,), (int,), (int,), (int,), (bytes,))
"""The types of an event's number, kind, two times and frame."""


def _verify_row(what: str, row: Sequence[object], columns: Sequence[tuple[type, ...]]) -> None:
    """Check the types of a row: SQLite does so only in new and undamaged files."""
    for value, kinds in zip(row, columns, strict=True):
        if type(value) not in kinds:
            raise UnknownContents(f"{what} has {value!r:.40} where {_KINDS[kinds[0]]} belongs")


def _verified(rows: Iterable[Row], what: str, *columns: tuple[type, ...]) -> Iterator[Row]:
    """Yield rows whose types are right."""
    for row in rows:
        _verify_row(what, row, columns)
        yield row


def verify(table: StoredTable) -> None:
    """Check that a table's row can be used.

    Raises:
        UnknownContents: a value has the wrong type.

    """
    _verify_row("its row", table, _COLUMNS)
    try:
        Seated(code=table.code)
    except ValidationError as error:
        raise UnknownContents("its code is none") from error


def options_of(table: StoredTable) -> Options:
    """Return the options with which a table was opened.

    Raises:
        UnknownContents: they cannot be read.

    """
    return _opened(table)[0]


def opened_table(table: StoredTable) -> TableState:
    """Return a table as it was opened, before its first event.

    Raises:
        UnknownContents: its options cannot be read.

    """
    options, known_deal = _opened(table)
    return TableState(table.code, options, locked=table.passphrase is not None, known_deal=known_deal)


def known_deal_of(table: StoredTable) -> str | None:
    """Return the seed of all hands of a table that was opened on a given deal; ``None`` for any other.

    Raises:
        UnknownContents: it cannot be read.

    """
    return _opened(table)[1]


def _opened(table: StoredTable) -> tuple[Options, str | None]:
    """Return how a table was opened."""
    try:
        kept = json.loads(table.options)
        known_deal = kept.pop(KNOWN_DEAL, None)
        return Options.model_validate(kept), _KNOWN_DEAL.validate_python(known_deal)
    except (ValueError, AttributeError) as error:  # a ValidationError is a ValueError
        raise UnknownContents("its options are unknown here") from error


def log_of(
    journal: JournalReader,
    table_id: int,
    *,
    kinds: frozenset[int] = frozenset(),
    first: int = 1,
    last: int = LAST,
) -> Iterator[StoredEvent]:
    """Yield the events of a table between two numbers: all, or those of some kinds other than plays.

    Without kinds, plays that were sent to their players only follow the event whose number they have.

    Raises:
        UnknownContents: one cannot be read.

    """
    rows = journal.marks(table_id, kinds, first, last) if kinds else journal.events(table_id, first, last)
    return _events(rows, first, last)


def further_log_of(
    journal: JournalReader, table_id: int, first: int, last: int, skipped: int
) -> Iterator[StoredEvent]:
    """Yield the events of a table between two numbers as :func:`log_of` does, without the first ones.

    Args:
        journal: the journal.
        table_id: the table.
        first: the first number.
        last: the last number.
        skipped: how many events are left out.

    Raises:
        UnknownContents: one cannot be read.

    """
    return _events(journal.events(table_id, first, last), first, last, skipped)


def rest_of(journal: JournalReader, table_id: int, first: int) -> Iterator[StoredEvent]:
    """Yield the events of a table from a number on, without the private plays in its checkpoint.

    Raises:
        UnknownContents: one cannot be read.

    """
    return _events(journal.events(table_id, first, LAST, rest=True), first, LAST)


def private_plays_after(journal: JournalReader, table_id: int, seq: int) -> int:
    """Return how many plays that only their players saw follow an event; -1 if the log does not have it.

    Raises:
        UnknownContents: something there cannot be read.

    """
    count = 0
    for row in journal.events(table_id, seq, seq):
        _verify_row(f"event {row[0]}", row, _KEPT)
        last, kind, at_us, _, frame = row
        plays = len(_parted(last, StoredPlay(frame, at_us))) if kind == RUN else 1
        if kind == RUN and is_private(frame):
            count += plays if last == seq else 0
        elif last - plays < seq <= last:
            count += 1
    return count - 1


def _events(rows: Iterable[Row], first: int, last: int, skipped: int = 0) -> Iterator[StoredEvent]:
    for row in rows:
        _verify_row(f"event {row[0]}", row, _KEPT)
        seq, kind, at_us, at_ms, frame = row
        stored = StoredPlay(frame, at_us)
        plays = _parted(seq, stored) if kind == RUN else [stored]
        has_numbers = kind != RUN or not is_private(frame)
        for number, play in enumerate(plays, seq - len(plays) + 1):
            own = number if has_numbers else seq
            if not first <= own <= last:
                continue
            if skipped:
                skipped -= 1
            else:
                yield StoredEvent(_event(own, play.frame), play.at_us, at_ms)


def _parted(seq: int, run: StoredPlay) -> list[StoredPlay]:
    try:
        return list(decode_run(run))
    except BrokenRun as error:
        raise UnknownContents(f"what stands up to event {seq} is {error}") from error


def _decoded(frame: bytes, what: str) -> Message:
    try:
        return decode_server(frame)
    except InvalidFrame as error:
        raise UnknownContents(f"{what} is not understood: {error}") from error


def _event(seq: int, frame: bytes) -> Event:
    event = _decoded(frame, f"event {seq}")
    if not isinstance(event, Event) or event.seq != seq:
        raise UnknownContents(f"what stands as event {seq} is none")
    return event


def beaten_of(
    journal: JournalReader, table_id: int, *, first: int = 1, last: int = LAST
) -> Iterator[tuple[int, "TimedMessage"]]:
    """Yield the lost races of a table, each with the number of the event before it.

    Raises:
        UnknownContents: one cannot be read.

    """
    from racing_demon_protocol.records.format import TimedMessage  # noqa: PLC0415 - no server needs records to be read

    rows = journal.beaten(table_id, first, last)
    for seq, actor, at_us, at_ms, frame in _verified(
        rows, "what somebody was told whose card came too late", *_KEPT
    ):
        reply = _reply(frame)
        assert reply is not None
        yield seq, TimedMessage(reply, at_us, at_ms, actor)


def corrections_of(journal: JournalReader, match: str) -> "list[Correction]":
    """Return the corrections of a match, by its name.

    Raises:
        UnknownContents: one cannot be read.

    """
    from racing_demon_protocol.records.format import Correction  # noqa: PLC0415

    try:
        return [Correction.model_validate_json(entry) for (entry,) in journal.corrections(match)]
    except ValidationError as error:
        raise UnknownContents(f"a correction of match {match} is not understood") from error


def seeds_of(journal: JournalReader, table_id: int) -> dict[str, bytes]:
    """Return the secrets of a table's hands, by hand id.

    Raises:
        UnknownContents: one is invalid, or not what its commitment promised: it would deal other cards.

    """
    seeds: dict[str, bytes] = {}
    rows = _verified(journal.seeds(table_id), "the secret of a hand", (str,), (bytes,), (str,))
    for hand_id, seed, promised in rows:
        if len(seed) != SEED_SIZE or not matches_commitment(seed, hand_id, promised):
            raise UnknownContents(f"the seed of hand {hand_id:.40} is not the one that was promised")
        seeds[hand_id] = seed
    return seeds


def claims_of(journal: JournalReader, table_id: int) -> dict[Actor, SeatToken]:
    """Return the seat tokens of a table, with their last answers.

    Raises:
        UnknownContents: one cannot be read.

    """
    seat_tokens: dict[Actor, SeatToken] = {}
    kinds = (int,), (bytes,), (int,), (bytes, NoneType)
    for actor, token_hash, counter, reply in _verified(journal.claims(table_id), "a claim", *kinds):
        seat_tokens[None if actor == NOBODY else actor] = SeatToken(token_hash, counter, _reply(reply))
    return seat_tokens


def bans_of(journal: JournalReader, table_id: int) -> list[Ban]:
    """Return the banned players of a table.

    Raises:
        UnknownContents: one is invalid.

    """
    rows = _verified(journal.bans(table_id), "a player who was sent away", (str,), (bytes,), (bytes,))
    return [Ban(*row) for row in rows]


def epochs_of(journal: JournalReader, table_id: int) -> list[tuple[str, int]]:
    """Return the epochs of a table, each with the number of the last event before it.

    Raises:
        UnknownContents: one is invalid.

    """
    rows = _verified(journal.epochs(table_id), "a start of the server", (str,), (int,))
    return [(epoch, seq) for epoch, seq in rows]


def checkpoint_of(journal: JournalReader, table_id: int, seeds: Mapping[str, bytes]) -> Checkpoint | None:
    """Return the checkpoint of a table; ``None`` if it has none.

    Args:
        journal: the journal.
        table_id: the table.
        seeds: the secrets of its hands.

    Raises:
        UnknownContents: it cannot be read: another version wrote it, or it is damaged.

    """
    rows = journal.checkpoint(table_id)
    for seq, hand_id, salt, frame in _verified(rows, "its checkpoint", (int,), (str,), (bytes,), (bytes,)):
        if hand_id not in seeds:
            raise UnknownContents(f"its checkpoint is of hand {hand_id:.40}, whose secret is not there")
        try:
            data = opened(seeds[hand_id], salt, checkpoint_name(table_id, seq, hand_id), frame)
            checkpoint = Checkpoint.unpacked(data)
        except (BrokenSeal, InvalidFrame) as error:
            raise UnknownContents(f"its checkpoint is not understood: {error}") from error
        if (checkpoint.table.seq, checkpoint.table.hand_id) != (seq, hand_id):
            raise UnknownContents("what stands as its checkpoint is none")
        return checkpoint
    return None


def beginnings_of(journal: JournalReader, table_id: int) -> list[Snapshot]:
    """Return the snapshots with which stretches of a table's log begin, oldest first (:mod:`.table_journal`).

    Raises:
        UnknownContents: one cannot be read.

    """
    return [_snapshot(*row) for row in journal.beginnings(table_id)]


def snapshots_of(
    journal: JournalReader, table_id: int, *, until_us: int = NEWEST_US, most: int = LAST
) -> Iterator[Snapshot]:
    """Yield the snapshots of a table between its hands, newest first.

    Raises:
        UnknownContents: one cannot be read.

    """
    for row in journal.snapshots(table_id, until_us, most):
        yield _snapshot(*row)


def _snapshot(seq: int, frame: bytes) -> Snapshot:
    _verify_row("its snapshot", (seq, frame), ((int,), (bytes,)))
    snapshot = _decoded(frame, "its snapshot")
    if not isinstance(snapshot, Snapshot) or snapshot.seq != seq:
        raise UnknownContents("what stands as its snapshot is none")
    return snapshot


def _reply(frame: bytes | None) -> Accepted | Refused | None:
    if frame is None:
        return None
    reply = _decoded(frame, "an answer")
    if not isinstance(reply, Accepted | Refused):
        raise UnknownContents("what stands as an answer is none")
    return reply
