"""Which build runs: the sources, or a wheel that mypyc compiled."""

from importlib.util import find_spec
from typing import Final

from . import __version__

COMPILED: Final = "compiled"
PURE: Final = "pure Python"


def build() -> str:
    """Return how this program was built, for people. Nothing is loaded for it."""
    judge = find_spec("racing_demon_protocol.engine.board")
    return PURE if judge is None or (judge.origin or "").endswith(".py") else COMPILED


def version() -> str:
    """Return version and build, for ``--version``."""
    return f"{__version__} ({build()})"
