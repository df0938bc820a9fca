"""Garbage collection in small bites: no play waits while all that lives is looked through.

What outlives a full collection is frozen, and not looked at again; so each looks at what has come since the
last one only. Nearly everything that dies is freed at once, frozen or not. What is left are asyncio's
transports, which refer to themselves, a kilobyte for each connection: a sweep frees them when no match goes
on, and gives back what the C library keeps. Python's own allocator gives back only what lies together: after
1,000 spectators have gone, most of their 16 MB stays with the process, for the next ones.
"""

import contextlib
import gc
import sys
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["is_due", "small_collections", "sweep"]

THRESHOLDS: Final = (3_000, 0, 0)
"""A full collection comes with some 9,000 objects more than there were at the last: it takes 1 or 2 ms.

What is played and still to be written is less than the first of these: it comes and goes uncollected.
"""
FEW: Final = 100
"""So many closed connections are worth a sweep while nobody plays."""
MANY: Final = 20_000
"""So many, some 20 MB, are not left for the next quiet moment."""


@contextlib.contextmanager
def small_collections() -> Iterator[None]:
    """Keep what is loaded by now out of all collections, and these small, until the context ends."""
    before = gc.get_threshold()
    gc.callbacks.append(_freeze)
    gc.set_threshold(*THRESHOLDS)
    gc.collect()
    gc.collect()  # while Python remembers much that lives, it waits for a quarter as much more
    try:
        yield
    finally:
        gc.callbacks.remove(_freeze)
        gc.set_threshold(*before)
        gc.unfreeze()


def is_due(closed: int, *, is_played: bool) -> bool:
    """Tell whether to sweep, after so many connections were closed since the last time."""
    return closed >= (MANY if is_played else FEW)


def sweep() -> None:
    """Look through everything that is alive, and give freed memory back: with 100 tables some 0.1 s."""
    gc.unfreeze()
    gc.collect()
    gc.collect()
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - a server that has just started need not wait for it

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:  # only glibc has it
            trim(0)


def _freeze(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
