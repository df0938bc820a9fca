"""Picture Gallery."""

from racing_demon_protocol.engine.mechanics.common import Out
from racing_demon_protocol.engine.mechanics.sums import Courts, Sums
from racing_demon_protocol.engine.specification import Doubt, Stock

from .common import places, solitaire

GAME = solitaire(
    "picture-gallery",
    "Picture Gallery",
    "Cheney 48",
    groups=(places(4, 4, 4), Stock(turn=1, redeals=0, under=True), Out()),
    deal=(),
    mechanic=Sums(total=11, courts=Courts.STAY),
    skill=1,
    text=(
        "Twelve cards are laid in three rows; court cards go under the stock, and others take their places. "
        "Then any two cards that add up to eleven are covered with the next two cards of the stock, court "
        "cards too. Covered cards are never used again, and are taken away here. You win when the stock is "
        "empty, and twelve court cards fill the frame."
    ),
    doubts=(Doubt("Where may the two of a pair lie?", "Anywhere.", "mechanic.reach"),),
)
