"""The server, with a stopwatch on its loop: a program that runs it and says what its longest step cost.

Each line of its input ends a period; it answers with the milliseconds that the longest step of the loop had
the processor for. What else the machine does meanwhile does not count, as it would on a clock. The loop is
asyncio's: the steps of uvloop, which servers use where it is installed, cannot be timed from outside.
"""

import asyncio
import sys
import threading
import time

from racing_demon_server import server
from racing_demon_server.cli import main

longest = 0.0


def watch_steps() -> None:
    """Have every step of every loop timed, from now on."""
    setattr(server, "loop_factory", lambda **_: asyncio.new_event_loop)  # noqa: B010 - for this process
    run = asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        global longest  # noqa: PLW0603 - one loop, one figure
        begun = time.thread_time()
        try:
            run(handle)
        finally:
            longest = max(longest, time.thread_time() - begun)

    setattr(asyncio.Handle, "_run", timed)  # noqa: B010 - it is not ours


def answer() -> None:
    """Tell the longest step for each line that comes."""
    global longest
    for _ in sys.stdin:
        told, longest = longest, 0.0
        sys.stdout.write(f"longest {told * 1_000:.3f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    watch_steps()
    threading.Thread(target=answer, daemon=True).start()
    sys.exit(main(sys.argv[1:]))
