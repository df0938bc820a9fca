"""The Sultan."""

from racing_demon_protocol.engine.specification import Base, Cells, Deal, Doubt, Geometry, Waste

from .common import TWO_REDEALS, WASTE_OR_STOCK, aces, solitaire

GAME = solitaire(
    "sultan",
    "The Sultan",
    "Cheney 3",
    packs=2,
    groups=(
        aces(1, name="sultan", base=Base.OWN, length=1, geometry=Geometry.CENTRE),
        aces(1, name="first king", base=Base.OWN, wrap=True, geometry=Geometry.WREATH),
        aces(1, name="ace of hearts", base=Base.OWN, length=12, geometry=Geometry.WREATH),
        aces(6, name="kings", base=Base.OWN, wrap=True, geometry=Geometry.WREATH),
        TWO_REDEALS,
        Waste(),
        Cells(name="divan", count=8, takes=WASTE_OR_STOCK, must=True, geometry=Geometry.SIDES),
    ),
    deal=(
        Deal(to="sultan", cards=("KH",)),
        Deal(to="first king", cards=("KC",)),
        Deal(to="ace of hearts", cards=("AH",)),
        Deal(to="kings", cards=("KC", "KD", "KS", "KH", "KS", "KD")),
        Deal(to="divan", each=1),
    ),
    skill=1,
    text=(
        "A king of hearts is the Sultan; around him lie the other seven kings and an ace of hearts. On each "
        "king goes the ace of his suit, and then the suit up to the queen; the ace of hearts is built up in "
        "the same way. Eight cards are the divan. They can be played, and an empty place there must be "
        "filled, from the waste or with the next card of the stock. The waste is turned over twice. At the "
        "end eight queens surround the Sultan."
    ),
    doubts=(
        Doubt("Is the waste shuffled?", "No.", "stock.shuffle"),
        Doubt("Must the divan be kept full?", "Yes, while there is a card for it.", "divan.must"),
    ),
)
