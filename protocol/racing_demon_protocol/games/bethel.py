"""Bethel."""

from racing_demon_protocol.engine.specification import Deal, Doubt, SuitRule

from .common import DEALT, NO_REDEAL, aces, free_piles, solitaire

GAME = solitaire(
    "bethel",
    "Bethel",
    "Cheney 43",
    groups=(
        *(
            aces(1, name=f"by {step}", base=step, step=step, suit=SuitRule.ANY, wrap=True)
            for step in range(1, 5)
        ),
        NO_REDEAL,
        DEALT,
        free_piles(4),
    ),
    deal=tuple(Deal(to=f"by {rank}", cards=(f"{face}*",)) for rank, face in enumerate("A234", 1)),
    text=(
        "An ace, a two, a three and a four are laid out. The first family goes up by ones, the second by "
        "twos, the third by threes, the fourth by fours, and all continue from king to ace until a king ends "
        "them. Suits do not matter. Four piles hold the cards that do not fit."
    ),
    doubts=(Doubt("The text names no pile that goes by threes.", "The third does.", "by 3.step"),),
)
