"""Games of sums: two cards that add up to a number leave."""

from dataclasses import replace

from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.sums import Courts, Reach, Sums
from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Geometry, Stock, Waste

from .common import NO_REDEAL, solitaire


def _places(*rows: int) -> Cells:
    return Cells(name="place", count=sum(rows), geometry=Geometry.GRID, rows=rows)


FOURTEEN = solitaire(
    "fourteen",
    "Fourteen",
    "Cheney 8",
    groups=(
        _places(5, 5, 5, 5, 5),
        Stock(turn=1, shuffle=True),
        Waste(plays_to=()),
        Packets(name="aside", counts=True),
        Out(),
    ),
    deal=(Deal(to="place", each=1),),
    mechanic=Sums(total=14, reach=Reach.LINE, exchanges=1, regather=True),
    packs=2,
    skill=1,
    text=(
        "Five rows of five cards lie face up. Two cards in one row or one column that add up to fourteen are "
        "removed; jack, queen and king count as eleven, twelve and thirteen. The stock fills their places in"
        " the order of the deal. If there is no such pair while the stock lasts, two cards may change places,"
        " once. When the stock is empty, the cards of the lower rows are shuffled and fill the gaps in the "
        "upper ones, as often as there are gaps. You win when all cards are removed."
    ),
    doubts=(
        Doubt("How often may two cards change places?", "Once a game.", "mechanic.exchanges"),
        Doubt(
            "Which are the lower rows?",
            "Those that the cards left cannot fill: their cards are taken up together.",
            "mechanic.regather",
        ),
        Doubt("Must all pairs be taken before rows are taken up?", "No.", "mechanic.regather"),
    ),
)
"""The book says "the cards in the lower rows", so all lower rows are taken up, not only the lowest."""


NUMBER_ELEVEN = solitaire(
    "number-eleven",
    "Number Eleven",
    "Cheney 16",
    groups=(_places(6, 5), NO_REDEAL, Out()),
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

NUMBER_ELEVEN_DOUBLE = replace(
    NUMBER_ELEVEN, name="number-eleven-double", title="Number Eleven with two packs", packs=2
)

PICTURE_GALLERY = solitaire(
    "picture-gallery",
    "Picture Gallery",
    "Cheney 48",
    groups=(_places(4, 4, 4), Stock(turn=1, redeals=0, under=True), Out()),
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
