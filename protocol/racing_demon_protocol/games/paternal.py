"""Paternal."""

from racing_demon_protocol.engine.rules.special_rules import Draw
from racing_demon_protocol.engine.specification import Deal, Doubt, Stock

from .common import ACES_OUT, FANS, aces, solitaire

RELAID = Stock(redeals=2, shuffle=True, relay=(Deal(to="fans", each=3),))

GAME = solitaire(
    "paternal",
    "Paternal",
    "Cheney 4",
    groups=(aces(), RELAID, FANS),
    deal=(ACES_OUT, Deal(to="fans")),
    specials=(Draw(groups=("fans",), marries=True),),
    text=(
        "The aces are laid out, and the other cards lie in sixteen fans of three. Families build up in suit. "
        "The end of a fan may be built on by the next higher or the next lower card of its suit. The cards "
        "that are left may be taken up, shuffled and dealt again in threes, twice. Once in the game, you may "
        "play a covered card."
    ),
    doubts=(
        Doubt(
            'How often is it dealt again? ("You may repeat this a third time.")',
            "Twice: three deals in all.",
            "stock.redeals",
        ),
        Doubt("Where may the drawn card go?", "To a family, or onto a column.", "Draw.marries"),
    ),
)
