"""A client's contributions to the shuffle: random bytes, first committed to, then revealed."""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from racing_demon_protocol.engine.commit_reveal import contribution_hash, match_of
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.handicap import NO_HANDICAP, Handicap
from racing_demon_protocol.wire.messages.server import Refused, Shuffle
from racing_demon_protocol.wire.options import Options

MAX_REVEALED: Final = 256
"""How many revealed hands are remembered; an honest server reuses none of them."""
NOT_JUDGED: Final = frozenset({Reason.HALTED, Reason.TOO_FAST})
"""Reasons for a refusal after which the command may be sent again."""


class ContributionState(Enum):
    """The state of this client's contribution to the last deal."""

    NONE = auto()
    """None was requested from this client."""
    COUNTED = auto()
    """It is part of the seed."""
    LEFT_OUT = auto()
    """It is not part of the seed."""
    CHANGED = auto()
    """The server announced a different contribution to the table."""
    REPEATED = auto()
    """Something else that determines the deal was changed after this client revealed its bytes."""
    DROPPED = auto()
    """It may be part of the seed, but the hand before it was revealed and never dealt."""


class _Contribution(NamedTuple):
    """A contribution: the bytes, the seat, and the server's commitment it belongs to."""

    hand_id: str
    promised: str
    seat: int
    value: bytes

    def is_for(self, shuffle: Shuffle, seat: int) -> bool:
        return (self.hand_id, self.promised, self.seat) == (shuffle.hand_id, shuffle.commitment, seat)

    @property
    def hashed(self) -> str:
        return contribution_hash(self.value, self.promised, self.hand_id, self.seat)


class _DealInputs(NamedTuple):
    """Everything that determines a deal, except what is still to be revealed."""

    promised: str
    contributions: tuple[tuple[int, str], ...]
    seats: tuple[int, ...]
    options: Options
    handicaps: tuple[Handicap, ...]

    @classmethod
    def at(cls, view: TableState) -> "_DealInputs | None":
        """Return what is fixed for a committed hand."""
        shuffle = view.shuffle
        if shuffle is None:
            return None
        contributions = tuple((each.seat, each.commitment) for each in shuffle.contributions)
        handicaps = view.handicaps_for(shuffle.seats)
        return cls(shuffle.commitment, contributions, tuple(shuffle.seats), view.options, handicaps)


class ShuffleClient:
    """Decides what a client contributes to each shuffle, and checks how the server used it.

    Attributes:
        contribution_state: the state of its contribution to the last deal.

    Args:
        draw: returns 32 random bytes.

    """

    def __init__(self, draw: Callable[[], bytes]) -> None:
        self.contribution_state = ContributionState.NONE
        self._draw = draw
        self._own: _Contribution | None = None
        self._contributed_by: Mapping[int, Handicap] = {}
        self._last_sent: type[cl.Command] | None = None
        self._revealed: dict[str, _DealInputs | None] = {}
        self._awaited: set[str] = set()
        self._changed_in = ""

    def command(self, view: TableState, seat: int | None, number: Callable[[], int]) -> cl.Command | None:
        """Return the command to send now, if any.

        Each command is returned once, because it is sent until answered; :meth:`refused` undoes that.

        Args:
            view: the table.
            seat: this player's seat; ``None`` for a spectator.
            number: returns the counter for the seat's next command.

        """
        if seat is None or seat not in view.seats or view.seats[seat].left:
            return None
        if view.is_draw_void:
            self._check_void_draw(view, seat)
            if seat not in view.seats_to_deal:
                return None
        if view.next_shuffle is not None:
            return self._contribute(view, view.next_shuffle, seat, number)
        if view.phase is Phase.SHUFFLING and view.shuffle is not None:
            return self._reveal(view, view.shuffle, seat, number)
        return None

    def _check_void_draw(self, view: TableState, seat: int) -> None:
        """Check what the server announced of this client's contribution to a void draw."""
        self._awaited.discard(view.hand_id)  # void draws are part of the proof of the hand
        own, listed = self._own, view.shuffle.of(seat) if view.shuffle is not None else None
        if own is None or listed is None or own.seat != seat or own.hand_id != view.hand_id:
            return
        if listed.commitment != own.hashed:
            self._changed_in = _hand_of(view)

    def _contribute(
        self, view: TableState, shuffle: Shuffle, seat: int, number: Callable[[], int]
    ) -> cl.Command | None:
        """Return the command that contributes, once for each deal; other handicaps make it another one."""
        own, handicaps = self._own, _given_handicaps(view)
        if own is None or not own.is_for(shuffle, seat) or handicaps != self._contributed_by:
            self._last_sent, self._contributed_by = None, handicaps
            self._own = own = _Contribution(shuffle.hand_id, shuffle.commitment, seat, self._draw())
        elif self._last_sent is not None:
            return None
        self._last_sent = cl.Contribute
        return cl.Contribute(counter=number(), commitment=own.hashed)

    def _reveal(
        self, view: TableState, shuffle: Shuffle, seat: int, number: Callable[[], int]
    ) -> cl.Command | None:
        """Return the command that reveals the bytes.

        That requires that the server announced our commitment and that all else is fixed.
        """
        own, listed = self._own, shuffle.of(seat)
        if own is None or not own.is_for(shuffle, seat) or self._last_sent is cl.Reveal:
            return None
        if listed is None or listed.commitment != own.hashed or listed.value is not None:
            return None
        self._last_sent = cl.Reveal
        self._revealed.setdefault(own.hand_id, _DealInputs.at(view))
        self._awaited.add(own.hand_id)
        if len(self._revealed) > MAX_REVEALED:
            del self._revealed[next(iter(self._revealed))]
        return cl.Reveal(counter=number(), value=own.value.hex())

    def refused(self, refused: Refused) -> None:
        """Allow a command to be sent again that the server refused without judging it."""
        if refused.reason in NOT_JUDGED:
            self._last_sent = cl.Contribute if self._last_sent is cl.Reveal else None

    def dealt(self, view: TableState, seat: int | None) -> None:
        """Check the contribution to a hand once it is dealt."""
        if view.phase in DEALT:
            is_changed = self._changed_in == _hand_of(view)
            self.contribution_state = (
                ContributionState.CHANGED if is_changed else self._state_of_deal(view, seat)
            )
            self._awaited.clear()

    def _state_of_deal(self, view: TableState, seat: int | None) -> ContributionState:
        if seat not in view.hand_seats:
            return ContributionState.NONE
        is_revealed = view.hand_id in self._revealed
        if is_revealed and (
            self._revealed[view.hand_id] != _DealInputs.at(view) or not _has_own_handicaps(view)
        ):
            return ContributionState.REPEATED
        if self._awaited - {view.hand_id, *_played(view)}:
            return ContributionState.DROPPED
        return self._state_in_seed(view, seat)

    def _state_in_seed(self, view: TableState, seat: int | None) -> ContributionState:
        own = self._own
        others = view.contributions
        listed = next((each for each in others if each.seat == seat), None)
        if own is None or own.seat != seat or own.hand_id != view.hand_id:
            return ContributionState.LEFT_OUT if others and listed is None else ContributionState.NONE
        if listed is None:
            return ContributionState.LEFT_OUT
        if view.commitment != own.promised or listed.commitment != own.hashed:
            return ContributionState.CHANGED
        if listed.value is None:
            return ContributionState.LEFT_OUT
        return ContributionState.COUNTED if listed.value == own.value.hex() else ContributionState.CHANGED


def _given_handicaps(view: TableState) -> dict[int, Handicap]:
    """Return the handicaps at a table, by seat, without those that change nothing."""
    return {seat: state.handicap for seat, state in view.seats.items() if state.handicap != NO_HANDICAP}


def _has_own_handicaps(view: TableState) -> bool:
    """Return whether a hand was dealt by the handicaps of its seats."""
    return view.hand is not None and view.hand.handicaps == view.handicaps_for(view.hand_seats)


def _hand_of(view: TableState) -> str:
    """Return the id of a hand, whichever of its draws it is."""
    return view.hand_id.partition(".")[0]


def _played(view: TableState) -> list[str]:
    """Return the ids of the match's finished hands."""
    match = match_of(view.hand_id)
    return [f"{match}/{result.hand}" for result in view.results]
