"""Lines that are typed, or piped in, read beside all else."""

import asyncio
import contextlib
import threading
from concurrent.futures import CancelledError
from itertools import chain
from typing import Final, TextIO

__all__ = ["read_in_background"]

MOST_TYPED: Final = 1_000
"""So many lines wait at most."""


def read_in_background(lines: TextIO) -> asyncio.Queue[str | None]:
    """Read lines in a thread, and return the queue they come to, ``None`` at their end.

    A terminal made non-blocking would garble what is written to it. No more lines are read than there is room
    for: what is piped in may have no end.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Queue[str | None] = asyncio.Queue(MOST_TYPED)

    def read() -> None:
        # The loop may end before the input, or the input be closed meanwhile.
        with contextlib.suppress(RuntimeError, ValueError, CancelledError):
            for line in chain(lines, [None]):
                put = typed.put(line)
                try:
                    asyncio.run_coroutine_threadsafe(put, loop).result()
                finally:
                    put.close()

    threading.Thread(target=read, name="typed lines", daemon=True).start()
    return typed
