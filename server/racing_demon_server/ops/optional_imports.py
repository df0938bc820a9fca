"""Loading a library without what it would load for nothing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["sparing"]


@contextmanager
def sparing(*names: str) -> Iterator[None]:
    """Let modules not be found while others are loaded that can do without them.

    Those that are loaded already stay, and all of them can be loaded afterwards. (``None`` is what the import
    system takes for a module that is not there.)
    """
    spared = [name for name in names if name not in sys.modules]
    for name in spared:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in spared:
            del sys.modules[name]
