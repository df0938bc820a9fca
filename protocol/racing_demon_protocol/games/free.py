"""Games with free piles: each card dealt goes up, or on a pile of the player's choice."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.rules.special_rules import Draw, FillFromDoubles, LayExtra, When
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

NOT_FORCED = Doubt("Must a card that fits go up?", "No: you may hold it back.", "aces.forced_bases")

SOLITAIRE = solitaire(
    "solitaire",
    "Solitaire",
    "Cheney 1",
    groups=(aces(suit=SuitRule.ANY), NO_REDEAL, DEALT, free_piles(4)),
    deal=(),
    text=(
        "There is no layout. Aces start four families, which build up to the king in any suit. A card that "
        "does not go up is put on one of four piles. Only their top cards can be played, and only to the "
        "families. Everything depends on where you put each card."
    ),
    doubts=(NOT_FORCED,),
)

SOLITAIRE_ACES = replace(
    SOLITAIRE,
    name="solitaire-aces",
    title="Solitaire, with the aces laid out",
    source="Cheney 1, variant",
    deal=(ACES_OUT,),
    text="Solitaire, made easier: the four aces are laid out at the start.",
)

SOLITAIRE_SUITS = replace(
    SOLITAIRE,
    name="solitaire-suits",
    title="Solitaire, following suit",
    source="Cheney 1, variant",
    groups=(aces(), Stock(turn=1, redeals=2, shuffle=True), DEALT, replace(free_piles(4), gathers=1)),
    text=(
        "Solitaire, made harder: the families build in suit. To make up for that, the four piles may be taken"
        " up, shuffled and dealt again, twice."
    ),
)

SOLITAIRE_MEMORY = replace(
    SOLITAIRE,
    name="solitaire-memory",
    title="Solitaire, by memory",
    source="Cheney 1, variant",
    groups=(aces(suit=SuitRule.ANY), NO_REDEAL, DEALT, replace(free_piles(4), shows=Shows.TOP)),
    text="Solitaire by the strict old rule: you have to remember the cards below the top of each pile.",
    doubts=(
        NOT_FORCED,
        Doubt("Which cards of a pile are visible?", "Only the top one.", "piles.shows"),
    ),
)

TOAD = solitaire(
    "toad",
    "The Toad",
    "Cheney 35",
    packs=2,
    groups=(aces(8, suit=SuitRule.ANY), NO_REDEAL, DEALT, Reserve(name="toad", size=13), free_piles(5)),
    deal=(Deal(to="toad"),),
    text=(
        "Thirteen cards are the toad: a heap whose top card can be played. Eight families build up from the "
        "aces in any suit. Cards that do not go up are put on five piles."
    ),
    doubts=(
        Doubt("What about aces in the heap?", "They wait there until they are reached.", "toad.size"),
        Doubt("Does the heap lie face up?", "Yes, and only its top can be used.", "toad.shows"),
    ),
)

BETHEL = solitaire(
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


PLACES = Tableau(
    name="places",
    shape=(1,) * 20,
    build=(ANYTHING,),
    unit=Unit.ONE,
    takes=("dealt",),
    cap=2,
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
    "Cheney 2",
    packs=2,
    groups=(*families(), NO_REDEAL, DEALT, PLACES, EXTRA, DRAWN),
    deal=(Deal(to="places"),),
    specials=(
        ALL_DOUBLED,
        Draw(groups=("places",), when=When.HAND_IN, after="extra"),
        Draw(groups=("places",), when=When.HAND_OUT, through="drawn"),
    ),
    skill=2,
    text=(
        "Twenty cards lie in two rows. In each suit one family builds up from an ace, and one builds down "
        "from a king. A card that does not go up fills an empty place or, when there is none, covers a card "
        "of your choice; no place holds more than two. When every place holds two and nothing fits, three "
        "more cards are laid out. After that, and again when the stock is empty, you may play one buried "
        "card."
    ),
    doubts=(
        Doubt(
            "Must empty places be filled before others are covered?",
            "Yes, by the card just dealt.",
            "places.spaces_first",
        ),
        Doubt(
            "What are the three extra cards?",
            "Three places, filled once in a game; all of them can be played.",
            "extra.count",
        ),
        Doubt(
            "Where does a drawn card go?",
            "Straight to a family: once when stuck, and once when the stock is empty.",
            "Draw.times",
        ),
    ),
)

HONORS = solitaire(
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

FREE_GAMES = (
    *(SOLITAIRE, SOLITAIRE_ACES, SOLITAIRE_SUITS, SOLITAIRE_MEMORY),
    *(GRANDFATHERS, HONORS, TOAD, BETHEL),
)
