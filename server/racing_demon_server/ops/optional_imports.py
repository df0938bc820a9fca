"""Import a library without its optional imports."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_modules(*names: str) -> Iterator[None]:
    """Hide modules from a library that can do without them, while it is imported.

    Modules that are already loaded stay, and all can be imported afterwards. The import system treats
    ``None`` as a missing module.
    """
    hidden = [name for name in names if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
