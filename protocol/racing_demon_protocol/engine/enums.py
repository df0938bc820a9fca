"""The words that the attributes of a declaration choose from: see :mod:`.specification`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from .board import Shows

__all__ = [
    "ANYTHING",
    "Base",
    "Build",
    "Deals",
    "Extent",
    "Geometry",
    "Goal",
    "Owner",
    "Racing",
    "Space",
    "SuitRule",
    "TailRule",
    "TakeBack",
    "Unit",
    "Waits",
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
    ONE_SIDE_SINGLE = "one_side_single"
    """One card, or a sequence that comes upon a card which continues none itself."""


class Base(StrEnum):
    """What opens a foundation that has no rank of its own."""

    FIRST = "first"
    """The rank of the first card in the group."""
    OWN = "own"
    """The deal has put the first card there."""


class Waits(StrEnum):
    """What a foundation waits for."""

    NEVER = "never"
    OPEN = "open"
    """It is begun only when those declared before it are."""
    ROWS = "rows"
    """It takes a card only when no other holds fewer: a row is finished before the next begins."""


class TailRule(StrEnum):
    """What is available when the stock ends with fewer cards than a turn takes (A3)."""

    TOP = "top"
    """The last of them: all that are left are turned together."""
    EITHER2 = "either2"
    """Either of the last two: they may also be turned one by one (seed 001, catalogue D6)."""


class TakeBack(StrEnum):
    """Whether a card may leave a foundation again (A9). Never from one that others build on."""

    NEVER = "never"
    """It stays there."""
    FREE = "free"
    """It may go wherever it fits."""
    TO_SPACE = "to_space"
    """Only into an empty column."""


class Goal(StrEnum):
    """What going out means."""

    ALL_ON_FOUNDATIONS = "all_on_foundations"
    """All own cards lie on the foundations."""
    RESERVE_EMPTY = "reserve_empty"
    FOUNDATIONS_FULL = "foundations_full"
    """All foundations are complete; other cards may be left."""
    OWN_RULE = "own_rule"
    """The game's mechanic knows."""


class Deals(StrEnum):
    """Whether the players of one hand get the same cards in the same order."""

    OWN = "own"
    IDENTICAL = "identical"


class Racing(StrEnum):
    """How several may play a game against each other (catalogue 6.8)."""

    SHARED = "shared"
    """Around foundations that belong to everybody."""
    IDENTICAL = "identical"
    """Each alone with the same cards: who wins, or comes furthest."""
    REFLEX = "reflex"
    """The same, but there is no choice: only speed is measured."""
    TOGETHER = "together"
    """Two seats play it together."""
    SOLO = "solo"
    """Not at all."""


class Geometry(StrEnum):
    """How the piles of a group lie on the table. It is for drawing: no rule depends on it."""

    ROW = "row"
    COLUMN = "column"
    """Below each other, in as many columns as the group names."""
    GRID = "grid"
    """In the rows that the group names."""
    FANS = "fans"
    """In the rows that the group names, the cards of each pile spread to the side."""
    LINE = "line"
    """One after the other, in as many rows as it takes; empty piles take no room."""
    DIAL = "dial"
    """Like the hours of a clock, the first at one, or at the hour that the group names; a thirteenth lies in
    the middle."""
    SEMICIRCLE = "semicircle"
    WREATH = "wreath"
    """Around the table, in a ring."""
    MILL = "mill"
    """Around a middle, in four sails."""
    CENTRE = "centre"
    """In the middle of what lies around."""
    SIDES = "sides"
    """In two columns, on either side of what lies in the middle."""
    CROSS = "cross"
    """Five piles: above, left, middle, right, below."""
    CORNERS = "corners"
    """At the four corners of what lies in the middle."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Build:
    """One way to continue a column.

    Attributes:
        delta: the next card's rank less the last card's; ``None`` for any.
        suit: how the suits go together.
        ranks: the last card's rank must be one of these; ``None`` for any.

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
        ranks: the ranks that may head it; ``None`` for any.
        fill: whether the top of the reserve fills it by itself, at once, while that lasts.
        takes: the groups whose cards may fill it, the stock among them if its unseen top card may;
            ``None``: those that the column takes cards from. None of them: it stays empty.

    """

    ranks: frozenset[int] | None = None
    fill: bool = False
    takes: tuple[str, ...] | None = None


class Extent(NamedTuple):
    """How many piles of a group each player brings, what they show, and how many cards of it."""

    piles: int
    shows: Shows
    view: int = 1
