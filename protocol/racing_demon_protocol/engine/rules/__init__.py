"""The rules of games built in sequences: what is legal, its effects, and when a hand is dead."""

__all__ = [
    "base",
    "building",
    "candidates",
    "columns",
    "deal_rules",
    "effects",
    "endgame",
    "fast_path",
    "fill_rules",
    "foundations",
    "positions",
    "sequences",
    "special_rules",
    "stock",
    "transfers",
    "verification",
]
