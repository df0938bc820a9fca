"""What everybody may see at a table, and all of it as one message."""

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Final, NamedTuple, Self

from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.racing import may_see, veiled
from racing_demon_protocol.engine.rulebook import make_rules
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.shuffle import deal_seed
from racing_demon_protocol.errors import InconsistentEvent
from racing_demon_protocol.games import declare
from racing_demon_protocol.reasons import Phase
from racing_demon_protocol.wire.messages.server import HandResult, SeatState, Shuffle, Snapshot
from racing_demon_protocol.wire.options import Options

__all__ = ["DEALT", "IDENTICAL_LIMIT_MS", "IN_HAND", "Progress", "TableState"]

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


class TableState:
    """What everybody may see of one table, at one moment.

    Attributes:
        code: the table's code.
        options: its options.
        seq: the number of the last event applied.
        host: the host's seat; ``None`` while the host watches only.
        phase: what the table is doing.
        seats: who sits where.
        departed: what those were called who have left since the match was over, by their seats.
        banned: the names of those who were sent away and may not come back yet, the newest last.
        gone: what whoever left each seat last was called, as long as nobody else has it.
        hand: the number of the current or last hand of the match, from 1; 0 before the first.
        hand_id: what the commitment is over, with the seed.
        commitment: the SHA-256 of the server's secret for that hand.
        shuffle: who has contributed to that hand's seed; ``None`` where nobody could.
        next_shuffle: the same of the next hand, as far as it is known; ``None`` before it is prepared.
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
        "banned",
        "board",
        "called",
        "code",
        "commitment",
        "departed",
        "gone",
        "hand",
        "hand_id",
        "host",
        "locked",
        "next_shuffle",
        "options",
        "paused",
        "phase",
        "progress",
        "results",
        "rules",
        "seats",
        "seq",
        "shuffle",
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
        self.hand = 0
        self.hand_id = ""
        self.commitment: str | None = None
        self.shuffle: Shuffle | None = None
        self.next_shuffle: Shuffle | None = None
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
    def at_rest(self) -> bool:
        """Whether no hand is played, nor about to be dealt: then players can contribute to the next one."""
        return self.between_matches or self.phase is Phase.TALLY

    @property
    def deals_by_itself(self) -> bool:
        """Whether the next hand is dealt when the tally's time is over: a person alone is waited for."""
        people = sum(not (state.bot or state.left) for state in self.seats.values())
        return self.phase is Phase.TALLY and people != 1

    @property
    def is_private(self) -> bool:
        """Whether the players of the current or last hand see no layout but their own."""
        return self.rules is not None and self.rules.is_private

    def may_see(self, seat: int | None, pile: int) -> bool:
        """Tell whether a seat, or with ``None`` a spectator, may see what lies on a pile of the hand."""
        return self.board is not None and (not self.is_private or may_see(self.board.piles[pile], seat))

    @property
    def time_limit_ms(self) -> int | None:
        """How long the hand may take after its signal; ``None``: as long as it takes."""
        limit = self.options.time_limit_ms
        return IDENTICAL_LIMIT_MS if limit is None and self.is_private else limit

    def deal_seed(self, secret: bytes) -> bytes:
        """Return the seed that the current or last hand was dealt from, given the server's secret."""
        return deal_seed(secret, self.hand_id, self.shuffle.revealed() if self.shuffle else {})

    def player(self, seat: int) -> str:
        """Return what the player was called who had a seat in the match; empty where that is not known."""
        state = self.seats.get(seat)
        return self.departed.get(seat) or (state.name if state else "")

    @property
    def host_name(self) -> str:
        """What the host is called; empty while the host watches only."""
        state = None if self.host is None else self.seats.get(self.host)
        return "" if state is None else state.name

    def stuck(self) -> tuple[int, int]:
        """Return how many of the hand have said that they are stuck, and how many are there to say so."""
        there = [
            state
            for state in map(self.seats.__getitem__, self.hand_seats)
            if not state.left and (state.connected or state.stand_in or state.stuck)
        ]
        return sum(state.stuck for state in there), len(there)

    # Snapshots.

    def copy(self) -> Self:
        """Return the same, to go on by itself."""
        state = copy(self)
        state.board = self.board.copy() if self.board else None
        state.seats, state.results, state.progress = dict(self.seats), list(self.results), dict(self.progress)
        state.departed, state.gone = dict(self.departed), dict(self.gone)
        return state

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
            banned=self.banned,
            shuffle=self.shuffle,
            next_shuffle=self.next_shuffle,
        )

    def _by_seat(self, counts: Mapping[int, int]) -> tuple[int, ...]:
        return tuple(counts.get(seat, 0) for seat in self.hand_seats)

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self:
        """Return what a snapshot describes.

        Raises:
            InconsistentEvent: its board is not one of its game, or its tally not of its seats.
            InvalidGame: its options describe no game that is known here.

        """
        state = cls(snapshot.code, snapshot.options)
        state.restore(snapshot)
        return state

    def restore(self, snapshot: Snapshot) -> None:
        """Become what a snapshot describes.

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
        self.banned = snapshot.banned
        self.hand = snapshot.hand
        self.hand_id = snapshot.hand_id
        self.commitment = snapshot.commitment
        self.shuffle, self.next_shuffle = snapshot.shuffle, snapshot.next_shuffle
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
