"""Cards, piles, layouts and the dealer: the elements of every game. Pure: no table, no wire, no clock."""

__all__ = [
    "board",
    "cards",
    "deal",
    "dealer",
    "enums",
    "groups",
    "invariants",
    "layout",
    "mechanics",
    "piles",
    "privileges",
    "racing",
    "rulebook",
    "rules",
    "search",
    "shuffle",
    "specification",
]
