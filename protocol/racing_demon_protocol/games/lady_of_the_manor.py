"""Lady of the Manor."""

from racing_demon_protocol.engine.specification import Cells, Deal, Geometry, Reserve, SuitRule

from .common import aces, solitaire

GAME = solitaire(
    "lady-of-the-manor",
    "Lady of the Manor",
    "Cheney 23",
    packs=2,
    groups=(
        aces(8, suit=SuitRule.ANY),
        Reserve(name="heaps", size=12, count=4),
        Cells(name="semicircle", count=56, geometry=Geometry.SEMICIRCLE),
    ),
    deal=(Deal(to="heaps"), Deal(to="semicircle", each=1, by_rank=True)),
    skill=1,
    text=(
        "Four heaps of twelve cards show their top cards. The other cards lie around them, sorted by rank, "
        "and all of them can be played. Eight families build up from the aces in any suit. Play from the "
        "heaps where you can."
    ),
)
