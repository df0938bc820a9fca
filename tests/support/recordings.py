"""Portable records of simulated matches, with the times at which everything arrived."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from racing_demon_protocol.engine.deal import hand_seeds, subseed
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.records.format import (
    Header,
    Record,
    TimedMessage,
    next_state,
    read_messages,
    version_for,
)
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.table import Table
from tests.support.bot_matches import Arrived, Player, insist, join, play_match
from tests.support.matches import arrived_in, options_of


def events_of(file: Path) -> list[Event]:
    """Return the events of a record's file."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [message for message in read_messages(lines) if isinstance(message, Event)]


@cache
def recording_of(name: str) -> Record:
    """Return the record of one of the matches; it is not to be changed."""
    return _record(bytes(32), options_of(name), arrived_in(name), name, 0)


def recording(
    seed: bytes,
    levels: Sequence[str],
    options: Options,
    *,
    name: str = "",
    began_ms: int = 0,
    handicaps: Mapping[int, Handicap] = MappingProxyType({}),
    people: Sequence[Player] = (),
) -> Record:
    """Return what a server keeps of a simulated match: each event as it arrived, and who was beaten.

    People have the first seats, and bots of the levels the next ones.
    """
    everybody = [*[""] * len(people), *levels]
    others = dict(enumerate(people))
    _, _, arrived = play_match(seed, everybody, options, others, hear=insist, handicaps=handicaps)
    return _record(seed, options, arrived, name, began_ms, people=len(people))


def _record(
    seed: bytes, options: Options, arrived: Sequence[Arrived], name: str, began_ms: int, *, people: int = 0
) -> Record:
    table = Table("SIM", options, hand_seeds(seed))
    table.seat_tokens.add(None, b"host")
    begin = table.view.snapshot(0)
    header = Header(version=version_for(begin), id=name, kept_by="server")
    record = Record(header, [TimedMessage(begin, 0, began_ms)])

    def keep(events: Sequence[Event], at: int) -> None:
        record.entries.extend(TimedMessage(event, at, began_ms + at // 1_000) for event in events)

    def let_happen(until: int | None) -> None:
        while (due := table.next_timer_at) is not None and (until is None or due <= until):
            keep(table.run_until(due), due)
            if until is None and table.view.phase is Phase.OVER:
                return

    for number in range(people):
        keep(join(table, number), 0)
    for at, actor, command in arrived:
        let_happen(at)
        answer = table.handle_command(actor, command, at)
        keep(answer.events, at)
        if isinstance(answer.reply, Refused) and answer.reply.reason is Reason.BEATEN:
            record.entries.append(TimedMessage(answer.reply, at, began_ms + at // 1_000, actor))
    if table.view.phase is not Phase.OVER:
        let_happen(None)
    return record


def kept_from(record: Record, place: int) -> Record:
    """Return what somebody keeps of a record who comes to its table before the entry at a place."""
    view: TableState | None = None
    for entry in record.entries[:place]:
        view = next_state(view, entry.message)
    assert view is not None
    rest = record.entries[place:]
    snapshot = TimedMessage(view.snapshot_for(None, 0), rest[0].at_us, rest[0].at_ms)
    return Record(Header(kept_by="client"), [snapshot, *rest])


def picture_of(view: TableState) -> str:
    """Return how a table lies, and what it is worth, in few letters that stay the same for ever."""
    shown = [
        view.phase.value,
        view.hand_number,
        view.board.cards if view.board else [],
        sorted(scoring.points(view).items()),
    ]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def seed_of(number: int) -> bytes:
    """Return the seed of a match by its number."""
    return subseed(b"recordings", str(number))
