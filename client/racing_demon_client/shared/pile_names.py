"""What a player calls the piles of a game, so that keys, plain text and pictures mean the same one.

A game that is laid out like the race has names by kind: columns, waste, reserve. In all others each pile has
a number of its own, and gets a letter; places that belong to ranks are called by these.
"""

from collections.abc import Mapping
from typing import Final
from weakref import WeakKeyDictionary

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Foundations, Geometry, Racing, SuitRule

__all__ = ["addresses", "is_racelike", "keyed", "stops", "usable"]

MOST_COLUMNS: Final = 9
"""With more columns the hands do not find them by their place on the keyboard."""
MOST_FOUNDATIONS: Final = 10
RACELIKE: Final = {
    Kind.STOCK: 1,
    Kind.WASTE: 1,
    Kind.RESERVE: 1,
    Kind.TABLEAU: MOST_COLUMNS,
}
"""The kinds of piles of a game that is laid out like the race, and how many of each there may be."""


def usable(rules: Rules, seat: int) -> list[int]:
    """Return the piles that a seat may have to do with: its own, the table's, and those of a partner."""
    together = rules.game.racing is Racing.TOGETHER
    return [pile.number for pile in rules.layout.piles if together or pile.seat in {None, seat}]


def is_racelike(rules: Rules, seat: int) -> bool:
    """Tell whether a seat's piles are such as the race has: columns beside stock, waste and a reserve."""
    own = [p for p in usable(rules, seat) if rules.layout.piles[p].kind is not Kind.FOUNDATION]
    kinds = [rules.layout.piles[pile].kind for pile in own]
    return (
        Kind.TABLEAU in kinds
        and all(kinds.count(kind) <= RACELIKE.get(kind, 0) for kind in kinds)
        and all(rules.layout.groups[pile].geometry is Geometry.ROW for pile in own)
        and not _differ(rules, seat)
    )


def stops(rules: Rules, board: Board, seat: int) -> list[int]:
    """Return the piles that a player may want to take from, or play to, beside stock and foundations.

    Of a line those that hold no card are passed over: it has closed up. So are places that the game itself
    empties: nobody takes anything from there, and just one pile's card goes there.
    """
    layout, passed = rules.layout, {Kind.STOCK, Kind.FOUNDATION, Kind.OUT}
    return [
        pile
        for pile in usable(rules, seat)
        if layout.piles[pile].kind not in passed
        and layout.groups[pile].plays_to != ()
        and (board.cards[pile] or layout.groups[pile].geometry is not Geometry.LINE)
    ]


def addresses(rules: Rules, board: Board, seat: int) -> Mapping[str, int]:
    """Return the piles of a seat by the names of the actions that choose them."""
    if any(group.geometry is Geometry.LINE for group in rules.game.groups):
        return _named(rules, board, seat)
    known = _KNOWN.setdefault(rules, {})
    if seat not in known:
        known[seat] = _named(rules, board, seat)
    return known[seat]


def keyed(rules: Rules, board: Board, seat: int) -> tuple[str, ...]:
    """Return the actions that need keys: piles, what the space bar does, and whether cards may go up.

    Without a stock nothing is turned; but games that are not built may have just one play, the next.
    """
    has_stock = seat in rules.layout.stock
    space = ["turn"] if has_stock else [] if isinstance(rules, BuildingRules) else ["next"]
    return (*addresses(rules, board, seat), *space, *(["up"] if rules.layout.foundations else []))


_KNOWN: WeakKeyDictionary[Rules, dict[int, Mapping[str, int]]] = WeakKeyDictionary()
"""What was found out already: it is asked with every key and every picture."""


def _named(rules: Rules, board: Board, seat: int) -> Mapping[str, int]:
    named: dict[str, int] = {}
    if is_racelike(rules, seat):
        kinds = {Kind.WASTE: "waste", Kind.RESERVE: "reserve"}
        named |= {name: pile for kind, name in kinds.items() for pile in rules.layout.own(seat, kind)}
        columns = rules.layout.own(seat, Kind.TABLEAU)
        named |= {f"column-{number}": pile for number, pile in enumerate(columns, start=1)}
    else:
        piles = stops(rules, board, seat)
        places = [pile for pile in piles if getattr(rules.layout.groups[pile], "numbered", False)]
        others = (pile for pile in piles if pile not in places)
        named |= {f"place-{rules.layout.piles[pile].index + 1}": pile for pile in places}
        named |= {f"pile-{number}": pile for number, pile in enumerate(others, start=1)}
    if _differ(rules, seat):
        chosen = enumerate(_foundations(rules, seat)[:MOST_FOUNDATIONS], start=1)
        named |= {f"foundation-{number}": pile for number, pile in chosen}
    return named


def _foundations(rules: Rules, seat: int) -> list[int]:
    return [pile for pile in usable(rules, seat) if rules.layout.piles[pile].kind is Kind.FOUNDATION]


def _differ(rules: Rules, seat: int) -> bool:
    """Tell whether it matters which of the own foundations a card goes to."""
    foundations = _foundations(rules, seat)
    groups = [rules.layout.groups[pile] for pile in foundations]
    own = all(rules.layout.piles[pile].seat is not None for pile in foundations)
    mixed = any(isinstance(group, Foundations) and group.suit is not SuitRule.SAME for group in groups)
    several = len({group.name for group in groups}) > 1
    return (own or len(rules.layout.seats) == 1) and (mixed or several)
