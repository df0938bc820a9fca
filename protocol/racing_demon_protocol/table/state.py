"""The public state of a table: a fold over its log.

The server and every client hold the same state and apply the same events to it, so a screen shows exactly
what the server decided.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.commit_reveal import deal_seed, is_further_draw
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Revealer, Rules
from racing_demon_protocol.engine.visibility import may_see, redacted, reset_to_deal
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.errors import InconsistentEvent
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.capabilities import HANDICAPS, MODERATION, PROGRAMS, RETURNS, TEAMS, needed
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


class TableState:
    """The public state of one table at one moment.

    Attributes:
        code: the table's code.
        options: its options.
        seq: the number of the last event applied.
        host: the host's seat; ``None`` if the host is a spectator.
        phase: the table's phase.
        seats: the state of each taken seat.
        departed: the names, by seat, of players who left since the match ended.
        banned: the names of kicked players who may not return yet, newest last.
        gone: the name of the last player of each seat that is free.
        hand: the cards of the current or last hand; ``None`` before the first deal, and after other options.
            Those of the last hand lie there until the next one is dealt.
        hand_number: the number of the current or last hand of the match, from 1; 0 before the first.
        hand_id: the id that the hand's commitment covers together with the secret.
        commitment: the SHA-256 of the server's secret for that hand.
        shuffle: the contributions to that hand's seed; ``None`` if nobody could contribute.
        next_shuffle: the contributions to the next hand's seed so far; ``None`` before it is prepared.
        redrawn_for: the seats for which the hand is drawn anew after a void draw; ``None`` in its first draw.
            Snapshots omit them.
        entry_closed: whether the host lets nobody new take a seat.
        last_hand: the number of the hand with which the match ends because the host wants it; 0 if none.
        called: the seats that called "Demon!" in this hand, if the table requires that.
        results: the tally, hand by hand.
        winners: the winners of the match, once it is over.
        paused: whether the hand is paused.
        known_deal: the seed of all hands, in hexadecimal, where the table is on a given deal, whose cards are
            known from the start; otherwise ``None``.
        locked: whether the table has a passphrase.
        waiting: the seats of the running hand whose signal is still to come, though play has begun.

    """

    __slots__ = (
        "_is_any_stuck",
        "banned",
        "called",
        "code",
        "commitment",
        "departed",
        "entry_closed",
        "gone",
        "hand",
        "hand_id",
        "hand_number",
        "host",
        "known_deal",
        "last_hand",
        "locked",
        "next_shuffle",
        "options",
        "paused",
        "phase",
        "redrawn_for",
        "results",
        "seats",
        "seq",
        "shuffle",
        "waiting",
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
        self.banned: tuple[str, ...] = ()
        self.gone: dict[int, str] = {}
        self.hand: HandView | None = None
        self.hand_number = 0
        self.hand_id = ""
        self.commitment: str | None = None
        self.shuffle: Shuffle | None = None
        self.next_shuffle: Shuffle | None = None
        self.redrawn_for: tuple[int, ...] | None = None
        self.called: int | None = None
        self.results: list[HandResult] = []
        self.winners: tuple[int, ...] = ()
        self._is_any_stuck = False
        self.paused = False
        self.locked = False
        self.known_deal: str | None = None
        self.entry_closed = False
        self.last_hand = 0
        self.waiting: tuple[int, ...] = ()

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

    # Queries.

    @property
    def board(self) -> Board | None:
        """The board of the current or last hand."""
        return None if self.hand is None else self.hand.board

    @property
    def hand_seats(self) -> tuple[int, ...]:
        """The seats in the current or last hand."""
        return self.hand.seats if self.hand is not None else ()

    @property
    def in_hand(self) -> bool:
        """Whether plays may be accepted now."""
        return self.phase in IN_HAND

    @property
    def between_matches(self) -> bool:
        """Whether no match is in progress."""
        return self.phase in BETWEEN_MATCHES

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
            RETURNS: bool(self.last_hand),
        }
        return needed(self.options, self.known_deal).union(word for word, is_used in used.items() if is_used)

    @property
    def is_between_hands(self) -> bool:
        """Whether no hand is in play or about to be dealt, so that players can contribute to the next one."""
        return self.phase in BETWEEN_HANDS

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
        return self.shuffle.seats if self.shuffle is not None else self.seated()

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
            if not state.left and (state.connected or state.stand_in or state.stuck)
        ]
        return sum(state.stuck for state in there), len(there)

    def stuck_seats(self) -> tuple[int, ...]:
        """Return the seats that have declared being stuck."""
        if not self._is_any_stuck:
            return ()  # nearly always, and asked before every play
        return tuple(seat for seat, state in self.seats.items() if state.stuck)

    def _without(self, seats: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
        """Return those of some seats that others are not, and whose players have not left."""
        seated = self.seated()
        return tuple(seat for seat in seats if seat in seated and seat not in others)

    # Snapshots.

    def copy(self) -> Self:
        """Return an independent copy."""
        state = type(self)(self.code, self.options)
        state._is_any_stuck = self._is_any_stuck
        state.banned = self.banned
        state.called = self.called
        state.entry_closed = self.entry_closed
        state.last_hand = self.last_hand
        state.commitment = self.commitment
        state.hand_id = self.hand_id
        state.hand_number = self.hand_number
        state.host = self.host
        state.known_deal = self.known_deal
        state.locked = self.locked
        state.next_shuffle = self.next_shuffle
        state.paused = self.paused
        state.phase = self.phase
        state.redrawn_for = self.redrawn_for
        state.seq = self.seq
        state.shuffle = self.shuffle
        state.waiting = self.waiting
        state.winners = self.winners
        state.hand = None if self.hand is None else self.hand.copy()
        state.seats, state.results = dict(self.seats), list(self.results)
        state.departed, state.gone = dict(self.departed), dict(self.gone)
        return state

    def snapshot(self, elapsed_ms: int) -> Snapshot:
        """Return this state as one message, ``elapsed_ms`` after the signal."""
        return self._snapshot(self.board, elapsed_ms)

    def snapshot_for(self, seat: int | None, elapsed_ms: int) -> Snapshot:
        """Return what a seat, or everybody else with ``None``, may know: of other layouts, only the deal."""
        return self._snapshot(None if self.hand is None else self.hand.board_for(seat), elapsed_ms)

    def _snapshot(self, board: Board | None, elapsed_ms: int) -> Snapshot:
        progress = () if self.hand is None else self.hand.progress.values()
        return Snapshot(
            seq=self.seq,
            code=self.code,
            options=self.options,
            host=self.host,
            phase=self.phase,
            seats=tuple(self.seats.values()),
            hand=self.hand_number,
            hand_id=self.hand_id,
            commitment=self.commitment,
            hand_seats=self.hand_seats,
            piles=tuple(board.cards) if board else (),
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
            progress=tuple(each.reached for each in progress),
            since=tuple(each.since for each in progress),
            departed=tuple(self.departed.items()),
            banned=self.banned,
            shuffle=self.shuffle,
            next_shuffle=self.next_shuffle,
            handicaps=() if self.hand is None else self.hand.handicaps,
            waiting=self.waiting,
            shifts=self._by_seat(board.shifts) if board and board.shifts else (),
            entry_closed=self.entry_closed,
            known_deal=self.known_deal,
            last_hand=self.last_hand,
        )

    def _by_seat(self, counts: Mapping[int, int]) -> tuple[int, ...]:
        return tuple(counts.get(seat, 0) for seat in self.hand_seats)

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
        self.code, self.options = snapshot.code, snapshot.options
        self.seq = snapshot.seq
        self.host = snapshot.host
        self.phase = snapshot.phase
        self.seats = {state.seat: state for state in snapshot.seats}
        self.departed = dict(snapshot.departed)
        self.banned = snapshot.banned
        self.hand_number = snapshot.hand
        self.hand_id = snapshot.hand_id
        self.commitment = snapshot.commitment
        self.shuffle, self.next_shuffle = snapshot.shuffle, snapshot.next_shuffle
        self.redrawn_for = None
        if self.is_draw_void and self.shuffle is not None:
            self.redrawn_for = self._without(self.shuffle.seats, self.shuffle.missing())
        self.called = snapshot.called
        self.results = list(snapshot.results)
        self.winners = snapshot.winners
        self._is_any_stuck = any(state.stuck for state in snapshot.seats)
        self.paused = snapshot.paused
        self.locked = snapshot.locked
        self.entry_closed = snapshot.entry_closed
        self.known_deal = snapshot.known_deal
        self.last_hand = snapshot.last_hand
        if any(len(result.seats) != len(result.points) for result in self.results):
            raise InconsistentEvent("a tally has points for other seats")
        if any(len(result.teams) not in {0, len(result.seats)} for result in self.results):
            raise InconsistentEvent("a tally has teams for other seats")
        self.hand = HandView.from_snapshot(snapshot) if snapshot.hand_seats else None
        self.waiting = snapshot.waiting

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
        self._update(event.seat, stuck=False)

    def _joined(self, event: ev.Joined) -> None:
        self.gone.pop(event.seat, None)
        self._forget_contribution(event.seat)
        if event.seat in self.seats:  # players who left during the match keep their result
            self.departed.setdefault(event.seat, self.seats[event.seat].name)
        if self.hand is not None:
            self.hand.reset_layout(event.seat)
        self.seats[event.seat] = SeatState(
            seat=event.seat,
            name=event.name,
            bot=event.bot,
            ready=bool(event.bot),
            program=event.program,
        )

    def _left(self, event: ev.Left) -> None:
        leaver = self.seats[event.seat]
        if event.kicked and not leaver.bot:
            self._unban(leaver.name)
            self.banned = (*self.banned, leaver.name)[-MAX_BANNED:]
        self._forget_contribution(event.seat)
        self._stop_waiting(event.seat)
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
        if event.options.teams != self.options.teams:
            for seat in self.seats:
                self._update(seat, team=None)
        self.options = event.options
        self.hand = None  # the last board may be of another game
        self._clear_ready()

    def _handicap_set(self, event: ev.HandicapSet) -> None:
        if not self.is_between_hands:
            raise InconsistentEvent("a handicap was changed when the next hand was committed")
        self._update(event.seat, handicap=event.handicap)
        self._clear_ready()
        if self.next_shuffle is not None:
            self.next_shuffle = self.next_shuffle.model_copy(update={"contributions": ()})

    def _clear_ready(self) -> None:
        """Let nobody be ready for another deal than they were ready for."""
        for seat, state in self.seats.items():
            if state.ready and not state.bot:
                self._update(seat, ready=False)

    def _prepared(self, event: ev.Prepared) -> None:
        if self.phase is Phase.SHUFFLING and self.shuffle is not None:  # the draw is void
            self.redrawn_for = self._without(self.seats_to_deal, self.unrevealed)
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
            self.last_hand = 0
            self.seats = {seat: state for seat, state in self.seats.items() if not state.left}
        self.redrawn_for = self._without(self.seats_to_deal, ()) if self.is_draw_void else None
        seats = self.seated()
        self.hand_number = event.hand
        self.hand_id = event.hand_id
        self.commitment = event.commitment
        self.known_deal = event.known_deal
        self.shuffle, self.next_shuffle = self.next_shuffle, None
        if self.shuffle is not None:
            self.shuffle = self.shuffle.model_copy(update={"seats": seats})
        self.phase = Phase.SHUFFLING

    def _dealt(self, event: ev.Dealt) -> None:
        if not self.seats.keys() >= set(event.seats):
            raise InconsistentEvent("cards for seats that nobody has")
        self.hand = HandView.deal(event, self.options)
        self.called = None
        self.phase = Phase.COUNTDOWN
        self._clear_stuck()

    def _signalled(self, event: ev.Signalled) -> None:
        self.phase = Phase.PLAYING
        waits = self._dealt_hand().waits_ms
        self.waiting = tuple(seat for seat in waits if not self.seats[seat].left)

    def _seat_signalled(self, event: ev.SeatSignalled) -> None:
        if event.seat not in self.waiting:
            raise InconsistentEvent(f"seat {event.seat} has had its signal")
        self._stop_waiting(event.seat)

    def _stop_waiting(self, seat: int) -> None:
        self.waiting = tuple(other for other in self.waiting if other != seat)

    def _stuck_said(self, event: ev.StuckSaid) -> None:
        self._update(event.seat, stuck=True)

    def _rotated(self, event: ev.Rotated) -> None:
        self._dealt_hand().board.rotate()
        self._clear_stuck()

    def _stock_shifted(self, event: ev.StockShifted) -> None:
        hand = self._dealt_hand()
        hand.board.shift(hand.rules.layout.stock[event.seat])
        self._update(event.seat, stuck=False)

    def _called(self, event: ev.Called) -> None:
        self.called = event.seat
        self.phase = Phase.GRACE

    def _hand_over(self, event: ev.HandOver) -> None:
        if len(event.points) != len(self.hand_seats):
            raise InconsistentEvent(f"{len(event.points)} points for {len(self.hand_seats)} seats")
        self.phase = Phase.TALLY
        self.paused = False
        self.waiting = ()
        self.results.append(
            HandResult(
                hand=self.hand_number,
                seats=self.hand_seats,
                points=event.points,
                reason=event.reason,
                out=event.out,
                elapsed_ms=event.elapsed_ms,
                handicaps=() if self.hand is None else self.hand.handicaps,
                teams=self._teams_in_hand(),
            )
        )
        for seat, state in self.seats.items():
            if state.stuck or state.ready is not bool(state.bot):
                self._update(seat, ready=bool(state.bot), stuck=False)

    def _teams_in_hand(self) -> tuple[int, ...]:
        """Return the team of each seat of the hand; empty where there are no teams."""
        if self.options.teams is None:
            return ()
        teams = [self.seats[seat].team for seat in self.hand_seats]
        if None in teams:
            raise InconsistentEvent("somebody plays in no team")
        return tuple(team for team in teams if team is not None)

    def _unbanned(self, event: ev.Unbanned) -> None:
        self._unban(event.name)

    def _unban(self, name: str) -> None:
        self.banned = tuple(other for other in self.banned if other != name)

    def _entry_closed(self, event: ev.EntryClosed) -> None:
        self.entry_closed = event.closed

    def _last_hand_set(self, event: ev.LastHandSet) -> None:
        if self.between_matches:
            raise InconsistentEvent("a last hand where no match is played")
        self.last_hand = event.hand

    def _match_over(self, event: ev.MatchOver) -> None:
        self.phase = Phase.OVER
        self.banned = ()
        self.winners = event.winners

    def _said(self, event: ev.Said) -> None:
        self._verify_speaker(event.seat)

    def _reacted(self, event: ev.Reacted) -> None:
        self._verify_speaker(event.seat)

    def _verify_speaker(self, seat: int) -> None:
        if seat not in self.seats:
            raise InconsistentEvent("words from a seat that nobody has")

    def _paused(self, event: ev.Paused) -> None:
        self.paused = True

    def _continued(self, event: ev.Continued) -> None:
        self.paused = False

    def _stood_in(self, event: ev.StoodIn) -> None:
        self._update(event.seat, stand_in=event.bot)

    def _muted(self, event: ev.Muted) -> None:
        self._update(event.seat, muted=event.muted)

    def _team_set(self, event: ev.TeamSet) -> None:
        state = self.seats[event.seat]
        if event.team >= (self.options.teams or 0):
            raise InconsistentEvent(f"there is no team {event.team}")
        if not (self.between_matches or state.team is None):
            raise InconsistentEvent(f"seat {event.seat} leaves its team within a match")
        self._update(event.seat, team=event.team)

    def _update(self, seat: int, **changes: Any) -> None:
        self.seats[seat] = self.seats[seat].model_copy(update=changes)

    def _clear_stuck(self) -> None:
        for seat, state in self.seats.items():
            if state.stuck:
                self._update(seat, stuck=False)


def _counted(keys: Iterable[int], counts: Iterable[int]) -> dict[int, int]:
    return {key: count for key, count in zip(keys, counts, strict=False) if count}


_APPLY: Final[dict[type[ev.Event], Callable[[TableState, Any], None]]] = {
    cls: getattr(TableState, f"_{name_of(cls)}") for cls in FROM_SERVER.values() if issubclass(cls, ev.Event)
}
