"""The proof of one hand: it is dealt from its seed and judged again, with all cards known."""

from collections.abc import Mapping, Set

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.errors import IllegalPlay, InconsistentEvent, InvalidRecord
from racing_demon_protocol.limits import MOST_PLAYS
from racing_demon_protocol.reasons import EndReason
from racing_demon_protocol.table.scoring import hand_points
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import CallOut


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
        assert view.rules is not None
        self._rules = view.rules
        self._dealer = Dealer(seed, view.rules)
        self._board = view.rules.deal()
        self._out_ends = view.options.call_out is CallOut.AUTO
        self._ended = False
        self._shifted = shifted
        self._rotations = self._plays = 0
        self._progress: dict[int, int] = {}
        self._hidden = set(view.hand_seats) - played if view.is_private else set()
        self.unseen = len(self._hidden)

    def follow(self, event: ev.Event) -> int:
        """Follow an event; return the number of its plays."""
        match event:
            case ev.Dealt():
                self._deal(event)
            case ev.Played():
                self._play(event)
                self._plays += 1
                return 1
            case ev.Progressed():
                self._note_progress(event)
            case ev.Called():
                is_out = event.seat in self._hidden or self._rules.is_out(self._board, event.seat)
                expect(event, is_out, f"seat {event.seat} was not out")
            case ev.Rotated():
                self._rotate(event)
        return 0

    def check_end(self, view: TableState, over: ev.HandOver) -> None:
        """Check how the hand ended, and its points."""
        expect(over, over.elapsed_ms >= 0, "the time is wrong")
        expect(over, over.points == hand_points(view, over.out), "the points are wrong")
        expect(over, (over.reason is EndReason.OUT) == (over.out is not None), "the reason is another")
        out = [seat for seat in view.hand_seats if self._rules.is_out(self._board, seat)]
        for seat in view.progress.keys() - self._hidden:
            reached = self._rules.progress(self._board, seat)
            expect(over, view.progress[seat].reached == reached, f"seat {seat} came to {reached}")
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
            is_late = limit_ms is not None and over.elapsed_ms >= limit_ms
            is_long = self._plays >= MOST_PLAYS or bool(self._hidden)
            expect(over, is_late or is_long, "the time was not up")
        elif over.reason is EndReason.ABANDONED:
            expect(over, not active(view), "not everybody had left")

    def _deal(self, event: ev.Dealt) -> None:
        expect(event, event.shown == self._dealer.first_cards(), "the cards are not the seed's")
        self._board.reveal(self._rules.layout.first_places, event.shown)

    def _note_progress(self, event: ev.Progressed) -> None:
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

    def _play(self, event: ev.Played) -> None:
        play = Play(event.source, event.count, event.destination, event.depth)
        automatic = self._rules.automatic(self._board, event.seat)
        expect(event, automatic is not None or not self._ended, "the hand was over")
        try:
            if automatic is not None:
                expect(event, play == automatic, "a space had to be filled first")
            else:
                self._verify(event, play)
            if event.counter and self._board.is_progress(play):
                self._rotations = 0
            shown = self._rules.carry_out(self._board, play, self._dealer.follow)
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
            if seat not in rules.layout.seats or play not in rules.moves(board, seat):
                raise
        else:
            expect(event, carried_out == play, "the rules carry that play out otherwise")


def all_said_stuck(view: TableState) -> bool:
    """Return whether all present players of the hand have declared being stuck."""
    states = [view.seats[seat] for seat in view.hand_seats]
    return all(state.stuck for state in states if state.connected)


def active(view: TableState) -> list[int]:
    """Return the seats of the hand whose players have not left."""
    return [seat for seat in view.hand_seats if not view.seats[seat].left]


def expect(event: ev.Event, holds: bool, otherwise: str) -> None:
    """Check a property of an event.

    Raises:
        InvalidRecord: it does not hold; ``otherwise`` says what is wrong.

    """
    if not holds:
        raise InvalidRecord(f"Event {event.seq}: {otherwise}.")
