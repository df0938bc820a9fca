"""One hand on the server: rules, hidden cards, the arrivals that decide races, and dead-hand tests.

Times are microseconds on the caller's monotonic clock.
"""

from array import array
from collections.abc import Iterable, Sequence
from math import inf
from typing import Final, NamedTuple, Self

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Counts, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.sliced_search import UNIT_MICROSECONDS, SlicedSearch
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import PlayCards
from racing_demon_protocol.wire.messages.events import Continued, Dealt, Event, HandOver, Paused, Played
from racing_demon_protocol.wire.messages.server import RaceLost, Refused

MAX_ARRIVALS: Final = 4_096
"""The most arrivals kept; at least half as many are. Cards can be taken back and played again."""
ARRIVAL_FIELDS: Final = 4


class HandClock(NamedTuple):
    """The clock of a hand at one moment, in microseconds on a monotonic clock.

    Attributes:
        signal_at: when play begins or began, plus all past pauses; ``None`` before the first.
        stopped_at: when the current pause began; ``None`` while the hand runs.

    """

    signal_at: int | None = None
    stopped_at: int | None = None

    def elapsed_ms(self, at: int) -> int:
        """Return the milliseconds since the signal, without pauses; negative before it."""
        if self.signal_at is None:
            return 0
        return ((at if self.stopped_at is None else self.stopped_at) - self.signal_at) // 1_000

    def after(self, event: Event, at: int) -> Self:
        """Return the clock after the table's next event, which happened at that time."""
        match event:
            case Dealt():
                return type(self)(at + event.countdown_ms * 1_000)
            case Paused():
                return self._replace(stopped_at=at)
            case Continued() | HandOver():
                return type(self)(at - event.elapsed_ms * 1_000)
        return self


class Arrival(NamedTuple):
    """The arrival of a card on a foundation.

    Attributes:
        pile: the foundation.
        seq: the number of the play's event.
        seat: whose play it was.
        at: when it arrived, in microseconds on the server's clock.

    """

    pile: int
    seq: int
    seat: int
    at: int


class RaceLog:
    """The newest arrivals of a hand, from which the loser of a race learns who was faster and by how much."""

    def __init__(self) -> None:
        # Numbers in one array, because freeing many objects takes long.
        self._numbers = array("q")
        self._forgotten = 0

    def __len__(self) -> int:
        """Return how many arrivals there have been."""
        return self._forgotten + len(self._numbers) // ARRIVAL_FIELDS

    def cut(self, length: int) -> None:
        """Forget all arrivals but the first so many."""
        del self._numbers[(length - self._forgotten) * ARRIVAL_FIELDS :]

    def append(self, *arrival: int) -> None:
        """Append the fields of the newest :class:`Arrival`."""
        self._numbers.extend(arrival)
        if len(self._numbers) > MAX_ARRIVALS * ARRIVAL_FIELDS:
            del self._numbers[: MAX_ARRIVALS // 2 * ARRIVAL_FIELDS]
            self._forgotten += MAX_ARRIVALS // 2

    def state(self) -> list[int]:
        """Return everything as numbers, for :meth:`restore`."""
        return self._numbers.tolist()

    def restore(self, numbers: Sequence[int]) -> None:
        """Continue with the arrivals of an earlier time."""
        self._numbers, self._forgotten = array("q", numbers), 0

    def since(self, seq: int) -> dict[int, list[Arrival]]:
        """Return the arrivals after an event, by foundation, newest first."""
        found: dict[int, list[Arrival]] = {}
        for begin in range(len(self._numbers) - ARRIVAL_FIELDS, -1, -ARRIVAL_FIELDS):
            arrival = Arrival(*self._numbers[begin : begin + ARRIVAL_FIELDS])
            if arrival.seq <= seq:
                break
            found.setdefault(arrival.pile, []).append(arrival)
        return found


class HandCopy(NamedTuple):
    """A running hand at one moment, besides its public board. It shares the arrivals so far.

    Attributes:
        secret: the server's part of the deal's seed.
        dealer: knows the hidden cards.
        cards: these cards at that moment.
        race_log: the arrivals.
        arrivals: how many there had been.
        has_built: whether a card was built since the last test for a dead hand.
        dealt_seq: the number of the event that dealt it.
        signal_at: when play began, plus all pauses.
        rotations: how often stocks were rotated since the last play that made progress.
        plays: the number of plays so far.
        first_out: the seat that reached the goal first.

    """

    secret: bytes
    dealer: Dealer
    cards: Board
    race_log: RaceLog
    arrivals: int
    has_built: bool
    dealt_seq: int
    signal_at: int
    rotations: int
    plays: int
    first_out: int | None

    def state(self) -> "HandState":
        """Return the same as numbers."""
        return HandState(*self[-5:], self.race_log.state(), self.cards.cards, self.cards.counts)


class HandState(NamedTuple):
    """A running hand besides its public board and its secret, as numbers: see :class:`HandCopy`.

    Attributes:
        arrivals: the newest arrivals.
        cards: all cards of each pile, known.
        counts: what the dealer's board counts.

    """

    dealt_seq: int
    signal_at: int
    rotations: int
    plays: int
    first_out: int | None
    arrivals: list[int]
    cards: Sequence[Sequence[Card]]
    counts: Counts

    def copied(self, secret: bytes, dealer: Dealer) -> HandCopy:
        """Return a copy of the hand, given its secret, and who knows the hidden cards as they were dealt."""
        dealer.restore(self.cards, self.counts)
        race_log = RaceLog()
        race_log.restore(self.arrivals)
        return HandCopy(
            secret,
            dealer,
            dealer.open_board(),
            race_log,
            arrivals=len(race_log),
            has_built=bool(self.arrivals),
            dealt_seq=self.dealt_seq,
            signal_at=self.signal_at,
            rotations=self.rotations,
            plays=self.plays,
            first_out=self.first_out,
        )


DEAD_CHECK_DELAY_US: Final = 500_000
"""Time from a play to the dead-hand test. Many plays share one test, and nearly all dead hands end within
a second."""
SLICE_UNITS: Final = 50
"""The work of one slice, less than two milliseconds in every game: see :mod:`.engine.sliced_search`."""
SLICE_GAP_US: Final = 2_000
"""Time between two slices, which other work may use."""
WAIT_US_PER_UNIT: Final = 20 * UNIT_MICROSECONDS
"""After a search of several slices the next one waits this long for each unit of its work. Where every search
is long and somebody keeps playing, searching takes a few percent of the CPU."""


class DeadHandTest:
    """Searches in slices whether seats can still make progress, so that no player is delayed.

    The tests of one hand are independent, so the time of an answer reveals nothing about other seats. Each
    has slots of its own, :data:`SLICE_GAP_US` apart from the others', so that they do not all run at once.

    Attributes:
        next_slice_at: when to continue; ``None`` if nothing has changed since the last answer.

    Args:
        board: the public board of the hand.
        dealer: knows the hidden cards.
        begins: when to start.
        slot, slots: this test's number, and how many tests take turns.

    """

    def __init__(self, board: Board, dealer: Dealer, begins: int, slot: int = 0, slots: int = 1) -> None:
        self._phase, self._period = slot * SLICE_GAP_US, slots * SLICE_GAP_US
        self._is_alone = slots == 1
        self.next_slice_at: int | None = self._in_phase(begins)
        self._board = board
        self._dealer = dealer
        self._dead: set[int] = set()
        self._search: tuple[int, SlicedSearch[bool]] | None = None
        self._waits_until = 0

    def work(self, seats: Iterable[int], at: int) -> bool:
        """Search for one slice, and schedule another if that gives no answer.

        Returns:
            Whether none of these seats can make progress; ``False`` while unknown.

        """
        left = SLICE_UNITS
        for seat in seats:
            if seat in self._dead:
                continue
            can_progress, done = self._advance(seat, left, at)
            left -= done
            if can_progress is None:
                self.next_slice_at = self._in_phase(max(at + SLICE_GAP_US, self._waits_until))
                return False
            if can_progress:
                self.next_slice_at = None
                return False
            self._dead.add(seat)
        self.next_slice_at = None
        return True

    def restart(self, at: int) -> None:
        """Start over, because the cards have changed."""
        self._dead.clear()
        if self._search is not None:
            self._end_search(at)
            self.next_slice_at = None
        self.schedule(at)

    def schedule(self, at: int) -> None:
        """Schedule a slice some time after ``at``, unless one comes earlier."""
        if self.next_slice_at is None:
            self.next_slice_at = self._in_phase(at + DEAD_CHECK_DELAY_US)

    def shift(self, microseconds: int) -> None:
        """Delay the next slice by the length of a pause."""
        if self.next_slice_at is not None:
            self.next_slice_at = self._in_phase(self.next_slice_at + microseconds)

    def reschedule_overdue(self, now: int) -> None:
        """Reschedule an overdue slice, so that late slices do not run all at once.

        A test that has not started runs before the next slice of one that has.
        """
        if self.next_slice_at is not None and self.next_slice_at <= now:
            self.next_slice_at = self._in_phase(now + (1 if self._search is None else SLICE_GAP_US))

    def _in_phase(self, at: int) -> int:
        """Return this test's first slot at or after a moment: any time if it is alone."""
        return at if self._is_alone else at + (self._phase - at) % self._period

    def _advance(self, seat: int, units: int, at: int) -> tuple[bool | None, int]:
        """Continue the search for a seat.

        Return whether it can make progress, if known, and the work done.
        """
        if self._search is None and (units <= 0 or at < self._waits_until):
            return None, 0
        if self._search is None or self._search[0] != seat:
            self._search = seat, self._dealer.search(self._board, seat)
        search = self._search[1]
        before, can_progress = search.units, search.advance(units)
        if can_progress is not None:
            self._end_search(at)
        return can_progress, search.units - before

    def _end_search(self, at: int) -> None:
        if self._search is not None and self._search[1].units > SLICE_UNITS:
            self._waits_until = at + self._search[1].units * WAIT_US_PER_UNIT
        self._search = None


class Hand:
    """The judge of one hand.

    Attributes:
        rules: its rules.
        board: the public board.
        secret: the server's part of the deal's seed.
        signal_at: when play begins: see :meth:`seat_signal_at` for seats that start later.
        rotations: how often stocks were rotated since the last play that made progress.
        first_out: the seat that reached the goal first.
        dealt_seq: the number of the event that dealt it.
        plays: the number of plays so far, with automatic ones and shifts of a stock.

    Args:
        view: the table's view, after the deal.
        secret: the server's, which the seed of the deal follows from.
        dealer: knows the hidden cards.
        dealt_at: when the cards were dealt.

    """

    def __init__(self, view: TableState, secret: bytes, dealer: Dealer, dealt_at: int) -> None:
        assert view.hand is not None
        self.public = view.hand
        self.rules = view.hand.rules
        self.board = view.hand.board
        self.secret = secret
        self.signal_at = dealt_at + view.options.countdown_ms * 1_000
        self.rotations = self.plays = 0
        self.first_out: int | None = None
        self._view = view
        begins = self.signal_at + DEAD_CHECK_DELAY_US
        tested: Sequence[int | None] = view.hand_seats if view.is_private else (None,)
        self._dead_tests = {
            seat: DeadHandTest(self.board, dealer, begins, slot, len(tested))
            for slot, seat in enumerate(tested)
        }
        self._dealer = dealer
        self.dealt_seq = view.seq
        self._has_built = False
        self._foundations = self.rules.layout.foundation_set
        self._race_log = RaceLog()
        self._lost: RaceLost | None = None

    def copy(self) -> HandCopy:
        """Return a copy of what changes in a hand."""
        return HandCopy(
            self.secret,
            self._dealer,
            self._dealer.open_board(),
            self._race_log,
            len(self._race_log),
            self._has_built,
            self.dealt_seq,
            self.signal_at,
            self.rotations,
            self.plays,
            self.first_out,
        )

    @classmethod
    def of(cls, view: TableState, copy: HandCopy) -> Self:
        """Return the hand of a copy, given the table's view at that moment. It is tested at once."""
        copy.dealer.restore(copy.cards.cards, copy.cards.counts)
        hand = cls(view, copy.secret, copy.dealer, copy.signal_at - view.options.countdown_ms * 1_000)
        copy.race_log.cut(copy.arrivals)
        hand._race_log, hand._has_built = copy.race_log, copy.has_built
        hand.dealt_seq, hand.rotations, hand.plays = copy.dealt_seq, copy.rotations, copy.plays
        hand.first_out = copy.first_out
        return hand

    def play(self, seat: int, command: PlayCards, at: int) -> list[Played]:
        """Judge a play and carry it out.

        The result is one event a card to the foundations, and automatic plays.

        Raises:
            IllegalPlay: it is refused, and nothing has changed.

        """
        # Setting fields one by one takes the interpreter three times as long.
        counter, source, count, destination, seen, depth = command.__dict__.values()
        if seen < self.dealt_seq:
            raise IllegalPlay("That play was for an earlier hand.", Reason.HAND_OVER)
        play = Play(source, count, destination, depth)
        if count == 1 or not (destination == FOUNDATIONS or destination in self._foundations):
            resolved = self.rules.verify_play(self.board, seat, play)
            return self._carry_out(seat, counter, resolved, at)
        played: list[Played] = []
        for _ in range(self._run(play)):
            try:
                resolved = self.rules.verify_play(self.board, seat, play._replace(count=1))
            except IllegalPlay:
                if played:
                    break  # a run goes up card by card, as far as possible
                raise
            played += self._carry_out(seat, counter, resolved, at)
        return played

    def seat_signal_at(self, seat: int) -> int:
        """Return when a seat may begin to play."""
        return self.signal_at + self.public.waits_ms.get(seat, 0) * 1_000

    def first_turn(self, seat: int) -> list[Played]:
        """Turn the stock of a seat at the signal, unless an ace must be played first."""
        turn = self.rules.stock_play(self.board, seat)
        if turn is None or not self.rules.can_play(self.board, seat, turn):
            return []
        return self._carry_out(seat, 0, turn, self.seat_signal_at(seat))

    def settle(self, seat: int, limit: float = inf) -> list[Played]:
        """Make the automatic plays of a seat, at most ``limit`` of them."""
        played: list[Played] = []
        while len(played) < limit and (follow_up := self.rules.automatic_play(self.board, seat)) is not None:
            played.append(self._view.play(seat, 0, follow_up, self._dealer.move))
        self.plays += len(played)
        return played

    def refusal(self, seat: int, command: PlayCards, error: IllegalPlay, at: int) -> Refused:
        """Return why a play was refused: who was faster, by how much, and what lies there now.

        It reveals no pile that the seat may not see.
        """
        beaten = self._beaten_by(seat, command) if error.reason is Reason.ILLEGAL else None
        if beaten is not None:
            late_us = max(0, at - beaten.at)
            self._record_lost_race(seat, beaten, late_us)
            return Refused(
                counter=command.counter,
                reason=Reason.BEATEN,
                text="Another player's card arrived first.",
                by=beaten.seat,
                late_us=late_us,
                pile=beaten.pile,
                top=self._top(seat, beaten.pile),
            )
        pile = command.destination if 0 <= command.destination < len(self.board.piles) else FOUNDATIONS
        return Refused(
            counter=command.counter,
            reason=error.reason,
            text=error.text,
            pile=pile,
            top=self._top(seat, pile),
        )

    def drain_lost_race(self) -> RaceLost | None:
        """Return the race that was lost since the last call, if one was and everybody may know."""
        lost, self._lost = self._lost, None
        return lost

    @property
    def dead_check_at(self) -> int | None:
        """When to continue a dead-hand test; ``None`` if nothing has changed since the last answer."""
        first: int | None = None
        for test in self._dead_tests.values():  # mostly one; asked after every play, and min() is slower
            at = test.next_slice_at
            if at is not None and (first is None or at < first):
                first = at
        return first

    def is_dead(self, seats: Iterable[int], at: int) -> bool:
        """Run one slice of the test. Return whether no seat can play, as far as is known."""
        return self._dead_tests[None].work(seats, at)

    def dead_seat(self, at: int) -> int | None:
        """Run one slice of the test whose turn it is. Return its seat if that is dead.

        On identical deals each seat has its own test, so that others cannot notice when it plays.
        """
        _, seat = min(
            (test.next_slice_at, seat)
            for seat, test in self._dead_tests.items()
            if test.next_slice_at is not None
        )
        return seat if seat is not None and self._dead_tests[seat].work([seat], at) else None

    def is_alive(self, at: int) -> bool:
        """Return whether a card was built since the last call; if so, schedule the next test.

        A hand in which cards are being built is not dead, so no search is needed.
        """
        is_alive, self._has_built = self._has_built, False
        if is_alive:
            self._dead_tests[None].next_slice_at = at + DEAD_CHECK_DELAY_US
        return is_alive

    def schedule_dead_tests(self, at: int) -> None:
        """Test for a dead hand some time after ``at``, unless a test comes earlier."""
        for test in self._dead_tests.values():
            test.schedule(at)

    def reschedule_overdue(self, now: int) -> None:
        """Move overdue dead-hand tests past the present: only one slice runs at a time.

        After a slice that is late by less than a slice gap this moves no other test, since all have slots of
        their own. Otherwise the time of a test would reveal that another seat's test ran.
        """
        for test in self._dead_tests.values():
            test.reschedule_overdue(now)

    def shift(self, microseconds: int) -> None:
        """Delay all timers by the length of a pause."""
        self.signal_at += microseconds
        for test in self._dead_tests.values():
            test.shift(microseconds)

    def rotate(self, at: int) -> None:
        """Shift the hidden stocks. The view's own stocks follow with the event."""
        self._dealer.rotate()
        self.rotations += 1
        for test in self._dead_tests.values():
            test.restart(at)

    def shift_stock(self, seat: int, at: int) -> None:
        """Move the top card of a seat's hidden stock to its bottom. The view's stock follows with the event.

        It counts as a play, so that no hand has more events than it may have plays.
        """
        self._dealer.shift(self.rules.layout.stock[seat])
        self.plays += 1
        for test in self._dead_tests.values():
            test.restart(at)

    def restore(self, event: Played, at: int) -> None:
        """Apply a play that was made before the restart.

        Raises:
            InconsistentEvent: it does not fit.

        """
        play = event.play
        if event.counter:
            self._before_play(event.seat, play, at)
        self._dealer.move(play, ())
        self._view.apply(event)
        self.plays += 1
        if event.counter:
            self._record_arrival(event, at)
        self._update_first_out(event.seat)

    def _run(self, play: Play) -> int:
        """Return the longest run that a play to the foundations may move: cards that are face up now."""
        cards = self.board.cards[play.source] if play.source < len(self.board.cards) else []
        face_up = next((n for n, card in enumerate(reversed(cards)) if card == UNKNOWN), len(cards))
        return max(1, min(play.count, face_up))

    def _carry_out(self, seat: int, counter: int, play: Play, at: int) -> list[Played]:
        self._before_play(seat, play, at)
        event = self._view.play(seat, counter, play, self._dealer.move)
        self._record_arrival(event, at)
        self.plays += 1
        played = [event]
        if self.rules.plays_automatically:
            played += self.settle(seat)
        self._update_first_out(seat)
        return played

    def _before_play(self, seat: int, play: Play, at: int) -> None:
        """Record what a play means for the end of the hand, before it is made."""
        if self.rotations and self.board.is_progress(play):
            self.rotations = 0
        # Turning the stock can lose the last playable card, too.
        self._dead_tests[seat if self.rules.is_private else None].restart(at)

    def _record_arrival(self, event: Played, at: int) -> None:
        if event.destination in self._foundations:
            self._has_built = True
            self._race_log.append(event.destination, event.seq, event.seat, at)

    def _update_first_out(self, seat: int) -> None:
        """Record whether a seat is out after its play. No play puts another seat out first."""
        rules, board = self.rules, self.board
        if self.first_out is None:
            if rules.is_out(board, seat):
                self.first_out = seat
        elif not rules.is_out(board, self.first_out):  # the seat took a card back
            self.first_out = next((seat for seat in rules.layout.seats if rules.is_out(board, seat)), None)

    def _beaten_by(self, seat: int, command: PlayCards) -> Arrival | None:
        """Return the newest arrival that made a play illegal which was legal when it was made."""
        card = self._playable_card(seat, command)
        if card is None:
            return None
        spoilt = []
        for pile, since in self._race_log.since(command.seen).items():
            if command.destination not in {pile, FOUNDATIONS} or not self.public.may_see(seat, pile):
                continue
            first, cards = since[-1], self.board.cards[pile]
            seen = cards[: len(cards) - len(since)]
            if first.seat != seat and self.rules.follows_on(self.board, pile, seen, card):
                spoilt.append(first)
        return max(spoilt, key=lambda arrival: arrival.seq, default=None)

    def _record_lost_race(self, seat: int, beaten: Arrival, late_us: int) -> None:
        """Record a lost race for spectators. On identical deals it would tell of a private layout."""
        if self._view.is_private:
            return
        cards = self.board.cards[beaten.pile]
        arrived = len(self._race_log.since(beaten.seq - 1)[beaten.pile])
        card = cards[-arrived] if arrived <= len(cards) else UNKNOWN
        self._lost = RaceLost(pile=beaten.pile, card=card, by=beaten.seat, seat=seat, late_us=late_us)

    def _playable_card(self, seat: int, command: PlayCards) -> Card | None:
        """Return the card that a refused play to the foundations would have moved, if it was playable."""
        if command.destination != FOUNDATIONS and command.destination not in self._foundations:
            return None
        source = self.board.piles[command.source]
        if source.seat != seat or source.kind not in {Kind.TABLEAU, Kind.WASTE, Kind.RESERVE}:
            return None
        card = self.board.top(command.source)
        return None if card == UNKNOWN else card

    def _top(self, seat: int, pile: int) -> Card:
        top = self.board.top(pile) if pile >= 0 and self.public.may_see(seat, pile) else None
        return UNKNOWN if top is None else top
