"""Read typed or piped lines in the background, while the table goes on."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from itertools import chain
from typing import Any, Final, TextIO

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


async def first_ended(*works: Coroutine[Any, Any, None]) -> None:
    """Run some work until the first of it ends; cancel the rest, and raise what the first one raised."""
    tasks = [asyncio.create_task(work) for work in works]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for task in done:
        task.result()
