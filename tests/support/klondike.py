"""Klondike from its rules in plain words, written without a look at the interpreter."""

from collections.abc import Sequence
from itertools import pairwise

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card

FAMILIES = range(4)
HAND = 4
WASTE = 5
COLUMNS = range(6, 13)

RED = "♥♦"
RANKS = "A23456789TJQK"


def klondike_plays(board: Board) -> set[Play]:
    """Return all plays of solitary Klondike, three cards a turn, that a board allows."""
    piles = board.cards
    plays = set()
    for source in [WASTE, *COLUMNS]:
        if piles[source]:
            plays |= {
                Play(source, 1, family) for family in FAMILIES if _goes_up(piles[family], piles[source][-1])
            }
            plays |= {
                Play(source, count, column)
                for column in COLUMNS
                if column != source
                for count in range(1, len(piles[source]) + 1 if source in COLUMNS else 2)
                if _is_run(piles[source][-count:]) and _goes_on(piles[column], piles[source][-count])
            }
    if piles[HAND]:
        plays.add(Play(HAND, min(3, len(piles[HAND])), WASTE))
    elif piles[WASTE]:
        plays.add(Play(WASTE, len(piles[WASTE]), HAND))
    return plays


def _face(card: Card) -> tuple[int, str]:
    return card % 13, "♠♥♣♦"[card // 13 % 4]


def _goes_up(family: Sequence[Card], card: Card) -> bool:
    rank, suit = _face(card)
    return (rank, suit) == (len(family), _face(family[0])[1]) if family else RANKS[rank] == "A"


def _goes_on(column: Sequence[Card], card: Card) -> bool:
    if column:
        return _fits(column[-1], card)
    return RANKS[_face(card)[0]] == "K"


def _fits(below: Card, above: Card) -> bool:
    (low, low_suit), (high, high_suit) = _face(above), _face(below)
    return low == high - 1 and (low_suit in RED) != (high_suit in RED)


def _is_run(tail: Sequence[Card]) -> bool:
    return UNKNOWN not in tail and all(_fits(below, above) for below, above in pairwise(tail))
