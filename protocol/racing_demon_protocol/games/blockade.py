"""Blockade."""

from racing_demon_protocol.engine.rules.special_rules import Draw, GridEdges, When
from racing_demon_protocol.engine.specification import Cells, Doubt, Geometry, Reserve

from .common import NO_REDEAL, families, solitaire

GAME = solitaire(
    "blockade",
    "Blockade",
    "Cheney 15",
    packs=2,
    groups=(
        *families(),
        NO_REDEAL,
        Cells(name="rows", count=110, counts=True, geometry=Geometry.GRID, rows=(10,) * 11),
        Reserve(name="drawn", size=0, takes=(), counts=True),
    ),
    deal=(),
    specials=(
        GridEdges(cells="rows", width=10),
        Draw(groups=("rows",), when=When.HAND_OUT, through="drawn"),
    ),
    skill=1,
    text=(
        "Cards are laid in rows of ten. In each suit one family builds up from an ace, and one builds down "
        "from a king. A card can be played if the place above it, or the place below it, is empty. Gaps are "
        "filled in order from the stock; when there are none, another row is dealt. When the stock is empty, "
        "one blocked card may be played."
    ),
    doubts=(
        Doubt(
            "Must gaps be filled before you play on?",
            "No, but before a new row is dealt.",
            "GridEdges.fill_first",
        ),
        Doubt("Where does the drawn card go?", "To a family, once.", "Draw.times"),
    ),
)
