"""Number Eleven."""

from racing_demon_protocol.engine.mechanics.common import Out
from racing_demon_protocol.engine.mechanics.sums import Courts, Sums
from racing_demon_protocol.engine.specification import Deal, Doubt

from .common import NO_REDEAL, places, solitaire

GAME = solitaire(
    "number-eleven",
    "Number Eleven",
    "Cheney 16",
    groups=(places(6, 5), NO_REDEAL, Out()),
    deal=(Deal(to="place", each=1),),
    mechanic=Sums(total=11, courts=Courts.TRIO),
    skill=1,
    text=(
        "A row of six cards and a row of five lie face up. Two cards that add up to eleven are removed, "
        "wherever they lie; a king, a queen and a jack are removed together if they lie in one row, or "
        "are all of one suit. The stock fills their places. You win when all cards are removed. To take "
        "three court cards, play one onto another, two of a suit for three of that suit or two of a row "
        "for three of that row; then the third."
    ),
    doubts=(
        Doubt("When is it won?", "When stock and table are empty; the source is garbled here.", "goal"),
        Doubt("Where may the two of a pair lie?", "Anywhere.", "mechanic.reach"),
    ),
)
