"""Duchess of Luynes."""

from racing_demon_protocol.engine.specification import Deal, Doubt, Reserve, Stock

from .common import families, solitaire

GAME = solitaire(
    "duchess-of-luynes",
    "Duchess of Luynes",
    "Cheney 21",
    packs=2,
    groups=(
        *families(),
        Stock(
            redeals=3,
            rounds=(
                *((Deal(to="piles", each=1), Deal(to="aside", each=2)),) * 3,
                (Deal(to="piles", each=1),),
            ),
        ),
        Reserve(name="piles", size=0, count=4, gathers=1),
        Reserve(name="aside", size=0, gathers=1),
    ),
    deal=(),
    skill=1,
    text=(
        "Cards are dealt in rounds of six: one on each of four piles, and two set aside. In each suit one "
        "family builds up from an ace, and one builds down from a king. The top cards of the piles and of the"
        " cards set aside can be played, and nothing is filled. All may be taken up and dealt in the same way"
        " twice more, and then once more in fours, with none set aside."
    ),
    doubts=(
        Doubt(
            "What is taken up for a redeal?",
            "The piles and the cards set aside, pile one first, without shuffling.",
            "piles.gathers",
        ),
        Doubt(
            "Where do the last two cards go, which are too few for a round of six?",
            "On the first two piles.",
            "stock.rounds",
        ),
    ),
)
