"""The table as text: pure functions from a scene and a size to a picture."""

__all__ = [
    "arrangement",
    "banner",
    "blocks",
    "canvas",
    "cards",
    "columns",
    "context",
    "foundations",
    "heaps",
    "pages",
    "players",
    "scene",
    "side_piles",
    "slots",
    "table",
]
