"""A program that starts servers by forking: each is a process of its own, there at once, to be killed.

It reads lines: ``start ARGUMENTS``. Before it forks it waits until the server before is gone.
It writes ``pid NUMBER``; what the server says goes to the same output.
"""

import os
import shlex
import sys

from racing_demon_server.cli import main


def serve() -> None:
    """Start servers until the input ends."""
    pid = 0
    for line in sys.stdin:
        word, *arguments = shlex.split(line)
        assert word == "start", line
        if pid:
            os.waitpid(pid, 0)
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            sys.stdout.write(f"pid {os.getpid()}\n")  # by itself: it may speak before the parent's turn comes
            sys.stdout.flush()
            os._exit(main(arguments))


if __name__ == "__main__":
    serve()
