"""How two neighbours in a sequence must go together."""

from .cards import SUIT_SIZE, Card, is_red, rank, suit
from .declaration import Build, SuitRule

__all__ = ["follows", "suits_agree"]


def follows(build: Build, below: Card, above: Card, wrap: bool) -> bool:
    """Tell whether one way to continue a column lets a card lie on another.

    Args:
        build: the way.
        below: the card that lies there.
        above: the card that is to lie on it.
        wrap: whether the ranks go round, ace to king.

    """
    if build.delta is not None:
        delta = rank(above) - rank(below) - build.delta
        if delta % SUIT_SIZE if wrap else delta:
            return False
    if build.ranks is not None and rank(below) not in build.ranks:
        return False
    return suits_agree(build.suit, below, above)


def suits_agree(rule: SuitRule, below: Card, above: Card) -> bool:
    """Tell whether the suits of two neighbours are as a rule wants them."""
    match rule:
        case SuitRule.SAME:
            return suit(below) == suit(above)
        case SuitRule.ALTERNATE:
            return is_red(below) != is_red(above)
        case SuitRule.ANY:
            return True
