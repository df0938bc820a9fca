"""Parts shared by many declarations: foundations on aces and kings, free piles."""

from dataclasses import replace
from typing import Any

from racing_demon_protocol.engine.cards import KING, SUIT_LETTERS
from racing_demon_protocol.engine.specification import (
    ANYTHING,
    Deal,
    Deals,
    Foundations,
    Game,
    Goal,
    Group,
    Owner,
    Racing,
    Stock,
    Tableau,
    Unit,
    Waste,
)

NO_REDEAL = Stock(turn=1, redeals=0)
TWO_REDEALS = Stock(turn=1, redeals=2)
DEALT = Waste(name="dealt", limit=1)
"""The card just dealt, which must be placed before the next one."""
WASTE_OR_STOCK = ("waste", "stock")


def suits_of(rank: str) -> tuple[str, ...]:
    """Return the faces of a rank, one of each suit."""
    return tuple(rank + suit for suit in SUIT_LETTERS)


ACES_OUT = Deal(to="aces", cards=suits_of("A"))
KINGS_OUT = Deal(to="kings", cards=suits_of("K"))


def aces(count: int = 4, **changes: Any) -> Foundations:
    """Declare a player's foundations from aces up, in suit."""
    return Foundations(**{"name": "aces", "owner": Owner.PLAYER, "count": count, **changes})


def kings(**changes: Any) -> Foundations:
    """Declare a player's foundations from kings down, in suit."""
    return aces(**{"name": "kings", "base": KING, "step": -1, **changes})


def families() -> tuple[Foundations, Foundations]:
    """Declare foundations on one ace and one king of each suit, from two packs."""
    return aces(one_per_suit=True), kings(one_per_suit=True)


def solitaire(name: str, title: str, source: str, **fields: Any) -> Game:
    """Declare a game for one player, or raced on identical deals; one with a mechanic has its own goal."""
    common = {"deals": Deals.IDENTICAL, "racing": Racing.IDENTICAL}
    if "mechanic" in fields:
        common["goal"] = Goal.OWN_RULE
    return Game(name=name, title=title, source=source, **{**common, **fields})


def regrouped(game: Game, kind: type[Group], **changes: Any) -> tuple[Group, ...]:
    """Return a game's groups, those of one kind changed."""
    return tuple(replace(group, **changes) if isinstance(group, kind) else group for group in game.groups)


def free_piles(count: int) -> Tableau:
    """Declare piles that accept any card just dealt, and whose tops go to the foundations only."""
    return Tableau(name="piles", shape=(0,) * count, build=(ANYTHING,), unit=Unit.ONE, takes=("dealt",))
