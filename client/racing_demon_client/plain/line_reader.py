"""Read typed or piped lines in the background."""

import asyncio
import contextlib
import threading
from concurrent.futures import CancelledError
from itertools import chain
from typing import Final, TextIO

MOST_TYPED: Final = 1_000
"""The maximum number of queued lines."""


def read_in_background(lines: TextIO) -> asyncio.Queue[str | None]:
    """Read lines in a thread; return the queue that receives them, with ``None`` at the end.

    Making the terminal non-blocking would garble the output. Reading stops while the queue is full: piped
    input may be endless.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Queue[str | None] = asyncio.Queue(MOST_TYPED)

    def read() -> None:
        # The loop may end before the input, or the input may be closed.
        with contextlib.suppress(RuntimeError, ValueError, CancelledError):
            for line in chain(lines, [None]):
                put = typed.put(line)
                try:
                    asyncio.run_coroutine_threadsafe(put, loop).result()
                finally:
                    put.close()

    threading.Thread(target=read, name="typed lines", daemon=True).start()
    return typed
