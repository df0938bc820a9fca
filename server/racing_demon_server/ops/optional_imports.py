"""Import a library without its optional imports."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["sparing"]


@contextmanager
def sparing(*names: str) -> Iterator[None]:
    """Make modules unavailable while a library is imported that can do without them.

    Modules that are already loaded stay, and all can be imported afterwards. (The import system treats
    ``None`` as a missing module.)
    """
    spared = [name for name in names if name not in sys.modules]
    for name in spared:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in spared:
            del sys.modules[name]
