"""Salique Law."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.rules.special_rules import Draw, KingOpensColumn, When
from racing_demon_protocol.engine.specification import ANYTHING, Deal, Doubt, Goal, SuitRule, Tableau, Unit

from .common import DEALT, NO_REDEAL, aces, solitaire

GAME = solitaire(
    "salique-law",
    "Salique Law",
    "Cheney 10",
    packs=2,
    groups=(
        aces(8, suit=SuitRule.ANY, length=11),
        aces(8, name="queens", base=12, length=1),
        NO_REDEAL,
        DEALT,
        Tableau(name="kings", shape=(0,) * 8, shows=Shows.ALL, build=(ANYTHING,), unit=Unit.ONE, takes=()),
    ),
    deal=(Deal(to="kings", cards=("K*",)),),
    goal=Goal.FOUNDATIONS_FULL,
    specials=(KingOpensColumn(columns="kings"), Draw(groups=("kings",), when=When.HAND_OUT)),
    skill=2,
    text=(
        "A king is laid out, and the cards dealt go on it until another king starts the next column. Eight "
        "families build up from the aces to the jack in any suit; queens go to a row of their own. The last "
        "cards of columns can be played at any time. When the stock is empty, a bare king may take the last "
        "card of another column, and once you may play a buried card."
    ),
    doubts=(
        Doubt("Must queens go out?", "No.", "queens.forced_bases"),
        Doubt("How often may a card be drawn?", "Once.", "Draw.times"),
    ),
)
