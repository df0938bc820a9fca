"""Games without a tableau whose foundations have steps of their own."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.engine.rules.special_rules import RankPlaces
from racing_demon_protocol.engine.specification import (
    Base,
    Cells,
    Deal,
    Doubt,
    Foundations,
    Geometry,
    Racing,
    Reserve,
    Stock,
    SuitRule,
    Waste,
)

from .common import ACES_OUT, NO_REDEAL, TWO_REDEALS, aces, solitaire, suits_of

ANY = SuitRule.ANY

MUSICAL = solitaire(
    "musical",
    "Musical",
    "Cheney 6",
    groups=(
        *(aces(1, name=f"index {step}", base=Base.OWN, length=1) for step in range(1, 5)),
        *(
            aces(1, name=f"by {step}", base=2 * step, step=step, suit=ANY, wrap=True, length=12)
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

LOUISE = solitaire(
    "louise",
    "Louise's Game",
    "Cheney 42",
    packs=2,
    groups=(
        *(aces(1, name=f"by {step}", base=step, step=step, suit=ANY, wrap=True) for step in range(1, 9)),
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

LEGITIMIST = solitaire(
    "legitimist",
    "The Legitimist",
    "Cheney 7",
    packs=2,
    groups=(
        *(
            aces(1, name=f"from {RANK_NAMES[base - 1]}", base=base, step=-1, suit=ANY, wrap=True)
            for base in range(13, 5, -1)
        ),
        Stock(turn=1, redeals=2, shuffle=True),
        Waste(),
    ),
    deal=(Deal(to="from K", cards=("K*",)),),
    skill=1,
    text=(
        "A king is laid out and beside it, as they turn up, a queen, a jack, and so on down to a six. Each "
        "starts a family of thirteen that builds down in any suit and continues from ace to king. The waste "
        "may be shuffled and turned over twice."
    ),
    doubts=(
        Doubt(
            "Must the bases turn up in this order?",
            "No: each goes to its own place when it turns up.",
            "from Q.waits",
        ),
    ),
)

QUEENS_COTILLON = solitaire(
    "queens-cotillon",
    "Queen's Cotillon",
    "Cheney 52",
    packs=2,
    groups=(
        aces(step=2, wrap=True, one_per_suit=True),
        aces(name="deuces", base=2, step=2, wrap=True, one_per_suit=True),
        NO_REDEAL,
        Waste(),
        Reserve(name="left", size=3, count=4, shows=Shows.ALL),
        Cells(
            name="right",
            count=16,
            takes=("waste", "stock"),
            in_order=True,
            geometry=Geometry.GRID,
            rows=(4,) * 4,
        ),
    ),
    deal=(ACES_OUT, Deal(to="deuces", cards=suits_of("2")), Deal(to="left"), Deal(to="right", each=1)),
    skill=2,
    text=(
        "Four aces and four twos start families that go up by twos in suit: three on ace, four on two. The "
        "aces' families end with queens, the twos' with kings. On the left lie four columns of three cards; "
        "their last cards can be played, and their spaces stay empty. On the right lie sixteen single cards, "
        "all of which can be played; their places are filled from the waste, or from the stock when there is "
        "no waste."
    ),
    doubts=(
        Doubt("Do families build in suit?", "Yes: the source demands one base of each suit.", "aces.suit"),
        Doubt("Are the bases taken out first?", "Yes.", "deal"),
    ),
)

KNAVE = 11


def _hour(rank: int, length: int) -> Foundations:
    """Declare a rank's place on the dial: queens at eleven, kings at twelve, jacks in the center."""
    place = aces(1, name=f"rank {rank}", base=rank, step=0, suit=SuitRule.ALTERNATE, length=length)
    if rank == KNAVE:
        return replace(place, geometry=Geometry.CENTRE)
    return replace(place, geometry=Geometry.DIAL, rows=(rank - (rank > KNAVE),))


KNAVES_DIAL = solitaire(
    "knaves-dial",
    "Knaves' Dial",
    "Cheney 26",
    groups=(*(_hour(rank, 4) for rank in range(1, 14)), TWO_REDEALS, Waste()),
    deal=(),
    specials=(RankPlaces(),),
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "Thirteen places form a dial, with the place of the jacks, or knaves, in the middle. First all "
        "places are filled with one suit, that of the first card. Then each place takes the other cards of "
        "its rank in alternate colors. The waste may be turned over twice. There is nothing to decide."
    ),
)

KNAVES_DIAL_DOUBLE = replace(
    KNAVES_DIAL,
    name="knaves-dial-double",
    title="Knaves' Dial, with two packs",
    packs=2,
    groups=(*(_hour(rank, 8) for rank in range(1, 14)), TWO_REDEALS, Waste()),
    text="Knaves' Dial with two packs: each place takes eight cards.",
)

STEP_GAMES = (MUSICAL, LOUISE, LEGITIMIST, QUEENS_COTILLON, KNAVES_DIAL, KNAVES_DIAL_DOUBLE)
