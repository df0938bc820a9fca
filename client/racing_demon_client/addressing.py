"""What a player calls the piles of a game, so that keys, plain text and pictures mean the same one.

A game that is laid out like the race has names by kind: columns, waste, reserve. In all others each pile has
a number of its own, and gets a letter.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from racing_demon_protocol.board import Kind, Pile
from racing_demon_protocol.declaration import Foundations, Geometry, Group, SuitRule, TakeBack
from racing_demon_protocol.rules import Rules

__all__ = ["addresses", "is_racelike", "stops"]

MOST_COLUMNS: Final = 9
"""With more columns the hands do not find them by their place on the keyboard."""
MOST_FOUNDATIONS: Final = 10
RACELIKE: Final = {
    Kind.STOCK: 1,
    Kind.WASTE: 1,
    Kind.RESERVE: 1,
    Kind.TABLEAU: MOST_COLUMNS,
    "head": MOST_COLUMNS,
}
"""The kinds of piles of a game that is laid out like the race, and how many of each there may be."""


def is_racelike(rules: Rules, seat: int) -> bool:
    """Tell whether a seat's piles are such as the race has: columns beside stock, waste and a reserve."""
    own = [(pile, group) for pile, group in _own(rules, seat) if pile.kind is not Kind.FOUNDATION]
    kinds = [pile.kind for pile, _ in own]
    return (
        Kind.TABLEAU in kinds
        and all(kinds.count(kind) <= RACELIKE.get(kind, 0) for kind in kinds)
        and all(group.geometry is Geometry.ROW for _, group in own)
    )


def stops(rules: Rules, seat: int) -> list[int]:
    """Return the piles that a player may want to take from, or play to, beside stock and foundations."""
    passed = {Kind.STOCK, Kind.FOUNDATION, Kind.OUT}
    return [pile.number for pile, _ in _own(rules, seat) if pile.kind not in passed]


@lru_cache(maxsize=64)
def addresses(rules: Rules, seat: int) -> Mapping[str, int]:
    """Return the piles of a seat by the names of the actions that choose them."""
    named: dict[str, int] = {}
    if is_racelike(rules, seat):
        kinds = {Kind.WASTE: "waste", Kind.RESERVE: "reserve"}
        named |= {name: pile for kind, name in kinds.items() for pile in rules.layout.own(seat, kind)}
        columns = rules.layout.own(seat, Kind.TABLEAU)
        named |= {f"column-{number}": pile for number, pile in enumerate(columns, start=1)}
    else:
        named |= {f"pile-{number}": pile for number, pile in enumerate(stops(rules, seat), start=1)}
    foundations = [pile.number for pile, group in _own(rules, seat) if isinstance(group, Foundations)]
    if _differ(rules, foundations):
        named |= {
            f"foundation-{number}": pile
            for number, pile in enumerate(foundations[:MOST_FOUNDATIONS], start=1)
        }
    return named


def _own(rules: Rules, seat: int) -> list[tuple[Pile, Group]]:
    """Return the piles that a seat may use, each with its group: those of others are none of its business."""
    alone = len(rules.layout.seats) == 1
    return [
        (pile, group)
        for pile, group in zip(rules.layout.piles, rules.layout.groups, strict=True)
        if pile.seat == seat or (pile.seat is None and (alone or pile.kind is Kind.FOUNDATION))
    ]


def _differ(rules: Rules, foundations: list[int]) -> bool:
    """Tell whether it matters which of the own foundations a card goes to, or is taken from."""
    groups = [rules.layout.groups[pile] for pile in foundations]
    own = all(rules.layout.piles[pile].seat is not None for pile in foundations)
    free = [
        group
        for group in groups
        if isinstance(group, Foundations)
        and (group.suit is not SuitRule.SAME or group.take_back is not TakeBack.NEVER)
    ]
    return (own or len(rules.layout.seats) == 1) and (bool(free) or len({group.name for group in groups}) > 1)
