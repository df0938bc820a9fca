"""A client's contributions to the shuffle: random bytes, first committed to, then revealed."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, NamedTuple

from racing_demon_protocol.engine.commit_reveal import contribution_hash
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused, Shuffle
from racing_demon_protocol.wire.options import Options

MOST_REVEALED: Final = 256
"""How many revealed hands are remembered; an honest server reuses none of them."""
NOT_JUDGED: Final = frozenset({Reason.HALTED, Reason.TOO_FAST})
"""Reasons for a refusal after which the command may be sent again."""


class ShareState(Enum):
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


class _Own(NamedTuple):
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


class _Fixed(NamedTuple):
    """Everything that determines a deal, except what is still to be revealed."""

    promised: str
    contributions: tuple[tuple[int, str], ...]
    seats: tuple[int, ...]
    options: Options

    @classmethod
    def at(cls, view: TableState) -> "_Fixed | None":
        """Return what is fixed for a committed hand."""
        shuffle = view.shuffle
        if shuffle is None:
            return None
        contributions = tuple((each.seat, each.commitment) for each in shuffle.contributions)
        return cls(shuffle.commitment, contributions, tuple(shuffle.seats), view.options)


class Contributor:
    """Decides what a client contributes to each hand, and checks what became of it.

    Attributes:
        part: the state of its contribution to the last deal.

    Args:
        draw: returns 32 random bytes.

    """

    def __init__(self, draw: Callable[[], bytes]) -> None:
        self.part = ShareState.NONE
        self._draw = draw
        self._own: _Own | None = None
        self._said: type[cl.Command] | None = None
        self._revealed: dict[str, _Fixed | None] = {}
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
            self._note_void(view, seat)
            if seat not in view.seats_to_deal:
                return None
        if view.next_shuffle is not None:
            return self._contribute(view.next_shuffle, seat, number)
        if view.phase is Phase.SHUFFLING and view.shuffle is not None:
            return self._reveal(view, view.shuffle, seat, number)
        return None

    def _note_void(self, view: TableState, seat: int) -> None:
        """Check what the server told of this client's contribution to a void draw."""
        self._awaited.discard(view.hand_id)  # the proof of the hand tells of its void draws
        own, listed = self._own, view.shuffle.of(seat) if view.shuffle is not None else None
        if own is None or listed is None or own.seat != seat or own.hand_id != view.hand_id:
            return
        if listed.commitment != own.hashed:
            self._changed_in = _hand_of(view)

    def _contribute(self, shuffle: Shuffle, seat: int, number: Callable[[], int]) -> cl.Command | None:
        own = self._own
        if own is None or not own.is_for(shuffle, seat):
            self._said = None
            self._own = own = _Own(shuffle.hand_id, shuffle.commitment, seat, self._draw())
        elif self._said is not None:
            return None
        self._said = cl.Contribute
        return cl.Contribute(counter=number(), commitment=own.hashed)

    def _reveal(
        self, view: TableState, shuffle: Shuffle, seat: int, number: Callable[[], int]
    ) -> cl.Command | None:
        """Return the command that reveals the bytes.

        That requires that the server announced our commitment and that all else is fixed.
        """
        own, listed = self._own, shuffle.of(seat)
        if own is None or not own.is_for(shuffle, seat) or self._said is cl.Reveal:
            return None
        if listed is None or listed.commitment != own.hashed or listed.value is not None:
            return None
        self._said = cl.Reveal
        self._revealed.setdefault(own.hand_id, _Fixed.at(view))
        self._awaited.add(own.hand_id)
        if len(self._revealed) > MOST_REVEALED:
            del self._revealed[next(iter(self._revealed))]
        return cl.Reveal(counter=number(), value=own.value.hex())

    def refused(self, refused: Refused) -> None:
        """Allow a command to be sent again that the server refused without judging it."""
        if refused.reason in NOT_JUDGED:
            self._said = cl.Contribute if self._said is cl.Reveal else None

    def dealt(self, view: TableState, seat: int | None) -> None:
        """Check the contribution to a hand once it is dealt."""
        if view.phase in DEALT:
            is_changed = self._changed_in == _hand_of(view)
            self.part = ShareState.CHANGED if is_changed else self._part(view, seat)
            self._awaited.clear()

    def _part(self, view: TableState, seat: int | None) -> ShareState:
        if seat not in view.hand_seats:
            return ShareState.NONE
        if view.hand_id in self._revealed and self._revealed[view.hand_id] != _Fixed.at(view):
            return ShareState.REPEATED
        if self._awaited - {view.hand_id, *_played(view)}:
            return ShareState.DROPPED
        return self._part_in_seed(view, seat)

    def _part_in_seed(self, view: TableState, seat: int | None) -> ShareState:
        own = self._own
        others = view.contributions
        listed = next((each for each in others if each.seat == seat), None)
        if own is None or own.seat != seat or own.hand_id != view.hand_id:
            return ShareState.LEFT_OUT if others and listed is None else ShareState.NONE
        if listed is None:
            return ShareState.LEFT_OUT
        if view.commitment != own.promised or listed.commitment != own.hashed:
            return ShareState.CHANGED
        if listed.value is None:
            return ShareState.LEFT_OUT
        return ShareState.COUNTED if listed.value == own.value.hex() else ShareState.CHANGED


def _hand_of(view: TableState) -> str:
    """Return the id of a hand, whichever of its draws it is."""
    return view.hand_id.partition(".")[0]


def _played(view: TableState) -> list[str]:
    """Return the ids of the match's finished hands."""
    match = view.hand_id.rpartition("/")[0]
    return [f"{match}/{result.hand}" for result in view.results]
