"""Honors."""

from racing_demon_protocol.engine.rules.special_rules import Draw, FillFromDoubles, When
from racing_demon_protocol.engine.specification import Base, Deal, Doubt

from .common import DEALT, NO_REDEAL, aces, solitaire
from .grandfathers import ALL_DOUBLED, EXTRA, PLACES

GAME = solitaire(
    "honors",
    "Honors",
    "Cheney 24",
    packs=2,
    groups=(
        aces(name="upper", base=Base.OWN, wrap=True),
        aces(name="lower", base=Base.OWN, wrap=True, step=-1),
        NO_REDEAL,
        DEALT,
        PLACES,
        EXTRA,
    ),
    deal=(
        Deal(to="upper", cards=("2S", "KH", "AD", "QC")),
        Deal(to="lower", cards=("KS", "QH", "JD", "TC")),
        Deal(to="places"),
    ),
    specials=(
        ALL_DOUBLED,
        Draw(groups=("places",), when=When.STUCK, after="extra"),
        FillFromDoubles(places="places"),
    ),
    skill=2,
    text=(
        "Eight bases are laid out. The two of spades, the king of hearts, the ace of diamonds and the queen "
        "of clubs are built up; the king of spades, the queen of hearts, the jack of diamonds and the ten of"
        " clubs are built down. All build in suit, and continue between king and ace. Twenty places can each "
        "be covered once, as in Grandfathers. When the stock is empty, the upper card of a place with two may"
        " fill an empty place."
    ),
    doubts=(
        Doubt("Are the bases taken out first?", "Yes.", "upper.base"),
        Doubt("How often may a card be drawn, and where does it go?", "Once, to a family.", "Draw.times"),
    ),
)
