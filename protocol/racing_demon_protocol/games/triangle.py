"""Triangle."""

from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Geometry, Tableau, TakeBack, Unit

from .common import aces, solitaire

GAME = solitaire(
    "triangle",
    "Triangle",
    "Cheney 37",
    groups=(
        aces(take_back=TakeBack.FREE),
        Tableau(shape=(1, 2, 3, 4, 5, 6, 7), unit=Unit.ONE),
        Cells(name="open hand", count=24, geometry=Geometry.GRID, rows=(12, 12)),
    ),
    deal=(Deal(to="tableau"), Deal(to="open hand", each=1)),
    text=(
        "Seven columns of one to seven cards, only the last of each face up; the other twenty-four cards lie "
        "face up, and all can be played. Families build up in suit from the aces, and their top cards may be "
        "taken back. Build down on the columns in alternate colors, one card at a time. Any card fills a "
        "space."
    ),
    doubts=(Doubt("Can a face-up card be used before it is the last of its column?", "No.", "tableau.unit"),),
)
