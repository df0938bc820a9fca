"""Demon, with the reserve face down."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.specification import (
    Base,
    Deal,
    Deals,
    Doubt,
    Foundations,
    Game,
    Heads,
    Owner,
    Racing,
    Reserve,
    Scoring,
    Space,
    Stock,
    Tableau,
    Unit,
    Waste,
)

from .common import solitaire

FOUR_COLUMNS = (1, 1, 1, 1)
HEAP_SIZE = 13
HEAP_DOWN = Reserve(size=HEAP_SIZE, shows=Shows.NONE, playable=False)
HEAP_UP = Reserve(size=HEAP_SIZE)
FROM_HEAP = Space(fill=True)
DEMON_GROUPS = (Foundations(owner=Owner.PLAYER, base=Base.FIRST, wrap=True), Stock(), Waste())
NO_BONUS = Scoring(out_bonus=0)

WRAPS = Doubt(
    "Does a king go on an ace in a column?", "Yes, as the example in the source shows.", "tableau.wrap"
)

AT_ONCE = Doubt(
    "Must a space be filled from the reserve?",
    "Yes, and at once, while the reserve lasts.",
    "tableau.space.fill",
)

BASES_DEALT = Doubt(
    "Must other cards of the base rank that were dealt go up at once?",
    "No, but they may, before anything else; the reserve then fills the space.",
    "foundation.forced_bases",
)

AFTER_THE_HEAP = Doubt(
    "What fills a space when the reserve is gone?", "Any free card, if you like.", "tableau.space"
)

TOP_ALONE = Doubt(
    "What if only two cards are left to turn?",
    "They are turned together, and the last one can be played.",
    "stock.tail_rule",
)


def demon_columns(unit: Unit, space: Space = FROM_HEAP) -> Tableau:
    """Declare the four columns of a demon."""
    return Tableau(shape=FOUR_COLUMNS, wrap=True, unit=unit, space=space)


GAME = solitaire(
    "demon-a",
    "Demon, with the reserve face down",
    "Demon A",
    groups=(*DEMON_GROUPS, HEAP_DOWN, demon_columns(Unit.WHOLE)),
    deal=(Deal(to="tableau"), Deal(to="reserve"), Deal(to="foundation", count=1)),
    scoring=NO_BONUS,
    skill=2,
    text=(
        "Four columns, a reserve of thirteen face-down cards that only fills spaces, and one card that "
        "starts the families: its rank is the base of all four, which build up in suit and continue from king"
        " to ace. Build down on the columns in alternate colors. The stock is turned three cards at a time,"
        " as often as you like."
    ),
    doubts=(
        Doubt("Can the reserve's top card be played?", "No: it only fills spaces.", "reserve.playable"),
        WRAPS,
        Doubt("What moves between columns?", "One card, or a whole column.", "tableau.unit"),
        AT_ONCE,
        AFTER_THE_HEAP,
        TOP_ALONE,
        BASES_DEALT,
    ),
)


def around_shared_foundations(game: Game, shown: str, *, from_aces: bool) -> Game:
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
        title=f"Demon around shared {'aces' if from_aces else 'families'}, with the reserves face {shown}",
        source=f"{game.source}, around shared foundations",
        groups=groups,
        deal=deal,
        specials=(),
        scoring=Scoring(),
        deals=Deals.OWN,
        racing=Racing.SHARED,
        doubts=tuple(doubt for doubt in game.doubts if not doubt.field.startswith("Grace")),
        text=f"Everybody has the layout of Demon with a face-{shown} reserve. {in_the_middle}",
    )
