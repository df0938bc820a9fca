"""Ports: free ones, and those of addresses."""

import os
import random
import socket
from itertools import cycle, islice
from typing import Final

WORKERS: Final = 11
WORKER: Final = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % WORKERS
# Below the ports that systems give to outgoing connections: one of theirs could be taken by any test's client
# between the moment a port is chosen here and the moment its program listens. So could one of another worker.
PORTS: Final = range(10_000, 32_000)[WORKER::WORKERS]
_turns = cycle(random.SystemRandom().sample(PORTS, len(PORTS)))  # none comes again soon


def free_port() -> int:
    """Return a port of this machine on which nobody listens now."""
    for port in islice(_turns, len(PORTS)):
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
