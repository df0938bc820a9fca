"""The relation between two neighbors in a sequence."""

from functools import lru_cache
from typing import Final

from racing_demon_protocol.engine.cards import PACK_SIZE, SUIT_SIZE, Card, is_red, rank, suit
from racing_demon_protocol.engine.specification import Build, Foundations, SuitRule

_PACK: Final = range(PACK_SIZE)
MAX_CACHED_GROUPS: Final = 256
"""The number of cached groups: the games have a hundred, of some 50 KiB each."""


@lru_cache(MAX_CACHED_GROUPS)
def followers(ways: tuple[Build, ...], wrap: bool) -> tuple[frozenset[Card], ...]:
    """Return for each card of the first pack, by number, the cards of that pack that may lie on it.

    Args:
        ways: the ways to continue a column; any one suffices.
        wrap: whether the ranks wrap around from ace to king.

    """
    return tuple(
        frozenset(card for card in _PACK if any(follows(way, below, card, wrap) for way in ways))
        for below in _PACK
    )


@lru_cache(MAX_CACHED_GROUPS)
def successors(group: Foundations) -> tuple[tuple[frozenset[Card], ...], ...]:
    """Return the cards of the first pack that may come next on a foundation with cards that is not complete.

    They are indexed by the number of its cards, then by the number of its top card.
    """
    rows = [
        tuple(frozenset(card for card in _PACK if _comes_next(group, height, top, card)) for top in _PACK)
        for height in range(len(group.order) or 1)
    ]
    return tuple(rows[height % len(rows)] for height in range(group.length))


@lru_cache(SUIT_SIZE + 1)
def faces(of: int | None) -> frozenset[Card]:
    """Return the cards of a rank in the first pack; none for ``None``."""
    return frozenset(card for card in _PACK if rank(card) == of)


def _comes_next(group: Foundations, height: int, top: Card, card: Card) -> bool:
    if group.order:
        expected = group.order[height]
    else:
        expected = rank(top) + group.step
        if group.wrap:
            expected = (expected - 1) % SUIT_SIZE + 1
    return rank(card) == expected and suits_agree(group.suit, top, card)


def follows(build: Build, below: Card, above: Card, wrap: bool) -> bool:
    """Return whether one way to continue a column lets a card lie on another.

    Args:
        build: the way.
        below: the lower card.
        above: the upper card.
        wrap: whether the ranks wrap around from ace to king.

    """
    if build.delta is not None:
        delta = rank(above) - rank(below) - build.delta
        if delta % SUIT_SIZE if wrap else delta:
            return False
    if build.ranks is not None and rank(below) not in build.ranks:
        return False
    return suits_agree(build.suit, below, above)


def suits_agree(rule: SuitRule, below: Card, above: Card) -> bool:
    """Return whether the suits of two neighbors satisfy a rule."""
    match rule:
        case SuitRule.SAME:
            return suit(below) == suit(above)
        case SuitRule.ALTERNATE:
            return is_red(below) != is_red(above)
        case SuitRule.ANY:
            return True
