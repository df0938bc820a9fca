"""The words in which a game is declared. A game is data: one interpreter (:mod:`.rules`) plays them all.

Every field stands for one attribute of catalogue 6.3, every doubt of catalogue 1.8 for a field with its
default; ``protocol/RULES.md`` lists which is which. Suits, ranks and piles are meant as in :mod:`.cards`
and :mod:`.board`.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from .board import Shows
from .cards import ACE, SUIT_SIZE

__all__ = [
    "Build",
    "Deal",
    "Filler",
    "Foundations",
    "Game",
    "Goal",
    "Group",
    "Owner",
    "Reserve",
    "Scoring",
    "Space",
    "Stock",
    "SuitRule",
    "Tableau",
    "TailRule",
    "TakeBack",
    "Unit",
    "Waste",
]


class Owner(StrEnum):
    """Who may build on a group of piles: everybody (a race), or one player (solitaire)."""

    TABLE = "table"
    PLAYER = "player"


class SuitRule(StrEnum):
    """How the suits of two neighbours in a sequence must go together."""

    SAME = "same"
    ALTERNATE = "alternate"
    ANY = "any"


class Unit(StrEnum):
    """What moves from column to column."""

    ONE = "one"
    TAIL = "tail"
    """Any face-up tail that is itself a sequence (A7)."""
    WHOLE = "whole"
    """One card, or the whole column if it is a sequence."""


class TailRule(StrEnum):
    """What is available when the stock ends with fewer cards than a turn takes (A3)."""

    TOP = "top"
    EITHER2 = "either2"
    """Either of the last two: they may also be turned one by one (seed 001, catalogue D6)."""


class TakeBack(StrEnum):
    """Whether a card may leave a foundation again (A9). Never from one that others build on."""

    NEVER = "never"
    FREE = "free"


class Goal(StrEnum):
    """What going out means."""

    ALL_ON_FOUNDATIONS = "all_on_foundations"
    """All own cards lie on the foundations."""
    RESERVE_EMPTY = "reserve_empty"


class Filler(StrEnum):
    """Where a compulsory card for a space comes from."""

    RESERVE = "reserve"
    STOCK_BOTTOM = "stock_bottom"


@dataclass(frozen=True, kw_only=True, slots=True)
class Build:
    """One way to continue a column: the next card's rank less the last card's, and the suits."""

    delta: int = -1
    suit: SuitRule = SuitRule.ALTERNATE


@dataclass(frozen=True, kw_only=True, slots=True)
class Space:
    """What may go to an empty column.

    Attributes:
        ranks: the ranks that may head it; ``None`` for any.
        fill: piles that fill it by themselves, at once, in this order of preference while they last.

    """

    ranks: frozenset[int] | None = None
    fill: tuple[Filler, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Piles of one kind and one rule.

    Attributes:
        name: unique in the game; deal steps speak of it.
        owner: who may play on it. The piles of a player exist once for every seat; so do those of the
            table, which then belong to everybody.

    """

    name: str
    owner: Owner = Owner.PLAYER


@dataclass(frozen=True, kw_only=True, slots=True)
class Foundations(Group):
    """The goal piles.

    Attributes:
        count: how many for every player.
        base: the rank of the first card; ``None``: that of the first card that lies in the group.
        step: rank of the next card less rank of the last; negative for building down.
        suit: how neighbours' suits go together.
        wrap: whether the ranks go round, king to ace.
        length: how many cards complete a pile; a complete one accepts nothing (A11).
        take_back: whether cards may leave again (A9).
        forced_bases: whether a base card at hand must be played before anything else (A1).

    """

    name: str = "foundation"
    owner: Owner = Owner.TABLE
    count: int = 4
    base: int | None = ACE
    step: int = 1
    suit: SuitRule = SuitRule.SAME
    wrap: bool = False
    length: int = SUIT_SIZE
    take_back: TakeBack = TakeBack.NEVER
    forced_bases: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Tableau(Group):
    """The columns that a player builds on.

    Attributes:
        shape: the cards dealt to each column.
        shows: which of them lie face up.
        build: the ways to continue a column; any one suffices.
        wrap: whether the ranks go round, ace to king.
        unit: what moves from column to column.
        space: what fills an empty one.

    """

    name: str = "tableau"
    shape: tuple[int, ...]
    shows: Shows = Shows.LAST
    build: tuple[Build, ...] = (Build(),)
    wrap: bool = False
    unit: Unit = Unit.TAIL
    space: Space = field(default_factory=Space)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reserve(Group):
    """A squared heap of which at most the top is usable.

    Attributes:
        size: the cards dealt to it.
        shows: ``TOP`` or ``NONE``.
        playable: whether its top may be played, and does not only fill spaces (D1).

    """

    name: str = "reserve"
    size: int
    shows: Shows = Shows.TOP
    playable: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Stock(Group):
    """The undealt cards. One a player.

    Attributes:
        turn: how many are turned to the waste at a time.
        redeals: how often the waste may be turned over; ``None``: as often as wanted (A6). It keeps
            its order, and is turned over only when the stock is empty (A5).
        tail_rule: what holds when fewer than ``turn`` are left (A3).

    """

    name: str = "stock"
    turn: int = 3
    redeals: int | None = None
    tail_rule: TailRule = TailRule.TOP


@dataclass(frozen=True, kw_only=True, slots=True)
class Waste(Group):
    """The turned cards, one pile a player; the top is available.

    Attributes:
        view: how many of the topmost can be seen (A22).

    """

    name: str = "waste"
    view: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Deal:
    """One step of the deal, for each pack: cards to the piles of a group, pile by pile.

    Attributes:
        to: the group's name.
        count: so many cards to the group's first pile; ``None``: as the group declares.

    """

    to: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """Points for one hand.

    Attributes:
        foundation_card: for each own card on the foundations.
        reserve_card: for each card left in the own reserve.
        out_bonus: for going out.

    """

    foundation_card: int = 1
    reserve_card: int = 0
    out_bonus: int = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Game:
    """One game, whole.

    Attributes:
        name: its name on the wire and the command line.
        title: its name for people.
        source: the seed, or the section of the catalogue, that its rules come from.
        groups: its piles.
        deal: the order of dealing; what is left becomes the stock.
        goal: what going out means.
        scoring: what a hand is worth.

    """

    name: str
    title: str
    source: str
    groups: tuple[Group, ...]
    deal: tuple[Deal, ...] = (Deal(to="tableau"),)
    goal: Goal = Goal.ALL_ON_FOUNDATIONS
    scoring: Scoring = field(default_factory=Scoring)
