"""The Flower Garden."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.specification import Build, Cells, Deal, Geometry, SuitRule, Tableau

from .common import aces, solitaire

GAME = solitaire(
    "flower-garden",
    "The Flower Garden",
    "Cheney 49",
    groups=(
        aces(),
        Tableau(name="garden", shape=(6,) * 6, shows=Shows.ALL, build=(Build(suit=SuitRule.ANY),)),
        Cells(name="bouquet", count=16, geometry=Geometry.GRID, rows=(8, 8)),
    ),
    deal=(Deal(to="garden"), Deal(to="bouquet", each=1)),
    text=(
        "Six fans of six cards are the garden, and the other sixteen cards are the bouquet; all of these can "
        "be played. Families build up in suit from the aces. Build down in the garden in any suit; sequences "
        "move together, and any card fills an empty bed."
    ),
)
