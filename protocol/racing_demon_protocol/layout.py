"""The layout: which piles a game has for the seats of one hand, and what is dealt to them."""

from collections.abc import Iterator, Sequence

from .board import Kind, Pile, Shows
from .cards import PACK_SIZE
from .declaration import Foundations, Game, Group, Owner, Reserve, Stock, Tableau, Waste
from .errors import InvalidGame

__all__ = ["Layout"]

KINDS: dict[type[Group], Kind] = {
    Foundations: Kind.FOUNDATION,
    Stock: Kind.STOCK,
    Waste: Kind.WASTE,
    Reserve: Kind.RESERVE,
    Tableau: Kind.TABLEAU,
}


class Layout:
    """The piles of one game for the seats of one hand.

    Attributes:
        seats: the seats that take part, in the order of their packs.
        piles: all piles by number: the table's first, then each seat's, in the order declared.
        groups: the declaration of each pile's group, by pile number.
        foundations: the numbers of all foundations.
        stock: the number of each seat's stock.
        waste: the number of each seat's waste.

    Raises:
        InvalidGame: the declaration does not work out.

    """

    def __init__(self, game: Game, seats: Sequence[int]) -> None:
        self.game = game
        self.seats = tuple(seats)
        laid = list(self._lay_out())
        self.piles = tuple(pile for pile, _ in laid)
        self.groups = tuple(group for _, group in laid)
        self.foundations = tuple(pile.number for pile in self.piles if pile.kind is Kind.FOUNDATION)
        self._own = {
            (seat, kind): tuple(p.number for p in self.piles if p.seat == seat and p.kind is kind)
            for seat in self.seats
            for kind in Kind
        }
        self.stock = self._one_each(Kind.STOCK)
        self.waste = self._one_each(Kind.WASTE)
        dealt = sum(count for _, count in self.deal_steps(self.seats[0]))
        if dealt > PACK_SIZE:
            raise InvalidGame(f"{game.name} would deal {dealt} of a player's {PACK_SIZE} cards")

    def own(self, seat: int, kind: Kind) -> tuple[int, ...]:
        """Return the numbers of a seat's own piles of one kind; none for a seat that does not play."""
        return self._own.get((seat, kind), ())

    def deal_steps(self, seat: int) -> Iterator[tuple[int, int]]:
        """Yield ``(pile, cards)`` for each step of a seat's deal, in order; the rest is the stock.

        Raises:
            InvalidGame: a step speaks of piles that the game does not have.

        """
        for step in self.game.deal:
            piles = [p.number for p in self.piles if p.group == step.to and p.seat in {None, seat}]
            if not piles:
                raise InvalidGame(f"{self.game.name} deals to {step.to!r}, which it does not have")
            group = self.groups[piles[0]]
            if step.count is not None:
                yield piles[0], step.count
            elif isinstance(group, Tableau):
                yield from zip(piles, group.shape, strict=True)
            elif isinstance(group, Reserve):
                yield piles[0], group.size
            else:
                raise InvalidGame(f"{self.game.name}: a deal to {group.name} must say how many cards")

    def _lay_out(self) -> Iterator[tuple[Pile, Group]]:
        number = 0
        shared = [(group, None) for group in self.game.groups if group.owner is Owner.TABLE]
        owned = [
            (group, seat) for seat in self.seats for group in self.game.groups if group.owner is Owner.PLAYER
        ]
        for group, seat in [*shared, *owned]:
            count, shows, view = _extent(group)
            for index in range(count if seat is not None else count * len(self.seats)):
                yield Pile(number, KINDS[type(group)], group.name, seat, index, shows, view), group
                number += 1

    def _one_each(self, kind: Kind) -> dict[int, int]:
        if any(len(self.own(seat, kind)) != 1 for seat in self.seats):
            raise InvalidGame(f"{self.game.name} needs one {kind} for each player")
        return {seat: self.own(seat, kind)[0] for seat in self.seats}


def _extent(group: Group) -> tuple[int, Shows, int]:
    """Return how many piles of a group each player brings, what they show, and how many cards of it."""
    match group:
        case Foundations():
            return group.count, Shows.ALL, 1
        case Tableau():
            return len(group.shape), group.shows, 1
        case Reserve():
            return 1, group.shows, 1
        case Waste():
            return 1, Shows.TOP, group.view
        case _:
            return 1, Shows.NONE, 1
