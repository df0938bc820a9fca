"""Everything at a table that everybody may see: a fold over the table's log.

The server's table and every client hold the same view and apply the same events to it, so what a
screen shows is what the server decided.
"""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, Final, NamedTuple

from .board import Board, Play
from .errors import InconsistentEvent
from .games import declare
from .messages import events as ev
from .messages.row import trusting
from .messages.server import HandResult, SeatState, Snapshot
from .options import Options
from .racing import veiled
from .reasons import Phase
from .rulebook import make_rules
from .rules import Namer, Rules

__all__ = ["DEALT", "IDENTICAL_LIMIT_MS", "IN_HAND", "Progress", "TableView"]


_trusted_played: Final = trusting(ev.Played)

IN_HAND: Final = frozenset({Phase.PLAYING, Phase.GRACE})
"""When plays may be accepted."""
DEALT: Final = IN_HAND | {Phase.COUNTDOWN}
"""From the deal to the hand's end."""
IDENTICAL_LIMIT_MS: Final = 600_000
"""The time limit of a hand of identical deals, where the table's options name none."""


class Progress(NamedTuple):
    """How far a seat has come, and the number of the event with which it did."""

    reached: int
    since: int


class TableView:
    """What everybody may see of one table.

    Attributes:
        code: the table's code.
        options: its options.
        seq: the number of the last event applied.
        host: the host's seat; ``None`` while the host watches only.
        phase: what the table is doing.
        seats: who sits where.
        departed: what those were called who have left since the match was over, by their seats.
        hand: the number of the current or last hand of the match, from 1; 0 before the first.
        hand_id: what the commitment is over, with the seed.
        commitment: the SHA-256 that the hand's deal was fixed with.
        rules: the rules of the current or last hand; ``None`` before the first deal.
        board: its board.
        called: who shouted "Demon!" in this hand, where that is wanted.
        results: the tally, hand by hand.
        winners: who won the match, once it is over.
        progress: on identical deals: how far each seat of the hand has come, and with which event.
        paused: whether the hand stands still.
        locked: whether the table has a passphrase.

    """

    __slots__ = (
        "_dealt_private",
        "_is_any_stuck",
        "board",
        "called",
        "code",
        "commitment",
        "departed",
        "hand",
        "hand_id",
        "host",
        "locked",
        "options",
        "paused",
        "phase",
        "progress",
        "results",
        "rules",
        "seats",
        "seq",
        "winners",
    )

    def __init__(self, code: str, options: Options) -> None:
        self.code = code
        self.options = options
        self.seq = 0
        self.host: int | None = None
        self.phase = Phase.LOBBY
        self.seats: dict[int, SeatState] = {}
        self.departed: dict[int, str] = {}
        self.hand = 0
        self.hand_id = ""
        self.commitment: str | None = None
        self.rules: Rules | None = None
        self.board: Board | None = None
        self.called: int | None = None
        self.results: list[HandResult] = []
        self.winners: tuple[int, ...] = ()
        self.progress: dict[int, Progress] = {}
        self._dealt_private: Board | None = None
        self._is_any_stuck = False
        self.paused = False
        self.locked = False

    # Questions.

    @property
    def hand_seats(self) -> tuple[int, ...]:
        """The seats that take part in the current or last hand."""
        return self.rules.layout.seats if self.rules else ()

    @property
    def in_hand(self) -> bool:
        """Whether plays may be accepted now."""
        return self.phase in IN_HAND

    @property
    def between_matches(self) -> bool:
        """Whether no match is going on."""
        return self.phase in {Phase.LOBBY, Phase.OVER}

    @property
    def is_private(self) -> bool:
        """Whether the players of the current or last hand see no layout but their own."""
        return self.rules is not None and self.rules.is_private

    @property
    def time_limit_ms(self) -> int | None:
        """How long the hand may take after its signal; ``None``: as long as it takes."""
        limit = self.options.time_limit_ms
        return IDENTICAL_LIMIT_MS if limit is None and self.is_private else limit

    def player(self, seat: int) -> str:
        """Return what the player was called who had a seat in the match; empty where that is not known."""
        state = self.seats.get(seat)
        return self.departed.get(seat) or (state.name if state else "")

    def stuck(self) -> tuple[int, int]:
        """Return how many of the hand have said that they are stuck, and how many are there to say so."""
        there = [
            state
            for state in map(self.seats.__getitem__, self.hand_seats)
            if not state.left and (state.connected or state.stand_in or state.stuck)
        ]
        return sum(state.stuck for state in there), len(there)

    # The fold.

    def apply(self, event: ev.Event) -> None:
        """Apply the next event of the log.

        Raises:
            InconsistentEvent: it is not the next one, or does not fit. The view is then to be replaced
                by a snapshot.

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
        """Carry out a play that is known to be legal, and return its event: the server's way to play.

        Args:
            seat: who plays.
            counter: the number of the seat's command; 0 for a play that the game makes by itself.
            play: what, with its foundation resolved.
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
        """Take all "stuck" back, if a play brings the hand nearer to its end."""
        if self._is_any_stuck and not self.is_private and board.is_progress(play):
            self._is_any_stuck = False
            self._take_stuck_back()  # where layouts are private, each seat's progress tells

    def _progressed(self, event: ev.Progressed) -> None:
        if event.seat not in self.progress:
            raise InconsistentEvent(f"progress of seat {event.seat}, of which nothing is hidden")
        self.progress[event.seat] = Progress(event.progress, event.seq)
        self._update(event.seat, stuck=False)

    def _joined(self, event: ev.Joined) -> None:
        self.seats[event.seat] = SeatState(
            seat=event.seat, name=event.name, bot=event.bot, ready=bool(event.bot)
        )

    def _left(self, event: ev.Left) -> None:
        if self.between_matches:
            state = self.seats.pop(event.seat)
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

    def _committed(self, event: ev.Committed) -> None:
        if event.hand == 1:
            self.results.clear()
            self.departed.clear()
            self.winners = ()
            self.seats = {seat: state for seat, state in self.seats.items() if not state.left}
        self.hand = event.hand
        self.hand_id = event.hand_id
        self.commitment = event.commitment

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
            self._update(seat, ready=bool(state.bot), stuck=False)

    def _match_over(self, event: ev.MatchOver) -> None:
        self.phase = Phase.OVER
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

    # Snapshots.

    def copy(self) -> "TableView":
        """Return the same view, to go on by itself."""
        view = copy(self)
        view.board = self.board.copy() if self.board else None
        view.seats, view.results, view.progress = dict(self.seats), list(self.results), dict(self.progress)
        view.departed = dict(self.departed)
        return view

    def snapshot(self, elapsed_ms: int) -> Snapshot:
        """Return all of this as one message, ``elapsed_ms`` after the signal."""
        return self._snapshot(self.board, elapsed_ms)

    def snapshot_for(self, seat: int | None, elapsed_ms: int) -> Snapshot:
        """Return what a seat, or with ``None`` everybody else, may know of it: of other layouts the deal."""
        board = self.board
        if board is not None and self._dealt_private is not None:
            board = veiled(board, self._dealt_private, seat)
        return self._snapshot(board, elapsed_ms)

    def _snapshot(self, board: Board | None, elapsed_ms: int) -> Snapshot:
        return Snapshot(
            seq=self.seq,
            code=self.code,
            options=self.options,
            host=self.host,
            phase=self.phase,
            seats=tuple(self.seats.values()),
            hand=self.hand,
            hand_id=self.hand_id,
            commitment=self.commitment,
            hand_seats=self.hand_seats,
            piles=tuple(tuple(pile) for pile in board.cards) if board else (),
            redeals=self._by_seat(board.redeals) if board else (),
            elapsed_ms=elapsed_ms,
            called=self.called,
            results=tuple(self.results),
            winners=self.winners,
            paused=self.paused,
            locked=self.locked,
            came=tuple(board.came.get(pile.number, 0) for pile in board.piles)
            if board and board.came
            else (),
            liberties=self._by_seat(board.liberties) if board and board.liberties else (),
            progress=tuple(progress.reached for progress in self.progress.values()),
            since=tuple(progress.since for progress in self.progress.values()),
            departed=tuple(self.departed.items()),
        )

    def _by_seat(self, counts: Mapping[int, int]) -> tuple[int, ...]:
        return tuple(counts.get(seat, 0) for seat in self.hand_seats)

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> "TableView":
        """Return the view that a snapshot describes.

        Raises:
            InconsistentEvent: its board is not one of its game, or its tally not of its seats.
            InvalidGame: its options describe no game that is known here.

        """
        view = cls(snapshot.code, snapshot.options)
        view.restore(snapshot)
        return view

    def restore(self, snapshot: Snapshot) -> None:
        """Become the view that a snapshot describes.

        Raises:
            InconsistentEvent: its board is not one of its game, or its tally not of its seats.
            InvalidGame: its options describe no game that is known here.

        """
        self.code, self.options = snapshot.code, snapshot.options
        self.seq = snapshot.seq
        self.host = snapshot.host
        self.phase = snapshot.phase
        self.seats = {state.seat: state for state in snapshot.seats}
        self.departed = dict(snapshot.departed)
        self.hand = snapshot.hand
        self.hand_id = snapshot.hand_id
        self.commitment = snapshot.commitment
        self.called = snapshot.called
        self.results = list(snapshot.results)
        self.winners = snapshot.winners
        self._is_any_stuck = any(state.stuck for state in snapshot.seats)
        self.paused = snapshot.paused
        self.locked = snapshot.locked
        if any(len(result.seats) != len(result.points) for result in self.results):
            raise InconsistentEvent("a tally has points for other seats")
        if snapshot.hand_seats:
            self.rules = make_rules(declare(snapshot.options, len(snapshot.hand_seats)), snapshot.hand_seats)
            self.board = Board(self.rules.layout.piles, snapshot.piles)
            seats, piles = snapshot.hand_seats, range(len(self.board.piles))
            self.board.redeals = _counted(seats, snapshot.redeals)
            self.board.liberties = _counted(seats, snapshot.liberties)
            self.board.came = _counted(piles, snapshot.came)
            if not len(snapshot.progress) == len(snapshot.since) == len(seats) * self.is_private:
                raise InconsistentEvent("the progress is of other seats")
            reached = map(Progress, snapshot.progress, snapshot.since)
            self.progress = dict(zip(seats, reached, strict=False))
            if any(card >= self.rules.layout.card_limit for pile in snapshot.piles for card in pile):
                raise InconsistentEvent("a card of nobody's pack")


def _counted(keys: Iterable[int], counts: Iterable[int]) -> dict[int, int]:
    return {key: count for key, count in zip(keys, counts, strict=False) if count}


_APPLY: dict[type[ev.Event], Callable[[TableView, Any], None]] = {
    ev.Played: TableView._played,
    ev.Joined: TableView._joined,
    ev.Left: TableView._left,
    ev.Connected: TableView._connected,
    ev.Readied: TableView._readied,
    ev.Hosted: TableView._hosted,
    ev.OptionsSet: TableView._options_set,
    ev.Committed: TableView._committed,
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
}
