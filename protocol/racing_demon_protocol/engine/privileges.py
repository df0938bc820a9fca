"""The closed list of special rules that no attribute expresses, as a game declares them.

Each is data; its effect is one small class in :mod:`.rules.special_rules`. A game that needs another one adds
an entry here and there, and a test: there is no language of conditions.
"""

from dataclasses import dataclass
from enum import StrEnum

from .cards import ACE
from .specification import Special


class When(StrEnum):
    """When a privilege may be used."""

    ALWAYS = "always"
    HAND_IN = "hand_in"
    """Cards are left in stock or waste, and nothing else can be played or turned."""
    HAND_OUT = "hand_out"
    """Stock and waste are empty, and nothing can be played but by a special rule."""
    STUCK = "stuck"
    """Nothing else can be played or turned, whether cards are left in stock and waste or not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw(Special):
    """A buried or blocked card may be played to a foundation.

    Attributes:
        groups: where it may lie.
        times: how often in a hand: counted with all other draws, but not with those through a reserve.
        when: in which situation.
        marries: whether it may also be built on a column.
        after: a group to which cards must have come before.
        through: a reserve through which the card goes, which counts it; uncovered cards may go through it,
            too.

    """

    groups: tuple[str, ...]
    times: int = 1
    when: When = When.ALWAYS
    marries: bool = False
    after: str = ""
    through: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LayExtra(Special):
    """Once, when all places are full and nothing fits, cards from the stock fill some extra cells.

    Attributes:
        places: the group that must be full.
        cells: the group that is filled.

    """

    places: str
    cells: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Grace(Special):
    """After a full pass without a play, a foundation's top card may go back to a column.

    Attributes:
        heads: the doors to a column's head; at its foot the card may always be built.
        times: how often in a hand.

    """

    heads: str
    times: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Reorder(Special):
    """After a full pass without a play, the cards of a turn may be laid off in any order.

    Attributes:
        held: the counting cells to which a whole turn comes, to be laid off one by one.
        times: how many turns in a hand.

    """

    held: str
    times: int = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class KingOpensColumn(Special):
    """During the deal, each king begins the next column, and other cards go on the last one.

    Afterwards a bare king may take the last card of any other column.
    """

    columns: str


@dataclass(frozen=True, kw_only=True, slots=True)
class GridEdges(Special):
    """A card of a grid is free if it has no neighbor above, or none below.

    Gaps are filled from the stock in their order; when there is none, the next row is dealt.

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
    """In the first deals, a foundation accepts cards of some groups only.

    Attributes:
        foundations: the group of the foundations.
        groups: the groups that it accepts.
        most_deals: the number of these deals.

    """

    foundations: str
    groups: tuple[str, ...]
    most_deals: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class BasesFirst(Special):
    """While a card can still open one group of foundations, another foundation does not accept it.

    Attributes:
        foundation: the group that must wait.
        bases: the group that is opened first.

    """

    foundation: str
    bases: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedColumn(Special):
    """The stock is dealt around the piles; bases go up at once, and each foundation has its own pile.

    Attributes:
        piles: the group that is dealt to; the foundation above a pile accepts its cards only.
        base: the rank that goes up.
        finished: whether a pile is still dealt to after its foundation is complete.

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
        foundations: the groups that are entered this way; the second card is the next in their order.

    """

    group: str
    foundations: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FillFromBottom(Special):
    """Once the reserve is empty, the stock's bottom card may fill a space; the waste only without a stock.

    Attributes:
        columns: the group with the spaces.
        heap: the group that must be empty.

    """

    columns: str
    heap: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FillFromDoubles(Special):
    """Once stock and waste are empty, the upper card of a double place may fill an empty one."""

    places: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OpeningRescue(Special):
    """Before each of the groups has a card, only bases and marriages are played.

    A base below few cards may be drawn out, if there is no other way to one.

    Attributes:
        columns: the group of the columns.
        under: the maximum number of cards on it.
        marriages_only: whether only bases and marriages may be played before.

    """

    columns: str
    under: int = 1
    marriages_only: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class BumpKing(Special):
    """While rows are dealt, a king that falls on a lower card of its suit may move one place on.

    The first row is dealt normally. The next card fills the king's place, and the deal continues behind the
    king.

    Attributes:
        columns: the group of the columns.
        rows: the number of rows.

    """

    columns: str
    rows: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BottomCards(Special):
    """Once, when the stock is empty, some cards from the bottom of the waste may be turned again."""

    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RowEnds(Special):
    """While rows are dealt after the first one, only the right-hand end cards of the newest are free.

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
    """The first card turned may open the foundations with its rank; otherwise a fixed rank does.

    Attributes:
        foundations: the group.
        rank: the rank that may always open.

    """

    foundations: str
    rank: int = ACE
