"""The public state of a table: a fold over its log.

The server and every client hold the same state and apply the same events to it, so a screen shows exactly
what the server decided.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self, TypeVar

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.commit_reveal import deal_seed, is_further_draw
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Revealer, Rules
from racing_demon_protocol.engine.visibility import may_see, redacted, reset_to_deal
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.errors import InconsistentEvent
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.capabilities import (
    APPEARANCE,
    HANDICAPS,
    MODERATION,
    PROGRAMS,
    RETURNS,
    TEAMS,
    needed,
)
from racing_demon_protocol.wire.messages import FROM_SERVER, name_of
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import NO_HANDICAP, Handicap
from racing_demon_protocol.wire.messages.server import Contribution, HandResult, SeatState, Shuffle, Snapshot
from racing_demon_protocol.wire.options import Options

from .handicaps import dealt_handicaps, waits_ms

IN_HAND: Final = frozenset({Phase.PLAYING, Phase.GRACE})
"""The phases in which plays may be accepted."""
DEALT: Final = IN_HAND | {Phase.COUNTDOWN}
"""The phases from the deal to the hand's end."""
BETWEEN_MATCHES: Final = frozenset({Phase.LOBBY, Phase.OVER})
"""The phases in which no match is in progress."""
BETWEEN_HANDS: Final = BETWEEN_MATCHES | {Phase.TALLY}
"""The phases in which players can contribute to the next hand."""
IDENTICAL_LIMIT_MS: Final = 600_000
"""The default time limit of a hand of identical deals."""
MAX_BANNED: Final = 32
"""The maximum number of banned names; beyond it, the oldest may return."""


T = TypeVar("T")

NONE: Final[Mapping[Any, Any]] = {}
"""Nobody yet, by seat."""


class Progress(NamedTuple):
    """A seat's progress, and the number of the event that brought it there."""

    reached: int
    since: int


class HandView:
    """The cards of a hand as everybody sees them, from its deal to the next, or until the options change.

    Attributes:
        rules: its rules.
        board: its board, in which cards that lie face down are unknown.
        progress: each seat's progress on identical deals; otherwise empty.
        dealt: the board as it was dealt, on identical deals; ``None`` where a snapshot replaced the deal.
        handicaps: the handicaps by which it was dealt, in the order of the seats; empty where nobody had any.

    """

    __slots__ = ("board", "dealt", "handicaps", "progress", "rules")

    def __init__(
        self,
        rules: Rules,
        board: Board,
        progress: dict[int, Progress],
        dealt: Board | None = None,
        handicaps: tuple[Handicap, ...] = (),
    ) -> None:
        self.rules = rules
        self.board = board
        self.progress = progress
        self.dealt = dealt
        self.handicaps = handicaps

    @classmethod
    def deal(cls, event: ev.Dealt, options: Options) -> Self:
        """Return a hand as it is dealt."""
        rules = hand_rules(options, event.seats, event.handicaps)
        board = rules.deal()
        board.reveal(rules.layout.face_up_refs, event.shown)
        if not rules.is_private:
            return cls(rules, board, {}, handicaps=event.handicaps)
        reached = rules.all_progress(board)
        progress = {seat: Progress(reached[seat], event.seq) for seat in event.seats}
        return cls(rules, board, progress, board.copy(), event.handicaps)

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self:
        """Return the hand in a snapshot.

        Raises:
            InconsistentEvent: its board does not fit its game.

        """
        seats = snapshot.hand_seats
        if not set(snapshot.waiting) <= set(seats):
            raise InconsistentEvent("a seat waits that is not in the hand")
        rules = hand_rules(snapshot.options, seats, snapshot.handicaps)
        board = Board(rules.layout.piles, snapshot.piles)
        board.redeals = _counted(seats, snapshot.redeals)
        board.liberties = _counted(seats, snapshot.liberties)
        board.shifts = _counted(seats, snapshot.shifts)
        board.came = _counted(range(len(board.piles)), snapshot.came)
        if not len(snapshot.progress) == len(snapshot.since) == len(seats) * rules.is_private:
            raise InconsistentEvent("the progress is of other seats")
        if any(card >= rules.layout.card_limit for pile in snapshot.piles for card in pile):
            raise InconsistentEvent("a card of nobody's pack")
        reached = map(Progress, snapshot.progress, snapshot.since)
        progress = dict(zip(seats, reached, strict=False))
        return cls(rules, board, progress, handicaps=snapshot.handicaps)

    def to_snapshot(self, board: Board) -> dict[str, Any]:
        """Return the fields that a snapshot has of the hand, with this or another board."""
        counted = {"liberties": board.liberties, "shifts": board.shifts}
        fields: dict[str, Any] = {name: self._by_seat(counts) for name, counts in counted.items() if counts}
        if board.came:
            fields["came"] = tuple(board.came.get(pile.number, 0) for pile in board.piles)
        return fields | {
            "hand_seats": self.seats,
            "piles": tuple(board.cards),
            "redeals": self._by_seat(board.redeals),
            "progress": tuple(each.reached for each in self.progress.values()),
            "since": tuple(each.since for each in self.progress.values()),
            "handicaps": self.handicaps,
        }

    def _by_seat(self, counts: Mapping[int, int]) -> tuple[int, ...]:
        return tuple(counts.get(seat, 0) for seat in self.seats)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that cards were dealt to, in the order of their layouts."""
        return self.rules.layout.seats

    @property
    def is_private(self) -> bool:
        """Whether players see no layout but their own."""
        return self.rules.is_private

    @property
    def waits_ms(self) -> dict[int, int]:
        """How long after the first signal those seats get theirs that start later."""
        waits = zip(self.seats, waits_ms(self.handicaps), strict=False)
        return {seat: wait for seat, wait in waits if wait}

    def may_see(self, seat: int | None, pile: int) -> bool:
        """Return whether a seat, or a spectator with ``None``, may see a pile's cards."""
        return not self.is_private or may_see(self.board.piles[pile], seat)

    def board_for(self, seat: int | None) -> Board:
        """Return the board as a seat, or everybody else with ``None``, may know it."""
        return self.board if self.dealt is None else redacted(self.board, self.dealt, seat)

    def reset_layout(self, seat: int) -> None:
        """Return a seat's layout to the deal on identical deals: its new player has not played it."""
        if self.dealt is not None and seat in self.seats:
            reset_to_deal(self.board, self.dealt, seat)

    def copy(self) -> Self:
        """Return an independent copy."""
        return type(self)(self.rules, self.board.copy(), dict(self.progress), self.dealt, self.handicaps)


def hand_rules(options: Options, seats: Sequence[int], handicaps: Sequence[Handicap]) -> Rules:
    """Return the rules of a hand: those of the table's game, with the heaps of the seats.

    Raises:
        InconsistentEvent: the handicaps are those of other seats.
        InvalidGame: the options describe no game that can be dealt so.

    """
    if handicaps and len(handicaps) != len(seats):
        raise InconsistentEvent("the handicaps are of other seats")
    return make_rules(declare(options, len(seats)), seats, [each.heap for each in handicaps])


class TableRecord(NamedTuple):
    """All of a table but its cards: what plays do not change. Nobody changes a record; events replace it.

    A field is declared here. One that :class:`.Snapshot` has, too, is sent with snapshots, and read from
    them. The properties of :class:`TableState` say what the fields mean.
    """

    code: str
    options: Options
    host: int | None = None
    absent_host: int | None = None
    absent_watcher: bool = False
    phase: Phase = Phase.LOBBY
    seats: Mapping[int, SeatState] = NONE
    departed: Mapping[int, str] = NONE
    banned: tuple[str, ...] = ()
    gone: Mapping[int, str] = NONE
    hand_number: int = 0
    hand_id: str = ""
    commitment: str | None = None
    shuffle: Shuffle | None = None
    next_shuffle: Shuffle | None = None
    redrawn_for: tuple[int, ...] | None = None
    entry_closed: bool = False
    last_hand: int = 0
    called: int | None = None
    results: tuple[HandResult, ...] = ()
    winners: tuple[int, ...] = ()
    paused: bool = False
    locked: bool = False
    known_deal: str | None = None
    waiting: tuple[int, ...] = ()
    sitting_out: tuple[int, ...] = ()
    late_start: bool = False
    starts: Mapping[int, int] = NONE

    def to_snapshot(self) -> dict[str, Any]:
        """Return the fields that a snapshot has, as they are there."""
        fields = {name: getattr(self, name) for name in SENT}
        seats, departed = tuple(self.seats.values()), tuple(self.departed.items())
        starts = tuple(self.starts.items())
        return fields | {"seats": seats, "departed": departed, "starts": starts, "hand": self.hand_number}

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self:
        """Return the record that a snapshot describes.

        Raises:
            InconsistentEvent: its tally does not fit its seats.

        """
        if any(len(result.seats) != len(result.points) for result in snapshot.results):
            raise InconsistentEvent("a tally has points for other seats")
        if any(len(result.teams) not in {0, len(result.seats)} for result in snapshot.results):
            raise InconsistentEvent("a tally has teams for other seats")
        fields = {name: getattr(snapshot, name) for name in SENT}
        seats, departed = {state.seat: state for state in snapshot.seats}, dict(snapshot.departed)
        by_seat = {"seats": seats, "departed": departed, "starts": dict(snapshot.starts)}
        return cls(**fields | by_seat | {"hand_number": snapshot.hand})

    def with_seat(self, seat: int, **changes: Any) -> Self:
        """Return this record with a change of a seat."""
        changed = self.seats[seat].model_copy(update=changes)
        return self._replace(seats={**self.seats, seat: changed})

    def with_seats(self, seats: Iterable[int], **changes: Any) -> Self:
        """Return this record with the same change of several seats."""
        changed = {seat: self.seats[seat].model_copy(update=changes) for seat in seats}
        return self._replace(seats={**self.seats, **changed}) if changed else self


SENT: Final = tuple(name for name in TableRecord._fields if name in Snapshot.model_fields)
"""The fields of a table that snapshots have under the same names."""


class TableState:
    """The public state of one table at one moment: a record, and the cards, which plays change.

    Attributes:
        record: all but the cards.
        seq: the number of the last event applied.
        hand: the cards of the current or last hand; ``None`` before the first deal, and after other options.
            Those of the last hand lie there until the next one is dealt.

    Args:
        code: the table's code.
        options: its options.
        locked: whether it has a passphrase.
        known_deal: the seed of all its hands, where the deal is given.
        record: all but the cards, in place of these; ``None`` for a new table.

    """

    __slots__ = ("_is_any_stuck", "hand", "record", "seq")

    def __init__(
        self,
        code: str,
        options: Options,
        *,
        locked: bool = False,
        known_deal: str | None = None,
        record: TableRecord | None = None,
    ) -> None:
        self.record = record or TableRecord(code, options, locked=locked, known_deal=known_deal)
        self.seq = 0
        self.hand: HandView | None = None
        self._is_any_stuck = False

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

    def play(self, seat: int, counter: int, play: Play, name: Revealer) -> ev.Played:
        """Carry out a play that is known to be legal, and return its event. This is the server's way to play.

        Args:
            seat: the player's seat.
            counter: the number of the seat's command; 0 for an automatic play.
            play: the play, with its foundation resolved.
            name: names the cards that it turns up.

        """
        hand = self.hand
        assert hand is not None
        self._clear_stuck_on_progress(hand.board, play)
        shown = Rules.carry_out(hand.board, play, name)
        self.seq += not hand.rules.is_private
        source, count, destination, depth = play
        return ev.trusted_played(
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

    # The fields of the record.

    @property
    def code(self) -> str:
        """The table's code."""
        return self.record.code

    @property
    def options(self) -> Options:
        """Its options."""
        return self.record.options

    @property
    def host(self) -> int | None:
        """The host's seat; ``None`` if the host is a spectator."""
        return self.record.host

    @property
    def absent_host(self) -> int | None:
        """The seat that becomes host again when its player is back; ``None`` if none does."""
        return self.record.absent_host

    @property
    def absent_watcher(self) -> bool:
        """Whether a host without a seat becomes host again when they are back."""
        return self.record.absent_watcher

    @property
    def phase(self) -> Phase:
        """The table's phase."""
        return self.record.phase

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """The state of each taken seat."""
        return self.record.seats

    @property
    def departed(self) -> Mapping[int, str]:
        """The names, by seat, of players who left since the match ended."""
        return self.record.departed

    @property
    def banned(self) -> tuple[str, ...]:
        """The names of kicked players who may not return yet, newest last."""
        return self.record.banned

    @property
    def gone(self) -> Mapping[int, str]:
        """The name of the last player of each seat that is free. Snapshots omit it."""
        return self.record.gone

    @property
    def hand_number(self) -> int:
        """The number of the current or last hand of the match, from 1; 0 before the first."""
        return self.record.hand_number

    @property
    def hand_id(self) -> str:
        """The id that the hand's commitment covers together with the secret."""
        return self.record.hand_id

    @property
    def commitment(self) -> str | None:
        """The SHA-256 of the server's secret for that hand."""
        return self.record.commitment

    @property
    def shuffle(self) -> Shuffle | None:
        """The contributions to that hand's seed; ``None`` if nobody could contribute."""
        return self.record.shuffle

    @property
    def next_shuffle(self) -> Shuffle | None:
        """The contributions to the next hand's seed so far; ``None`` before it is prepared."""
        return self.record.next_shuffle

    @property
    def redrawn_for(self) -> tuple[int, ...] | None:
        """The seats for which the hand is drawn anew after a void draw; ``None`` in its first draw.

        Snapshots omit them.
        """
        return self.record.redrawn_for

    @property
    def entry_closed(self) -> bool:
        """Whether the host lets nobody new take a seat."""
        return self.record.entry_closed

    @property
    def last_hand(self) -> int:
        """The number of the hand with which the match ends because the host wants it; 0 if none."""
        return self.record.last_hand

    @property
    def called(self) -> int | None:
        """The seat that called "Demon!" in this hand, if the table requires that."""
        return self.record.called

    @property
    def results(self) -> tuple[HandResult, ...]:
        """The tally, hand by hand."""
        return self.record.results

    @property
    def winners(self) -> tuple[int, ...]:
        """The winners of the match, once it is over."""
        return self.record.winners

    @property
    def paused(self) -> bool:
        """Whether the hand is paused."""
        return self.record.paused

    @property
    def locked(self) -> bool:
        """Whether the table has a passphrase."""
        return self.record.locked

    @property
    def known_deal(self) -> str | None:
        """The seed of all hands, in hexadecimal, where the table is on a given deal; otherwise ``None``.

        On such a deal the cards are known from the start.
        """
        return self.record.known_deal

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats of the running hand whose signal is still to come, though play has begun."""
        return self.record.waiting

    @property
    def sitting_out(self) -> tuple[int, ...]:
        """The seats whose players left and came back while the hand was played: they play from the next."""
        return self.record.sitting_out

    @property
    def late_start(self) -> bool:
        """Whether players who come later start at the lowest total of all seats."""
        return self.record.late_start

    @property
    def starts(self) -> Mapping[int, int]:
        """The totals at which seats started that were taken within the match, without those that are 0."""
        return self.record.starts

    # Queries.

    @property
    def board(self) -> Board | None:
        """The board of the current or last hand."""
        return None if self.hand is None else self.hand.board

    @property
    def hand_seats(self) -> tuple[int, ...]:
        """The seats in the current or last hand."""
        return self.hand.seats if self.hand is not None else ()

    def plays_hand(self, seat: int | None) -> bool:
        """Return whether a seat's player is in the current or last hand, and has not left it."""
        return seat in self.hand_seats and not self.has_left_hand(seat)

    def has_left_hand(self, seat: int) -> bool:
        """Return whether a seat's player has left, perhaps to come back: they play no more in this hand."""
        state = self.seats.get(seat)
        return state is None or state.left or seat in self.record.sitting_out

    @property
    def in_hand(self) -> bool:
        """Whether plays may be accepted now."""
        return self.record.phase in IN_HAND

    @property
    def between_matches(self) -> bool:
        """Whether no match is in progress."""
        return self.record.phase in BETWEEN_MATCHES

    def wait_ms(self, seat: int | None) -> int:
        """Return how long after the first signal a seat gets its own, in milliseconds; 0 for most."""
        return 0 if self.hand is None or seat is None else self.hand.waits_ms.get(seat, 0)

    def handicaps_for(self, seats: Iterable[int]) -> tuple[Handicap, ...]:
        """Return the handicaps by which the next hand is dealt to seats, in their order; empty without any.

        Nothing carries over from one match to the next.
        """
        results = () if self.between_matches else self.results
        return dealt_handicaps(self.options, self.seats, results, seats)

    @property
    def extensions(self) -> frozenset[str]:
        """The extensions that the table uses, or has used in a hand that is still in its tally."""
        handicaps = [state.handicap != NO_HANDICAP for state in self.seats.values()]
        dealt = [bool(result.handicaps) for result in self.results]
        has_any = any(handicaps) or any(dealt) or (self.hand is not None and bool(self.hand.handicaps))
        used = {
            HANDICAPS: has_any,
            TEAMS: any(result.teams for result in self.results),
            PROGRAMS: any(state.program for state in self.seats.values()),
            MODERATION: self.entry_closed,
            RETURNS: self._uses_returns,
            APPEARANCE: any(state.color is not None for state in self.seats.values()),
        }
        return needed(self.options, self.known_deal).union(word for word, is_used in used.items() if is_used)

    @property
    def _uses_returns(self) -> bool:
        awaits_host = self.absent_host is not None or self.absent_watcher
        return self.last_hand > 0 or awaits_host or self.late_start or bool(self.sitting_out or self.starts)

    @property
    def is_between_hands(self) -> bool:
        """Whether no hand is in play or about to be dealt, so that players can contribute to the next one."""
        return self.record.phase in BETWEEN_HANDS

    @property
    def is_draw_void(self) -> bool:
        """Whether the draw of the committed hand is void, and the hand is about to be drawn anew.

        A contribution was not revealed, so that whoever withheld it might have chosen.
        """
        return self.phase is Phase.SHUFFLING and self.next_shuffle is not None

    @property
    def is_redrawn(self) -> bool:
        """Whether the cards of the current or last hand are those of a further draw, after a void one."""
        return is_further_draw(self.hand_id)

    @property
    def seats_to_deal(self) -> tuple[int, ...]:
        """The seats of the committed hand: those of its first draw, without those that sit out."""
        if self.redrawn_for is not None:
            return self.redrawn_for
        return self.shuffle.seats if self.shuffle is not None else self._staying()

    def _staying(self) -> tuple[int, ...]:
        """Return the seats whose players have not left, nor left the hand that is being drawn."""
        return tuple(seat for seat in self.seated() if seat not in self.sitting_out)

    def seated(self) -> tuple[int, ...]:
        """Return the seats that are taken, without those of players who have left."""
        return tuple(sorted(seat for seat, state in self.seats.items() if not state.left))

    @property
    def deals_by_itself(self) -> bool:
        """Whether the next hand is dealt after the tally time; a single person is waited for."""
        people = sum(not (state.bot or state.left) for state in self.seats.values())
        return self.phase is Phase.TALLY and people != 1

    @property
    def is_private(self) -> bool:
        """Whether the players of the current or last hand see no layout but their own."""
        return self.hand is not None and self.hand.rules.is_private

    @property
    def time_limit_ms(self) -> int | None:
        """The time limit of the hand after its signal in milliseconds; ``None`` for no limit."""
        limit = self.options.time_limit_ms
        return IDENTICAL_LIMIT_MS if limit is None and self.is_private else limit

    def is_early(self, elapsed_ms: int) -> bool:
        """Return whether a hand that ended by time did so before its limit, because of too many plays."""
        limit_ms = self.time_limit_ms
        return limit_ms is None or elapsed_ms < limit_ms

    @property
    def contributions(self) -> tuple[Contribution, ...]:
        """The contributions to the seed of the current or last hand; empty if nobody could contribute."""
        return self.shuffle.contributions if self.shuffle is not None else ()

    @property
    def revealed(self) -> dict[int, bytes]:
        """The bytes of those that are revealed, by seat."""
        return self.shuffle.revealed() if self.shuffle is not None else {}

    @property
    def unrevealed(self) -> tuple[int, ...]:
        """The seats of those that are not."""
        return self.shuffle.missing() if self.shuffle is not None else ()

    def deal_seed(self, secret: bytes) -> bytes:
        """Return the seed of the current or last hand, given the server's secret."""
        return deal_seed(secret, self.hand_id, self.revealed)

    def player(self, seat: int) -> str:
        """Return the name of the player who held a seat in the match; empty if unknown."""
        state = self.seats.get(seat)
        return self.departed.get(seat) or (state.name if state else "")

    @property
    def host_name(self) -> str:
        """The host's name; empty if the host is a spectator."""
        state = None if self.host is None else self.seats.get(self.host)
        return "" if state is None else state.name

    def stuck(self) -> tuple[int, int]:
        """Return how many players of the hand have declared being stuck, and how many could."""
        there = [
            state
            for state in map(self.seats.__getitem__, self.hand_seats)
            if not self.has_left_hand(state.seat) and (state.connected or state.stand_in or state.stuck)
        ]
        return sum(state.stuck for state in there), len(there)

    def stuck_seats(self) -> tuple[int, ...]:
        """Return the seats that have declared being stuck."""
        if not self._is_any_stuck:
            return ()  # nearly always, and asked before every play
        return tuple(seat for seat, state in self.seats.items() if state.stuck)

    def _without(self, seats: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
        """Return those of some seats that others are not, and whose players have not left."""
        staying = self._staying()
        return tuple(seat for seat in seats if seat in staying and seat not in others)

    # Snapshots.

    def copy(self) -> Self:
        """Return an independent copy. It shares the record."""
        record = self.record
        state = type(self)(record.code, record.options, record=record)
        state.take(self)
        return state

    def take(self, other: "TableState") -> None:
        """Become a copy of another state."""
        self.record, self.seq, self._is_any_stuck = other.record, other.seq, other._is_any_stuck
        self.hand = None if other.hand is None else other.hand.copy()

    def snapshot(self, elapsed_ms: int) -> Snapshot:
        """Return this state as one message, ``elapsed_ms`` after the signal."""
        return self._snapshot(self.board, elapsed_ms)

    def snapshot_for(self, seat: int | None, elapsed_ms: int) -> Snapshot:
        """Return what a seat, or everybody else with ``None``, may know: of other layouts, only the deal."""
        return self._snapshot(None if self.hand is None else self.hand.board_for(seat), elapsed_ms)

    def _snapshot(self, board: Board | None, elapsed_ms: int) -> Snapshot:
        hand = {} if self.hand is None or board is None else self.hand.to_snapshot(board)
        return Snapshot(seq=self.seq, elapsed_ms=elapsed_ms, **self.record.to_snapshot(), **hand)

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self:
        """Return the state that a snapshot describes.

        Raises:
            InconsistentEvent: its board does not fit its game, or its tally does not fit its seats.
            InvalidGame: its options describe no known game.

        """
        state = cls(snapshot.code, snapshot.options)
        state.restore(snapshot)
        return state

    def restore(self, snapshot: Snapshot) -> None:
        """Replace this state with the one that a snapshot describes.

        Raises:
            InconsistentEvent: its board does not fit its game, or its tally does not fit its seats.
            InvalidGame: its options describe no known game.

        """
        hand = HandView.from_snapshot(snapshot) if snapshot.hand_seats else None
        self.record = TableRecord.from_snapshot(snapshot)
        if self.is_draw_void and self.shuffle is not None:
            redrawn_for = self._without(self.shuffle.seats, self.shuffle.missing())
            self.record = self.record._replace(redrawn_for=redrawn_for)
        self.seq, self.hand = snapshot.seq, hand
        self._is_any_stuck = any(state.stuck for state in snapshot.seats)

    # One method per event, by its name on the wire.

    def _played(self, event: ev.Played) -> None:
        board = self._dealt_hand().board
        play = event.play
        self._clear_stuck_on_progress(board, play)
        board.reveal(board.move(play), event.shown)

    def _dealt_hand(self) -> HandView:
        if self.hand is None:
            raise InconsistentEvent("no cards are dealt")
        return self.hand

    def _clear_stuck_on_progress(self, board: Board, play: Play) -> None:
        """Clear all "stuck" declarations if a play brings the hand closer to its end."""
        if self._is_any_stuck and not self.is_private and board.is_progress(play):
            self._is_any_stuck = False
            self._clear_stuck()  # with private layouts, each seat's progress decides

    def _progressed(self, event: ev.Progressed) -> None:
        progress = self._dealt_hand().progress
        if event.seat not in progress:
            raise InconsistentEvent(f"progress of seat {event.seat}, of which nothing is hidden")
        progress[event.seat] = Progress(event.progress, event.seq)
        self._clear_stuck([event.seat])

    def _joined(self, event: ev.Joined) -> None:
        record, seat = self.record, event.seat
        departed = record.departed
        if seat in record.seats:  # players who left during the match keep their result
            departed = _with_first(departed, seat, record.seats[seat].name)
        if self.hand is not None:
            self.hand.reset_layout(seat)
        bot, program = event.bot, event.program
        joined = SeatState(seat=seat, name=event.name, bot=bot, ready=bool(bot), program=program)
        self.record = record._replace(
            seats={**record.seats, seat: joined},
            starts={**record.starts, seat: event.start} if event.start else record.starts,
            departed=departed,
            gone=_others(record.gone, seat),
            next_shuffle=self._next_shuffle_without(seat),
        )

    def _appearance_set(self, event: ev.AppearanceSet) -> None:
        self.record = self.record.with_seat(event.seat, name=event.name, color=event.color)

    def _left(self, event: ev.Left) -> None:
        record, seat = self.record, event.seat
        leaver = record.seats[seat]
        if event.kicked and not leaver.bot:
            record = record._replace(
                banned=(*_others_of(record.banned, leaver.name), leaver.name)[-MAX_BANNED:]
            )
        record = record._replace(
            next_shuffle=self._next_shuffle_without(seat),
            waiting=_others_of(record.waiting, seat),
            sitting_out=_others_of(record.sitting_out, seat),
            absent_host=None if record.absent_host == seat else record.absent_host,
        )
        if not self.between_matches:
            self.record = record.with_seat(seat, left=True, connected=False, ready=False, stand_in="")
            return
        departed = record.departed
        if seat in self.hand_seats or any(seat in result.seats for result in record.results):
            departed = _with_first(departed, seat, leaver.name)
        self.record = record._replace(
            seats=_others(record.seats, seat), gone={**record.gone, seat: leaver.name}, departed=departed
        )

    def _returned(self, event: ev.Returned) -> None:
        if not self.seats[event.seat].left or self.between_matches:
            raise InconsistentEvent(f"seat {event.seat} is not one to come back to")
        self.record = self.record.with_seat(event.seat, left=False, connected=True, stuck=False)
        if not self.is_between_hands:
            sitting_out = tuple(sorted({*self.sitting_out, event.seat}))
            self.record = self.record._replace(sitting_out=sitting_out)

    def _connected(self, event: ev.Connected) -> None:
        if event.connected:
            self.record = self.record.with_seat(event.seat, connected=True, stand_in="")
        else:
            self.record = self.record.with_seat(event.seat, connected=False)

    def _readied(self, event: ev.Readied) -> None:
        self.record = self.record.with_seat(event.seat, ready=event.ready)

    def _hosted(self, event: ev.Hosted) -> None:
        self.record = self.record._replace(
            host=event.seat, absent_host=event.absent_host, absent_watcher=event.absent_watcher
        )

    def _options_set(self, event: ev.OptionsSet) -> None:
        record = self.record
        if event.options.teams != record.options.teams:
            record = record.with_seats(record.seats, team=None)
        self.record = record._replace(options=event.options)
        self.hand = None  # the last board may be of another game
        self._clear_ready()

    def _handicap_set(self, event: ev.HandicapSet) -> None:
        if not self.is_between_hands:
            raise InconsistentEvent("a handicap was changed when the next hand was committed")
        self.record = self.record.with_seat(event.seat, handicap=event.handicap)
        self._clear_ready()
        if self.next_shuffle is not None:
            empty = self.next_shuffle.model_copy(update={"contributions": ()})
            self.record = self.record._replace(next_shuffle=empty)

    def _clear_ready(self) -> None:
        """Let nobody be ready for another deal than they were ready for."""
        ready = [seat for seat, state in self.seats.items() if state.ready and not state.bot]
        self.record = self.record.with_seats(ready, ready=False)

    def _prepared(self, event: ev.Prepared) -> None:
        record = self.record
        if record.phase is Phase.SHUFFLING and record.shuffle is not None:  # the draw is void
            record = record._replace(redrawn_for=self._without(self.seats_to_deal, self.unrevealed))
        prepared = Shuffle(hand_id=event.hand_id, commitment=event.commitment)
        self.record = record._replace(next_shuffle=prepared)

    def _contributed(self, event: ev.Contributed) -> None:
        if self.next_shuffle is None or event.seat not in self.seats:
            raise InconsistentEvent(f"a contribution of seat {event.seat}, which none was asked of")
        contribution = Contribution(seat=event.seat, commitment=event.commitment)
        self.record = self.record._replace(next_shuffle=self.next_shuffle.with_contribution(contribution))

    def _revealed(self, event: ev.Revealed) -> None:
        contribution = self.shuffle.of(event.seat) if self.shuffle else None
        is_awaited = self.phase is Phase.SHUFFLING and not self.is_draw_void
        if self.shuffle is None or contribution is None or not is_awaited:
            raise InconsistentEvent(f"seat {event.seat} reveals what it has not contributed")
        contribution = contribution.model_copy(update={"value": event.value})
        self.record = self.record._replace(shuffle=self.shuffle.with_contribution(contribution))

    def _next_shuffle_without(self, seat: int) -> Shuffle | None:
        """Return the next hand's contributions without those of a seat whose player has changed."""
        return None if self.next_shuffle is None else self.next_shuffle.without(seat)

    def _committed(self, event: ev.Committed) -> None:
        if event.hand == 1:
            seats = {seat: state for seat, state in self.seats.items() if not state.left}
            self.record = self.record._replace(
                results=(), departed=NONE, winners=(), last_hand=0, starts=NONE, seats=seats
            )
        redrawn_for = self._without(self.seats_to_deal, ()) if self.is_draw_void else None
        shuffle = self.next_shuffle
        if shuffle is not None:
            shuffle = shuffle.model_copy(update={"seats": self._staying()})
        self.record = self.record._replace(
            redrawn_for=redrawn_for,
            hand_number=event.hand,
            hand_id=event.hand_id,
            commitment=event.commitment,
            known_deal=event.known_deal,
            shuffle=shuffle,
            next_shuffle=None,
            phase=Phase.SHUFFLING,
        )

    def _dealt(self, event: ev.Dealt) -> None:
        if not self.seats.keys() >= set(event.seats):
            raise InconsistentEvent("cards for seats that nobody has")
        self.hand = HandView.deal(event, self.options)
        self.record = self.record._replace(called=None, phase=Phase.COUNTDOWN)
        self._clear_stuck()

    def _signalled(self, event: ev.Signalled) -> None:
        waits = self._dealt_hand().waits_ms
        waiting = tuple(seat for seat in waits if not self.has_left_hand(seat))
        self.record = self.record._replace(phase=Phase.PLAYING, waiting=waiting)

    def _seat_signalled(self, event: ev.SeatSignalled) -> None:
        if event.seat not in self.waiting:
            raise InconsistentEvent(f"seat {event.seat} has had its signal")
        self.record = self.record._replace(waiting=_others_of(self.waiting, event.seat))

    def _stuck_said(self, event: ev.StuckSaid) -> None:
        self.record = self.record.with_seat(event.seat, stuck=True)

    def _rotated(self, event: ev.Rotated) -> None:
        self._dealt_hand().board.rotate()
        self._clear_stuck()

    def _stock_shifted(self, event: ev.StockShifted) -> None:
        hand = self._dealt_hand()
        hand.board.shift(hand.rules.layout.stock[event.seat])
        self._clear_stuck([event.seat])

    def _called(self, event: ev.Called) -> None:
        self.record = self.record._replace(called=event.seat, phase=Phase.GRACE)

    def _hand_over(self, event: ev.HandOver) -> None:
        if len(event.points) != len(self.hand_seats):
            raise InconsistentEvent(f"{len(event.points)} points for {len(self.hand_seats)} seats")
        result = HandResult(
            hand=self.hand_number,
            seats=self.hand_seats,
            points=event.points,
            reason=event.reason,
            out=event.out,
            elapsed_ms=event.elapsed_ms,
            handicaps=() if self.hand is None else self.hand.handicaps,
            teams=self._teams_in_hand(),
        )
        seats = {
            seat: state.model_copy(update={"ready": bool(state.bot), "stuck": False})
            for seat, state in self.seats.items()
        }
        results = (*self.results, result)
        self.record = self.record._replace(
            phase=Phase.TALLY, paused=False, waiting=(), sitting_out=(), results=results, seats=seats
        )

    def _teams_in_hand(self) -> tuple[int, ...]:
        """Return the team of each seat of the hand; empty where there are no teams."""
        if self.options.teams is None:
            return ()
        teams = [self.seats[seat].team for seat in self.hand_seats]
        if None in teams:
            raise InconsistentEvent("somebody plays in no team")
        return tuple(team for team in teams if team is not None)

    def _unbanned(self, event: ev.Unbanned) -> None:
        self.record = self.record._replace(banned=_others_of(self.banned, event.name))

    def _entry_closed(self, event: ev.EntryClosed) -> None:
        self.record = self.record._replace(entry_closed=event.closed)

    def _last_hand_set(self, event: ev.LastHandSet) -> None:
        if self.between_matches:
            raise InconsistentEvent("a last hand where no match is played")
        self.record = self.record._replace(last_hand=event.hand)

    def _late_start_set(self, event: ev.LateStartSet) -> None:
        self.record = self.record._replace(late_start=event.lowest)

    def _match_over(self, event: ev.MatchOver) -> None:
        self.record = self.record._replace(phase=Phase.OVER, banned=(), sitting_out=(), winners=event.winners)

    def _said(self, event: ev.Said) -> None:
        self._verify_speaker(event.seat)

    def _reacted(self, event: ev.Reacted) -> None:
        self._verify_speaker(event.seat)

    def _verify_speaker(self, seat: int) -> None:
        if seat not in self.seats:
            raise InconsistentEvent("words from a seat that nobody has")

    def _paused(self, event: ev.Paused) -> None:
        self.record = self.record._replace(paused=True)

    def _continued(self, event: ev.Continued) -> None:
        self.record = self.record._replace(paused=False)

    def _stood_in(self, event: ev.StoodIn) -> None:
        self.record = self.record.with_seat(event.seat, stand_in=event.bot)

    def _muted(self, event: ev.Muted) -> None:
        self.record = self.record.with_seat(event.seat, muted=event.muted)

    def _team_set(self, event: ev.TeamSet) -> None:
        state = self.seats[event.seat]
        if event.team >= (self.options.teams or 0):
            raise InconsistentEvent(f"there is no team {event.team}")
        if not (self.between_matches or state.team is None):
            raise InconsistentEvent(f"seat {event.seat} leaves its team within a match")
        self.record = self.record.with_seat(event.seat, team=event.team)

    def _clear_stuck(self, seats: Iterable[int] | None = None) -> None:
        """Clear the "stuck" declarations of some seats, or of all."""
        stuck = [seat for seat in (self.seats if seats is None else seats) if self.seats[seat].stuck]
        self.record = self.record.with_seats(stuck, stuck=False)


def _with_first(names: Mapping[int, str], seat: int, name: str) -> Mapping[int, str]:
    """Return names by seat with another one, unless that seat has a name there."""
    return names if seat in names else {**names, seat: name}


def _others(by_seat: Mapping[int, T], seat: int) -> Mapping[int, T]:
    """Return what belongs to all seats but one."""
    return {other: value for other, value in by_seat.items() if other != seat}


def _others_of(values: tuple[T, ...], value: T) -> tuple[T, ...]:
    """Return all values but one."""
    return tuple(other for other in values if other != value)


def _counted(keys: Iterable[int], counts: Iterable[int]) -> dict[int, int]:
    return {key: count for key, count in zip(keys, counts, strict=False) if count}


_APPLY: Final[dict[type[ev.Event], Callable[[TableState, Any], None]]] = {
    cls: getattr(TableState, f"_{name_of(cls)}") for cls in FROM_SERVER.values() if issubclass(cls, ev.Event)
}
