"""Fooliana."""

from racing_demon_protocol.engine.rules.special_rules import FillFromBottom
from racing_demon_protocol.engine.specification import Deal, Doubt, Space, Unit

from .common import solitaire
from .demon_a import AT_ONCE, BASES_DEALT, DEMON_GROUPS, HEAP_UP, NO_BONUS, TOP_ALONE, WRAPS, demon_columns

FROM_WASTE = Space(fill=True, takes=("waste",))
BOTTOM = FillFromBottom(columns="tableau", heap="reserve")

GAME = solitaire(
    "fooliana",
    "Fooliana",
    "Cheney 36",
    groups=(*DEMON_GROUPS, HEAP_UP, demon_columns(Unit.TAIL, FROM_WASTE)),
    deal=(Deal(to="reserve"), Deal(to="foundation", count=1), Deal(to="tableau")),
    scoring=NO_BONUS,
    skill=1,
    text=(
        "Demon with a Fool: a reserve of thirteen cards, its top card face up and free to play. Any number "
        "of cards can move together. When the reserve is gone, the bottom card of the stock may fill a space."
    ),
    specials=(BOTTOM,),
    doubts=(
        WRAPS,
        Doubt("What moves between columns?", "Any number of cards in sequence.", "tableau.unit"),
        AT_ONCE,
        Doubt(
            "Must a space be filled when the reserve is gone?",
            "No; while the stock lasts, only its bottom card can fill one.",
            "FillFromBottom",
        ),
        Doubt(
            "What fills a space when reserve and stock are gone?",
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
"""Once the reserve is empty, the stock's bottom card may fill a space."""
