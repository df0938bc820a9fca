"""The names of a game's piles: for keys, plain text and pictures.

A game with the race's layout names piles by kind: columns, waste, reserve. In all others each pile has a
number and a letter, except that places with a rank are named by it. In plain text a pile has one word, for
typing and in messages.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from string import ascii_letters, ascii_lowercase
from typing import Final

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import (
    Foundations,
    Geometry,
    Racing,
    Stock,
    SuitRule,
    Tableau,
    TailRule,
)

MAX_COLUMNS: Final = 9
"""With more columns their keys would not match their positions on the keyboard."""
MAX_FOUNDATIONS: Final = 10
RACELIKE: Final = {
    Kind.STOCK: 1,
    Kind.WASTE: 1,
    Kind.RESERVE: 1,
    Kind.TABLEAU: MAX_COLUMNS,
}
"""The kinds of piles in the race's layout, and the maximum number of each."""
MAX_CACHED: Final = 64
"""The number of cached results: they are needed for every key press and every picture."""


def usable(rules: Rules, seat: int) -> list[int]:
    """Return the piles that a seat may use: its own, the table's and a partner's."""
    together = rules.game.racing is Racing.TOGETHER
    return [pile.number for pile in rules.layout.piles if together or pile.seat in {None, seat}]


def is_racelike(rules: Rules, seat: int) -> bool:
    """Return whether a seat has the race's layout: columns beside stock, waste and a reserve."""
    own = [p for p in usable(rules, seat) if rules.layout.piles[p].kind is not Kind.FOUNDATION]
    kinds = [rules.layout.piles[pile].kind for pile in own]
    return (
        Kind.TABLEAU in kinds
        and all(kinds.count(kind) <= RACELIKE.get(kind, 0) for kind in kinds)
        and all(rules.layout.groups[pile].geometry is Geometry.ROW for pile in own)
        and not _differ(rules, seat)
    )


def cursor_piles(rules: Rules, board: Board, seat: int) -> tuple[int, ...]:
    """Return the piles that the cursor visits, in addition to stock and foundations.

    Skips a line's empty places, because a line closes up, and places that the game itself empties, because
    nobody takes cards from them and only one pile's card goes there.
    """
    groups = rules.layout.groups
    return tuple(
        pile
        for pile in _ever_visited(rules, seat)
        if board.cards[pile] or groups[pile].geometry is not Geometry.LINE
    )


def addresses(rules: Rules, board: Board, seat: int) -> Mapping[str, int]:
    """Return a seat's piles by the names of the actions that choose them."""
    return _named(rules, seat, cursor_piles(rules, board, seat))


def actions_with_keys(rules: Rules, board: Board, seat: int) -> tuple[str, ...]:
    """Return the actions that need keys: piles, the space bar, the shift, and whether cards may go up.

    Without a stock nothing is turned, but unbuilt games may have a single next play.
    """
    has_stock = seat in rules.layout.stock
    space = ["turn"] if has_stock else [] if isinstance(rules, BuildingRules) else ["next"]
    shift = ["shift"] if rules.allows_shifts else []
    return (*addresses(rules, board, seat), *space, *shift, *(["up"] if rules.layout.foundations else []))


@lru_cache(MAX_CACHED)
def _ever_visited(rules: Rules, seat: int) -> tuple[int, ...]:
    """Return the piles that the cursor visits while they have cards."""
    layout, passed = rules.layout, {Kind.STOCK, Kind.FOUNDATION, Kind.OUT}
    return tuple(
        pile
        for pile in usable(rules, seat)
        if layout.piles[pile].kind not in passed and layout.groups[pile].plays_to != ()
    )


@lru_cache(MAX_CACHED)
def _named(rules: Rules, seat: int, piles: tuple[int, ...]) -> Mapping[str, int]:
    named: dict[str, int] = {}
    if is_racelike(rules, seat):
        kinds = {Kind.WASTE: "waste", Kind.RESERVE: "reserve"}
        named |= {name: pile for kind, name in kinds.items() for pile in rules.layout.seat_piles(seat, kind)}
        columns = rules.layout.seat_piles(seat, Kind.TABLEAU)
        named |= {f"column-{number}": pile for number, pile in enumerate(columns, start=1)}
    else:
        places = [pile for pile in piles if getattr(rules.layout.groups[pile], "numbered", False)]
        others = (pile for pile in piles if pile not in places)
        named |= {f"place-{rules.layout.piles[pile].index + 1}": pile for pile in places}
        named |= {f"pile-{number}": pile for number, pile in enumerate(others, start=1)}
    if _differ(rules, seat):
        chosen = enumerate(_foundations(rules, seat)[:MAX_FOUNDATIONS], start=1)
        named |= {f"foundation-{number}": pile for number, pile in chosen}
    return named


def _foundations(rules: Rules, seat: int) -> list[int]:
    return [pile for pile in usable(rules, seat) if rules.layout.piles[pile].kind is Kind.FOUNDATION]


def _differ(rules: Rules, seat: int) -> bool:
    """Return whether it matters which of a seat's foundations a card goes to."""
    foundations = _foundations(rules, seat)
    groups = [rules.layout.groups[pile] for pile in foundations]
    own = all(rules.layout.piles[pile].seat is not None for pile in foundations)
    mixed = any(isinstance(group, Foundations) and group.suit is not SuitRule.SAME for group in groups)
    several = len({group.name for group in groups}) > 1
    return (own or len(rules.layout.seats) == 1) and (mixed or several)


LETTERS: Final = (*ascii_letters, *(one + other for one in ascii_lowercase for other in ascii_lowercase))
"""The labels of piles without a name by kind: a to z, A to Z, then aa, ab, and so on."""


def piles_by_label(rules: Rules, board: Board, seat: int) -> dict[str, int]:
    """Return a seat's piles by label.

    In a game with the race's layout, columns have numbers, the waste is ``w`` and the reserve ``r``. In all
    others every pile has a letter, except that places with a rank are labeled by it. Foundations have numbers
    if it matters which one is meant; the stock is ``0`` if its cards are played unseen, and cards that leave
    the game go to ``out``.
    """
    words: dict[str, int] = {}
    racelike = is_racelike(rules, seat)
    named = addresses(rules, board, seat)
    if not racelike:
        ranks = {
            RANK_NAMES[int(name.removeprefix("place-")) - 1].lower(): pile
            for name, pile in named.items()
            if name.startswith("place-")
        }
        others = (pile for pile in cursor_piles(rules, board, seat) if pile not in ranks.values())
        words |= ranks | dict(zip((word for word in LETTERS if word not in ranks), others, strict=False))
    for action, pile in named.items():
        kind, _, number = action.partition("-")
        if kind == "column":
            words[number] = pile
        elif kind in {"waste", "reserve"}:
            words[kind[0]] = pile
        elif kind == "foundation":
            words[f"f{number}" if racelike else number] = pile
    if seat in rules.layout.stock and (not racelike or _serves(rules, seat)):
        words["0"] = rules.layout.stock[seat]
    return words | _first_out(rules, seat)


def _first_out(rules: Rules, seat: int) -> dict[str, int]:
    piles = [pile for pile in usable(rules, seat) if rules.layout.piles[pile].kind is Kind.OUT]
    return {"out": piles[0]} if piles else {}


def _serves(rules: Rules, seat: int) -> bool:
    """Return whether the stock's next card may fill a place or be turned singly."""
    stock = rules.layout.groups[rules.layout.stock[seat]]
    if isinstance(stock, Stock) and stock.tail_rule is TailRule.EITHER2:
        return True
    fed = (group.space.takes if isinstance(group, Tableau) else group.takes for group in rules.game.groups)
    return any(stock.name in (takes or ()) for takes in fed)


def pile_labels(rules: Rules, board: Board, seat: int) -> Mapping[int, str]:
    """Return the labels of a seat's piles by pile."""
    return {pile: word for word, pile in piles_by_label(rules, board, seat).items()}


def pile_groups(rules: Rules, seat: int) -> Iterator[tuple[str, list[int]]]:
    """Yield the groups of piles that a seat may use, each with its piles."""
    groups: dict[tuple[int | None, str], list[int]] = {}
    for pile in usable(rules, seat):
        spec = rules.layout.piles[pile]
        groups.setdefault((spec.seat, spec.group), []).append(pile)
    yield from ((group, piles) for (_, group), piles in groups.items())
