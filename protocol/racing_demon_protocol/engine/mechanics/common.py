"""What the mechanics share: games that are not built in sequences, behind the interface of all rules.

A mechanic says which plays there are, what follows from them by itself, and when the game is won. All
of it is read from the public board, so a client can ask the same questions as the server.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from racing_demon_protocol.engine.board import Board, Kind, Play, Shows
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Extent, Game, Group

__all__ = ["MechanicRules", "Out", "Packets"]


NO_PILE: Final = -2
"""No pile's number, nor that of any foundation."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Out(Group):
    """Where the cards go that have left the game."""

    name: str = "out"

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(1, Shows.ALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Packets(Group):
    """Piles that cards travel through, are turned up from, or are gathered in.

    Attributes:
        count: how many there are.
        shows: ``KEPT`` where they are dealt face down, and what comes to them stays face up.
        numbered: whether each belongs to a rank, the first to the ace, and is called by it.

    """

    kind: ClassVar[Kind] = Kind.PACKET

    name: str = "packet"
    count: int = 1
    shows: Shows = Shows.KEPT
    numbered: bool = False

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(self.count, self.shows)


class MechanicRules(Rules):
    """The rules of a game with a mechanic of its own."""

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        super().__init__(game, seats)
        self._named: dict[tuple[int | None, str], tuple[int, ...]] = {}
        for pile in self.layout.piles:
            key = pile.seat, pile.group
            self._named[key] = (*self._named.get(key, ()), pile.number)

    def named(self, seat: int, group: str) -> tuple[int, ...]:
        """Return the numbers of a seat's piles of a group; none for a seat that does not play."""
        return self._named.get((seat, group), ())

    def turn(self, board: Board, seat: int) -> Play | None:
        """Return what the key for the stock does: deal, make the stock up anew, or the only play there is."""
        stock, waste = self.layout.stock.get(seat, NO_PILE), self.layout.waste.get(seat, NO_PILE)
        plays = list(self.legal_plays(board, seat))
        deals = (play for play in plays if play.source == stock or play.destination in {stock, waste})
        return plays[0] if len(plays) == 1 else next(deals, None)

    def one(self, seat: int, group: str) -> int:
        """Return the number of a seat's only pile of a group."""
        return self._named[seat, group][0]
