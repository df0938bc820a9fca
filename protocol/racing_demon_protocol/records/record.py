"""The record of a match: its public log as JSON lines, and the proof that it was dealt and judged fairly.

A record is what any client or spectator receives: a snapshot, then every event. Each line is an object with
the message's name under ``message``, then its fields. Other members, such as ``at_ms``, may be added; they
prove nothing.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from racing_demon_protocol.engine.shuffle import keeps
from racing_demon_protocol.errors import DamagedRecord, InconsistentEvent, InvalidGame, InvalidRecord
from racing_demon_protocol.reasons import EndReason, Phase
from racing_demon_protocol.table.scoring import leaders, match_winners, totals
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import FROM_SERVER, Event, Message, name_of
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult, Snapshot
from racing_demon_protocol.wire.options import CallOut, StallRule

from .fairness import check_contributions
from .proof import HandReplay, active, all_said_stuck, expect

BY_NAME: Final = {name_of(cls): cls for cls in FROM_SERVER.values()}
LONGEST_LINE: Final = 65_536
BYTE_ORDER_MARK: Final = "\ufeff"
"""Some programs begin a text with it; where files were joined, it stands before other lines, too."""
TOLD_BY_EVENTS: Final = (
    "options",
    "host",
    "phase",
    "seats",
    "hand",
    "hand_id",
    "commitment",
    "hand_seats",
    "called",
    "results",
    "winners",
    "paused",
)
"""What a snapshot repeats of the events before it, whoever receives it. Older servers told no more."""
ON_THE_TABLE: Final = ("piles", "redeals")
"""What it repeats where layouts are public."""


class HandName(NamedTuple):
    """What names a hand in a record: its match, and its number in the match."""

    match: str
    hand: int


def match_of(hand_id: str) -> str:
    """Return the match of a hand: its id without the hand's own number."""
    return hand_id.rpartition("/")[0]


@dataclass(slots=True)
class Verdict:
    """The result of verifying a record: complete hands in which every event is correct, and their plays."""

    hands: int = 0
    plays: int = 0
    skipped: int = 0
    """Hands that the record does not contain from the deal to the end."""
    matches: int = 0
    unseen: int = 0
    """Layouts on identical deals whose plays the record does not contain, only their progress."""
    alone: int = 0
    """Hands whose seed came from the server alone, without a player's contribution."""
    left_out: tuple[str, ...] = ()
    """The names of players whose contributions were not revealed, and so are not part of a seed."""
    choosers: tuple[str, ...] = ()
    """Those of them who could reveal or not as it suited them, and still played, once for each hand.

    Whoever works with them and the server could choose one of two deals for each.
    """
    redrawn: tuple[str, ...] = ()
    """The names of players for whose missing contributions a hand was drawn anew; they sat it out."""
    proven: set["HandName"] = field(default_factory=set, compare=False)
    """The hands of which everything is proven, but for those that are ``on_trust``."""
    on_trust: set["HandName"] = field(default_factory=set, compare=False)
    """Those on identical deals with ``unseen`` layouts: how far these came is the server's word."""
    told: set["HandName"] = field(default_factory=set, compare=False)
    """The hands whose points the record tells, proven or not."""

    @property
    def unproven(self) -> list["HandName"]:
        """The hands whose points the record tells and does not prove."""
        return sorted(self.told - self.proven)


def to_line(message: Message, **beside: int | str) -> str:
    """Return a message as one line of a record."""
    values = message.model_dump(mode="json")
    row = dict(zip(type(message).model_fields, values, strict=False))
    return json_line({"message": name_of(message), **row, **beside})


def json_line(row: Mapping[str, object]) -> str:
    """Return a row as JSON with all control characters escaped."""
    line = json.dumps(row, ensure_ascii=False)
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
    return json_line({"message": "tally", **tally})


def row_of(line: str) -> dict[str, Any]:
    """Return the object on a line; its member ``message`` is a string.

    Raises:
        DamagedRecord: the line does not belong to a record.

    """
    if len(line) > LONGEST_LINE:
        raise DamagedRecord(f"a line is longer than {LONGEST_LINE} characters")
    try:
        row: Any = json.loads(line.lstrip(BYTE_ORDER_MARK))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not isinstance(row.get("message"), str):
        raise DamagedRecord("a line is not a message of a record")
    return row


def message_of(row: Mapping[str, Any]) -> Message | None:
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


def verify(messages: Iterable[Message]) -> Verdict:
    """Verify a record on its own: commitments, deals, every play, every score, every winner.

    Raises:
        InvalidRecord: something is wrong; the text says what and where.

    """
    return _Auditor().audit(messages)


class _Auditor:
    """Follows a record, keeps each hand until its seed is revealed, and then replays it."""

    def __init__(self) -> None:
        self._view: TableState | None = None
        self._hand: list[ev.Event] = []
        self._match_over = False
        self._shifted: dict[int, list[int]] = {}
        self._sitting_out: list[str] = []
        self._away: set[int] = set()
        self._results: dict[HandName, HandResult] = {}
        self._players: dict[tuple[str, int], tuple[str, str]] = {}
        self._verdict = Verdict()

    def audit(self, messages: Iterable[Message]) -> Verdict:
        for message in messages:
            if isinstance(message, Snapshot) and not self._continues(message):
                self._restart(message)
            elif isinstance(message, Event):
                self._take(message)
        if self._view is None:
            raise InvalidRecord("There is no table in this record.")
        return self._verdict

    def _continues(self, snapshot: Snapshot) -> bool:
        """Return whether a snapshot shows this table in its current state.

        Raises:
            InvalidRecord: it shows another state after the same event.

        """
        view = self._view
        if view is None or (snapshot.code, snapshot.seq) != (view.code, view.seq):
            return False
        own = view.snapshot(0)
        is_same = [getattr(snapshot, name) == getattr(own, name) for name in (*TOLD_BY_EVENTS, *ON_THE_TABLE)]
        if all(is_same):
            return True
        if view.is_private and all(is_same[: len(TOLD_BY_EVENTS)]):
            return False  # plays were missed that have no number
        text = "is not the one that the events before it made"
        raise InvalidRecord(f"The table at event {snapshot.seq} {text}.")

    def _restart(self, snapshot: Snapshot) -> None:
        self._hand = []
        self._match_over = False
        try:
            view = TableState.from_snapshot(snapshot)
        except (InconsistentEvent, InvalidGame) as error:
            raise InvalidRecord(f"The table at event {snapshot.seq} cannot be: {error}.") from error
        self._view = view
        match = match_of(view.hand_id)
        for result in view.results:
            name = HandName(match, result.hand)
            self._verdict.told.add(name)
            if self._results.get(name, result) != result:
                text = f"tells other points of hand {result.hand}"
                raise InvalidRecord(f"The table at event {view.seq} {text}.")
            for seat in result.seats if name in self._results else ():
                if self._players[match, seat] != _player(view, seat):
                    text = f"has another player in seat {seat}"
                    raise InvalidRecord(f"The table at event {view.seq} {text}.")

    def _take(self, event: ev.Event) -> None:
        view = self._view
        if view is None:
            raise DamagedRecord(f"Event {event.seq} comes before any table: what was before it is missing.")
        if event.seq > view.seq + 1:
            raise DamagedRecord(f"Event {event.seq} follows event {view.seq}: those between are missing.")
        if isinstance(event, ev.Committed):
            self._hand = []
            self._shifted.clear()
            self._note_draw(view)
        self._hand.append(event)
        _check_time(view, event)
        check_contributions(view, event)
        if isinstance(event, ev.Rotated):
            self._note_shift(view, event)
        if isinstance(event, ev.HandOver):
            self._check_hand(view, event)
        try:
            view.apply(event)
        except (InconsistentEvent, InvalidGame) as error:
            raise InvalidRecord(f"Event {event.seq}: {error}.") from error
        if isinstance(event, ev.HandOver):
            self._note_result(view)
            self._match_over = event.reason is EndReason.CLOSED or match_winners(view) is not None
        elif isinstance(event, ev.MatchOver):
            # Computed now and not when the hand ended, because everybody may have left since.
            winners = leaders(view)[0] if event.closed else match_winners(view)
            former = leaders(view, alone=True)[0] if winners == () else winners
            expect(event, event.winners in {winners, former}, "the winners are others")
            expect(event, bool(view.results), "no hand was played")
            self._verdict.matches += 1
        elif isinstance(event, ev.Committed):
            expect(event, not self._match_over or event.hand == 1, "the match was over")

    def _check_hand(self, view: TableState, over: ev.HandOver) -> None:
        expect(over, view.rules is not None and view.phase in DEALT, "no hand was being played")
        expect(over, over.out is None or over.out in view.hand_seats, f"seat {over.out} was not in the hand")
        committed = self._hand[0]
        if not isinstance(committed, ev.Committed):
            self._verdict.skipped += 1
            return
        secret = bytes.fromhex(over.seed)
        kept = keeps(secret, committed.hand_id, committed.commitment)
        expect(over, kept, f"the seed is not the one that hand {committed.hand} was committed to")
        played = {event.seat for event in self._hand if isinstance(event, ev.Played)}
        replay = HandReplay(view, view.deal_seed(secret), played, self._shifted)
        for event in self._hand:
            self._verdict.plays += replay.follow(event)
        replay.check_end(view, over)
        self._verdict.hands += 1
        name = HandName(match_of(view.hand_id), view.hand)
        self._verdict.proven.add(name)
        if replay.unseen:
            self._verdict.on_trust.add(name)
        self._verdict.unseen += replay.unseen
        self._verdict.alone += not (view.shuffle and view.shuffle.revealed())
        missing = view.shuffle.missing() if view.shuffle else ()
        self._verdict.left_out += tuple(view.player(seat) for seat in missing)
        revealed = view.shuffle.revealed() if view.shuffle else {}
        free = sorted({*missing} - self._away | revealed.keys() & self._away) if revealed else []
        self._verdict.choosers += tuple(view.player(seat) for seat in free)
        self._verdict.redrawn += tuple(self._sitting_out)

    def _note_draw(self, view: TableState) -> None:
        """Note who sits out the hand that is committed now, and who is away: they must not reveal."""
        if view.is_draw_void and view.shuffle is not None:
            self._sitting_out += [view.player(seat) for seat in view.shuffle.missing()]
        else:
            self._sitting_out = []
        self._away = {seat for seat, state in view.seats.items() if not state.connected}

    def _note_result(self, view: TableState) -> None:
        """Keep the points of a proven hand, and its players, which later tables must not tell otherwise."""
        result = view.results[-1]
        match = match_of(view.hand_id)
        name = HandName(match, result.hand)
        self._verdict.told.add(name)
        if name in self._verdict.proven:
            self._results[name] = result
            self._players |= {(match, seat): _player(view, seat) for seat in result.seats}

    def _note_shift(self, view: TableState, event: ev.Rotated) -> None:
        """Record who still played when the stocks were shifted, unless all had declared being stuck."""
        if not all_said_stuck(view):
            self._shifted[event.seq] = active(view)


def _player(view: TableState, seat: int) -> tuple[str, str]:
    """Return the name and, for a bot, the level of a seat's player."""
    state = view.seats.get(seat)
    return view.player(seat), state.bot if state is not None else ""


def _check_time(view: TableState, event: ev.Event) -> None:
    """Check that an event may occur at this point of a match."""
    is_played = view.phase is Phase.PLAYING and not view.paused
    match event:
        case ev.Played():
            expect(event, view.in_hand, "it was played outside a hand")
            expect(event, not view.paused, "it was played in a pause")
        case ev.Committed():
            number = 1 if view.between_matches else view.hand + (not view.is_draw_void)
            expect(event, view.at_rest or view.is_draw_void, "the hand before was not over")
            expect(event, event.hand == number, "the hand's number is another")
        case ev.Joined():
            taken = view.seats.get(event.seat)
            is_free = taken is None or (taken.left and view.between_matches)
            expect(event, is_free, f"seat {event.seat} was taken")
        case ev.Called():
            expect(event, is_played and view.options.call_out is CallOut.SHOUT, "nobody could call out")
        case ev.Rotated():
            is_wanted = view.options.stall_rule is StallRule.ROTATE and not view.is_private
            expect(event, is_played and is_wanted, "the stocks could not be shifted")
        case ev.Paused():
            expect(event, view.phase in DEALT and not view.paused, "there was nothing to pause")
        case ev.Continued():
            expect(event, view.paused, "there was no pause")
        case ev.Signalled():
            expect(event, view.phase is Phase.COUNTDOWN, "there was no countdown")
            expect(event, not view.paused, "the signal came in a pause")
        case ev.OptionsSet():
            expect(event, view.between_matches, "options changed within a match")
