"""Garbage collection in small steps, so that no play waits for a full one.

Objects that survive a full collection are frozen, so each collection scans only newer ones. Reference
counting frees nearly everything. The exceptions are cycles: asyncio's transports, and tables, whose parts
call each other. A sweep frees them while nobody plays, or when they may use much memory, and returns the C
library's free memory to the system. Python's allocator returns only whole arenas: after 1,000 spectators have
left, most of their 16 MB stays with the process for the next ones.
"""

import contextlib
import gc
import sys
from collections.abc import Iterator
from typing import Any, Final

THRESHOLDS: Final = (3_000, 0, 0)
"""A full collection comes after some 9,000 new objects, and takes 1 or 2 ms. The plays that wait for the disk
are fewer than the first threshold, so they are never scanned.
"""
CONNECTION_BYTES: Final = 1_000
"""The most bytes that a closed connection leaves behind."""
TABLE_BYTES: Final = 200_000
"""The same for a closed table, after a hand of a game with many piles."""
FEW: Final = 100_000
"""How many bytes are worth a sweep while nobody plays."""
MANY: Final = 20_000_000
"""How many bytes are worth a sweep even during play."""


@contextlib.contextmanager
def small_collections() -> Iterator[None]:
    """Freeze what is loaded, and keep collections small, until the context ends."""
    before = gc.get_threshold()
    gc.callbacks.append(_freeze)
    gc.set_threshold(*THRESHOLDS)
    gc.collect()
    gc.collect()  # Python postpones a full collection until a quarter more objects are alive
    try:
        yield
    finally:
        gc.callbacks.remove(_freeze)
        gc.set_threshold(*before)
        gc.unfreeze()


def is_due(connections: int, tables: int, *, is_played: bool) -> bool:
    """Return whether to sweep, given the connections and tables closed since the last time."""
    left = connections * CONNECTION_BYTES + tables * TABLE_BYTES
    return left >= (MANY if is_played else FEW)


def sweep() -> None:
    """Collect everything, and return freed memory to the system. With 100 tables this takes some 0.1 s."""
    gc.unfreeze()
    gc.collect()
    gc.collect()
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - a server that has just started need not wait for it

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:  # glibc only
            trim(0)


def _freeze(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
