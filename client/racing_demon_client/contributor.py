"""A client's part in each shuffle: random bytes that it commits to, and reveals when all are committed."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, NamedTuple

from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages.server import Refused, Shuffle
from racing_demon_protocol.reasons import Phase, Reason
from racing_demon_protocol.shuffle import contribution_hash
from racing_demon_protocol.view import TableView

__all__ = ["Contributor", "Part"]

MOST_REVEALED: Final = 256
"""So many hands are remembered whose bytes were revealed; an honest server prepares none of them anew."""
NOT_JUDGED: Final = frozenset({Reason.HALTED, Reason.TOO_FAST})
"""Why a command was refused that may be sent again."""


class Part(Enum):
    """What became of the own contribution to the hand that was dealt last."""

    NONE = auto()
    """Nothing was asked, or not of this client."""
    COUNTED = auto()
    """It is in the seed: nobody can have chosen the deal."""
    LEFT_OUT = auto()
    """It is not in the seed, by whomever's fault."""
    CHANGED = auto()
    """The server has told everybody another one."""
    REPEATED = auto()
    """The server prepared this hand again when it knew what this client had contributed."""


class _Own(NamedTuple):
    """The own contribution to a hand: bytes, for which seat, under which commitment of the server's."""

    hand_id: str
    promised: str
    seat: int
    value: bytes

    def is_for(self, shuffle: Shuffle, seat: int) -> bool:
        return (self.hand_id, self.promised, self.seat) == (shuffle.hand_id, shuffle.commitment, seat)

    @property
    def hashed(self) -> str:
        return contribution_hash(self.value, self.promised, self.hand_id, self.seat)


class Contributor:
    """Says what a client contributes to each hand, and what became of it.

    Attributes:
        part: what became of it in the hand that was dealt last.

    Args:
        draw: gives 32 random bytes.

    """

    def __init__(self, draw: Callable[[], bytes]) -> None:
        self.part = Part.NONE
        self._draw = draw
        self._own: _Own | None = None
        self._said: type[cl.Command] | None = None
        self._is_repeated = False
        self._revealed: dict[str, str] = {}

    def command(self, view: TableView, seat: int | None, number: Callable[[], int]) -> cl.Command | None:
        """Return what is to be sent now; ``None`` while there is nothing.

        It is said once, as it is sent until it is answered; :meth:`refused` takes that back.

        Args:
            view: the table.
            seat: the own seat; ``None`` for a spectator.
            number: gives the number of the seat's next command.

        """
        if seat is None or seat not in view.seats or view.seats[seat].left:
            return None
        if view.next_shuffle is not None:
            return self._contribute(view.next_shuffle, seat, number)
        if view.phase is Phase.SHUFFLING and view.shuffle is not None:
            return self._reveal(view.shuffle, seat, number)
        return None

    def _contribute(self, shuffle: Shuffle, seat: int, number: Callable[[], int]) -> cl.Command | None:
        own = self._own
        if own is None or not own.is_for(shuffle, seat):
            known = self._revealed.get(shuffle.hand_id, shuffle.commitment)
            self._is_repeated = known != shuffle.commitment
            self._own = own = _Own(shuffle.hand_id, shuffle.commitment, seat, self._draw())
        elif self._said is not None:
            return None
        self._said = cl.Contribute
        return cl.Contribute(counter=number(), commitment=own.hashed)

    def _reveal(self, shuffle: Shuffle, seat: int, number: Callable[[], int]) -> cl.Command | None:
        """Reveal the bytes, if they were committed to as everybody was told, and all else is fixed."""
        own, told = self._own, shuffle.of(seat)
        if own is None or not own.is_for(shuffle, seat) or self._said is cl.Reveal:
            return None
        if told is None or told.commitment != own.hashed or told.value is not None:
            return None
        self._said = cl.Reveal
        self._revealed[own.hand_id] = own.promised
        if len(self._revealed) > MOST_REVEALED:
            del self._revealed[next(iter(self._revealed))]
        return cl.Reveal(counter=number(), value=own.value.hex())

    def refused(self, refused: Refused) -> None:
        """Take back what was said, if the server has not looked at it."""
        if refused.reason in NOT_JUDGED:
            self._said = cl.Contribute if self._said is cl.Reveal else None

    def dealt(self, view: TableView, seat: int | None) -> None:
        """Note what became of the contribution to a hand that is dealt now."""
        self.part = self._part(view, seat)

    def _part(self, view: TableView, seat: int | None) -> Part:
        own = self._own
        if own is None or own.hand_id != view.hand_id or own.seat != seat or seat not in view.hand_seats:
            return Part.NONE
        if self._is_repeated:
            return Part.REPEATED
        told = view.shuffle.of(seat) if view.shuffle is not None else None
        if told is None:
            return Part.LEFT_OUT
        if view.commitment != own.promised or told.commitment != own.hashed:
            return Part.CHANGED
        if told.value is None:
            return Part.LEFT_OUT
        return Part.COUNTED if told.value == own.value.hex() else Part.CHANGED
