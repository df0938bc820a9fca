"""Louise's Game."""

from racing_demon_protocol.engine.specification import Doubt, SuitRule, Waste

from .common import TWO_REDEALS, aces, solitaire

GAME = solitaire(
    "louise",
    "Louise's Game",
    "Cheney 42",
    packs=2,
    groups=(
        *(
            aces(1, name=f"by {step}", base=step, step=step, suit=SuitRule.ANY, wrap=True)
            for step in range(1, 9)
        ),
        TWO_REDEALS,
        Waste(),
    ),
    deal=(),
    skill=1,
    text=(
        "Eight families start with the ranks from ace to eight, as these turn up. Each goes up by its own "
        "number, in any suit, continuing from king to ace until a king ends it. The waste may be turned over "
        "twice."
    ),
    doubts=(
        Doubt(
            "One pack, as the table of contents says, or two, as the heading says?",
            "Two: eight families of thirteen.",
            "packs",
        ),
        Doubt(
            "Must a whole row be finished before the next begins?",
            "No: each family goes on when it can.",
            "by 1.waits",
        ),
    ),
)
