"""Games with free piles: each card dealt goes up, or on a pile of the player's choice."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.privileges import Draw, FillFromDoubles, LayExtra, When
from racing_demon_protocol.engine.specification import (
    ANYTHING,
    Base,
    Cells,
    Deal,
    Doubt,
    Geometry,
    Reserve,
    Space,
    Stock,
    SuitRule,
    Tableau,
    Unit,
)

from .common import ACES_OUT, DEALT, NO_REDEAL, aces, families, free_piles, solitaire

__all__ = ["FREE_GAMES"]

NOT_FORCED = Doubt(
    question="Must a card that fits go up?", answer="No: holding back is legal.", field="aces.forced_bases"
)

SOLITAIRE = solitaire(
    "solitaire",
    "Solitaire",
    "1",
    groups=(aces(suit=SuitRule.ANY), NO_REDEAL, DEALT, free_piles(4)),
    deal=(),
    skill=3,
    text=(
        "Nothing is laid out. Aces begin four families, which rise to the king in any suit. A card that does "
        "not go up is put on one of four piles, and only the tops of these can be played, and only up. All "
        "depends on where you put what."
    ),
    doubts=(NOT_FORCED,),
)

SOLITAIRE_ACES = replace(
    SOLITAIRE,
    name="solitaire-aces",
    title="Solitaire, with the aces laid out",
    source="Cheney 1, variant",
    deal=(ACES_OUT,),
    text="Solitaire, made easier: the four aces lie there from the beginning.",
)

SOLITAIRE_SUITS = replace(
    SOLITAIRE,
    name="solitaire-suits",
    title="Solitaire, following suit",
    source="Cheney 1, variant",
    groups=(
        aces(),
        Stock(turn=1, redeals=2, shuffle=True),
        DEALT,
        replace(free_piles(4), gathers=1),
    ),
    text=(
        "Solitaire, made harder: the families follow suit. For that the four piles may be taken up, shuffled "
        "and dealt again, twice."
    ),
)

SOLITAIRE_MEMORY = replace(
    SOLITAIRE,
    name="solitaire-memory",
    title="Solitaire, by memory",
    source="Cheney 1, variant",
    groups=(aces(suit=SuitRule.ANY), NO_REDEAL, DEALT, replace(free_piles(4), shows=Shows.TOP)),
    text="Solitaire by the old, strict rule: what lies below the top of a pile must be remembered.",
    doubts=(
        NOT_FORCED,
        Doubt(
            question="Of which cards of a pile can be seen what they are?",
            answer="Of the top one.",
            field="piles.shows",
        ),
    ),
)

TOAD = solitaire(
    "toad",
    "The Toad",
    "35",
    packs=2,
    groups=(aces(8, suit=SuitRule.ANY), NO_REDEAL, DEALT, Reserve(name="toad", size=13), free_piles(5)),
    deal=(Deal(to="toad"),),
    skill=3,
    text=(
        "Thirteen cards are the toad: a heap of which the top can be played. Eight families rise from the "
        "aces in any suit. What does not go up is dealt on five free piles."
    ),
    doubts=(
        Doubt(
            question="What of aces that were dealt into the heap?",
            answer="They wait there until they are reached.",
            field="toad.size",
        ),
        Doubt(
            question="Does the heap lie face up?",
            answer="Yes, and only its top can be used.",
            field="toad.shows",
        ),
    ),
)

BETHEL = solitaire(
    "bethel",
    "Bethel",
    "43",
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
    skill=3,
    text=(
        "An ace, a two, a three and a four lie there. The first family rises by ones, the second by twos, "
        "the third by threes, the fourth by fours, round and round, and each ends with a king; suits do not "
        "matter. Four free piles take what does not fit."
    ),
    doubts=(
        Doubt(
            question="The text names no pile that goes by threes.",
            answer="The third does.",
            field="by 3.step",
        ),
    ),
)


def _places(cap: int) -> Tableau:
    return Tableau(
        name="places",
        shape=(1,) * 20,
        build=(ANYTHING,),
        unit=Unit.ONE,
        takes=("dealt",),
        cap=cap,
        spaces_first=True,
        space=Space(takes=("dealt",)),
        geometry=Geometry.GRID,
        rows=(10, 10),
    )


EXTRA = Cells(name="extra", count=3, counts=True)
ALL_DOUBLED = LayExtra(places="places", cells="extra")
DRAWN = Reserve(name="drawn", size=0, takes=(), counts=True)

GRANDFATHERS = solitaire(
    "grandfathers",
    "Grandfathers",
    "2",
    packs=2,
    groups=(*families(), NO_REDEAL, DEALT, _places(2), EXTRA, DRAWN),
    deal=(Deal(to="places"),),
    specials=(
        ALL_DOUBLED,
        Draw(groups=("places",), when=When.HAND_IN, after="extra"),
        Draw(groups=("places",), when=When.HAND_OUT, through="drawn"),
    ),
    skill=2,
    text=(
        "Twenty cards lie in two rows. In each suit one family rises from an ace, and one descends from a "
        "king. A card that does not go up fills an empty place, or, when there is none, covers a card of "
        "your choice; no place holds more than two. When all are doubled and nothing fits, three more cards "
        "are laid off; after that, and again when the hand is out, one buried card may be drawn."
    ),
    doubts=(
        Doubt(
            question="Must empty places be filled before others are covered?",
            answer="Yes, by the card just dealt.",
            field="places.spaces_first",
        ),
        Doubt(
            question="What are the three extra cards?",
            answer="Three cells, filled once in a game; all are free.",
            field="extra.count",
        ),
        Doubt(
            question="Where does a drawn card go?",
            answer="Straight to a family; once when stuck, once when the hand is out.",
            field="Draw.times",
        ),
    ),
)

HONORS = solitaire(
    "honors",
    "Honors",
    "24",
    packs=2,
    groups=(
        aces(name="upper", base=Base.OWN, wrap=True),
        aces(name="lower", base=Base.OWN, wrap=True, step=-1),
        NO_REDEAL,
        DEALT,
        _places(2),
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
        "Eight bases are taken out: the two of spades, the king of hearts, the ace of diamonds and the queen "
        "of clubs, to be built upward; the king of spades, the queen of hearts, the knave of diamonds and "
        "the ten of clubs, to be built downward; in suit, and round the corner. Twenty places are covered "
        "once, as in Grandfathers. When the hand is out, the upper card of a double place may fill an empty "
        "one."
    ),
    doubts=(
        Doubt(question="Are the bases taken out first?", answer="Yes.", field="upper.base"),
        Doubt(
            question="How often may a card be drawn, and where does it go?",
            answer="Once, to a family.",
            field="Draw.times",
        ),
    ),
)

FREE_GAMES = (
    *(SOLITAIRE, SOLITAIRE_ACES, SOLITAIRE_SUITS, SOLITAIRE_MEMORY),
    *(GRANDFATHERS, HONORS, TOAD, BETHEL),
)
