"""The public state of a table as a fold over its log.

The server and every client hold the same view and apply the same events to it, so a screen shows exactly what
the server decided.
"""

from collections.abc import Callable
from typing import Any, Final

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.racing import veil
from racing_demon_protocol.engine.rulebook import make_rules
from racing_demon_protocol.engine.rules.base import Namer, Rules
from racing_demon_protocol.errors import InconsistentEvent
from racing_demon_protocol.games import declare
from racing_demon_protocol.reasons import Phase
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.base import trusting
from racing_demon_protocol.wire.messages.server import Contribution, HandResult, SeatState, Shuffle

from .state import Progress, TableState

MOST_BANNED: Final = 32
"""The maximum number of banned names; beyond it, the oldest may return."""

_trusted_played: Final = trusting(ev.Played)


class TableView(TableState):
    """A table's state, updated by the table's events."""

    __slots__ = ()

    def apply(self, event: ev.Event) -> None:
        """Apply the next event of the log.

        Raises:
            InconsistentEvent: it is not the next event, or does not fit. Replace the view by a snapshot then.

        """
        is_whispered = self.is_private and isinstance(event, ev.Played)
        if event.seq != self.seq + (not is_whispered):
            raise InconsistentEvent(f"event {event.seq} after event {self.seq}")
        try:
            _APPLY[type(event)](self, event)
        except InconsistentEvent:
            raise
        except (LookupError, AttributeError, TypeError, ValueError) as error:
            raise InconsistentEvent(f"event {event.seq} does not fit: {error!r}") from error
        self.seq = event.seq
        if not isinstance(event, ev.Played):
            self._is_any_stuck = any(state.stuck for state in self.seats.values())

    def play(self, seat: int, counter: int, play: Play, name: Namer) -> ev.Played:
        """Carry out a play that is known to be legal, and return its event. This is the server's way to play.

        Args:
            seat: the player's seat.
            counter: the number of the seat's command; 0 for an automatic play.
            play: the play, with its foundation resolved.
            name: names the cards that it turns up.

        """
        assert self.board is not None
        assert self.rules is not None
        self._unstick(self.board, play)
        shown = Rules.carry_out(self.board, play, name)
        self.seq += not self.rules.is_private
        source, count, destination, depth = play
        return _trusted_played(
            {
                "seq": self.seq,
                "seat": seat,
                "counter": counter,
                "source": source,
                "count": count,
                "destination": destination,
                "shown": shown,
                "depth": depth,
            }
        )

    def _played(self, event: ev.Played) -> None:
        board = self._dealt_board()
        play = Play(event.source, event.count, event.destination, event.depth)
        self._unstick(board, play)
        board.reveal(board.shift(play), event.shown)

    def _dealt_board(self) -> Board:
        if self.board is None:
            raise InconsistentEvent("no cards are dealt")
        return self.board

    def _unstick(self, board: Board, play: Play) -> None:
        """Clear all "stuck" declarations if a play brings the hand closer to its end."""
        if self._is_any_stuck and not self.is_private and board.is_progress(play):
            self._is_any_stuck = False
            self._take_stuck_back()  # with private layouts, each seat's progress decides

    def _progressed(self, event: ev.Progressed) -> None:
        if event.seat not in self.progress:
            raise InconsistentEvent(f"progress of seat {event.seat}, of which nothing is hidden")
        self.progress[event.seat] = Progress(event.progress, event.seq)
        self._update(event.seat, stuck=False)

    def _joined(self, event: ev.Joined) -> None:
        self.gone.pop(event.seat, None)
        self._forget_contribution(event.seat)
        if event.seat in self.seats:  # players who left during the match keep their result
            self.departed.setdefault(event.seat, self.seats[event.seat].name)
        if self.board is not None and self._dealt_private is not None and event.seat in self.hand_seats:
            veil(self.board, self._dealt_private, event.seat)
        self.seats[event.seat] = SeatState(
            seat=event.seat, name=event.name, bot=event.bot, ready=bool(event.bot)
        )

    def _left(self, event: ev.Left) -> None:
        leaver = self.seats[event.seat]
        if event.kicked and not leaver.bot:
            self._unban(leaver.name)
            self.banned = (*self.banned, leaver.name)[-MOST_BANNED:]
        self._forget_contribution(event.seat)
        if self.between_matches:
            state = self.seats.pop(event.seat)
            self.gone[event.seat] = state.name
            if event.seat in self.hand_seats:
                self.departed.setdefault(event.seat, state.name)
        else:
            self._update(event.seat, left=True, connected=False, ready=False, stand_in="")

    def _connected(self, event: ev.Connected) -> None:
        if event.connected:
            self._update(event.seat, connected=True, stand_in="")
        else:
            self._update(event.seat, connected=False)

    def _readied(self, event: ev.Readied) -> None:
        self._update(event.seat, ready=event.ready)

    def _hosted(self, event: ev.Hosted) -> None:
        self.host = event.seat

    def _options_set(self, event: ev.OptionsSet) -> None:
        self.options = event.options
        self.rules = self.board = self._dealt_private = None  # the last board may be of another game
        self.progress.clear()
        for seat, state in self.seats.items():
            if state.ready and not state.bot:  # they were ready for the old options
                self._update(seat, ready=False)

    def _prepared(self, event: ev.Prepared) -> None:
        if self.phase is Phase.SHUFFLING and self.shuffle is not None:  # the draw is void
            self.redrawn_for = self._without(self.seats_to_deal, self.shuffle.missing())
        self.next_shuffle = Shuffle(hand_id=event.hand_id, commitment=event.commitment)

    def _contributed(self, event: ev.Contributed) -> None:
        if self.next_shuffle is None or event.seat not in self.seats:
            raise InconsistentEvent(f"a contribution of seat {event.seat}, which none was asked of")
        contribution = Contribution(seat=event.seat, commitment=event.commitment)
        self.next_shuffle = self.next_shuffle.with_contribution(contribution)

    def _revealed(self, event: ev.Revealed) -> None:
        contribution = self.shuffle.of(event.seat) if self.shuffle else None
        is_awaited = self.phase is Phase.SHUFFLING and not self.is_draw_void
        if self.shuffle is None or contribution is None or not is_awaited:
            raise InconsistentEvent(f"seat {event.seat} reveals what it has not contributed")
        contribution = contribution.model_copy(update={"value": event.value})
        self.shuffle = self.shuffle.with_contribution(contribution)

    def _forget_contribution(self, seat: int) -> None:
        """Discard a seat's contribution to the next hand: its player has changed."""
        if self.next_shuffle is not None:
            self.next_shuffle = self.next_shuffle.without(seat)

    def _committed(self, event: ev.Committed) -> None:
        if event.hand == 1:
            self.results.clear()
            self.departed.clear()
            self.winners = ()
            self.seats = {seat: state for seat, state in self.seats.items() if not state.left}
        self.redrawn_for = self._without(self.seats_to_deal, ()) if self.is_draw_void else None
        seats = self.seated()
        self.hand = event.hand
        self.hand_id = event.hand_id
        self.commitment = event.commitment
        self.shuffle, self.next_shuffle = self.next_shuffle, None
        if self.shuffle is not None:
            self.shuffle = self.shuffle.model_copy(update={"seats": seats})
        self.phase = Phase.SHUFFLING

    def _dealt(self, event: ev.Dealt) -> None:
        if not self.seats.keys() >= set(event.seats):
            raise InconsistentEvent("cards for seats that nobody has")
        self.rules = make_rules(declare(self.options, len(event.seats)), event.seats)
        self.board = self.rules.deal()
        self.board.reveal(self.rules.layout.first_places, event.shown)
        self.progress, self._dealt_private = {}, None
        if self.is_private:
            self._dealt_private = self.board.copy()
            reached = self.rules.all_progress(self.board)
            self.progress = {seat: Progress(reached[seat], event.seq) for seat in event.seats}
        self.called = None
        self.phase = Phase.COUNTDOWN
        self._take_stuck_back()

    def _signalled(self, event: ev.Signalled) -> None:
        self.phase = Phase.PLAYING

    def _stuck_said(self, event: ev.StuckSaid) -> None:
        self._update(event.seat, stuck=True)

    def _rotated(self, event: ev.Rotated) -> None:
        self._dealt_board().rotate()
        self._take_stuck_back()

    def _called(self, event: ev.Called) -> None:
        self.called = event.seat
        self.phase = Phase.GRACE

    def _hand_over(self, event: ev.HandOver) -> None:
        if len(event.points) != len(self.hand_seats):
            raise InconsistentEvent(f"{len(event.points)} points for {len(self.hand_seats)} seats")
        self.phase = Phase.TALLY
        self.paused = False
        self.results.append(
            HandResult(
                hand=self.hand,
                seats=self.hand_seats,
                points=event.points,
                reason=event.reason,
                out=event.out,
                elapsed_ms=event.elapsed_ms,
            )
        )
        for seat, state in self.seats.items():
            if state.stuck or state.ready is not bool(state.bot):
                self._update(seat, ready=bool(state.bot), stuck=False)

    def _unbanned(self, event: ev.Unbanned) -> None:
        self._unban(event.name)

    def _unban(self, name: str) -> None:
        self.banned = tuple(other for other in self.banned if other != name)

    def _match_over(self, event: ev.MatchOver) -> None:
        self.phase = Phase.OVER
        self.banned = ()
        self.winners = event.winners

    def _spoken(self, event: ev.Said | ev.Reacted) -> None:
        if event.seat not in self.seats:
            raise InconsistentEvent("words from a seat that nobody has")

    def _paused(self, event: ev.Paused) -> None:
        self.paused = True

    def _continued(self, event: ev.Continued) -> None:
        self.paused = False

    def _stood_in(self, event: ev.StoodIn) -> None:
        self._update(event.seat, stand_in=event.bot)

    def _muted(self, event: ev.Muted) -> None:
        self._update(event.seat, muted=event.muted)

    def _update(self, seat: int, **changes: Any) -> None:
        self.seats[seat] = self.seats[seat].model_copy(update=changes)

    def _take_stuck_back(self) -> None:
        for seat, state in self.seats.items():
            if state.stuck:
                self._update(seat, stuck=False)


_APPLY: dict[type[ev.Event], Callable[[TableView, Any], None]] = {
    ev.Played: TableView._played,
    ev.Joined: TableView._joined,
    ev.Left: TableView._left,
    ev.Connected: TableView._connected,
    ev.Readied: TableView._readied,
    ev.Hosted: TableView._hosted,
    ev.OptionsSet: TableView._options_set,
    ev.Prepared: TableView._prepared,
    ev.Contributed: TableView._contributed,
    ev.Committed: TableView._committed,
    ev.Revealed: TableView._revealed,
    ev.Dealt: TableView._dealt,
    ev.Signalled: TableView._signalled,
    ev.StuckSaid: TableView._stuck_said,
    ev.Rotated: TableView._rotated,
    ev.Called: TableView._called,
    ev.HandOver: TableView._hand_over,
    ev.MatchOver: TableView._match_over,
    ev.Said: TableView._spoken,
    ev.Paused: TableView._paused,
    ev.Continued: TableView._continued,
    ev.StoodIn: TableView._stood_in,
    ev.Muted: TableView._muted,
    ev.Reacted: TableView._spoken,
    ev.Progressed: TableView._progressed,
    ev.Unbanned: TableView._unbanned,
}
