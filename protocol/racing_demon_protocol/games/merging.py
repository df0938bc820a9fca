"""Games that put equal cards together."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.engine.specification import Deals, Doubt, Game, Goal, Racing, Stock, Waste

__all__ = ["GAMBLERS_PATIENCE"]

GAMBLERS_PATIENCE = Game(
    name="gamblers",
    title="Gambler's Patience",
    source="seed 004 entry 45",
    groups=(Packets(name="pile", count=4, shows=Shows.ALL), Stock(turn=4), Waste(plays_to=()), Out()),
    deal=(),
    goal=Goal.OWN_RULE,
    mechanic=Merging(),
    deals=Deals.IDENTICAL,
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "Four cards are dealt in a row, again and again upon each other. After each full row equal tops "
        "move to the left, upon the leftmost of them; four equal tops are thrown out. When the stock is "
        "gone, the piles are taken up from the left and dealt again as they are, as often as wanted. The "
        "game is won when all cards are thrown out, and lost when it comes round to where it was. It is "
        "also known as Perpetual Motion."
    ),
    doubts=(
        Doubt(
            "What fills a gap in the row?",
            "The next row that is dealt: places stay where they are.",
            "mechanic.close_up",
        ),
        Doubt(
            'When do four equal cards leave? ("Even if one belongs to a lower row.")',
            "When they are the four tops, whichever row each was dealt in.",
            "mechanic.gathered",
        ),
        Doubt("When is the game lost?", "When the same order of the cards comes back.", "stock.redeals"),
    ),
)
