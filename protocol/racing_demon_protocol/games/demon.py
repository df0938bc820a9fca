"""Games around a demon: a reserve of thirteen and four columns."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.rules.special_rules import FillFromBottom, Grace, Reorder
from racing_demon_protocol.engine.specification import (
    Base,
    Cells,
    Deal,
    Deals,
    Doubt,
    Foundations,
    Game,
    Goal,
    Heads,
    Owner,
    Racing,
    Reserve,
    Scoring,
    Space,
    Stock,
    Tableau,
    TailRule,
    Unit,
    Waste,
)

from .common import regrouped, solitaire
from .klondike import BASE_DOUBTS

FOUR_COLUMNS = (1, 1, 1, 1)
DEMON_SIZE = 13

CLASSIC = Game(
    name="classic",
    title="Racing Demon, the classic game",
    source="the standard game",
    text=(
        "The standard game, also known as Nerts or Pounce. Everybody has a reserve of thirteen cards, the top"
        " one face up, and four columns; all build on shared foundations. The first to empty the reserve goes"
        " out. Each card on the foundations scores one point; each card left in the reserve costs two."
    ),
    groups=(Foundations(), Stock(), Waste(), Reserve(size=DEMON_SIZE), Tableau(shape=FOUR_COLUMNS)),
    deal=(Deal(to="reserve"), Deal(to="tableau")),
    goal=Goal.RESERVE_EMPTY,
    scoring=Scoring(reserve_card=-2),
    doubts=(
        *BASE_DOUBTS,
        Doubt("What fills a space?", "Any free card, if you like.", "tableau.space.fill"),
        Doubt("What does a card left in the reserve cost?", "Two points.", "scoring.reserve_card"),
        Doubt("What is going out worth?", "Ten points.", "scoring.out_bonus"),
    ),
)
"""The standard game, also known as Nerts or Pounce: the first to empty the reserve is out."""


HEAP_DOWN = Reserve(size=DEMON_SIZE, shows=Shows.NONE, playable=False)
HEAP_UP = Reserve(size=DEMON_SIZE)
FROM_HEAP = Space(fill=True)
FROM_WASTE = Space(fill=True, takes=("waste",))
GROUPS = (Foundations(owner=Owner.PLAYER, base=Base.FIRST, wrap=True), Stock(), Waste())
BOTTOM = FillFromBottom(columns="tableau", heap="reserve")
NO_BONUS = Scoring(out_bonus=0)
WRAPS = Doubt(
    "Does a king go on an ace in a column?", "Yes, as the example in the source shows.", "tableau.wrap"
)
AT_ONCE = Doubt(
    "Must a space be filled from the heap?", "Yes, and at once, while the heap lasts.", "tableau.space.fill"
)
BASES_DEALT = Doubt(
    "Must other cards of the base rank that were dealt go up at once?",
    "No, but they may, before anything else; the heap then fills the space.",
    "foundation.forced_bases",
)
AFTER_THE_HEAP = Doubt(
    "What fills a space when the heap is gone?", "Any free card, if you like.", "tableau.space"
)
TWO_LEFT = Doubt("What if only two cards are left to turn?", "Either may be used.", "stock.tail_rule")
TOP_ALONE = Doubt(
    "What if only two cards are left to turn?",
    "They are turned together, and the last one can be played.",
    "stock.tail_rule",
)


def _columns(unit: Unit, space: Space = FROM_HEAP) -> Tableau:
    return Tableau(shape=FOUR_COLUMNS, wrap=True, unit=unit, space=space)


DEMON_A = solitaire(
    "demon-a",
    "Demon, with the heap face down",
    "Demon A",
    groups=(*GROUPS, HEAP_DOWN, _columns(Unit.WHOLE)),
    deal=(Deal(to="tableau"), Deal(to="reserve"), Deal(to="foundation", count=1)),
    scoring=NO_BONUS,
    skill=2,
    text=(
        "Four columns, a heap of thirteen face-down cards that only fills spaces, and one card that starts "
        "the families: its rank is the base of all four, which build up in suit and continue from king to "
        "ace. Build down on the columns in alternate colors. The stock is turned three cards at a time, as "
        "often as you like."
    ),
    doubts=(
        Doubt("Can the heap's top card be played?", "No: it only fills spaces.", "reserve.playable"),
        WRAPS,
        Doubt("What moves between columns?", "One card, or a whole column.", "tableau.unit"),
        AT_ONCE,
        AFTER_THE_HEAP,
        TOP_ALONE,
        BASES_DEALT,
    ),
)

DEMON_B = solitaire(
    "demon-b",
    "Demon, with the heap face up",
    "Demon B",
    groups=(
        GROUPS[0],
        Stock(tail_rule=TailRule.EITHER2, counts=True),
        GROUPS[2],
        HEAP_UP,
        _columns(Unit.WHOLE),
        Heads(of="tableau", count=len(FOUR_COLUMNS)),
    ),
    deal=(Deal(to="reserve"), Deal(to="tableau"), Deal(to="foundation", count=1)),
    specials=(Grace(heads="heads"),),
    scoring=NO_BONUS,
    skill=2,
    text=(
        "A heap of thirteen cards, its top card face up and free to play, four columns, and one card that "
        "starts the families: its rank is the base of all four, which build up in suit and continue from king"
        " to ace. Build down on the columns in alternate colors; the heap fills spaces. The stock is turned "
        "three cards at a time, as often as you like. Once, after a full pass without a play, the top card of"
        " a family may go back to the foot or the head of a column."
    ),
    doubts=(
        WRAPS,
        Doubt("What moves between columns?", "One card, or a whole column.", "tableau.unit"),
        AT_ONCE,
        AFTER_THE_HEAP,
        TWO_LEFT,
        BASES_DEALT,
        Doubt(
            "What is the head of a column?",
            "The place under its first card, for a card of the other color that is one higher.",
            "Grace.heads",
        ),
        Doubt(
            "When is a player blocked?",
            "When no card can be played, and all of stock and waste was turned since the last play.",
            "Grace",
        ),
        Doubt("May the only card of a family be taken?", "No: it is the base, and stays.", "Grace"),
    ),
)

FOOLIANA = solitaire(
    "fooliana",
    "Fooliana",
    "Cheney 36",
    groups=(*GROUPS, HEAP_UP, _columns(Unit.TAIL, FROM_WASTE)),
    deal=(Deal(to="reserve"), Deal(to="foundation", count=1), Deal(to="tableau")),
    scoring=NO_BONUS,
    skill=1,
    text=(
        "Demon with a Fool: a heap of thirteen cards, its top card face up and free to play. Any number of "
        "cards can move together. When the heap is gone, the bottom card of the stock may fill a space."
    ),
    specials=(BOTTOM,),
    doubts=(
        WRAPS,
        Doubt("What moves between columns?", "Any number of cards in sequence.", "tableau.unit"),
        AT_ONCE,
        Doubt(
            "Must a space be filled when the heap is gone?",
            "No; while the stock lasts, only its bottom card can fill one.",
            "FillFromBottom",
        ),
        Doubt(
            "What fills a space when heap and stock are gone?",
            "The top card of the waste, if you like.",
            "tableau.space.takes",
        ),
        TOP_ALONE,
        BASES_DEALT,
        Doubt(
            "May the three cards of a turn be dealt in another order?",
            "No; the variant fooliana-reorder allows it, as some players do.",
            "specials",
        ),
    ),
)
"""Once the reserve is empty, the stock's bottom card may fill a space (D5)."""

FOOLIANA_REORDER = replace(
    FOOLIANA,
    name="fooliana-reorder",
    title="Fooliana, with threes in another order",
    source="Cheney 36, variant",
    specials=(BOTTOM, Reorder(held="held")),
    groups=(
        *regrouped(FOOLIANA, Stock, counts=True),
        Cells(name="held", count=3, counts=True),
    ),
    text=(
        "Fooliana with one more chance: after a full pass without a play, you may change the order within the"
        " next threes. The three cards are set aside, and you put them on the waste one by one in any order. "
        "You can do this for twelve threes."
    ),
    doubts=(
        *FOOLIANA.doubts[:-1],
        Doubt(
            "In which order are the threes then dealt, and how many?",
            "In any order; twelve of them, one pass through a whole stock. Only full threes count.",
            "Reorder.times",
        ),
    ),
)
FOOLIANAS = (FOOLIANA, FOOLIANA_REORDER)


def _race(game: Game, heaps: str, *, from_aces: bool) -> Game:
    """Declare a demon's foundations as shared, from the aces or from the rank of one card."""
    families = Foundations() if from_aces else Foundations(base=Base.FIRST, wrap=True)
    groups = tuple(
        families if isinstance(group, Foundations) else replace(group, counts=False)
        for group in game.groups
        if not isinstance(group, Heads)
    )
    deal = tuple(
        replace(step, once=True) if step.to == "foundation" else step
        for step in game.deal
        if not (from_aces and step.to == "foundation")
    )
    in_the_middle = (
        "The families in the middle are shared, and build up from the aces."
        if from_aces
        else "The first player's base card is laid in the middle, and its rank starts all families there, "
        "for everybody."
    )
    return replace(
        game,
        name=f"{game.name}-{'aces' if from_aces else 'first'}",
        title=f"Demon around shared {'aces' if from_aces else 'families'}, with the heaps face {heaps}",
        source=f"{game.source}, around shared foundations",
        groups=groups,
        deal=deal,
        specials=(),
        scoring=Scoring(),
        deals=Deals.OWN,
        racing=Racing.SHARED,
        doubts=tuple(doubt for doubt in game.doubts if not doubt.field.startswith("Grace")),
        text=f"Everybody has the layout of Demon with a face-{heaps} heap. {in_the_middle}",
    )


RACING_DEMONS = tuple(
    _race(game, heaps, from_aces=from_aces)
    for game, heaps in ((DEMON_A, "down"), (DEMON_B, "up"))
    for from_aces in (True, False)
)
"""The layouts of Demon A and Demon B around shared foundations."""
