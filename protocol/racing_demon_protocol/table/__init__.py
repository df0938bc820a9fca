"""The public state of a table: a fold over its events, snapshots, and scores."""

__all__ = ["intent", "scoring", "state", "view"]
