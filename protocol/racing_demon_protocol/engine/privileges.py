"""The closed list of rules that no attribute expresses (catalogue 6.5), as a game declares them.

Each is data; what it does is one small class in :mod:`.rules.special_rules`. A game that needs another one
gets a new entry here and there, with a test: there is no language of conditions.
"""

from dataclasses import dataclass
from enum import StrEnum

from .cards import ACE
from .specification import Special

__all__ = [
    "BasesFirst",
    "BottomCards",
    "BumpKing",
    "ChosenBase",
    "Draw",
    "FamilyByLaying",
    "FillFromBottom",
    "FillFromDoubles",
    "Grace",
    "GridEdges",
    "JointEntry",
    "KingOpensColumn",
    "LayExtra",
    "OpeningRescue",
    "PairedColumn",
    "RankPlaces",
    "Reorder",
    "RowEnds",
    "When",
]


class When(StrEnum):
    """When a privilege may be used."""

    ALWAYS = "always"
    HAND_IN = "hand_in"
    """A card is left in stock or waste, and nothing else can be played or turned."""
    HAND_OUT = "hand_out"
    """Stock and waste are empty, and nothing can be played but by a rule of the game's own."""
    STUCK = "stuck"
    """Nothing else can be played or turned, whether cards are left in stock and waste or not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw(Special):
    """A card that is buried, or blocked, may be played to a foundation.

    Attributes:
        groups: where it may lie.
        times: how often in a hand: counted with all other draws, but not with those through a heap.
        when: in which plight.
        marries: whether it may also be built on a column.
        after: a group to which cards must have come before.
        through: a heap through which the card goes, which counts it; it takes cards that none covers, too.

    """

    groups: tuple[str, ...]
    times: int = 1
    when: When = When.ALWAYS
    marries: bool = False
    after: str = ""
    through: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LayExtra(Special):
    """Once, when all places are full and nothing fits, cards from the hand fill some extra cells.

    Attributes:
        places: the group that must be full.
        cells: the group that is filled.

    """

    places: str
    cells: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Grace(Special):
    """When a whole pass has led to nothing, a foundation's top card may go back to a column.

    Attributes:
        heads: the doors through which it goes to a column's head; at its foot it may always be built.
        times: how often in a hand.

    """

    heads: str
    times: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Reorder(Special):
    """When a whole pass has led to nothing, the cards of a turn may be laid off in any order.

    Attributes:
        held: the cells to which a whole turn comes, to be laid off one by one; they count.
        times: how many turns in a hand.

    """

    held: str
    times: int = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class KingOpensColumn(Special):
    """While the hand is dealt, each king begins the next column, and other cards go upon the last one.

    Afterwards a king that lies bare may take the last card of any other column.
    """

    columns: str


@dataclass(frozen=True, kw_only=True, slots=True)
class GridEdges(Special):
    """A card of a grid is free if it has no neighbour above, or none below.

    Gaps are filled from the hand in their order; when there is none, the next row is laid.

    Attributes:
        cells: the group.
        width: the places in a row.
        fill_first: whether gaps must be filled before anything else is played.

    """

    cells: str
    width: int
    fill_first: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class FamilyByLaying(Special):
    """In the first layings, a foundation takes cards of some groups only.

    Attributes:
        foundations: the group of the foundations.
        groups: what it takes cards of.
        layings: for so many layings.

    """

    foundations: str
    groups: tuple[str, ...]
    layings: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class BasesFirst(Special):
    """While a group of foundations can still be opened by a card, another foundation does not take it.

    Attributes:
        foundation: the group that must wait.
        bases: the group that is opened first.

    """

    foundation: str
    bases: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedColumn(Special):
    """The hand is dealt round and round; bases found go up at once, and a foundation has its own pile.

    Attributes:
        piles: the group that is dealt to; the foundation above a pile takes its cards only.
        base: the rank that goes up.
        finished: whether a pile is dealt to after its family is complete.

    """

    piles: str
    base: int
    finished: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RankPlaces(Special):
    """First all places are opened by one suit, that of the first card; then cards follow in turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JointEntry(Special):
    """Two cards of a suit enter a foundation together, both from the same group.

    Attributes:
        group: where they must lie.
        foundations: the groups that are entered so; the second card is the next in their order.

    """

    group: str
    foundations: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FillFromBottom(Special):
    """When the heap is gone, the bottom card of the stock may fill a space; the waste, without a stock only.

    Attributes:
        columns: the group with the spaces.
        heap: the group that must be empty.

    """

    columns: str
    heap: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FillFromDoubles(Special):
    """When the hand is out, the upper card of a double place may fill an empty one."""

    places: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OpeningRescue(Special):
    """Before each of the groups has a card, only bases and marriages are played.

    A base that lies under few cards may be drawn out, when there is no other way to one.

    Attributes:
        columns: the group of the columns.
        under: how many cards at most may lie upon it.
        marriages_only: whether nothing else but bases and marriages is played before.

    """

    columns: str
    under: int = 1
    marriages_only: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class BumpKing(Special):
    """While rows are laid, a king that comes upon a lower card of its suit may go one place on.

    The first row is dealt. The next card fills the king's place, and the laying goes on behind him.

    Attributes:
        columns: the group of the columns.
        rows: how many rows are laid.

    """

    columns: str
    rows: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BottomCards(Special):
    """Once, when the stock is empty, some cards from the bottom of the waste come back to be turned."""

    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RowEnds(Special):
    """While rows are laid, only the right-hand end cards of the newest are free, after the first row.

    Attributes:
        row: the cells of the newest row.
        columns: the columns; the first row lies there, and each row when the next one comes.
        ends: how many cards are free at the right-hand end.
        left: how many are free at the other end.

    """

    row: str
    columns: str
    ends: int = 2
    left: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenBase(Special):
    """The first card turned may open the foundations with its rank; else a fixed rank does, from then on.

    Attributes:
        foundations: the group.
        rank: the rank that may always open.

    """

    foundations: str
    rank: int = ACE
