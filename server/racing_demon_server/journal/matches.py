"""Matches in a journal: their list, and each as a record that anybody can check."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, NamedTuple

from racing_demon_protocol.engine.commit_reveal import is_further_draw
from racing_demon_protocol.errors import InconsistentEvent, InvalidGame
from racing_demon_protocol.records.format import (
    USUAL_VERSION,
    Header,
    TimedMessage,
    entry_line,
    section_line,
    tally_line,
    version_for,
)
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import SeatState, Snapshot

from .interface import JournalReader, StoredTable
from .reader import (
    LAST,
    UnknownContents,
    beaten_of,
    beginnings_of,
    corrections_of,
    further_log_of,
    log_of,
    opened_table,
    options_of,
    verify,
)

MARKS: Final = frozenset(
    cls.TAG for cls in (ev.Joined, ev.Left, ev.OptionsSet, ev.Committed, ev.Dealt, ev.HandOver, ev.MatchOver)
)
"""The events from which matches are listed; all others are within hands."""


@dataclass(slots=True)
class Match:
    """One match.

    Attributes:
        key: its name in its own journal: the numbers of the table and of the match there.
        table: the table.
        first: the number of its first event.
        game: the game.
        started_ms: when it began, in milliseconds since 1970.
        ended_ms: when it ended; ``None`` while it runs.
        last: the number of its last event; ``None`` while it runs.
        hands: the number of finished hands.
        seats: the names of the players, by seat.
        bots: the seats of bots.
        journal: distinguishes its journal from others of the same server: see
            :func:`~.sqlite.database.journals_of`.

    """

    key: str
    table: StoredTable
    first: int
    game: str
    started_ms: int
    ended_ms: int | None = None
    last: int | None = None
    hands: int = 0
    seats: dict[int, str] = field(default_factory=dict)
    bots: list[int] = field(default_factory=list)
    journal: str = ""

    @property
    def id(self) -> str:
        """Its name among all matches of the server."""
        return self.journal + self.key

    @property
    def finished(self) -> bool:
        """Whether it was played to its end."""
        return self.last is not None

    def add_players(self, players: Iterable[ev.Joined | SeatState]) -> None:
        """Add players who have been dealt cards."""
        for player in players:
            self.seats[player.seat] = player.name
            if player.bot and player.seat not in self.bots:
                self.bots.append(player.seat)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of a match."""
        return {
            "id": self.id,
            "code": self.table.code,
            "game": self.game,
            "started_ms": self.started_ms,
            "ended_ms": self.ended_ms,
            "hands": self.hands,
            "seats": {str(seat): name for seat, name in sorted(self.seats.items())},
            "bots": self.bots,
            "finished": self.finished,
        }


def matches(store: JournalReader, journal: str = "") -> Iterator[Match]:
    """Yield the matches of a journal, table by table.

    Args:
        store: the journal.
        journal: distinguishes it from others of the same server.

    Raises:
        UnknownContents: something is not understood.

    """
    for table in store.tables():
        for match in matches_of(store, table):
            match.journal = journal
            yield match


def matches_of(store: JournalReader, table: StoredTable, since: Snapshot | None = None) -> Iterator[Match]:
    """Yield the matches of a table.

    Args:
        store: the journal.
        table: the table.
        since: the table before the first match that is wanted; ``None`` for all.

    Raises:
        UnknownContents: something is not understood.

    """
    verify(table)
    beginnings, game = deque(_beginnings(store, table, since)), options_of(table).game
    players: dict[int, ev.Joined | SeatState] = {}
    played: Match | None = None
    first = 1 if since is None else 1 + since.seq
    for event, _, at_ms in log_of(store, table.id, kinds=MARKS, first=first):
        while beginnings and beginnings[0].seq < event.seq:
            snapshot = beginnings.popleft()
            game, players = snapshot.options.game, {each.seat: each for each in snapshot.seats}
        match event:
            case ev.Joined():
                players[event.seat] = event
            case ev.OptionsSet():
                game = event.options.game
            case ev.Committed() if event.hand == 1 and not is_further_draw(event.hand_id):
                played = Match(f"{table.id}.{_number(event.hand_id)}", table, event.seq, game, at_ms)
            case ev.Dealt() if played is not None:
                played.add_players(players[seat] for seat in event.seats)
            case ev.HandOver() if played is not None:
                played.hands += 1
            case ev.MatchOver() if played is not None:
                played.last, played.ended_ms = event.seq, at_ms
                yield played
                played = None
    if played is not None:
        played.ended_ms = table.closed_ms
        yield played


def has_match(store: JournalReader, match: Match) -> bool:
    """Return whether a journal still has the events of a match, which may have been pruned."""
    number = match.table.id
    if store.find_table(number) is None:
        return False
    return next(log_of(store, number, first=match.first, last=match.first), None) is not None


def _beginnings(store: JournalReader, table: StoredTable, since: Snapshot | None) -> list[Snapshot]:
    """Return what the log of a table can be read from, oldest first: nothing before what is known already."""
    beginnings = beginnings_of(store, table.id)
    return beginnings if since is None else [since, *(each for each in beginnings if each.seq > since.seq)]


def stretch_of(store: JournalReader, match: Match, since: Snapshot | None = None) -> tuple[TableState, int]:
    """Return the table at the start of a match's stretch of the log, and the number of the first event there.

    Args:
        store: the journal.
        match: the match.
        since: the table at some time before the match, to read no more of the log; ``None`` if not known.

    Raises:
        UnknownContents: something is not understood.

    """
    table, first = match.table, 1
    view = opened_table(table)
    for snapshot in _beginnings(store, table, since):
        if snapshot.seq < match.first:
            first = 1 + snapshot.seq
            _restore(view, snapshot)
    return view, first


def apply_event(view: TableState, event: Event) -> None:
    """Apply an event to a view.

    Raises:
        UnknownContents: it does not fit.

    """
    try:
        view.apply(event)
    except (InconsistentEvent, InvalidGame) as error:
        raise UnknownContents(f"event {event.seq}: {error}") from error


def _number(hand_id: str) -> int:
    """Return the number of a hand's match at its table; earlier ones may have been deleted."""
    try:
        return int(hand_id.split("/")[1])
    except (IndexError, ValueError) as error:
        raise UnknownContents("a hand has an id that tells no match") from error


UNTOLD: Final = "…"
"""Stands in a record for what players said to each other."""
FORMER: Final = "A former player"
"""The name of a player who was forgotten."""
NOBODY: Final[Collection[int]] = frozenset()
NAMING: Final = frozenset({ev.Joined.TAG, ev.Said.TAG})
"""The events that have names or words of players."""


PIECE: Final = 250
"""The events of a piece of a record, which take a few hundredths of a second."""


class RecordMaker:
    """Makes the record of a match: the initial table, every event with its times, corrections.

    It makes some lines at a time, and holds nothing of the journal between them: a match may be so long that
    its record takes minutes.

    Attributes:
        match: the match.
        is_done: whether all lines are made.

    Args:
        match: the match.
        with_chat: whether to tell what the players said to each other, or only that they did.
        former: the seats of players who were forgotten: without their names, and what they said.
        rest: is called while something else is read than lines.

    """

    def __init__(
        self,
        match: Match,
        *,
        with_chat: bool = True,
        former: Collection[int] = NOBODY,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        self.match = match
        self.is_done = False
        self._with_chat = with_chat
        self._former = former
        self._entries = EntryReader(match, rest=rest)
        self._view: TableState | None = None

    def piece(self, store: JournalReader) -> Iterator[str]:
        """Yield the lines of the next piece, perhaps none; all have to be taken.

        Args:
            store: the journal.

        Raises:
            UnknownContents: something is not understood.

        """
        for entry in self._entries.piece(store):
            message = _without(entry.message, self._former) if self._former else entry.message
            if isinstance(message, Snapshot):
                self._view = TableState.from_snapshot(message)
                yield section_line(self._header(store, message))
            elif isinstance(message, Event) and self._view is not None:
                apply_event(self._view, message)
            if isinstance(message, ev.Said) and not self._with_chat:
                message = _untold(message)
            yield entry_line(entry if message is entry.message else replace(entry, message=message))
            if isinstance(message, ev.MatchOver) and self._view is not None:
                yield tally_line(self._view)
        if self._entries.is_done:
            yield from map(section_line, corrections_of(store, self.match.key))
            self.is_done = True

    def _header(self, store: JournalReader, initial: Snapshot) -> Header:
        match, table = self.match, self.match.table
        kinds = frozenset({ev.Prepared.TAG, ev.HandicapSet.TAG})
        telling = log_of(store, table.id, kinds=kinds, first=match.first, last=match.last or LAST)
        version = max((version_for(each.event) for each in telling), default=USUAL_VERSION)
        software = f"racing-demon-server {table.software}"
        version = max(version, version_for(initial))
        return Header(version=version, id=match.id, kept_by="server", software=software)


def export(store: JournalReader, match: Match) -> Iterator[str]:
    """Yield the lines of a match's record.

    Raises:
        UnknownContents: something is not understood.

    """
    maker = RecordMaker(match)
    while not maker.is_done:
        yield from maker.piece(store)


class BlankedFrame(NamedTuple):
    """What is to be stored of an event or a snapshot, without the names and words of former players.

    Attributes:
        seq: the number of the event, or of the last event in the snapshot.
        kind: the event's; ``None`` for a snapshot.
        frame: the encoded message.

    """

    seq: int
    kind: int | None
    frame: bytes


def blanked(store: JournalReader, match: Match, former: Collection[int]) -> Iterator[BlankedFrame]:
    """Yield what names former players of a match, or is said by them, without that.

    Proofs cover no names: the match remains as verifiable as before.

    Args:
        store: the journal.
        match: the match.
        former: the seats of players who were forgotten.

    Raises:
        UnknownContents: something is not understood.

    """
    first, last = 1, match.last or LAST
    earlier = [each for each in beginnings_of(store, match.table.id) if each.seq < match.first]
    for beginning in earlier[-1:]:
        first = 1 + beginning.seq
        if (changed := _without(beginning, former)) != beginning:
            yield BlankedFrame(beginning.seq, None, pack(changed))
    for event, _, _ in log_of(store, match.table.id, kinds=NAMING, first=first, last=last):
        if (changed := _without(event, former)) != event:
            yield BlankedFrame(event.seq, event.TAG, pack(changed))


def _without(message: Message, former: Collection[int]) -> Message:
    """Return a message without the names of some seats, and what they said."""
    if isinstance(message, Snapshot):
        names = {state.name for state in message.seats if state.seat in former}
        seats = tuple(
            state.model_copy(update={"name": FORMER}) if state.seat in former else state
            for state in message.seats
        )
        departed = tuple((seat, FORMER if seat in former else name) for seat, name in message.departed)
        banned = tuple(FORMER if name in names else name for name in message.banned)
        return message.model_copy(update={"seats": seats, "departed": departed, "banned": banned})
    if isinstance(message, ev.Joined) and message.seat in former:
        return message.model_copy(update={"name": FORMER})
    return _untold(message) if isinstance(message, ev.Said) and message.seat in former else message


def _untold(message: Message) -> Message:
    return message.model_copy(update={"text": UNTOLD})


class EntryReader:
    """Reads what happened in a match: the initial table, every event and every lost race, with its times.

    It reads some of that at a time, and holds nothing of the journal between. Whoever stops taking after an
    event can go on there later, when there is more.

    Attributes:
        is_done: whether everything is read.

    Args:
        match: the match.
        since: the table at some time before the match, to read no more of the log; ``None`` if not known.
        rest: is called after each event that is before the match.

    """

    def __init__(
        self, match: Match, since: Snapshot | None = None, rest: Callable[[], None] = lambda: None
    ) -> None:
        self.is_done = False
        self._match = match
        self._since = since
        self._rest = rest
        self._view: TableState | None = None
        self._first = self._taken = 0

    def piece(self, store: JournalReader) -> Iterator[TimedMessage]:
        """Yield the next piece, perhaps empty: it may be what the table did before. All has to be taken.

        Args:
            store: the journal.

        Raises:
            UnknownContents: something is not understood.

        """
        match = self._match
        if self._view is None:
            self._view, self._first = stretch_of(store, match, self._since)
        number, end = match.table.id, match.last or LAST
        first, last = self._first, min(self._first + PIECE - 1, end)
        beaten: dict[int, list[TimedMessage]] = {}
        for seq, entry in beaten_of(store, number, first=first, last=last):
            beaten.setdefault(seq, []).append(entry)
        # Any number of plays that were sent to their players only may follow one event.
        log = further_log_of(store, number, first, last, self._taken)
        for event, at_us, at_ms in islice(log, PIECE):
            self._taken += 1
            if event.seq < match.first:
                apply_event(self._view, event)
                self._rest()
                continue
            if event.seq == match.first:
                yield TimedMessage(self._view.snapshot(0), at_us, at_ms)
            yield TimedMessage(event, at_us, at_ms)
            yield from beaten.get(event.seq, ())
            if isinstance(event, ev.MatchOver):
                self.is_done = True
                return
        if next(log, None) is None:
            is_empty, self._first, self._taken = not self._taken, last + 1, 0
            self.is_done = last == end or (is_empty and self._is_end(store))

    def _is_end(self, store: JournalReader) -> bool:
        """Return whether the log has nothing more; a part of it may be missing."""
        rest = next(log_of(store, self._match.table.id, first=self._first), None)
        if rest is not None:
            self._first = rest.event.seq
        return rest is None


def all_of(store: JournalReader, entries: EntryReader) -> Iterator[TimedMessage]:
    """Yield everything that happened in a match.

    Raises:
        UnknownContents: something is not understood.

    """
    while not entries.is_done:
        yield from entries.piece(store)


def _restore(view: TableState, snapshot: Snapshot) -> None:
    try:
        view.restore(snapshot)
    except (InconsistentEvent, InvalidGame) as error:
        raise UnknownContents(f"the table after event {snapshot.seq}: {error}") from error
