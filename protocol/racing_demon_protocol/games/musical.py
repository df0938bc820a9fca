"""Musical."""

from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.engine.specification import Base, Deal, SuitRule, Waste

from .common import TWO_REDEALS, aces, solitaire

GAME = solitaire(
    "musical",
    "Musical",
    "Cheney 6",
    groups=(
        *(aces(1, name=f"index {step}", base=Base.OWN, length=1) for step in range(1, 5)),
        *(
            aces(1, name=f"by {step}", base=2 * step, step=step, suit=SuitRule.ANY, wrap=True, length=12)
            for step in range(1, 5)
        ),
        TWO_REDEALS,
        Waste(),
    ),
    deal=tuple(
        step
        for number, base in enumerate("2468", 1)
        for step in (
            Deal(to=f"index {number}", cards=(f"{RANK_NAMES[number - 1]}*",)),
            Deal(to=f"by {number}", cards=(f"{base}*",)),
        )
    ),
    skill=1,
    text=(
        "Ace, two, three and four are laid in a row, and below them two, four, six and eight. The family "
        "under the ace goes up by ones, the one under the two by twos, and so on, in any suit, continuing "
        "from king to ace until a king ends each. The waste may be turned over twice."
    ),
)
