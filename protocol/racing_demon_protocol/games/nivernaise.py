"""Nivernaise."""

from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Geometry, Reserve, Stock

from .common import families, solitaire

GAME = solitaire(
    "nivernaise",
    "Nivernaise",
    "Cheney 20",
    packs=2,
    groups=(
        *families(),
        Stock(redeals=2, shuffle=True, rounds=((Deal(to="piles", each=4),),)),
        Reserve(name="piles", size=4, count=6, gathers=1),
        Cells(name="sides", count=8, takes=("piles", "stock"), geometry=Geometry.COLUMN, rows=(4, 4)),
    ),
    deal=(Deal(to="sides", each=1), Deal(to="piles")),
    skill=2,
    text=(
        "Four cards lie on either side, and between them six piles of four. In each suit one family builds up"
        " from an ace, and one builds down from a king. Side cards and the top cards of piles can be played; "
        "a side place may be filled from a pile, or with the unseen next card of the stock. Whenever you "
        "like, four more cards go on each pile. When the stock is empty, the piles may be shuffled and dealt "
        "again, twice."
    ),
    doubts=(
        Doubt("Must a side place be filled at once?", "No: you may wait, as is common.", "sides.must"),
        Doubt(
            "Is the next card of the hand seen before it fills a place?",
            "No: it is taken as it comes.",
            "sides.takes",
        ),
        Doubt(
            "Must you be stuck before four more cards go on each pile?",
            "No: nobody can be made to see every play.",
            "stock.rounds",
        ),
        Doubt("What fills an empty pile?", "The next round only.", "piles.takes"),
    ),
)
