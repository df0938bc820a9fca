"""The piles of a game as they are declared, and how they are dealt: see :mod:`.specification`."""

from dataclasses import dataclass, field
from typing import ClassVar

from .board import Kind, Shows
from .cards import ACE, SUIT_SIZE
from .enums import Base, Build, Extent, Geometry, Owner, Space, SuitRule, TailRule, TakeBack, Unit, Waits

__all__ = [
    "Cells",
    "Deal",
    "Foundations",
    "Group",
    "Heads",
    "Reserve",
    "Stock",
    "Tableau",
    "Waste",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Piles of one kind and one rule.

    Attributes:
        name: unique in the game; deal steps speak of it.
        owner: who may play on it. The piles of a player exist once for every seat; so do those of the
            table, which then belong to everybody.
        takes: the groups whose cards may be played here; ``None``: as is usual for its kind.
        plays_to: the groups that its cards may be played to; ``None``: all that take them.
        gathers: whether its cards come back into the stock when that is made up anew: 0 if not, 1 to be
            dealt again in their order, bottom first, -1 top first.
        counts: whether the board counts what comes to its piles.
        under: whether cards that are played to its piles go underneath.
        geometry: how its piles lie on the table.
        rows: how many of them lie in each row, or in each column; for one pile of a dial, its hour.

    """

    kind: ClassVar[Kind] = Kind.OUT

    name: str
    owner: Owner = Owner.PLAYER
    takes: tuple[str, ...] | None = None
    plays_to: tuple[str, ...] | None = None
    gathers: int = 0
    counts: bool = False
    under: bool = False
    geometry: Geometry = Geometry.ROW
    rows: tuple[int, ...] = ()

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(1, Shows.NONE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Foundations(Group):
    """The goal piles.

    Attributes:
        count: how many for every player.
        base: the rank of the first card, or what else opens a pile.
        one_per_suit: whether a suit opens one pile of the group only, where there are two packs.
        step: rank of the next card less rank of the last; negative for building down.
        suit: how neighbours' suits go together.
        wrap: whether the ranks go round, king to ace.
        order: the ranks from the first card to the last, where they follow no rule.
        length: how many cards complete a pile; a complete one accepts nothing (A11).
        take_back: whether cards may leave again (A9).
        forced_bases: whether a base card at hand must be played before anything else (A1).
        waits: whether one waits for others of its player.

    """

    kind: ClassVar[Kind] = Kind.FOUNDATION

    name: str = "foundation"
    owner: Owner = Owner.TABLE
    count: int = 4
    base: int | Base = ACE
    one_per_suit: bool = False
    step: int = 1
    suit: SuitRule = SuitRule.SAME
    wrap: bool = False
    order: tuple[int, ...] = ()
    length: int = SUIT_SIZE
    take_back: TakeBack = TakeBack.NEVER
    forced_bases: bool = False
    waits: Waits = Waits.NEVER

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(self.count, Shows.ALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tableau(Group):
    """The columns that a player builds on.

    Attributes:
        shape: the cards dealt to each column.
        shows: which of them lie face up.
        build: the ways to continue a column; any one suffices.
        wrap: whether the ranks go round, ace to king.
        unit: what moves from column to column.
        cap: the most cards that building makes of a column; ``None``: there is no limit.
        spaces_first: whether spaces must be filled before anything is put upon a card.
        space: what fills an empty one.

    """

    kind: ClassVar[Kind] = Kind.TABLEAU

    name: str = "tableau"
    shape: tuple[int, ...]
    shows: Shows = Shows.LAST
    build: tuple[Build, ...] = (Build(),)
    wrap: bool = False
    unit: Unit = Unit.TAIL
    cap: int | None = None
    spaces_first: bool = False
    space: Space = field(default_factory=Space)

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(len(self.shape), self.shows)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reserve(Group):
    """Heaps of which at most the top is usable, and on which nothing is built.

    Attributes:
        size: the cards dealt to each.
        count: how many there are.
        shows: ``TOP``, ``NONE``, or ``ALL`` where they are spread.
        playable: whether its top may be played, and does not only fill spaces (D1).
        locked: whether nothing of it may be played before the stock is empty.

    """

    kind: ClassVar[Kind] = Kind.RESERVE

    name: str = "reserve"
    size: int
    count: int = 1
    shows: Shows = Shows.TOP
    playable: bool = True
    locked: bool = False

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(self.count, self.shows)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cells(Group):
    """Places for one card each, free to be played. ``takes`` says what may fill them again: usually nothing.

    Attributes:
        count: how many.
        in_order: whether of the groups that may fill one the first decides that has cards.
        must: whether an empty one must be filled before anything else is played, while a card is there.

    """

    kind: ClassVar[Kind] = Kind.CELL

    name: str = "cells"
    count: int
    in_order: bool = False
    must: bool = False

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(self.count, Shows.ALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Heads(Group):
    """Doors above the piles of another group: what is put there goes underneath the pile behind.

    Attributes:
        of: the name of that group.
        count: how many piles it has.

    """

    kind: ClassVar[Kind] = Kind.HEAD

    name: str = "heads"
    of: str
    count: int

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(self.count, Shows.NONE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stock(Group):
    """The undealt cards. One a player.

    Attributes:
        turn: how many are turned to the waste at a time.
        redeals: how often the stock may be made up anew; ``None``: as often as wanted (A6). That is
            done only when the stock is empty (A5): the waste is turned over, or, where groups gather,
            their piles are taken up, the first one first.
        shuffle: whether the cards are shuffled then. Else they keep their order.
        relay: what is dealt from the stock by itself, after it was made up anew.
        rounds: what is dealt from it at a command, instead of turning, in each laying; the last of these
            holds for all that follow.
        tail_rule: what holds when fewer than ``turn`` are left (A3).

    """

    kind: ClassVar[Kind] = Kind.STOCK

    name: str = "stock"
    turn: int = 3
    redeals: int | None = None
    shuffle: bool = False
    relay: tuple["Deal", ...] = ()
    rounds: tuple[tuple["Deal", ...], ...] = ()
    tail_rule: TailRule = TailRule.TOP


@dataclass(frozen=True, kw_only=True, slots=True)
class Waste(Group):
    """The turned cards, one pile a player; the top is available.

    Attributes:
        view: how many of the topmost can be seen (A22).
        limit: no card is turned while so many lie there: a card just dealt must find a place first.

    """

    kind: ClassVar[Kind] = Kind.WASTE

    name: str = "waste"
    view: int = 1
    limit: int | None = None

    @property
    def extent(self) -> Extent:
        """The piles of each player."""
        return Extent(1, Shows.TOP, self.view)


@dataclass(frozen=True, kw_only=True, slots=True)
class Deal:
    """One step of the deal, for each player's cards: to the piles of a group, pile by pile.

    Attributes:
        to: the group's name.
        count: so many cards to the group's first pile; ``None``: as the group declares.
        each: so many cards to each pile of the group.
        rows: whether columns are dealt in rows across, and not one after the other.
        cards: these cards are sought out and laid, one to each pile: faces like ``"KH"``, or ``"K*"``
            for the first of a rank.
        by_rank: whether the cards are laid in the order of their ranks.
        once: whether the first player alone deals so, for all.

    """

    to: str
    count: int | None = None
    each: int | None = None
    rows: bool = False
    cards: tuple[str, ...] = ()
    by_rank: bool = False
    once: bool = False
