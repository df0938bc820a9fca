"""The portable file format of matches: timed record lines, with a header before and corrections after.

Each match begins with a header that names the format and its version. Then come its messages, one a line,
each with ``at_ms`` (wall time, milliseconds since 1970) and ``at_us`` (arrival, microseconds on the writer's
monotonic clock), then corrections, if any. A file may contain several matches. Files without a header are
older: their ``at_ms`` counts from the beginning of the record.

``docs/records.md`` describes the format for other tools.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from racing_demon_protocol.constants import MAX_SEATS, MAX_TEXT_LENGTH
from racing_demon_protocol.engine.commit_reveal import is_further_draw
from racing_demon_protocol.errors import DamagedRecord, InconsistentEvent, InvalidGame, InvalidRecord
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.table.scoring import team_totals, teams_of, totals
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import uses_extension
from racing_demon_protocol.wire.messages import FROM_SERVER, Event, Message, name_of
from racing_demon_protocol.wire.messages.base import Seat
from racing_demon_protocol.wire.messages.events import MatchOver, Prepared
from racing_demon_protocol.wire.messages.server import Points, Refused, Snapshot

VERSION: Final = 4
"""The newest version that can be read."""
USUAL_VERSION: Final = 2
REDRAWN_VERSION: Final = 3
"""The version of a match in which a draw was void, which programs of version 2 would call false."""
EXTENDED_VERSION: Final = 4
"""The version of a match whose table used an extension, which programs of version 3 do not know."""
MAX_ENTRIES: Final = 2_000_000
"""More than any evening needs: a table of eight that plays all day stays below it."""
MAX_WALL_MS: Final = 2**43
"""The latest accepted wall time, for which dates can still be computed."""
MAX_ARRIVAL_US: Final = 2**53
BY_NAME: Final = {name_of(cls): cls for cls in FROM_SERVER.values()}
MAX_LINE_LENGTH: Final = 65_536
BYTE_ORDER_MARK: Final = "\ufeff"
"""Some programs begin a text with it; where files were joined, it stands before other lines, too."""

_READABLE: Final = json.JSONEncoder(ensure_ascii=False)

Words = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]
WallMs = Annotated[int, Field(strict=True, ge=0, le=MAX_WALL_MS)]
KeptBy = Literal["server", "client", ""]


class _Line(BaseModel):
    """A line that is not a message; unknown members are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Header(_Line):
    """The first line of a match.

    Attributes:
        format: identifies the file format.
        version: of the format; programs refuse unknown versions.
        id: the match's name in its server's journal; empty if it has none.
        kept_by: whose clock ``at_us`` is: the ``server``'s, where cards arrive, or that of a ``client``,
            which learns of them later.
        software: what wrote it.
        continues: whether the section before goes on, and only its version rises.

    """

    format: Literal["racing-demon-record"] = "racing-demon-record"
    version: Annotated[int, Field(strict=True, ge=1, le=1_000_000)] = USUAL_VERSION
    id: Words = ""
    kept_by: KeptBy = ""
    software: Words = ""
    continues: Annotated[bool, Field(strict=True)] = False


class Correction(_Line):
    """A correction by the host or operator, appended to a match without changing it.

    Attributes:
        at_ms: when it was made.
        by: who made it.
        why: the reason, for everybody to read.
        hand: the corrected hand; ``None`` for the match as a whole.
        seat: whose points; ``None`` for all.
        points: what is added to the seat's total; may be negative.
        void: whether the match does not count.

    """

    at_ms: WallMs
    by: Annotated[str, Field(min_length=1, max_length=64)]
    why: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_LENGTH)]
    hand: Annotated[int, Field(strict=True, ge=1, le=1_000)] | None = None
    seat: Seat | None = None
    points: Points = 0
    void: Annotated[bool, Field(strict=True)] = False


def correction_problem(correction: Correction, name: str, seats: Mapping[int, str], hands: int) -> str:
    """Return why a correction does not fit a match, as a sentence; empty if it does.

    Args:
        correction: the correction.
        name: the match's name.
        seats: the names of all players of the match, by seat.
        hands: the number of its finished hands.

    """
    if not hands:
        return f"Match {name} has no hand that was played to its end: there is nothing to correct."
    if correction.hand is not None and correction.hand > hands:
        return f"Match {name} has {pluralize(hands, 'hand')}, and no hand {correction.hand}."
    if correction.seat is not None and correction.seat not in seats:
        known = ", ".join(f"{seat + 1} {player}" for seat, player in sorted(seats.items()))
        return f"Match {name} has no seat {correction.seat + 1}: there are {known}."
    if not correction.void and (correction.seat is None or not correction.points):
        return "A correction gives points to a seat, or says that the match does not count."
    return ""


@dataclass(frozen=True, slots=True)
class TimedMessage:
    """A message of a match with its time.

    Attributes:
        message: a snapshot, an event, or a refusal that the writer added.
        at_us: microseconds on the writer's monotonic clock; 0 if unknown.
        at_ms: wall time in milliseconds since 1970; ``None`` if unknown.
        seat: whose command a refusal answers; ``None`` for anything else.

    """

    message: Message
    at_us: int = 0
    at_ms: int | None = None
    seat: int | None = None


@dataclass(slots=True)
class Record:
    """One section of a file: a header, messages and corrections.

    ``header`` is ``None`` in files of older programs.
    """

    header: Header | None = None
    entries: list[TimedMessage] = field(default_factory=list)
    corrections: list[Correction] = field(default_factory=list)


def read_records(lines: Iterable[str], damaged: Callable[[str], None] | None = None) -> Iterator[Record]:
    """Yield the sections of a file.

    Args:
        lines: the lines of the file.
        damaged: is told of each line that cannot be read, and where events are missing; what follows in the
            section is left out. Without it such a line is an error, and nobody looks for what is missing.

    Raises:
        InvalidRecord: a line is invalid, or of an unknown version; the text gives its number.

    """
    record = Record()
    parts = _parts(lines, damaged)
    for part in parts if damaged is None else _without_gaps(parts, damaged):
        match part:
            case Header(continues=True) if record.header is not None:
                record.header = record.header.model_copy(update={"version": part.version})
            case Header():
                if record.entries or (damaged is None and record.header is not None):
                    yield record
                record = Record(part)
            case Correction():
                record.corrections.append(part)
            case TimedMessage():
                record.entries.append(part)
        if len(record.entries) > MAX_ENTRIES:
            raise InvalidRecord(f"A match is longer than {MAX_ENTRIES} messages.")
    if record.entries or record.corrections or (damaged is None and record.header is not None):
        yield record


def _without_gaps(
    parts: Iterable[Header | Correction | TimedMessage], damaged: Callable[[str], None]
) -> Iterator[Header | Correction | TimedMessage]:
    """Yield the parts of each section up to where events are missing."""
    last: int | None = None
    is_cut = False
    for part in parts:
        if isinstance(part, Header) and not part.continues:
            last, is_cut = None, False
        message = part.message if isinstance(part, TimedMessage) else None
        if isinstance(message, Event) and not is_cut and (why := _missing_before(message, last)):
            damaged(why)
            is_cut = True
        if isinstance(message, Event | Snapshot):
            last = message.seq
        if not is_cut:
            yield part


def _missing_before(event: Event, last: int | None) -> str:
    """Return what is missing between an event and the last one before it; empty for nothing."""
    if last is None:
        return f"Event {event.seq} comes before any table: what was before it is missing."
    if event.seq > last + 1:
        return f"Event {event.seq} follows event {last}: those between are missing."
    return ""


def read_messages(lines: Iterable[str]) -> Iterator[Message]:
    """Yield the messages of a file one by one, without holding it in memory.

    Raises:
        InvalidRecord: a line is invalid, or of an unknown version; the text gives its number.

    """
    return (part.message for part in _parts(lines) if isinstance(part, TimedMessage))


def record_lines(record: Record) -> Iterator[str]:
    """Yield the lines of a section, with a tally after each match.

    Raises:
        InvalidRecord: the record is inconsistent.

    """
    header = record.header or Header()
    version = max(map(version_for, (entry.message for entry in record.entries)), default=USUAL_VERSION)
    if version > USUAL_VERSION:
        header = header.model_copy(update={"version": version})
    yield section_line(header)
    view: TableState | None = None
    for entry in record.entries:
        view = next_state(view, entry.message)
        yield entry_line(entry)
        if isinstance(entry.message, MatchOver):
            yield tally_line(view)
    for correction in record.corrections:
        yield section_line(correction)


def next_state(view: TableState | None, message: Message) -> TableState:
    """Return the table after a message of its record: the same view, or a snapshot's.

    Raises:
        InvalidRecord: the message does not fit.

    """
    try:
        if isinstance(message, Snapshot):
            return TableState.from_snapshot(message)
        if view is None:
            raise InvalidRecord("An event comes before any table.")
        if isinstance(message, Event):
            view.apply(message)
    except (InconsistentEvent, InvalidGame) as error:
        raise InvalidRecord(f"The record contradicts itself: {error}.") from error
    return view


def version_for(message: Message) -> int:
    """Return the version that a program must know to read a message of a record right.

    Raises:
        InvalidRecord: the message is a snapshot that contradicts itself.

    """
    match message:
        case _ if uses_extension(message):
            return EXTENDED_VERSION
        case Snapshot() if next_state(None, message).extensions:
            return EXTENDED_VERSION
        case Prepared() if is_further_draw(message.hand_id):
            return REDRAWN_VERSION
    return USUAL_VERSION


def section_line(part: Header | Correction) -> str:
    """Return a header or a correction as a line."""
    name = "record" if isinstance(part, Header) else "correction"
    without = set() if isinstance(part, Header) and part.continues else {"continues"}
    return json_line({"message": name, **part.model_dump(mode="json", exclude=without)})


def entry_line(entry: TimedMessage) -> str:
    """Return a message and its times as a line."""
    beside: dict[str, int] = {"at_us": entry.at_us}
    if entry.at_ms is not None:
        beside["at_ms"] = entry.at_ms
    if isinstance(entry.message, Refused) and entry.seat is not None:
        beside["seat"] = entry.seat
    return message_line(entry.message, **beside)


def message_line(message: Message, **beside: int | str) -> str:
    """Return a message as one line of a record."""
    values = message.model_dump(mode="json")
    row = dict(zip(type(message).model_fields, values, strict=False))
    return json_line({"message": name_of(message), **row, **beside})


def json_line(row: Mapping[str, object]) -> str:
    """Return a row as JSON with all control characters escaped."""
    line = _READABLE.encode(row)
    if line.isprintable():
        return line
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in line)


def tally_line(view: TableState) -> str:
    """Return the tally of a match as the last line of a record; it is for readers and proves nothing."""
    hands = [
        {
            "hand": result.hand,
            "reason": result.reason,
            "out": result.out,
            "points": dict(zip(result.seats, result.points, strict=True)),
        }
        for result in view.results
    ]
    names = {seat: state.name for seat, state in view.seats.items()}
    tally = {"hands": hands, "totals": totals(view), "names": names, "winners": view.winners}
    if teams := teams_of(view):
        tally |= {"teams": teams, "team_totals": team_totals(view)}
    return json_line({"message": "tally", **tally})


def parse_row(line: str) -> dict[str, Any]:
    """Return the object on a line; its member ``message`` is a string.

    Raises:
        DamagedRecord: the line does not belong to a record.

    """
    if len(line) > MAX_LINE_LENGTH:
        raise DamagedRecord(f"a line is longer than {MAX_LINE_LENGTH} characters")
    try:
        row: Any = json.loads(line.lstrip(BYTE_ORDER_MARK))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not isinstance(row.get("message"), str):
        raise DamagedRecord("a line is not a message of a record")
    return row


def parse_message(row: Mapping[str, Any]) -> Message | None:
    """Return the message in an object; ``None`` for an object with something else.

    Raises:
        DamagedRecord: it has the name of a message, but is invalid.

    """
    cls = BY_NAME.get(row["message"])
    if cls is None:
        return None
    try:
        return cls.model_validate({name: row[name] for name in cls.model_fields if name in row})
    except ValueError:
        raise DamagedRecord("a line is not a message of a record") from None


def _parts(
    lines: Iterable[str], damaged: Callable[[str], None] | None = None
) -> Iterator[Header | Correction | TimedMessage]:
    has_header = is_left_out = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            part = _part(parse_row(line), has_header=has_header)
        except InvalidRecord as error:
            text = f"Line {number}: {error}."
            if damaged is None or not isinstance(error, DamagedRecord):
                raise type(error)(text) from None
            if not is_left_out:
                damaged(text)
            is_left_out = True  # nobody can tell what else is missing there
            continue
        if is_left_out and not (isinstance(part, Header) and not part.continues):
            continue
        is_left_out = False
        has_header = has_header or isinstance(part, Header)
        if part is not None:
            yield part


def _part(row: dict[str, Any], *, has_header: bool) -> Header | Correction | TimedMessage | None:
    """Return the meaning of an object in a file; ``None`` if this version ignores it."""
    try:
        if row["message"] == "record":
            return _header(row)
        if row["message"] == "correction":
            return Correction.model_validate(row)
    except ValidationError as error:
        what = ", ".join(str(part) for part in error.errors()[0]["loc"]) or "the whole"
        raise InvalidRecord(f"a {row['message']} is wrong in {what}") from None
    message = parse_message(row)
    if not isinstance(message, Event | Snapshot | Refused):
        return None
    at_ms = _number(row, "at_ms", MAX_WALL_MS)
    if not has_header:
        return TimedMessage(message, (at_ms or 0) * 1_000)
    seat = _number(row, "seat", MAX_SEATS - 1) if isinstance(message, Refused) else None
    return TimedMessage(message, _number(row, "at_us", MAX_ARRIVAL_US) or 0, at_ms, seat)


def _header(row: dict[str, Any]) -> Header:
    header = Header.model_validate(row)
    if header.version > VERSION:
        raise InvalidRecord(
            f"this record is of version {header.version}, and version {VERSION} is the newest that can be "
            "read here; a newer racing-demon reads it"
        )
    return header


def _number(row: dict[str, Any], name: str, most: int) -> int | None:
    """Return a number beside a message, if there is one within its bounds."""
    value = row.get(name)
    is_one = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most
    return value if is_one else None
