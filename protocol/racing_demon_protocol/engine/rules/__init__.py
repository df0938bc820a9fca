"""The rules of games built in sequences: what is legal, its effects, and when a hand is dead."""

__all__ = [
    "base",
    "building",
    "candidates",
    "deal_rules",
    "effects",
    "endgame",
    "fast_path",
    "fill_rules",
    "placement",
    "positions",
    "sequences",
    "special_rules",
    "stock",
]
