"""The layout: the piles of a game for the seats of one hand, and their deal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from racing_demon_protocol.constants import MAX_PILES
from racing_demon_protocol.errors import InvalidGame

from .board import Board, Kind, Pile
from .cards import PACK_SIZE, UNKNOWN, Card, pack
from .specification import Deal, Deals, Game, Group, Heads, Owner, Reserve, Stock, Tableau

MAX_CACHED_LAYOUTS: Final = 64
"""The number of cached layouts. One for eight seats takes 35 KiB, and most tables share theirs."""


class Layout:
    """The piles of one game for the seats of one hand.

    Args:
        game: the declaration.
        seats: the seats in the hand, in the order of their packs.
        extra_heap: how many cards more, or fewer, each seat's heap gets than the game says, in the order of
            the seats; empty where all get the same.

    Attributes:
        seats: the seats in the hand, in the order of their packs.
        piles: all piles by number: the table's first, then each seat's, in the order declared.
        groups: the declaration of each pile's group, by pile number.
        first_pile: the number of the first pile of each group, by the group's name.
        foundations: the numbers of all foundations.
        foundation_set: the same, to look a pile up.
        stock: the number of each seat's stock, if it has one.
        waste: the number of each seat's waste, if it has one.
        shuffled: the stocks that are shuffled by every redeal.
        card_limit: one more than the number of the hand's last card.
        empty_board: the dealer's board before every deal, as a template to copy.
        dealt_board: the public board after every deal with no card named yet, as a template to copy.
        face_up_refs: the places that are face up after every deal, in the order of the piles.

    Raises:
        InvalidGame: the declaration is inconsistent.

    """

    def __init__(self, game: Game, seats: Sequence[int], extra_heap: Sequence[int] = ()) -> None:
        self.game = game
        self.seats = tuple(seats)
        self._extra_heap = dict(zip(self.seats, extra_heap, strict=True)) if extra_heap else {}
        laid = list(self._lay_out())
        places = {(pile.group, pile.seat, pile.index): pile.number for pile, _ in laid}
        for pile, group in laid:
            if isinstance(group, Heads) and (group.of, pile.seat, pile.index) not in places:
                raise InvalidGame(f"{game.title} has {group.name} for more columns than there are.")
        self.groups = tuple(group for _, group in laid)
        self.piles = tuple(
            replace(pile, under=places[group.of, pile.seat, pile.index]) if isinstance(group, Heads) else pile
            for pile, group in laid
        )
        self.foundations = tuple(pile.number for pile in self.piles if pile.kind is Kind.FOUNDATION)
        self.foundation_set = frozenset(self.foundations)
        self.first_pile = {group.name: number for number, group in reversed([*enumerate(self.groups)])}
        self._named: dict[tuple[int, str], tuple[int, ...]] = {}
        self._steps: dict[int, tuple[tuple[tuple[int, int], ...], ...]] = {}
        own: dict[tuple[int, Kind], list[int]] = {}
        for pile in self.piles:
            if pile.seat is not None:
                own.setdefault((pile.seat, pile.kind), []).append(pile.number)
        self._own = {owner: tuple(numbers) for owner, numbers in own.items()}
        self.stock = self._at_most_one_each(Kind.STOCK)
        self.waste = self._at_most_one_each(Kind.WASTE)
        self.shuffled = frozenset(
            number for number, group in enumerate(self.groups) if isinstance(group, Stock) and group.shuffle
        )
        self.card_limit = game.packs * PACK_SIZE * len(self.seats)
        if len(self.piles) > MAX_PILES:
            raise InvalidGame(f"{game.title} has too many piles for {len(self.seats)} players.")
        for seat in dict.fromkeys((self.seats[0], *self._extra_heap)):
            counts = [count for _, count in self.deal_order(seat)]
            dealt = sum(counts)
            if min(counts, default=0) < 0:
                raise InvalidGame(f"{game.title} would deal a reserve of {min(counts)} cards.")
            if dealt > game.deck_size:
                raise InvalidGame(f"{game.title} would deal {dealt} of a player's {game.deck_size} cards.")
            if dealt < game.deck_size and not self.stock:
                raise InvalidGame(f"{game.title} leaves cards over, and needs one stock for each player.")
        self.empty_board = Board([pile.opened() for pile in self.piles])
        self.dealt_board = self._deal_face_down()
        self.face_up_refs = tuple(self.dealt_board.all_unnamed())

    def seat_piles(self, seat: int, kind: Kind) -> tuple[int, ...]:
        """Return the numbers of a seat's own piles of one kind; none for a seat not in the hand."""
        return self._own.get((seat, kind), ())

    def group_piles(self, seat: int, group: str) -> tuple[int, ...]:
        """Return the numbers of a group's piles that a seat may use: its own, or the table's."""
        if (seat, group) not in self._named:
            piles = (p.number for p in self.piles if p.group == group and p.seat in {None, seat})
            self._named[seat, group] = tuple(piles)
        return self._named[seat, group]

    def owner(self, card: Card) -> int:
        """Return the seat that a known card belongs to."""
        return self.seats[pack(card) // self.game.packs]

    def deal_by_step(self, seat: int) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Return ``(pile, cards)`` for a seat's whole deal, in one tuple per step of the game's ``deal``.

        Raises:
            InvalidGame: a step refers to piles that the game does not have.

        """
        if seat not in self._steps:
            self._steps[seat] = tuple(tuple(self.deal_step(step, seat)) for step in self.game.deal)
        return self._steps[seat]

    def deal_order(self, seat: int) -> Iterator[tuple[int, int]]:
        """Yield ``(pile, cards)`` for each step of a seat's deal, in order; the rest is the stock.

        Raises:
            InvalidGame: a step refers to piles that the game does not have.

        """
        for step in self.deal_by_step(seat):
            yield from step

    def _deal_face_down(self) -> Board:
        board = Board(self.piles)
        for seat in self.seats:
            left = self.game.deck_size
            for pile, count in self.deal_order(seat):
                left -= count
                board.cards[pile] += (UNKNOWN,) * count
            if left:
                board.cards[self.stock[seat]] += (UNKNOWN,) * left
        return board

    def deal_step(self, step: Deal, seat: int) -> Iterator[tuple[int, int]]:
        """Yield ``(pile, cards)`` for one step of a deal."""
        piles = self.group_piles(seat, step.to)
        if not piles:
            raise InvalidGame(f"{self.game.name} deals to {step.to!r}, which it does not have")
        group = self.groups[piles[0]]
        if step.once and seat != self.seats[0]:
            return
        if step.cards:
            yield from ((pile, 1) for pile, _ in zip(piles, step.cards, strict=False))
        elif step.count is not None:
            yield piles[0], step.count
        elif step.each is not None:
            yield from ((pile, step.each) for pile in piles)
        elif isinstance(group, Tableau):
            yield from _across(piles, group.shape) if step.rows else zip(piles, group.shape, strict=True)
        elif isinstance(group, Reserve):
            yield from ((pile, group.size + self._extra_heap.get(seat, 0)) for pile in piles)
        else:
            raise InvalidGame(f"{self.game.name}: a deal to {group.name} must say how many cards")

    def _lay_out(self) -> Iterator[tuple[Pile, Group]]:
        number = 0
        stocks = [group for group in self.game.groups if isinstance(group, Stock)]
        counted = {step.to for stock in stocks for steps in (stock.relay, *stock.rounds) for step in steps}
        shared: list[tuple[Group, int | None]] = []
        owned: list[Group] = []
        for group in self.game.groups:
            if group.owner is Owner.PLAYER:
                owned.append(group)
            elif self.game.deals is Deals.IDENTICAL:  # everyone plays alone, so nothing belongs to the table
                owned.append(replace(group, owner=Owner.PLAYER))
            else:
                shared.append((group, None))
        for group, seat in [*shared, *((group, seat) for seat in self.seats for group in owned)]:
            count, shows, view = group.pile_spec
            for index in range(count if seat is not None else count * len(self.seats)):
                under = number if group.under else None
                pile = Pile(
                    number,
                    group.kind,
                    group.name,
                    seat,
                    index,
                    shows,
                    view,
                    group.gathers,
                    group.counts or group.name in counted,
                    under,
                )
                yield pile, group
                number += 1

    def _at_most_one_each(self, kind: Kind) -> dict[int, int]:
        if any(len(self.seat_piles(seat, kind)) > 1 for seat in self.seats):
            raise InvalidGame(f"{self.game.name} can have one {kind} for each player only")
        return {seat: self.seat_piles(seat, kind)[0] for seat in self.seats if self.seat_piles(seat, kind)}


def _across(piles: Sequence[int], shape: Sequence[int]) -> Iterator[tuple[int, int]]:
    for row in range(max(shape)):
        for pile, size in zip(piles, shape, strict=True):
            if row < size:
                yield pile, 1


@lru_cache(maxsize=MAX_CACHED_LAYOUTS)
def layout_of(game: Game, seats: tuple[int, ...], extra_heap: tuple[int, ...] = ()) -> Layout:
    """Return a game's layout, shared between hands with the same seats and heaps.

    Raises:
        InvalidGame: the declaration is inconsistent.

    """
    return Layout(game, seats, extra_heap)
