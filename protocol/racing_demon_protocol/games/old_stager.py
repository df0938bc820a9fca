"""The Old Stager."""

from racing_demon_protocol.engine.rules.special_rules import BottomCards, BumpKing
from racing_demon_protocol.engine.specification import Deal, Doubt, Space, Waste

from .common import NO_REDEAL, aces, columns, solitaire

GAME = solitaire(
    "old-stager",
    "The Old Stager",
    "Cheney 32",
    packs=2,
    groups=(aces(8), NO_REDEAL, Waste(), columns((3,) * 13, space=Space(takes=("waste",)))),
    deal=(Deal(to="columns", each=1),),
    specials=(BumpKing(columns="columns", rows=3), BottomCards(count=3)),
    text=(
        "Thirteen columns of three cards. A king dealt onto a lower card of its suit may move on by one "
        "place, and the next card fills the place it left; or leave it, and turn the stock to deal on. Eight "
        "families build up from the aces; build down on the columns, both in suit. Only the waste fills an "
        "empty column. The stock is turned once; at the end three cards may be taken from the bottom of the "
        "waste and turned again."
    ),
    doubts=(
        Doubt(
            "What happens with the three cards?",
            "They are turned one by one, like cards of the stock; once.",
            "BottomCards.count",
        ),
        Doubt(
            "Which lower card lets a king move on?",
            "Any card of its suit in the column. The king moves only if you like, and may move again.",
            "BumpKing",
        ),
        Doubt(
            "What if the waste is empty when a space is to be filled?",
            "A card is turned first.",
            "columns.space.takes",
        ),
    ),
)
