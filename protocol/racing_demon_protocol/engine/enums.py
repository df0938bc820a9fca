"""The enumerations for the attributes of a declaration: see :mod:`.specification`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from .board import Shows


class Owner(StrEnum):
    """Who may build on a group of piles: everybody (a race), or one player (solitaire)."""

    TABLE = "table"
    PLAYER = "player"


class SuitRule(StrEnum):
    """The relation between the suits of two neighbors in a sequence."""

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
    """It accepts a card only if no other holds fewer: rows are filled one after the other."""


class TailRule(StrEnum):
    """What is available when the stock ends with fewer cards than a turn takes (A3)."""

    TOP = "top"
    """The last of them: all remaining cards are turned together."""
    EITHER2 = "either2"
    """Either of the last two: they may also be turned one by one."""


class TakeBack(StrEnum):
    """Whether a card may leave a foundation again (A9); never one that others build on."""

    NEVER = "never"
    """It stays there."""
    FREE = "free"
    """It may go wherever it fits."""
    TO_SPACE = "to_space"
    """Only into an empty column."""


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


class Extent(NamedTuple):
    """A group's number of piles for each player, what they show, and how many cards of it."""

    piles: int
    shows: Shows
    view: int = 1
