"""Sympathy."""

from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.pairs import Sympathy
from racing_demon_protocol.engine.specification import (
    Cells,
    Deal,
    Doubt,
    Game,
    Geometry,
    Goal,
    Group,
    Owner,
    Racing,
)

PACKETS = 17


def hand(added: str = "") -> tuple[Group, ...]:
    """Declare the piles of one hand, their names with a suffix if a player has two."""
    return (
        Packets(name="packet" + added, count=PACKETS, geometry=Geometry.GRID, rows=(9, 8)),
        Cells(name="lifted" + added, count=PACKETS, plays_to=(), geometry=Geometry.GRID, rows=(9, 8)),
        Cells(name="grace" + added, count=1),
    )


def deal_of(added: str = "") -> tuple[Deal, ...]:
    """Declare the deal to the piles of one hand."""
    return Deal(to="packet" + added, each=3), Deal(to="grace" + added, count=1)


GAME = Game(
    name="sympathy",
    title="Sympathy",
    source="Cheney 53",
    groups=(Out(owner=Owner.TABLE), *hand()),
    deal=deal_of(),
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
