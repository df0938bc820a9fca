"""The declaration of a game's piles and deal: see :mod:`.specification`."""

from dataclasses import dataclass, field
from typing import ClassVar

from .board import Kind, Shows
from .cards import ACE, SUIT_SIZE
from .enums import Base, Build, Extent, Geometry, Owner, Space, SuitRule, TailRule, TakeBack, Unit, Waits


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Piles of one kind with the same rules.

    Attributes:
        name: unique in the game; deal steps refer to it.
        owner: who may play on it. A player's piles exist once per seat; so do the table's, which then belong
            to everybody.
        takes: the groups whose cards may be played here; ``None`` for the default of its kind.
        plays_to: the groups that its cards may be played to; ``None`` for all that accept them.
        gathers: whether a redeal gathers its cards: 0 for no, 1 to deal them again in their order, bottom
            first, -1 top first.
        counts: whether the board counts the cards that come to its piles.
        under: whether cards that are played to its piles go underneath.
        geometry: how its piles lie on the table.
        rows: the number of piles in each row or column; for a single pile of a dial, its hour.

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
        count: the number of piles for every player.
        base: the rank of the first card, or what else opens a pile.
        one_per_suit: whether a suit opens only one pile of the group, with two packs.
        step: the rank of the next card minus the rank of the last; negative for building down.
        suit: the relation between neighbors' suits.
        wrap: whether the ranks wrap around from king to ace.
        order: the ranks from the first card to the last, if they follow no rule.
        length: the number of cards of a complete pile, which accepts nothing (A11).
        take_back: whether cards may leave again (A9).
        forced_bases: whether an available base card must be played first (A1).
        waits: whether a pile waits for others of its player.

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
        shape: the number of cards dealt to each column.
        shows: which of them are face up.
        build: the ways to continue a column; any one suffices.
        wrap: whether the ranks wrap around from ace to king.
        unit: what moves from column to column.
        cap: the maximum length of a column by building; ``None`` for no limit.
        spaces_first: whether spaces must be filled before any building.
        space: what fills an empty column.

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
    """Reserves: piles of which at most the top is available, and on which nothing is built.

    Attributes:
        size: the number of cards dealt to each.
        count: the number of reserves.
        shows: ``TOP``, ``NONE``, or ``ALL`` if they are spread.
        playable: whether its top card may be played, and not only fill spaces (D1).
        locked: whether nothing may be played from it before the stock is empty.

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
    """Places for one card each, which may be played. ``takes`` says what may refill them, usually nothing.

    Attributes:
        count: the number of cells.
        in_order: whether the first group in ``takes`` that has cards fills an empty cell.
        must: whether an empty cell must be filled first, while a card is available for it.

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
    """Doors above the piles of another group: cards played to a door go underneath its pile.

    Attributes:
        of: the name of that group.
        count: its number of piles.

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
    """The undealt cards, one pile for each player.

    Attributes:
        turn: how many are turned to the waste at a time.
        redeals: the maximum number of redeals; ``None`` for no limit (A6). A redeal requires an empty stock
            (A5): the waste is turned over or, where groups gather, their piles are taken up, the first one
            first.
        shuffle: whether a redeal shuffles the cards; otherwise they keep their order.
        relay: what is dealt from the stock automatically after a redeal.
        rounds: what is dealt from it on command, instead of turning, in each deal; the last entry holds for
            all later ones.
        tail_rule: what holds when fewer than ``turn`` cards are left (A3).

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
    """The turned cards, one pile for each player; the top card is available.

    Attributes:
        view: how many of the topmost cards are visible (A22).
        limit: no card is turned while it holds so many: a dealt card must be placed first.

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
    """One step of the deal, for each player's cards, pile by pile.

    Attributes:
        to: the group's name.
        count: the number of cards for the group's first pile; ``None`` for what the group declares.
        each: the number of cards for each pile of the group.
        rows: whether columns are dealt in rows across, and not one after the other.
        cards: cards to take out and deal, one to each pile: faces such as ``"KH"``, or ``"K*"`` for the first
            of a rank.
        by_rank: whether the cards are dealt in the order of their ranks.
        once: whether only the first player deals this, for all.

    """

    to: str
    count: int | None = None
    each: int | None = None
    rows: bool = False
    cards: tuple[str, ...] = ()
    by_rank: bool = False
    once: bool = False
