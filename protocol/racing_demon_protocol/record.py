"""The record of a match: the public log as JSON lines, and the proof that it was dealt and judged fairly.

A record is what any client or spectator receives: a snapshot, then every event. Each line is an object:
the message's name under ``message``, then its fields. Other members, such as ``at_ms``, may stand
beside them; they prove nothing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from .board import Play
from .dealer import Dealer
from .errors import IllegalPlay, InconsistentEvent, InvalidGame, InvalidRecord
from .messages import FROM_SERVER, Event, Message, name_of
from .messages import events as ev
from .messages.server import Snapshot
from .options import CallOut, StallRule
from .reasons import EndReason, Phase
from .shuffle import keeps
from .state import DEALT
from .tally import hand_points, match_winners, totals
from .view import TableView

__all__ = [
    "Verdict",
    "from_line",
    "json_line",
    "message_of",
    "read",
    "row_of",
    "tally_line",
    "to_line",
    "verify",
]

BY_NAME: Final = {name_of(cls): cls for cls in FROM_SERVER.values()}
LONGEST_LINE: Final = 65_536


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a record was found to hold: whole hands that are right in every event, and their plays."""

    hands: int
    plays: int
    skipped: int
    """Hands that the record does not hold from the deal to the end."""
    matches: int
    unseen: int = 0
    """Layouts of hands of identical deals whose plays the record does not hold: only how far they came."""


def to_line(message: Message, **beside: int | str) -> str:
    """Return a message as one line of a record."""
    values = message.model_dump(mode="json")
    row = dict(zip(type(message).model_fields, values, strict=False))
    return json_line({"message": name_of(message), **row, **beside})


def json_line(row: Mapping[str, object]) -> str:
    """Return a row as JSON, in which everything is escaped that could steer a terminal."""
    line = json.dumps(row, ensure_ascii=False)
    if line.isprintable():
        return line
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in line)


def tally_line(view: TableView) -> str:
    """Return the tally of a match as a line to end a record with; it proves nothing, and is for reading."""
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
    return json_line({"message": "tally", **tally})


def from_line(line: str) -> Message | None:
    """Return the message of a line; ``None`` for a line that holds something else.

    Raises:
        InvalidRecord: the line is none of a record.

    """
    return message_of(row_of(line))


def row_of(line: str) -> dict[str, Any]:
    """Return the object that stands on a line; its member ``message`` is a text.

    Raises:
        InvalidRecord: the line is none of a record.

    """
    if len(line) > LONGEST_LINE:
        raise InvalidRecord(f"a line is longer than {LONGEST_LINE} characters")
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not isinstance(row.get("message"), str):
        raise InvalidRecord("a line is not a message of a record")
    return row


def message_of(row: Mapping[str, Any]) -> Message | None:
    """Return the message that an object holds; ``None`` for an object that holds something else.

    Raises:
        InvalidRecord: it is named like a message, and is none.

    """
    cls = BY_NAME.get(row["message"])
    if cls is None:
        return None
    try:
        return cls.model_validate({name: row[name] for name in cls.model_fields if name in row})
    except ValueError:
        raise InvalidRecord("a line is not a message of a record") from None


def read(lines: Iterable[str]) -> Iterator[Message]:
    """Yield the messages of a record.

    Raises:
        InvalidRecord: a line is wrong; the text gives its number.

    """
    for number, line in enumerate(lines, 1):
        try:
            message = from_line(line) if line.strip() else None
        except InvalidRecord as error:
            raise InvalidRecord(f"Line {number}: {error}.") from None
        if message is not None:
            yield message


def verify(messages: Iterable[Message]) -> Verdict:
    """Check a record from itself alone: commitments, deals, every play, every score, every winner.

    Raises:
        InvalidRecord: something is not as it should be; the text says what, and where.

    """
    return _Auditor().audit(messages)


class _Auditor:
    """Follows a record, keeps each hand until its seed is told, and then plays it again."""

    def __init__(self) -> None:
        self._view: TableView | None = None
        self._hand: list[ev.Event] = []
        self._match_over = False
        self._shifted: dict[int, list[int]] = {}
        self._hands = self._plays = self._skipped = self._matches = self._unseen = 0

    def audit(self, messages: Iterable[Message]) -> Verdict:
        for message in messages:
            if isinstance(message, Snapshot) and not self._continues(message):
                self._restart(message)
            elif isinstance(message, Event):
                self._take(message)
        if self._view is None:
            raise InvalidRecord("There is no table in this record.")
        return Verdict(self._hands, self._plays, self._skipped, self._matches, self._unseen)

    def _continues(self, snapshot: Snapshot) -> bool:
        """Tell whether a snapshot shows the table as it lies here, and not another."""
        view = self._view
        if view is None or (snapshot.code, snapshot.seq) != (view.code, view.seq):
            return False
        return not view.is_private or snapshot.piles == view.snapshot(0).piles  # no play was missed

    def _restart(self, snapshot: Snapshot) -> None:
        self._hand = []
        self._match_over = False
        try:
            self._view = TableView.from_snapshot(snapshot)
        except (InconsistentEvent, InvalidGame) as error:
            raise InvalidRecord(f"The table at event {snapshot.seq} cannot be: {error}.") from error

    def _take(self, event: ev.Event) -> None:
        view = self._view
        if view is None:
            raise InvalidRecord(f"Event {event.seq} comes before any table.")
        before = self._hand[-1] if self._hand else None
        if isinstance(event, ev.Committed):
            self._hand = []
            self._shifted.clear()
        self._hand.append(event)
        _check_time(view, event)
        if before is not None:
            follows = isinstance(before, ev.Committed) is isinstance(event, ev.Dealt)
            _expect(event, follows, "a promise and its deal are not together")
        if isinstance(event, ev.Rotated):
            self._note_shift(view, event)
        if isinstance(event, ev.HandOver):
            self._check_hand(view, event)
        try:
            view.apply(event)
        except (InconsistentEvent, InvalidGame) as error:
            raise InvalidRecord(f"Event {event.seq}: {error}.") from error
        if isinstance(event, ev.HandOver):
            self._match_over = match_winners(view) is not None
        elif isinstance(event, ev.MatchOver):
            # Asked now, and not when the hand ended: everybody may have left since.
            _expect(event, match_winners(view) == event.winners, "the winners are others")
            self._matches += 1
        elif isinstance(event, ev.Committed):
            _expect(event, not self._match_over or event.hand == 1, "the match was over")

    def _check_hand(self, view: TableView, over: ev.HandOver) -> None:
        _expect(over, view.rules is not None and view.phase in DEALT, "no hand was being played")
        _expect(over, over.out is None or over.out in view.hand_seats, f"seat {over.out} was not in the hand")
        committed = self._hand[0]
        if not isinstance(committed, ev.Committed):
            self._skipped += 1
            return
        seed = bytes.fromhex(over.seed)
        kept = keeps(seed, committed.hand_id, committed.commitment)
        _expect(over, kept, f"the seed is not the one that hand {committed.hand} was committed to")
        played = {event.seat for event in self._hand if isinstance(event, ev.Played)}
        replay = _Replay(view, seed, played, self._shifted)
        for event in self._hand:
            self._plays += replay.follow(event)
        replay.check_end(view, over)
        self._hands += 1
        self._unseen += replay.unseen

    def _note_shift(self, view: TableView, event: ev.Rotated) -> None:
        """Note who still played when the stocks were shifted, if not all had said that they were stuck."""
        if not _all_said_stuck(view):
            self._shifted[event.seq] = _active(view)


def _all_said_stuck(view: TableView) -> bool:
    """Tell whether all of the hand who are there have said that they are stuck."""
    states = [view.seats[seat] for seat in view.hand_seats]
    return all(state.stuck for state in states if state.connected)


def _active(view: TableView) -> list[int]:
    """Return the seats of the hand whose players have not left."""
    return [seat for seat in view.hand_seats if not view.seats[seat].left]


def _check_time(view: TableView, event: ev.Event) -> None:
    """Check that an event has its place in the course of a match."""
    is_played = view.phase is Phase.PLAYING and not view.paused
    match event:
        case ev.Played():
            _expect(event, view.in_hand, "it was played outside a hand")
            _expect(event, not view.paused, "it was played in a pause")
        case ev.Committed():
            number = 1 if view.between_matches else view.hand + 1
            _expect(event, view.phase not in DEALT, "the hand before was not over")
            _expect(event, event.hand == number, "the hand's number is another")
        case ev.Called():
            _expect(event, is_played and view.options.call_out is CallOut.SHOUT, "nobody could call out")
        case ev.Rotated():
            is_wanted = view.options.stall_rule is StallRule.ROTATE and not view.is_private
            _expect(event, is_played and is_wanted, "the stocks could not be shifted")
        case ev.Paused():
            _expect(event, view.phase in DEALT and not view.paused, "there was nothing to pause")
        case ev.Continued():
            _expect(event, view.paused, "there was no pause")
        case ev.Signalled():
            _expect(event, view.phase is Phase.COUNTDOWN, "there was no countdown")
            _expect(event, not view.paused, "the signal came in a pause")
        case ev.OptionsSet():
            _expect(event, view.between_matches, "options changed within a match")


class _Replay:
    """One hand, dealt and judged once more with all cards known.

    On identical deals the plays of a seat may be hidden from whoever kept the record: then there is nothing
    to judge but the ends that its progress led to.

    Attributes:
        unseen: how many seats these are.

    Args:
        view: the table when the hand ends.
        seed: the hand's secret.
        played: the seats whose plays the record holds.
        shifted: who still played when stocks were shifted though not all were stuck, by the events' numbers.

    """

    def __init__(
        self, view: TableView, seed: bytes, played: Set[int], shifted: Mapping[int, list[int]]
    ) -> None:
        assert view.rules is not None
        self._rules = view.rules
        self._dealer = Dealer(seed, view.rules)
        self._board = view.rules.deal()
        self._signalled = False
        self._out_ends = view.options.call_out is CallOut.AUTO
        self._ended = False
        self._shifted = shifted
        self._rotations = 0
        self._progress: dict[int, int] = {}
        self._hidden = set(view.hand_seats) - played if view.is_private else set()
        self.unseen = len(self._hidden)

    def follow(self, event: ev.Event) -> int:
        """Follow an event; return how many plays it was."""
        match event:
            case ev.Dealt():
                self._deal(event)
            case ev.Signalled():
                self._signalled = True
            case ev.Played():
                self._play(event)
                return 1
            case ev.Progressed():
                self._note_progress(event)
            case ev.Called():
                is_out = event.seat in self._hidden or self._rules.is_out(self._board, event.seat)
                _expect(event, is_out, f"seat {event.seat} was not out")
            case ev.Rotated():
                self._rotate(event)
        return 0

    def check_end(self, view: TableView, over: ev.HandOver) -> None:
        """Check how the hand ended, and what it was worth."""
        _expect(over, over.elapsed_ms >= 0, "the time is wrong")
        _expect(over, over.points == hand_points(view, over.out), "the points are wrong")
        _expect(over, (over.reason is EndReason.OUT) == (over.out is not None), "the reason is another")
        out = [seat for seat in view.hand_seats if self._rules.is_out(self._board, seat)]
        for seat in view.progress.keys() - self._hidden:
            reached = self._rules.progress(self._board, seat)
            _expect(over, view.progress[seat].reached == reached, f"seat {seat} came to {reached}")
        if over.out is not None:
            _expect(over, over.out in {*out, *self._hidden}, f"seat {over.out} was not out")
        elif over.reason is not EndReason.ABANDONED:
            _expect(over, not out, "somebody was out")
        if over.reason is EndReason.DEAD:
            _expect(over, self._dealer.is_dead(self._board, _active(view)), "the hand was not dead")
        elif over.reason is EndReason.STUCK:
            _expect(over, _all_said_stuck(view), "not everybody was stuck")
        elif over.reason is EndReason.TIME_UP:
            limit_ms = view.time_limit_ms
            _expect(over, limit_ms is not None and over.elapsed_ms >= limit_ms, "the time was not up")
        elif over.reason is EndReason.ABANDONED:
            _expect(over, not _active(view), "not everybody had left")

    def _deal(self, event: ev.Dealt) -> None:
        _expect(event, self._board == self._rules.deal(), "the cards were dealt already")
        _expect(event, event.seats == self._rules.layout.seats, "the seats are others")
        _expect(event, event.shown == self._dealer.first_cards(), "the cards are not the seed's")
        self._board.reveal(self._rules.layout.first_places, event.shown)

    def _note_progress(self, event: ev.Progressed) -> None:
        before = self._progress.get(event.seat)
        _expect(event, event.progress != before, "that was known")
        self._progress[event.seat] = event.progress
        if event.seat not in self._hidden:
            reached = self._rules.progress(self._board, event.seat)
            _expect(event, event.progress == reached, f"the seat came to {reached}")

    def _rotate(self, event: ev.Rotated) -> None:
        """Shift the stocks, as often as that shows other cards since the last play that led on."""
        active = self._shifted.get(event.seq)
        _expect(event, active is None or self._dealer.is_dead(self._board, active), "there were plays left")
        self._rotations += 1
        _expect(event, self._rotations < self._rules.turn_size, "the stocks were shifted too often")
        self._board.rotate()
        self._dealer.rotate()

    def _play(self, event: ev.Played) -> None:
        play = Play(event.source, event.count, event.destination, event.depth)
        _expect(event, self._signalled, "it was played before the signal")
        automatic = self._rules.automatic(self._board, event.seat)
        _expect(event, automatic is not None or not self._ended, "the hand was over")
        try:
            if automatic is not None:
                _expect(event, play == automatic, "a space had to be filled first")
            else:
                self._rules.verify_play(self._board, event.seat, play)
            if event.counter and self._board.is_progress(play):
                self._rotations = 0
            shown = self._rules.carry_out(self._board, play, self._dealer.follow)
        except (IllegalPlay, InconsistentEvent) as error:
            raise InvalidRecord(f"Event {event.seq}: {error}") from error
        _expect(event, shown == event.shown, "the cards turned up are not those of the seed")
        self._ended = self._out_ends and self._rules.is_out(self._board, event.seat)


def _expect(event: ev.Event, holds: bool, otherwise: str) -> None:
    if not holds:
        raise InvalidRecord(f"Event {event.seq}: {otherwise}.")
