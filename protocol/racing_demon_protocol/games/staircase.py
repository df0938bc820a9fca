"""Staircase."""

from racing_demon_protocol.engine.specification import Doubt, Reserve, Tableau

from .common import DEALT, NO_REDEAL, aces, solitaire

GAME = solitaire(
    "staircase",
    "Staircase",
    "Cheney 38",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        DEALT,
        Reserve(name="buried", size=0, takes=("dealt",), locked=True),
        Tableau(shape=tuple(range(10, 0, -1))),
    ),
    text=(
        "Ten columns of ten to one cards, the last of each face up. Eight families build up in suit from the "
        "aces. Build down on the columns in alternate colors; sequences move together, and any card fills a "
        "space. The stock is turned one card at a time. A card that cannot be placed is buried; when the "
        "stock is empty, the buried cards can be played from the top."
    ),
    doubts=(
        Doubt(
            "At which side does the staircase begin?", "At the left; it makes no difference.", "tableau.shape"
        ),
    ),
)
