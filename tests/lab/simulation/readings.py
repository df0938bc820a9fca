"""When a server read which command: told by the network that it is on, which sees the bytes go in."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from websockets.frames import Opcode
from websockets.utils import apply_mask

from racing_demon_protocol.wire.codec import decode_client
from racing_demon_protocol.wire.messages import client as cl
from tests.lab.histories.client_log import Call

END_OF_REQUEST: Final = b"\r\n\r\n"
AT_ONCE: Final = 256
"""Of more bytes than that a server takes some at a time."""
SOON_US: Final = 3
"""A server looks at its clock so soon after the network did: each look takes a microsecond."""
LATER_US: Final = 1_000
"""Until all of a long read is taken; no time passes on the network meanwhile."""


class Readings:
    """The moments at which one server read commands.

    Args:
        clock: tells the server's time, in microseconds.

    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._unread: WeakKeyDictionary[object, bytearray] = WeakKeyDictionary()
        self._upgraded: WeakKeyDictionary[object, bool] = WeakKeyDictionary()
        self._read: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)

    def record(self, line: object, visitor: int, data: bytes) -> None:
        """Note that bytes of a visitor's line are being read."""
        now, unread = self._clock(), self._unread.setdefault(line, bytearray())
        last = now + (SOON_US if len(data) <= AT_ONCE else LATER_US)
        unread += data
        if line not in self._upgraded:
            _, end, rest = bytes(unread).partition(END_OF_REQUEST)
            if not end:
                return
            self._upgraded[line] = True
            unread[:] = rest
        while (frame := _take_frame(unread)) is not None:
            opcode, payload = frame
            if opcode is Opcode.BINARY and isinstance(command := decode_client(payload), cl.Command):
                self._read[visitor, command.counter].append((now, last))

    def moments(self, call: Call) -> Sequence[tuple[int, int]]:
        """Return between which moments a command was read, each time that it was."""
        return self._read[call.seat, call.command.counter]


def _take_frame(data: bytearray) -> tuple[Opcode, bytes] | None:
    """Take a client's frame from some bytes (RFC 6455, 5.2); return ``None`` while it is not whole."""
    if len(data) < 2:
        return None
    length, header = data[1] & 0x7F, 6
    if length == 126:
        length, header = int.from_bytes(data[2:4], "big"), 8
    if len(data) < header + length:
        return None
    opcode, mask, masked = Opcode(data[0] & 0x0F), data[header - 4 : header], data[header : header + length]
    del data[: header + length]
    return opcode, bytes(apply_mask(masked, mask))
