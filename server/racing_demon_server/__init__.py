"""The authority: deals, judges plays in the order they arrive, and tells everybody."""

from importlib.metadata import version

__version__ = version("racing-demon")
