"""Records of matches: the file format, its verification, and statistics computed from it."""

__all__ = [
    "analysis",
    "digest",
    "fairness",
    "history",
    "match_file",
    "opportunities",
    "proof",
    "ratings",
    "record",
    "standings",
]
