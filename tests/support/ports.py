"""Ports: free ones, and those of addresses."""

import fcntl
import os
import random
import socket
import tempfile
from itertools import cycle, islice
from pathlib import Path
from typing import Final

# Below the ports that systems give to outgoing connections: one of theirs could be taken by any test's client
# between the moment a port is chosen here and the moment its program listens.
PORTS: Final = range(10_000, 32_000)
_turns = cycle(random.SystemRandom().sample(PORTS, len(PORTS)))  # none comes again soon
_locks: Final = os.open(
    Path(tempfile.gettempdir(), f"racing-demon-ports-{os.getuid()}"), os.O_CREAT | os.O_RDWR
)
"""A file whose bytes are locked, one for each port that tests of this user have chosen, until they end."""


def free_port() -> int:
    """Return a port of this machine on which nobody listens, and which no other process of tests chooses."""
    for port in islice(_turns, len(PORTS)):
        try:
            fcntl.lockf(_locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
        except OSError:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port
    msg = "no port is free"
    raise RuntimeError(msg)


def port_of(url: str) -> int:
    """Return the port of a server's address."""
    return int(url.rpartition(":")[2].partition("/")[0])
