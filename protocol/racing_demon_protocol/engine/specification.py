"""The words in which a game is declared. A game is data: one interpreter (:mod:`.rules.base`) plays them all.

Every field stands for one attribute of catalogue 6.3, every doubt of catalogue 1.8 for a field with its
default; ``protocol/RULES.md`` lists which is which. Suits, ranks and piles are meant as in :mod:`.cards`
and :mod:`.board`.
"""

from dataclasses import dataclass, field
from typing import Final

from .cards import ALL_RANKS, SUITS
from .enums import (
    ANYTHING,
    Base,
    Build,
    Deals,
    Extent,
    Geometry,
    Goal,
    Owner,
    Racing,
    Space,
    SuitRule,
    TailRule,
    TakeBack,
    Unit,
    Waits,
)
from .groups import Cells, Deal, Foundations, Group, Heads, Reserve, Stock, Tableau, Waste

__all__ = [
    "ANYTHING",
    "MOST_SEATS",
    "Base",
    "Build",
    "Building",
    "Cells",
    "Deal",
    "Deals",
    "Doubt",
    "Extent",
    "Foundations",
    "Game",
    "Geometry",
    "Goal",
    "Group",
    "Heads",
    "Mechanic",
    "Owner",
    "Racing",
    "Reserve",
    "Scoring",
    "Space",
    "Special",
    "Stock",
    "SuitRule",
    "Tableau",
    "TailRule",
    "TakeBack",
    "Unit",
    "Waits",
    "Waste",
]


MOST_SEATS: Final = 8
"""How many seats a table can have."""


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
class Special:
    """A rule of its own, from the closed list of catalogue 6.5: see :mod:`.privileges`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mechanic:
    """How a game is played at all. Its type names the rules that play it: see :mod:`.rulebook`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Building(Mechanic):
    """Cards are built in sequences, on foundations and mostly on columns."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the source leaves open, and how it was settled.

    Attributes:
        question: what is open.
        answer: what holds here.
        field: the attribute that says so, and would say otherwise, as ``group.attribute``.

    """

    question: str
    answer: str
    field: str = ""


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
        mechanic: how it is played at all.
        specials: its rules that no attribute expresses.
        packs: how many packs each player has.
        ranks: the ranks in a pack.
        deals: whether all players get the same cards.
        racing: how several may play it.
        skill: how much the player can do, from 0 (nothing) to 3.
        text: what it is about, in a few sentences.
        doubts: what its source leaves open.

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
        return hash(self.name)  # with every deal rules are looked up by it, and all the rest is much to hash

    @property
    def most_seats(self) -> int:
        """How many may play a hand together."""
        return {Racing.SOLO: 1, Racing.TOGETHER: 2}.get(self.racing, MOST_SEATS)

    @property
    def least_seats(self) -> int:
        """How many must play a hand together."""
        return 2 if self.racing is Racing.TOGETHER else 1

    @property
    def deck_size(self) -> int:
        """How many cards each player has."""
        return self.packs * SUITS * len(self.ranks)
