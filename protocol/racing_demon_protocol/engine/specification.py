"""The language of game declarations. A game is data, played by an interpreter (:mod:`.rules.base`).

``docs/rules.md`` lists every doubt in the sources of the rules with the field that settles it, and
``docs/rules-sources.md`` the sources. Suits, ranks and piles are as in :mod:`.cards` and :mod:`.board`.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from racing_demon_protocol.constants import MAX_SEATS

from .board import Kind, Shows
from .cards import ACE, ALL_RANKS, SUIT_SIZE, SUITS

LATER: Final = {"later": True}
"""Marks attributes that are younger than the games' digests, which leave them out at their defaults."""

# The words for the attributes of a declaration.


class Owner(StrEnum):
    """Who may build on a group of piles: everybody (a race), or one player (solitaire)."""

    TABLE = "table"
    PLAYER = "player"


class SuitRule(StrEnum):
    """The relation between the suits of two neighbors in a sequence."""

    SAME = "same"
    """Both are of one suit."""
    ALTERNATE = "alternate"
    """One is red, the other black."""
    ANY = "any"
    """Suits do not count."""


class Unit(StrEnum):
    """What moves from column to column."""

    ONE = "one"
    TAIL = "tail"
    """Any face-up tail that is itself a sequence."""
    WHOLE = "whole"
    """One card, or the whole column if it is a sequence."""
    ONE_SIDE_SINGLE = "one_side_single"
    """One card, or a sequence onto a card that does not continue one itself."""


class Base(StrEnum):
    """What opens a foundation that has no fixed rank."""

    FIRST = "first"
    """The rank of the first card in the group."""
    OWN = "own"
    """The card that the deal put there."""


class Waits(StrEnum):
    """What a foundation waits for."""

    NEVER = "never"
    OPEN = "open"
    """It opens only after those declared before it."""
    ROWS = "rows"
    """It accepts a card only if no other holds fewer: they grow in rows."""


class TailRule(StrEnum):
    """What is available when the stock ends with fewer cards than a turn takes."""

    TOP = "top"
    """The last of them: all remaining cards are turned together."""
    EITHER2 = "either2"
    """Either of the last two, where a turn takes three or more: one of them may be turned alone."""


class TakeBack(StrEnum):
    """Whether a card may leave a foundation again; never one that others build on."""

    NEVER = "never"
    """It stays there."""
    FREE = "free"
    """It may go wherever it fits."""
    TO_SPACE = "to_space"
    """Only into an empty column."""


class StockShift(StrEnum):
    """When a player may move the top card of the stock to its bottom, which shifts the threes."""

    ANY_TIME = "any_time"
    """As often as the player likes."""
    ONCE = "once_a_pass"
    """Once between two redeals."""


class Goal(StrEnum):
    """What going out means."""

    ALL_ON_FOUNDATIONS = "all_on_foundations"
    """All of the player's cards are on the foundations."""
    RESERVE_EMPTY = "reserve_empty"
    FOUNDATIONS_FULL = "foundations_full"
    """All foundations are complete; other cards may be left."""
    OWN_RULE = "own_rule"
    """The game's mechanic decides."""


class Deals(StrEnum):
    """Whether the players of a hand get the same cards in the same order."""

    OWN = "own"
    IDENTICAL = "identical"


class Racing(StrEnum):
    """How several people may play a game against each other."""

    SHARED = "shared"
    """On foundations that belong to everybody."""
    IDENTICAL = "identical"
    """Everyone alone with the same cards: the winner is who finishes, or gets furthest."""
    REFLEX = "reflex"
    """The same without any choices: only speed counts."""
    TOGETHER = "together"
    """Two seats play together."""
    SOLO = "solo"
    """Solo only."""


class Geometry(StrEnum):
    """How the piles of a group lie on the table. For drawing only: no rule depends on it."""

    ROW = "row"
    COLUMN = "column"
    """One below the other, in as many columns as the group names."""
    GRID = "grid"
    """In the rows that the group names."""
    FANS = "fans"
    """In the rows that the group names, with the cards of each pile fanned sideways."""
    LINE = "line"
    """One after the other, in as many rows as necessary; empty piles take no room."""
    DIAL = "dial"
    """Like the hours of a clock, the first at one, or at the group's own hour; a thirteenth in the center."""
    SEMICIRCLE = "semicircle"
    WREATH = "wreath"
    """Around the table, in a ring."""
    MILL = "mill"
    """Around a center, in four sails."""
    CENTRE = "centre"
    """In the center of what lies around it."""
    SIDES = "sides"
    """In two columns, on either side of what lies in the center."""
    CROSS = "cross"
    """Five piles: top, left, center, right, bottom."""
    CORNERS = "corners"
    """At the four corners of what lies in the center."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Build:
    """One way to continue a column.

    Attributes:
        delta: the next card's rank minus the last card's; ``None`` for any.
        suit: the relation between the suits.
        ranks: the allowed ranks of the last card; ``None`` for any.

    """

    delta: int | None = -1
    suit: SuitRule = SuitRule.ALTERNATE
    ranks: frozenset[int] | None = None


ANYTHING = Build(delta=None, suit=SuitRule.ANY)
"""Any card may lie on any other."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Space:
    """What may go to an empty column.

    Attributes:
        ranks: the allowed ranks of its first card; ``None`` for any.
        fill: whether the reserve's top card fills it automatically while there is one.
        takes: the groups whose cards may fill it, including the stock if its unseen top card may; ``None``
            for those that the column accepts. If empty, it stays empty.

    """

    ranks: frozenset[int] | None = None
    fill: bool = False
    takes: tuple[str, ...] | None = None


class PileSpec(NamedTuple):
    """A group's number of piles for each player, what they show, and how many cards of it."""

    piles: int
    shows: Shows
    view: int = 1


# The piles and the deal.


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
        under: whether cards that are played to its piles go to their bottom.
        geometry: how its piles lie on the table.
        rows: the number of piles in each row or column; for a single pile of a dial, its hour.

    """

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
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.OUT

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(1, Shows.NONE)


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
        length: the number of cards of a complete pile, which accepts nothing.
        take_back: whether cards may leave again.
        forced_bases: whether an available base card must be played first.
        waits: whether a pile waits for others of its player.

    """

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
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.FOUNDATION

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(self.count, Shows.ALL)


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
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.TABLEAU

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(len(self.shape), self.shows)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reserve(Group):
    """Reserves: piles of which at most the top is available, and on which nothing is built.

    Attributes:
        size: the number of cards dealt to each.
        count: the number of reserves.
        shows: ``TOP``, ``NONE``, or ``ALL`` if they are spread.
        playable: whether its top card may be played, and not only fill spaces.
        locked: whether nothing may be played from it before the stock is empty.

    """

    name: str = "reserve"
    size: int
    count: int = 1
    shows: Shows = Shows.TOP
    playable: bool = True
    locked: bool = False

    @property
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.RESERVE

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(self.count, self.shows)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cells(Group):
    """Places for one card each, which may be played. ``takes`` says what may refill them, usually nothing.

    Attributes:
        count: the number of cells.
        in_order: whether the first group in ``takes`` that has cards fills an empty cell.
        must: whether an empty cell must be filled first, while a card is available for it.

    """

    name: str = "cells"
    count: int
    in_order: bool = False
    must: bool = False

    @property
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.CELL

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(self.count, Shows.ALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Heads(Group):
    """Piles that put cards under those of another group: each stands for the foot of one of them.

    Attributes:
        of: the name of that group.
        count: its number of piles.

    """

    name: str = "heads"
    of: str
    count: int

    @property
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.HEAD

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(self.count, Shows.NONE)


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Stock(Group):
    """The undealt cards, one pile for each player.

    Attributes:
        turn: how many are turned to the waste at a time.
        redeals: the maximum number of redeals; ``None`` for no limit. A redeal requires an empty stock
           : the waste is turned over or, where groups gather, their piles are taken up, the first one
            first.
        shuffle: whether a redeal shuffles the cards; otherwise they keep their order.
        relay: what is dealt from the stock automatically after a redeal.
        rounds: what is dealt from it on command, instead of turning, in each deal; the last entry holds for
            all later ones.
        tail_rule: what holds when fewer than ``turn`` cards are left.
        shift: when its player may move the top card to the bottom; ``None`` for never.

    """

    name: str = "stock"
    turn: int = 3
    redeals: int | None = None
    shuffle: bool = False
    relay: tuple[Deal, ...] = ()
    rounds: tuple[tuple[Deal, ...], ...] = ()
    tail_rule: TailRule = TailRule.TOP
    shift: StockShift | None = field(default=None, metadata=LATER)

    @property
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.STOCK


@dataclass(frozen=True, kw_only=True, slots=True)
class Waste(Group):
    """The turned cards, one pile for each player; the top card is available.

    Attributes:
        view: how many of the topmost cards are visible.
        limit: no card is turned while it holds this many: a dealt card must be placed first.

    """

    name: str = "waste"
    view: int = 1
    limit: int | None = None

    @property
    def kind(self) -> Kind:
        """What its piles are."""
        return Kind.WASTE

    @property
    def pile_spec(self) -> PileSpec:
        """The piles of each player."""
        return PileSpec(1, Shows.TOP, self.view)


# The game.


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """Points for one hand.

    Options of a record that are ``None`` mean these defaults, so a changed default would make older records
    invalid. A new game declares a ``scoring`` of its own; one that has been played keeps its points.

    Attributes:
        foundation_card: for each of the player's cards on the foundations.
        reserve_card: for each card left in the player's reserve.
        out_bonus: for going out.
        king_bonus: for each of the player's cards that completes a foundation.

    """

    foundation_card: int = 1
    reserve_card: int = 0
    out_bonus: int = 10
    king_bonus: int = field(default=0, metadata=LATER)


@dataclass(frozen=True, kw_only=True, slots=True)
class Special:
    """A special rule from the closed list in :mod:`.rules.special_rules`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mechanic:
    """The basic way a game is played. Its type determines the rules: see :mod:`.factory`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Building(Mechanic):
    """Cards are built in sequences, on foundations and mostly on columns."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """An open question in a game's source, and its answer.

    Attributes:
        question: the question.
        answer: the answer.
        field: the attribute that expresses it, as ``group.attribute``.

    """

    question: str
    answer: str
    field: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Game:
    """One complete game.

    Attributes:
        name: its name on the wire and the command line.
        title: its name for people.
        source: where its rules come from, as cited in ``docs/rules-sources.md``.
        groups: its piles.
        deal: the order of dealing; the rest becomes the stock.
        goal: what going out means.
        scoring: the points of a hand.
        mechanic: the basic way it is played.
        specials: its special rules.
        packs: the number of packs for each player.
        ranks: the ranks in a pack.
        deals: whether all players get the same cards.
        racing: how several people may play it.
        skill: the influence of the player, from 0 (none) to 3.
        text: a short introduction.
        doubts: the open questions in its source.

    """

    name: str
    title: str
    source: str
    groups: tuple[Group, ...]
    deal: tuple[Deal, ...] = (Deal(to="tableau"),)
    goal: Goal = Goal.ALL_ON_FOUNDATIONS
    scoring: Scoring = field(default_factory=Scoring)
    mechanic: Mechanic = field(default_factory=Building)
    specials: tuple[Special, ...] = ()
    packs: int = 1
    ranks: tuple[int, ...] = ALL_RANKS
    deals: Deals = Deals.OWN
    racing: Racing = Racing.SHARED
    skill: int = 3
    text: str = ""
    doubts: tuple[Doubt, ...] = ()

    def __hash__(self) -> int:
        return hash(self.name)  # rules are looked up by it for every deal, and hashing everything is slow

    @property
    def max_seats(self) -> int:
        """The maximum number of players in a hand."""
        return {Racing.SOLO: 1, Racing.TOGETHER: 2}.get(self.racing, MAX_SEATS)

    @property
    def min_seats(self) -> int:
        """The minimum number of players in a hand."""
        return 2 if self.racing is Racing.TOGETHER else 1

    @property
    def deck_size(self) -> int:
        """The number of cards of each player."""
        return self.packs * SUITS * len(self.ranks)
