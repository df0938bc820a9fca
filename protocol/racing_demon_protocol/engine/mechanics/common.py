"""The common base of the mechanics: games that are not built in sequences, with the usual interface.

A mechanic defines the plays, the automatic plays, and when the game is won. All of it follows from the public
board, so clients and the server get the same answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, cast

from racing_demon_protocol.engine.board import Board, Kind, Play, Shows
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Game, Group, Mechanic, PileSpec

NO_PILE: Final = -2
"""Neither a pile's number nor :data:`FOUNDATIONS`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Out(Group):
    """The pile for cards that have left the game."""

    name: str = "out"

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(1, Shows.ALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Packets(Group):
    """Piles that cards travel through, are turned up from, or are gathered in.

    Attributes:
        count: the number of piles.
        shows: ``KEPT`` where they are dealt face down, and cards that come to them stay face up.
        numbered: whether each belongs to a rank, the first to the ace, and is named by it.

    """

    name: str = "packet"
    count: int = 1
    shows: Shows = Shows.KEPT
    numbered: bool = False

    @property
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.PACKET

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(self.count, self.shows)


MechanicT = TypeVar("MechanicT", bound=Mechanic)


class MechanicRules(Rules, Generic[MechanicT]):
    """The rules of a game with its own mechanic.

    Attributes:
        mechanic: the mechanic as the game declares it; each kind of rules has its own type.

    """

    def __init__(self, game: Game, seats: Sequence[int], extra_heap: Sequence[int] = ()) -> None:
        super().__init__(game, seats, extra_heap)
        self.mechanic = cast("MechanicT", game.mechanic)  # the factory chooses rules by it
        self._named: dict[tuple[int | None, str], tuple[int, ...]] = {}
        for pile in self.layout.piles:
            key = pile.seat, pile.group
            self._named[key] = (*self._named.get(key, ()), pile.number)

    def group_piles(self, seat: int, group: str) -> tuple[int, ...]:
        """Return the numbers of a seat's piles of a group; none for a seat not in the hand."""
        return self._named.get((seat, group), ())

    def stock_play(self, board: Board, seat: int) -> Play | None:
        """Return the play that uses the stock: deal, redeal, or the only play there is."""
        stock, waste = self.layout.stock.get(seat, NO_PILE), self.layout.waste.get(seat, NO_PILE)
        plays = list(self.legal_plays(board, seat))
        deals = (play for play in plays if play.source == stock or play.destination in {stock, waste})
        return plays[0] if len(plays) == 1 else next(deals, None)

    def single_pile(self, seat: int, group: str) -> int:
        """Return the number of a seat's only pile of a group."""
        return self._named[seat, group][0]
