"""Verification of a record on its own: commitments, deals, every play, every score, every winner.

Each hand is dealt from its seed and judged again, with all cards known. Its seed is checked, too: all parts
were fixed before anybody knew them all. A part that is not revealed makes the draw void, and its seat sits
out the next draw of the hand. So whoever works with *k* seats can reach *k* + 1 deals, each further one at
the price of a seat, and everybody sees it.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from racing_demon_protocol.constants import MAX_PLAYS
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.commit_reveal import (
    contribution_hash,
    match_of,
    matches_commitment,
    next_draw_id,
)
from racing_demon_protocol.engine.deal import hand_secret
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.errors import (
    DamagedRecord,
    IllegalPlay,
    InconsistentEvent,
    InvalidGame,
    InvalidRecord,
)
from racing_demon_protocol.table.handicaps import why_impossible
from racing_demon_protocol.table.scoring import hand_points, late_start, leaders, match_winners
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult, Snapshot
from racing_demon_protocol.wire.options import CallOut, StallRule

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
"""The fields of a snapshot that follow from the events before it, for every receiver and in every version."""
ON_THE_TABLE: Final = ("piles", "redeals", "shifts")
"""What it repeats where layouts are public."""


class HandName(NamedTuple):
    """What names a hand in a record: its match, and its number in the match."""

    match: str
    hand: int


@dataclass(slots=True)
class VerificationReport:
    """The result of verifying a record: complete hands in which every event is correct, and their plays."""

    hands: int = 0
    plays: int = 0
    skipped: int = 0
    """Hands that the record does not contain from the deal to the end."""
    matches: int = 0
    unseen: int = 0
    """Layouts on identical deals whose plays the record does not contain, only their progress."""
    server_only: int = 0
    """Hands whose seed came from the server alone, without a player's contribution."""
    known_deals: int = 0
    """Hands of a known deal: everybody could know the cards from the start."""
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
    reported: set["HandName"] = field(default_factory=set, compare=False)
    """The hands whose points the record tells, proven or not."""

    @property
    def unproven(self) -> list["HandName"]:
        """The hands whose points the record tells and does not prove."""
        return sorted(self.reported - self.proven)


def verify(messages: Iterable[Message]) -> VerificationReport:
    """Verify a record on its own: commitments, deals, every play, every score, every winner.

    Raises:
        InvalidRecord: something is wrong; the text says what and where.

    """
    return _RecordVerifier().run(messages)


class _RecordVerifier:
    """Applies a record's events, keeps each hand until its seed is revealed, and then replays it."""

    def __init__(self) -> None:
        self._view: TableState | None = None
        self._hand: list[ev.Event] = []
        self._match_over = False
        self._shifted: dict[int, list[int]] = {}
        self._sitting_out: list[str] = []
        self._away: set[int] = set()
        self._results: dict[HandName, HandResult] = {}
        self._players: dict[tuple[str, int], tuple[str, str]] = {}
        self._report = VerificationReport()

    def run(self, messages: Iterable[Message]) -> VerificationReport:
        for message in messages:
            if isinstance(message, Snapshot) and not self._continues(message):
                self._restart(message)
            elif isinstance(message, Event):
                self._apply(message)
        if self._view is None:
            raise InvalidRecord("There is no table in this record.")
        return self._report

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
            self._report.reported.add(name)
            if self._results.get(name, result) != result:
                text = f"tells other points of hand {result.hand}"
                raise InvalidRecord(f"The table at event {view.seq} {text}.")
            for seat in result.seats if name in self._results else ():
                if self._players[match, seat] != _player(view, seat):
                    text = f"has another player in seat {seat}"
                    raise InvalidRecord(f"The table at event {view.seq} {text}.")

    def _apply(self, event: ev.Event) -> None:
        view = self._view
        if view is None:
            raise DamagedRecord(f"Event {event.seq} comes before any table: what was before it is missing.")
        if event.seq > view.seq + 1:
            raise DamagedRecord(f"Event {event.seq} follows event {view.seq}: those between are missing.")
        if isinstance(event, ev.Committed):
            self._hand = []
            self._shifted.clear()
            self._record_draw(view)
        self._hand.append(event)
        _check_time(view, event)
        _check_handicap(view, event)
        check_contributions(view, event)
        if isinstance(event, ev.Rotated):
            self._record_shift(view, event)
        if isinstance(event, ev.HandOver):
            self._check_hand(view, event)
        try:
            view.apply(event)
        except (InconsistentEvent, InvalidGame) as error:
            raise InvalidRecord(f"Event {event.seq}: {error}.") from error
        if isinstance(event, ev.HandOver):
            self._record_result(view)
            self._match_over = event.reason is EndReason.CLOSED or match_winners(view) is not None
        elif isinstance(event, ev.MatchOver):
            # Computed now and not when the hand ended, because everybody may have left since.
            winners = leaders(view)[0] if event.closed else match_winners(view)
            former = leaders(view, alone=True)[0] if winners == () else winners
            expect(event, event.winners in {winners, former}, "the winners are others")
            expect(event, bool(view.results), "no hand was played")
            self._report.matches += 1
            self._match_over = True
        elif isinstance(event, ev.Committed):
            expect(event, not self._match_over or event.hand == 1, "the match was over")

    def _check_hand(self, view: TableState, over: ev.HandOver) -> None:
        expect(over, view.hand is not None and view.phase in DEALT, "no hand was being played")
        expect(over, over.out is None or over.out in view.hand_seats, f"seat {over.out} was not in the hand")
        committed = self._hand[0]
        if not isinstance(committed, ev.Committed):
            self._report.skipped += 1
            return
        secret = bytes.fromhex(over.seed)
        kept = matches_commitment(secret, committed.hand_id, committed.commitment)
        expect(over, kept, f"the seed is not the one that hand {committed.hand} was committed to")
        if (known := committed.known_deal) is not None:
            follows = secret == hand_secret(bytes.fromhex(known), committed.hand)
            expect(over, follows, "the seed does not follow from the known deal")
        played = {event.seat for event in self._hand if isinstance(event, ev.Played)}
        replay = HandReplay(view, view.deal_seed(secret), played, self._shifted)
        for event in self._hand:
            self._report.plays += replay.apply(event)
        replay.check_end(view, over)
        self._report.hands += 1
        name = HandName(match_of(view.hand_id), view.hand_number)
        self._report.proven.add(name)
        if replay.unseen:
            self._report.on_trust.add(name)
        self._report.unseen += replay.unseen
        self._report.known_deals += view.known_deal is not None
        self._report.server_only += not view.revealed and view.known_deal is None
        missing = view.unrevealed
        self._report.left_out += tuple(view.player(seat) for seat in missing)
        revealed = view.revealed
        free = sorted({*missing} - self._away | revealed.keys() & self._away) if revealed else []
        self._report.choosers += tuple(view.player(seat) for seat in free)
        self._report.redrawn += tuple(self._sitting_out)

    def _record_draw(self, view: TableState) -> None:
        """Record who sits out the hand that is committed now, and who is away: they must not reveal."""
        if view.is_draw_void:
            self._sitting_out += [view.player(seat) for seat in view.unrevealed]
        else:
            self._sitting_out = []
        self._away = {seat for seat, state in view.seats.items() if not state.connected}

    def _record_result(self, view: TableState) -> None:
        """Keep the points of a proven hand, and its players, which later tables must not tell otherwise."""
        result = view.results[-1]
        match = match_of(view.hand_id)
        name = HandName(match, result.hand)
        self._report.reported.add(name)
        if name in self._report.proven:
            self._results[name] = result
            self._players |= {(match, seat): _player(view, seat) for seat in result.seats}

    def _record_shift(self, view: TableState, event: ev.Rotated) -> None:
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
        case ev.Played() | ev.StockShifted():
            expect(event, view.in_hand, "it was played outside a hand")
            expect(event, not view.paused, "it was played in a pause")
        case ev.Committed():
            number = 1 if view.between_matches else view.hand_number + (not view.is_draw_void)
            expect(event, view.is_between_hands or view.is_draw_void, "the hand before was not over")
            expect(event, event.hand == number, "the hand's number is another")
        case ev.Joined() | ev.Returned():
            _check_seat(view, event)
        case ev.Called():
            expect(event, is_played and view.options.call_out is CallOut.SHOUT, "nobody could call out")
        case ev.Rotated():
            is_wanted = view.options.stall_rule is StallRule.ROTATE and not (view.is_private or view.waiting)
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


def _check_seat(view: TableState, event: ev.Joined | ev.Returned) -> None:
    """Check that a seat may be taken, or taken again by whoever has left it."""
    taken = view.seats.get(event.seat)
    is_left = taken is not None and taken.left
    if isinstance(event, ev.Joined):
        is_free = taken is None or (is_left and view.between_matches)
        expect(event, is_free, f"seat {event.seat} was taken")
        expect(event, event.start == late_start(view), "it starts at another total")
    else:
        is_kept = is_left and not view.between_matches
        expect(event, is_kept, f"seat {event.seat} was nobody's to come back to")


def _check_handicap(view: TableState, event: ev.Event) -> None:
    """Check an event against the handicaps: nobody plays or is stuck before their own signal."""
    match event:
        case ev.Played() | ev.StockShifted() | ev.StuckSaid():
            expect(event, event.seat not in view.waiting, "it came before the seat's signal")
        case ev.SeatSignalled():
            is_played = view.phase is Phase.PLAYING and not view.paused
            expect(event, is_played, "the signal came outside a running hand")
        case ev.HandicapSet():
            expect(event, view.is_between_hands, "a handicap changed within a hand")
            why = why_impossible(view.options, event.handicap)
            expect(event, not why, f"the handicap is impossible: {why}")
        case ev.Dealt():
            expect(event, view.seats.keys() >= {*event.seats}, "a seat is nobody's")
            handicaps = view.handicaps_for(event.seats)
            expect(event, event.handicaps == handicaps, "the handicaps are others")
        case ev.HandOver(reason=EndReason.DEAD | EndReason.STUCK):
            expect(event, not view.waiting, "the last signal had not come")


def check_contributions(view: TableState, event: ev.Event) -> None:
    """Check an event about a hand's seed: all commitments come first, and are kept.

    Args:
        view: the table before the event.
        event: any event.

    Raises:
        InvalidRecord: the event violates the procedure.

    """
    coming, shuffle = view.next_shuffle, view.shuffle
    match event:
        case ev.Prepared() if view.phase is Phase.SHUFFLING:
            is_void = shuffle is not None and bool(shuffle.missing()) and bool(shuffle.revealed())
            expect(event, is_void and coming is None, "no contribution to the draw was missing")
            is_next = event.hand_id == next_draw_id(view.hand_id)
            expect(event, is_next, f"hand {event.hand_id} is not the next draw of hand {view.hand_id}")
        case ev.Prepared():
            expect(event, view.is_between_hands, "the hand before was not over")
            is_new = coming is None or coming.hand_id != event.hand_id
            expect(event, is_new, f"hand {event.hand_id} was prepared already")
        case ev.Contributed():
            expect(event, view.is_between_hands or view.is_draw_void, "the hand before was not over")
            sits_out = view.is_draw_void and event.seat not in view.seats_to_deal
            expect(event, not sits_out, f"seat {event.seat} sits out this hand")
            player = view.seats.get(event.seat)
            is_there = player is not None and not view.has_left_hand(event.seat)
            expect(event, is_there, f"nobody has seat {event.seat}")
        case ev.Committed():
            is_told = view.hand_number > 0 or view.known_deal is not None  # the first hand tells it
            expect(event, not is_told or event.known_deal == view.known_deal, "the known deal is another")
            if event.known_deal is not None:
                expect(event, view.options.casual, "a known deal was played for standings")
                expect(event, coming is None, "players contributed to a known deal")
            promised = (event.hand_id, event.commitment)
            is_same = coming is None or promised == (coming.hand_id, coming.commitment)
            expect(event, is_same, "the commitment is not the one that the hand was prepared with")
        case ev.Revealed():
            _check_revealed(view, event)
        case ev.Dealt():
            expect(event, view.phase is Phase.SHUFFLING and coming is None, "no hand was promised")
            missing = shuffle.missing() if shuffle else ()
            expect(event, event.left_out == missing, "the contributions that were left out are others")
            is_told = view.redrawn_for is not None or not view.is_redrawn  # no snapshot tells who sits out
            expect(event, not is_told or event.seats == view.seats_to_deal, "the seats are others")
        case _ if view.phase is Phase.SHUFFLING:
            is_awaited = shuffle is not None and bool(shuffle.contributions)
            expect(event, is_awaited, "a promise and its deal are not together")


def _check_revealed(view: TableState, event: ev.Revealed) -> None:
    """Check that revealed bytes match the seat's commitment."""
    shuffle = view.shuffle if view.phase is Phase.SHUFFLING and not view.is_draw_void else None
    mine = shuffle.of(event.seat) if shuffle is not None else None
    if shuffle is None or mine is None or mine.value is not None:
        expect(event, False, f"seat {event.seat} had nothing to reveal")
        return
    value = bytes.fromhex(event.value)
    hashed = contribution_hash(value, shuffle.commitment, shuffle.hand_id, event.seat)
    expect(event, hashed == mine.commitment, f"seat {event.seat} had committed to other bytes")


class HandReplay:
    """One hand, dealt and judged again with all cards known.

    On identical deals the record may lack a seat's plays: then only the result of its progress can be
    checked.

    Attributes:
        unseen: the number of these seats.

    Args:
        view: the table when the hand ends.
        seed: the hand's secret.
        played: the seats whose plays the record contains.
        shifted: the seats still playing at each shift of the stocks that not all had asked for, by event
            number.

    """

    def __init__(
        self, view: TableState, seed: bytes, played: Set[int], shifted: Mapping[int, list[int]]
    ) -> None:
        assert view.hand is not None
        self._hand, self._rules = view.hand, view.hand.rules
        self._dealer = Dealer(seed, self._rules)
        self._board = self._rules.deal()
        self._out_ends = view.options.call_out is CallOut.AUTO
        self._ended = False
        self._shifted = shifted
        self._rotations = self._plays = 0
        self._progress: dict[int, int] = {}
        self._hidden = set(view.hand_seats) - played if view.is_private else set()
        self.unseen = len(self._hidden)

    def apply(self, event: ev.Event) -> int:
        """Apply an event, and return the number of its plays."""
        match event:
            case ev.Dealt():
                self._deal(event)
            case ev.Played():
                self._play(event)
                self._plays += 1
                return 1
            case ev.Progressed():
                self._check_progress(event)
            case ev.Called():
                is_out = event.seat in self._hidden or self._rules.is_out(self._board, event.seat)
                expect(event, is_out, f"seat {event.seat} was not out")
            case ev.Rotated():
                self._rotate(event)
            case ev.StockShifted():
                self._shift(event)
        return 0

    def check_end(self, view: TableState, over: ev.HandOver) -> None:
        """Check how the hand ended, and its points."""
        expect(over, over.elapsed_ms >= 0, "the time is wrong")
        expect(over, over.points == hand_points(view, over.out), "the points are wrong")
        expect(over, (over.reason is EndReason.OUT) == (over.out is not None), "the reason is another")
        out = [seat for seat in view.hand_seats if self._rules.is_out(self._board, seat)]
        progress = self._hand.progress
        for seat in progress.keys() - self._hidden:
            reached = self._rules.progress(self._board, seat)
            expect(over, progress[seat].reached == reached, f"seat {seat} came to {reached}")
        if over.out is not None:
            expect(over, over.out in {*out, *self._hidden}, f"seat {over.out} was not out")
        elif over.reason not in {EndReason.ABANDONED, EndReason.CLOSED}:
            expect(over, not out, "somebody was out")
        if over.reason is EndReason.DEAD:
            expect(over, self._dealer.is_dead(self._board, active(view)), "the hand was not dead")
        elif over.reason is EndReason.STUCK:
            expect(over, all_said_stuck(view), "not everybody was stuck")
        elif over.reason is EndReason.TIME_UP:
            limit_ms = view.time_limit_ms
            is_late = limit_ms is not None and over.elapsed_ms >= limit_ms and not view.waiting
            is_long = self._plays >= MAX_PLAYS or bool(self._hidden)
            expect(over, is_late or is_long, "the time was not up")
        elif over.reason is EndReason.ABANDONED:
            expect(over, not active(view), "not everybody had left")

    def _deal(self, event: ev.Dealt) -> None:
        expect(event, event.shown == self._dealer.first_cards(), "the cards are not the seed's")
        self._board.reveal(self._rules.layout.face_up_refs, event.shown)

    def _check_progress(self, event: ev.Progressed) -> None:
        before = self._progress.get(event.seat)
        expect(event, event.progress != before, "that was known")
        self._progress[event.seat] = event.progress
        if event.seat not in self._hidden:
            reached = self._rules.progress(self._board, event.seat)
            expect(event, event.progress == reached, f"the seat came to {reached}")

    def _rotate(self, event: ev.Rotated) -> None:
        """Shift the stocks, at most as often as that shows new cards since the last play with progress."""
        active = self._shifted.get(event.seq)
        expect(event, active is None or self._dealer.is_dead(self._board, active), "there were plays left")
        self._rotations += 1
        expect(event, self._rotations < self._rules.turn_size, "the stocks were shifted too often")
        self._board.rotate()
        self._dealer.rotate()

    def _shift(self, event: ev.StockShifted) -> None:
        """Move the top card of a stock to its bottom. Like a play, it brings the hand nearer to its limit."""
        expect(event, not self._ended, "the hand was over")
        try:
            self._rules.verify_shift(self._board, event.seat)
        except IllegalPlay as error:
            raise InvalidRecord(f"Event {event.seq}: {error}") from error
        stock = self._rules.layout.stock[event.seat]
        self._board.shift(stock)
        self._dealer.shift(stock)
        self._plays += 1

    def _play(self, event: ev.Played) -> None:
        play = event.play
        automatic = self._rules.automatic_play(self._board, event.seat)
        expect(event, automatic is not None or not self._ended, "the hand was over")
        try:
            if automatic is not None:
                expect(event, play == automatic, "a space had to be filled first")
            else:
                self._verify(event, play)
            if event.counter and self._board.is_progress(play):
                self._rotations = 0
            shown = self._rules.carry_out(self._board, play, self._dealer.move)
        except (IllegalPlay, InconsistentEvent) as error:
            raise InvalidRecord(f"Event {event.seq}: {error}") from error
        expect(event, shown == event.shown, "the cards turned up are not those of the seed")
        self._ended = self._out_ends and self._rules.is_out(self._board, event.seat)

    def _verify(self, event: ev.Played, play: Play) -> None:
        """Check that a legal play is carried out as this one. Some special rules write it otherwise."""
        rules, board, seat = self._rules, self._board, event.seat
        try:
            carried_out = rules.verify_play(board, seat, play)
        except IllegalPlay:
            if seat not in rules.layout.seats or play not in rules.resolved_plays(board, seat):
                raise
        else:
            expect(event, carried_out == play, "the rules carry that play out otherwise")


def all_said_stuck(view: TableState) -> bool:
    """Return whether all present players of the hand have declared being stuck."""
    states = [view.seats[seat] for seat in active(view)]
    return all(state.stuck for state in states if state.connected)


def active(view: TableState) -> list[int]:
    """Return the seats of the hand whose players have not left."""
    return [seat for seat in view.hand_seats if not view.has_left_hand(seat)]


def expect(event: ev.Event, holds: bool, otherwise: str) -> None:
    """Check a property of an event.

    Raises:
        InvalidRecord: it does not hold; ``otherwise`` says what is wrong.

    """
    if not holds:
        raise InvalidRecord(f"Event {event.seq}: {otherwise}.")
