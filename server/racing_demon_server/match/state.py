"""What the judge of a table knows: one state, which everything else in this package reads and changes.

The public table, the hand and the answers to commands change in place, because plays change them. All else is
a record, which is replaced and never changed. So copies are cheap, and the judge can go back to one if
something fails in the middle of a change. Times are microseconds on the caller's monotonic clock.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, Self

from racing_demon_protocol.table.state import DEALT, NONE, TableState
from racing_demon_protocol.wire.messages.events import Event

from .hand import Hand, HandClock, HandCopy
from .seat_tokens import Actor, SeatTokens, Tokens


class Ban(NamedTuple):
    """A player who was kicked.

    Attributes:
        name: what the player was called at the table.
        token_hash: the hash of the seat's token.
        address_hash: the hash of the address that the player came from; empty if unknown.

    """

    name: str
    token_hash: bytes
    address_hash: bytes


class JudgeRecord(NamedTuple):
    """What the judge knows beside the public table, its hand and the seats' tokens: what no play changes.

    Attributes:
        halted_at: since when nothing happens, because nothing can be written; ``None`` if it can.
        not_before: before this no timer runs, because one has failed.
        away: since when actors are disconnected.
        given_up: those of them that have been away for so long that nobody waits for them.
        bans: the kicked players; the table decides how long each ban lasts.
        secret_for: the id of the newest hand that a secret was drawn for.
        secret: that secret.
        absent: the seats that were away when the hand was committed.
        deal_at: the latest time at which a committed hand is dealt; meaningless in other phases.
        begun: the seats that have had their signal last.
        unsettled: those of them whose automatic plays are not all made yet.
        grace_until: when the grace ends, if somebody has called.
        next_deal_at: when the next hand of the match is dealt by itself.
        paused_at: when the last pause began.
        pause_ends_at: when the pause ends by itself; ``None`` if it does not.
        is_paused_by_rule: whether a rule began it, and not the host.
        lacking_since: since when the hand lacks players; ``None`` if it does not.

    """

    halted_at: int | None = None
    not_before: int = 0
    away: Mapping[Actor, int] = NONE
    given_up: frozenset[Actor] = frozenset()
    bans: tuple[Ban, ...] = ()
    secret_for: str = ""
    secret: bytes = b""
    absent: frozenset[int] = frozenset()
    deal_at: int = 0
    begun: tuple[int, ...] = ()
    unsettled: tuple[int, ...] = ()
    grace_until: int = 0
    next_deal_at: int = 0
    paused_at: int = 0
    pause_ends_at: int | None = None
    is_paused_by_rule: bool = False
    lacking_since: int | None = None

    def told(self) -> Self:
        """Return what events tell of it while a hand runs (:data:`TOLD`): of seats alone."""
        told = type(self)().with_told(self)
        return told._replace(away={actor: since for actor, since in told.away.items() if actor is not None})

    def with_told(self, other: "JudgeRecord") -> Self:
        """Return this record with what events tell from another one."""
        return self._replace(**{name: getattr(other, name) for name in TOLD})


TOLD: Final = ("away", "paused_at", "is_paused_by_rule", "grace_until")
"""What events tell of a running hand beside its cards, in the order in which checkpoints have it.

A restart restores no other field: they are stored elsewhere, belong to other phases, or begin anew.
"""


class JudgeCopy(NamedTuple):
    """The state of a judge at one moment. Nobody changes it."""

    view: TableState
    record: JudgeRecord
    hand: Hand | HandCopy | None
    tokens: Tokens
    now: int


class JudgeState:
    """The state of a table's judge.

    Not in it are a search for dead hands, which begins anew; limits, which count what fails, too; and what is
    on its way out of the judge: new events, secrets, tokens and bans.

    Attributes:
        view: the public table.
        record: all that plays do not change.
        hand: the newest hand; ``None`` before the first. A restored table has no finished one.
        seat_tokens: the tokens of the seats.
        now: the table's time.
        drawn: the secrets that were drawn and are not durable yet, by hand id.
        spare: those that were drawn for nothing, because that failed; they are for the same hands.
        has_new_bans: whether the bans have changed and are not durable yet.

    """

    def __init__(self, view: TableState) -> None:
        self.view = view
        self.record = JudgeRecord()
        self.hand: Hand | None = None
        self.seat_tokens = SeatTokens()
        self.now = 0
        self.drawn: list[tuple[str, bytes]] = []
        self.spare: dict[str, bytes] = {}
        self.has_new_bans = False
        self._fresh: list[Event] = []

    # The log.

    def emit(self, cls: type[Event], **fields: Any) -> None:
        """Append the next event to the log."""
        event = cls(seq=self.view.seq + 1, **fields)
        self.view.apply(event)
        self._fresh.append(event)

    def add(self, events: Iterable[Event]) -> None:
        """Append events that were already applied to the view."""
        self._fresh += events

    def drain(self) -> list[Event]:
        """Return and forget the new events."""
        fresh, self._fresh = self._fresh, []
        return fresh

    # Copies.

    @property
    def hand_clock(self) -> HandClock:
        """The clock of the hand."""
        if self.hand is None:
            return HandClock()
        return HandClock(self.hand.signal_at, self.record.paused_at if self.view.paused else None)

    def copy(self) -> JudgeCopy:
        """Return a copy of the state. A finished hand does not change any more."""
        hand = self.hand
        copied = hand.copy() if hand is not None and self.view.phase in DEALT else hand
        return JudgeCopy(self.view.copy(), self.record, copied, self.seat_tokens.copy(), self.now)

    def take(self, copy: JudgeCopy) -> None:
        """Go back to a copy. Answers to commands, which are given when all else is done, stay."""
        self._fresh.clear()
        self.spare.update(self.drawn)
        self.drawn.clear()
        self.view.take(copy.view)
        self.record, self.now = copy.record, copy.now
        self.hand = Hand.of(self.view, copy.hand) if isinstance(copy.hand, HandCopy) else copy.hand
        self.seat_tokens.take(copy.tokens)
