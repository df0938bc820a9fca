"""The Trios."""

from dataclasses import replace

from racing_demon_protocol.engine.specification import Build, Deal, Doubt, SuitRule

from .common import FANS, aces, solitaire

GAME = solitaire(
    "trios",
    "The Trios",
    "Cheney 5",
    groups=(
        aces(),
        replace(
            FANS,
            shape=(3,) * 16 + (2,) * 2,
            build=(
                Build(suit=SuitRule.ANY),
                Build(delta=0, suit=SuitRule.ANY, ranks=frozenset({11, 12, 13})),
            ),
            cap=3,
            gathers=0,
            rows=(6, 6, 6),
        ),
    ),
    deal=(Deal(to="fans"),),
    skill=2,
    text=(
        "Sixteen fans of three cards, and two of two. Families build up in suit from the aces. On the fans, a"
        " lower card goes on the next higher one of any suit, and a court card on one of its own rank, but "
        "building never brings a fan to more than three cards. There is no redeal."
    ),
    doubts=(Doubt("Does the limit of three apply to court cards, too?", "Yes.", "fans.cap"),),
)
