"""Games around cells that are refilled again and again."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.rules.special_rules import BasesFirst, ChosenBase, JointEntry
from racing_demon_protocol.engine.specification import (
    Base,
    Cells,
    Deal,
    Doubt,
    Geometry,
    Reserve,
    SuitRule,
    Waste,
)

from .common import ACES_OUT, DEALT, KINGS_OUT, NO_REDEAL, TWO_REDEALS, WASTE_OR_STOCK, aces, kings, solitaire

SULTAN = solitaire(
    "sultan",
    "The Sultan",
    "Cheney 3",
    packs=2,
    groups=(
        aces(1, name="sultan", base=Base.OWN, length=1, geometry=Geometry.CENTRE),
        aces(1, name="first king", base=Base.OWN, wrap=True, geometry=Geometry.WREATH),
        aces(1, name="ace of hearts", base=Base.OWN, length=12, geometry=Geometry.WREATH),
        aces(6, name="kings", base=Base.OWN, wrap=True, geometry=Geometry.WREATH),
        TWO_REDEALS,
        Waste(),
        Cells(name="divan", count=8, takes=WASTE_OR_STOCK, must=True, geometry=Geometry.SIDES),
    ),
    deal=(
        Deal(to="sultan", cards=("KH",)),
        Deal(to="first king", cards=("KC",)),
        Deal(to="ace of hearts", cards=("AH",)),
        Deal(to="kings", cards=("KC", "KD", "KS", "KH", "KS", "KD")),
        Deal(to="divan", each=1),
    ),
    skill=1,
    text=(
        "A king of hearts is the Sultan; around him lie the other seven kings and an ace of hearts. On each "
        "king goes the ace of his suit, and then the suit up to the queen; the ace of hearts is built up in "
        "the same way. Eight cards are the divan. They can be played, and an empty place there must be "
        "filled, from the waste or with the next card of the stock. The waste is turned over twice. At the "
        "end eight queens surround the Sultan."
    ),
    doubts=(
        Doubt("Is the waste shuffled?", "No.", "stock.shuffle"),
        Doubt("Must the divan be kept full?", "Yes, while there is a card for it.", "divan.must"),
    ),
)

WINDMILL = solitaire(
    "windmill",
    "The Windmill",
    "Cheney 9",
    packs=2,
    groups=(
        aces(1, name="hub", suit=SuitRule.ANY, wrap=True, length=52, geometry=Geometry.CENTRE),
        kings(name="arms", suit=SuitRule.ANY, geometry=Geometry.CORNERS),
        NO_REDEAL,
        Waste(),
        Cells(name="sails", count=8, takes=WASTE_OR_STOCK, geometry=Geometry.MILL),
    ),
    deal=(Deal(to="hub", cards=("A*",)), Deal(to="sails", each=1)),
    specials=(BasesFirst(foundation="hub", bases="arms"),),
    skill=1,
    text=(
        "An ace is the hub. All suits build up on it four times round, fifty-two cards in all. The first four"
        " kings are the arms, which build down in any suit. Eight cards are the sails. They can be played; an"
        " empty place there may be filled from the waste, or with the next card of the stock. The waste is "
        "not turned over."
    ),
    doubts=(
        Doubt(
            "May a king go to the hub while an arm is empty?",
            "No: the first four kings belong to the arms.",
            "BasesFirst",
        ),
        Doubt("May cards go from an arm to the hub?", "No.", "arms.take_back"),
        Doubt("Must the sails be filled?", "No.", "sails.must"),
    ),
)

PICTURE = solitaire(
    "picture",
    "Picture",
    "Cheney 22",
    packs=2,
    groups=(
        kings(one_per_suit=True, geometry=Geometry.COLUMN),
        aces(one_per_suit=True, geometry=Geometry.COLUMN),
        TWO_REDEALS,
        Waste(),
        Cells(name="picture", count=9, takes=WASTE_OR_STOCK, geometry=Geometry.GRID, rows=(3, 3, 3)),
    ),
    deal=(KINGS_OUT, ACES_OUT, Deal(to="picture", each=1)),
    skill=1,
    text=(
        "Nine cards are the picture, with four kings on its left and four aces on its right. Kings build down"
        " and aces build up, in suit. All cards of the picture can be played. A gap in it may be filled from "
        "the waste, or with the next card of the stock; the waste is turned over twice. At the end the "
        "picture is gone."
    ),
    doubts=(
        Doubt(
            "Are kings and aces laid out at the start, or do they come as they turn up?",
            "They are laid out.",
            "deal",
        ),
    ),
)

LADY_OF_THE_MANOR = solitaire(
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

QUEENS_PARTY = solitaire(
    "queens-party",
    "The Queen's Party",
    "Cheney 29",
    groups=(
        aces(name="royal", base=KING, one_per_suit=True, order=(13, 12), length=2),
        aces(name="imperial", one_per_suit=True, order=(1, *range(11, 1, -1)), length=11),
        NO_REDEAL,
        DEALT,
        Reserve(name="waiting", size=0, takes=("dealt",), plays_to=("antechamber",)),
        Cells(name="antechamber", count=16, takes=("dealt", "waiting"), geometry=Geometry.WREATH),
    ),
    deal=(Deal(to="antechamber", each=1),),
    specials=(JointEntry(group="antechamber", foundations=("royal", "imperial")),),
    skill=1,
    text=(
        "Sixteen cards wait in the antechamber. The king and queen of a suit enter the hall together, and so "
        "do the ace and jack; the suit then builds down on the jack to the two. A card just dealt may "
        "follow there, or take an empty place in the antechamber. Otherwise it is put aside, and cards put "
        "aside can only fill such places."
    ),
    doubts=(
        Doubt(
            "May the card just dealt enter with its partner?",
            "No: both come from the antechamber.",
            "JointEntry.group",
        ),
        Doubt("May a card put aside go straight into the hall?", "No.", "waiting.plays_to"),
    ),
)

BRIDAL_WREATH = solitaire(
    "bridal-wreath",
    "Bridal Wreath",
    "Cheney 47",
    packs=2,
    groups=(
        aces(8, base=Base.FIRST, suit=SuitRule.ANY, wrap=True),
        NO_REDEAL,
        Waste(),
        Reserve(name="wreath", size=21, shows=Shows.ALL, geometry=Geometry.WREATH),
        Cells(name="bridesmaids", count=10, takes=("waste",), geometry=Geometry.GRID, rows=(5, 5)),
    ),
    deal=(Deal(to="wreath"), Deal(to="bridesmaids", each=1)),
    specials=(ChosenBase(foundations="aces"),),
    skill=1,
    text=(
        "Twenty-one cards are a wreath, of which only the last can be played. Ten cards beside it are the "
        "bridesmaids, which can all be played. The first card turned may start the families, and then its "
        "rank starts all eight; or you may wait for an ace. They build up in any suit and continue from king "
        "to ace. The waste fills the bridesmaids' places."
    ),
    doubts=(
        Doubt(
            "In which direction do the families build?",
            "Up, continuing from king to ace, thirteen cards each.",
            "aces.wrap",
        ),
        Doubt(
            "When is the choice of the base made?",
            "When the first card is turned, and before the next one is.",
            "ChosenBase",
        ),
        Doubt("Which end of the wreath can be played?", "The last card dealt.", "wreath"),
    ),
)

CELL_GAMES = (SULTAN, WINDMILL, PICTURE, LADY_OF_THE_MANOR, QUEENS_PARTY, BRIDAL_WREATH)
