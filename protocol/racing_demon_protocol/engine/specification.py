"""The language of game declarations. A game is data, played by an interpreter (:mod:`.rules.base`).

``docs/rules.md`` lists every doubt in the sources of the rules with the field that settles it, and
``docs/rules-sources.md`` the sources. Suits, ranks and piles are as in :mod:`.cards` and :mod:`.board`;
:mod:`.groups` declares a game's piles and deal, with the words of :mod:`.enums`.
"""

from dataclasses import dataclass, field

from racing_demon_protocol.limits import MOST_SEATS

from .cards import ALL_RANKS, SUITS
from .enums import Deals, Goal, Racing
from .groups import Deal, Group


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """Points for one hand.

    Attributes:
        foundation_card: for each of the player's cards on the foundations.
        reserve_card: for each card left in the player's reserve.
        out_bonus: for going out.

    """

    foundation_card: int = 1
    reserve_card: int = 0
    out_bonus: int = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Special:
    """A special rule from the closed list in :mod:`.privileges`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mechanic:
    """The basic way a game is played. Its type determines the rules: see :mod:`.rulebook`."""


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
    def most_seats(self) -> int:
        """The maximum number of players in a hand."""
        return {Racing.SOLO: 1, Racing.TOGETHER: 2}.get(self.racing, MOST_SEATS)

    @property
    def least_seats(self) -> int:
        """The minimum number of players in a hand."""
        return 2 if self.racing is Racing.TOGETHER else 1

    @property
    def deck_size(self) -> int:
        """The number of cards of each player."""
        return self.packs * SUITS * len(self.ranks)
