"""What many declarations share: groups, steps of the deal, and ways to build."""

from dataclasses import replace
from typing import Any

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import KING, SUIT_LETTERS
from racing_demon_protocol.engine.specification import (
    ANYTHING,
    Build,
    Cells,
    Deal,
    Deals,
    Foundations,
    Game,
    Geometry,
    Goal,
    Group,
    Owner,
    Racing,
    Space,
    Stock,
    SuitRule,
    Tableau,
    Unit,
    Waste,
)

NO_REDEAL = Stock(turn=1, redeals=0)
TWO_REDEALS = Stock(turn=1, redeals=2)
DEALT = Waste(name="dealt", limit=1)
"""The card just dealt, which must be placed before the next one."""
WASTE_OR_STOCK = ("waste", "stock")
DOWN_IN_SUIT = Build(suit=SuitRule.SAME)
UP_IN_SUIT = Build(delta=1, suit=SuitRule.SAME)
UP_OR_DOWN = (Build(suit=SuitRule.ANY), Build(delta=1, suit=SuitRule.ANY))
SPACE_FROM_WASTE_OR_STOCK = Space(takes=WASTE_OR_STOCK)
COLUMNS_IN_ROWS = Deal(to="columns", rows=True)
HAND = Cells(name="hand", count=1, counts=True)
"""The card that travels."""
RANK_WORDS = (
    *("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king"),
)
FANS = Tableau(
    name="fans",
    shape=(3,) * 16,
    shows=Shows.ALL,
    build=(DOWN_IN_SUIT, UP_IN_SUIT),
    unit=Unit.ONE,
    space=Space(takes=()),
    gathers=1,
    geometry=Geometry.FANS,
    rows=(6, 6, 4),
)


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


def columns(shape: tuple[int, ...], **changes: Any) -> Tableau:
    """Declare face-up columns, built down in suit, of which one card moves at a time."""
    common = {"name": "columns", "shows": Shows.ALL, "build": (DOWN_IN_SUIT,), "unit": Unit.ONE}
    return Tableau(shape=shape, **{**common, **changes})


def places(*rows: int) -> Cells:
    """Declare places for single cards, in rows."""
    return Cells(name="place", count=sum(rows), geometry=Geometry.GRID, rows=rows)
