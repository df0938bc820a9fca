"""Somebody who disturbs a server: over and over, until the process is killed.

    python -m benchmarks.yardsticks.disturbing flood|come URL CODE

``flood`` watches a table, says as much as goes through its socket, is cut off, and comes again. ``come``
watches a table until it has all of it, and goes. The first line of output says that it begins.
"""

import contextlib
import sys
from typing import Final

from websockets.frames import Frame, Opcode

from benchmarks.line_server import give_way
from benchmarks.yardsticks.entering import watch
from racing_demon_protocol.wire.codec import encode
from racing_demon_protocol.wire.messages.client import Ping

MANY: Final = 200


def flood(url: str, code: str) -> None:
    """Say something without end, until the server hears nothing more."""
    said = encode(Ping(stamp=0))
    assert isinstance(said, bytes)
    frames = Frame(Opcode.BINARY, said).serialize(mask=True) * MANY
    (flooding,) = watch(url, [code], 1)
    with contextlib.suppress(OSError):
        while True:
            flooding.socket.sendall(frames)
    flooding.close()


def come(url: str, code: str) -> None:
    """Watch a table, and go."""
    (looker,) = watch(url, [code], 1)
    looker.close()


if __name__ == "__main__":
    give_way()
    act = {"flood": flood, "come": come}[sys.argv[1]]
    sys.stdout.write("begins\n")
    sys.stdout.flush()
    while True:
        with contextlib.suppress(OSError):  # whoever stands still in a handshake is cut off
            act(sys.argv[2], sys.argv[3])
