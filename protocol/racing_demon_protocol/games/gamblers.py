"""Gambler's Patience."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.engine.specification import Doubt, Racing, Stock, Waste

from .common import solitaire

GAME = solitaire(
    "gamblers",
    "Gambler's Patience",
    "Cheney 45",
    groups=(Packets(name="pile", count=4, shows=Shows.ALL), Stock(turn=4), Waste(plays_to=()), Out()),
    deal=(),
    mechanic=Merging(),
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "Four cards are dealt in a row, again and again on top of each other. After each full row, equal top "
        "cards move to the left, onto the leftmost of them; four equal top cards are removed. When the stock "
        "is empty, the piles are taken up from the left and dealt again as they are, as often as you like. "
        "You win when all cards are removed, and lose when the same order of cards comes back. The game is "
        "also known as Perpetual Motion."
    ),
    doubts=(
        Doubt(
            "What fills a gap in the row?",
            "The next row that is dealt; places stay where they are.",
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
