"""Games of equal ranks: two equal cards leave together, or four are merged."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.engine.mechanics.pairs import Ranks, Sympathy
from racing_demon_protocol.engine.specification import (
    Cells,
    Deal,
    Deals,
    Doubt,
    Game,
    Geometry,
    Goal,
    Group,
    Owner,
    Racing,
    Reserve,
    Stock,
    Waste,
)

from .common import solitaire

LITTLE_LOTS = solitaire(
    "little-lots",
    "Little Lots",
    "Cheney 12",
    groups=(
        Reserve(name="lot", size=4, count=8, shows=Shows.LAST, geometry=Geometry.GRID, rows=(4, 4)),
        Out(),
    ),
    deal=(Deal(to="lot"),),
    mechanic=Ranks(),
    ranks=(1, 7, 8, 9, 10, 11, 12, 13),
    racing=Racing.REFLEX,
    skill=1,
    text=(
        "Thirty-two cards, sevens to aces, lie in eight lots of four, the top ones face up. Two equal top "
        "cards are removed, and the cards below them are turned up. When no pair is left, a lot of exactly "
        "two cards may be turned up: if they match each other, they are removed. You win when the table is "
        "empty. You have a choice only where three or four top cards are equal."
    ),
    doubts=(
        Doubt(
            "Which lots of two may be turned up, and when?",
            "Any of them, when no pair is left.",
            "mechanic.last_pairs",
        ),
    ),
)

PACKETS = 17


def _hand(added: str = "") -> tuple[Group, ...]:
    return (
        Packets(name="packet" + added, count=PACKETS, geometry=Geometry.GRID, rows=(9, 8)),
        Cells(name="lifted" + added, count=PACKETS, plays_to=(), geometry=Geometry.GRID, rows=(9, 8)),
        Cells(name="grace" + added, count=1),
    )


def _lay(added: str = "") -> tuple[Deal, ...]:
    return Deal(to="packet" + added, each=3), Deal(to="grace" + added, count=1)


SYMPATHY = Game(
    name="sympathy",
    title="Sympathy",
    source="Cheney 53",
    groups=(Out(owner=Owner.TABLE), *_hand()),
    deal=_lay(),
    goal=Goal.OWN_RULE,
    mechanic=Sympathy(),
    racing=Racing.TOGETHER,
    skill=1,
    text=(
        "Two players, each with a pack, work together. Each lays out seventeen packets of three, face down, "
        "and one card aside: the grace card. The second player turns up the top of each packet. Then the "
        "first turns up one packet after another: a card that matches one of the partner's is removed with "
        "it, and the card below is turned up next. When all packets of a player lie face up, it is the "
        "partner's turn. A player with no card face up may use the grace card as a match. You win when all "
        "cards are removed."
    ),
    doubts=(
        Doubt("What is a match?", "Two cards of equal rank, one of each player.", "mechanic"),
        Doubt("Must a match be taken?", "Yes; where several match, the player chooses one.", "mechanic"),
        Doubt(
            "What becomes of the grace card?",
            "It lies face up, and is removed with its match. The last two grace cards may match each other.",
            "mechanic.grace",
        ),
        Doubt(
            "When may the grace card be used?",
            "On your own turn, or when all packets lie face up.",
            "mechanic.grace",
        ),
    ),
)

SYMPATHY_ALONE = replace(
    SYMPATHY,
    name="sympathy-alone",
    title="Sympathy, alone",
    groups=(Out(), *_hand(), *_hand("-left")),
    deal=(*_lay(), *_lay("-left")),
    mechanic=Sympathy(hands=("", "-left")),
    text=(
        "Sympathy with two packs for one player, whose right hand and left hand take the parts of the two "
        "players. Each has seventeen packets of three, face down, and a grace card. The left hand turns up "
        "the top of each packet. Then the right hand turns up one packet after another: a card that matches "
        "one of the left hand's is removed with it, and the card below is turned up next. When all packets of"
        " a hand lie face up, it is the other's turn. A hand with no card face up may use its grace card as a"
        " match. You win when all cards are removed."
    ),
    packs=2,
    deals=Deals.IDENTICAL,
    racing=Racing.IDENTICAL,
)
"""As entry 53 allows: "unless the right hand and the left may take their places"."""

GAMBLERS_PATIENCE = solitaire(
    "gamblers",
    "Gambler's Patience",
    "Cheney 45",
    groups=(Packets(name="pile", count=4, shows=Shows.ALL), Stock(turn=4), Waste(plays_to=()), Out()),
    deal=(),
    mechanic=Merging(),
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "Four cards are dealt in a row, again and again on top of each other. After each full row, equal top "
        "cards move to the left, onto the leftmost of them; four equal top cards are removed. When the stock "
        "is empty, the piles are taken up from the left and dealt again as they are, as often as you like. "
        "You win when all cards are removed, and lose when the same order of cards comes back. The game is "
        "also known as Perpetual Motion."
    ),
    doubts=(
        Doubt(
            "What fills a gap in the row?",
            "The next row that is dealt; places stay where they are.",
            "mechanic.close_up",
        ),
        Doubt(
            'When do four equal cards leave? ("Even if one belongs to a lower row.")',
            "When they are the four tops, whichever row each was dealt in.",
            "mechanic.gathered",
        ),
        Doubt("When is the game lost?", "When the same order of the cards comes back.", "stock.redeals"),
    ),
)
