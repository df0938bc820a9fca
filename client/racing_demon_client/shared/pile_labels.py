"""Pile labels in plain text: the same word for typing and for messages."""

from collections.abc import Iterator, Mapping
from string import ascii_letters, ascii_lowercase
from typing import Final

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Stock, Tableau, TailRule

from .pile_names import addresses, is_racelike, stops, usable

LETTERS: Final = (*ascii_letters, *(one + other for one in ascii_lowercase for other in ascii_lowercase))
"""The labels of piles without a name by kind: a to z, A to Z, then aa, ab, and so on."""


def pile_words(rules: Rules, board: Board, seat: int) -> dict[str, int]:
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
        others = (pile for pile in stops(rules, board, seat) if pile not in ranks.values())
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


def words_of(rules: Rules, board: Board, seat: int) -> Mapping[int, str]:
    """Return the labels of a seat's piles by pile."""
    return {pile: word for word, pile in pile_words(rules, board, seat).items()}


def groups_of(rules: Rules, seat: int) -> Iterator[tuple[str, list[int]]]:
    """Yield the groups of piles that a seat may use, each with its piles."""
    groups: dict[tuple[int | None, str], list[int]] = {}
    for pile in usable(rules, seat):
        spec = rules.layout.piles[pile]
        groups.setdefault((spec.seat, spec.group), []).append(pile)
    yield from ((group, piles) for (_, group), piles in groups.items())
