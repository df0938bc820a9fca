"""Spectators by the hundred, in a process of their own, which gives way to all others as if elsewhere.

It answers each line with one line, in JSON:

    watch URL CODE N    N more come to watch, and read all that comes; then: their local ports
    stare URL CODE N    N more come, and never read again; then: their local ports
    until SEQ           wait until each that reads has the event of that number; then: {}
    tell                what those that read have had since they were last asked
    leave               all go; then: {}

It ends with its standard input.
"""

import contextlib
import os
import selectors
import socket
from collections.abc import Callable
from typing import Any, Final

import msgpack
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from benchmarks.line_server import LineServer
from racing_demon_protocol.wire.codec import VERSION, Encoding, encode
from racing_demon_protocol.wire.messages import FROM_SERVER, Event, Message
from racing_demon_protocol.wire.messages.client import Hello, Watch
from racing_demon_protocol.wire.messages.server import Snapshot

EVENTS: Final = frozenset(tag for tag, cls in FROM_SERVER.items() if issubclass(cls, Event))
READ_SIZE: Final = 65_536
SMALL_BUFFER: Final = 1_024
"""Bytes of a silent spectator's receive buffer; the system makes of it the least that it knows."""
ENTRY_SECONDS: Final = 20.0
GROUP: Final = 20
"""After this many have come, those who are there already read again."""


class Spectator:
    """One spectator.

    Attributes:
        socket: the connection.
        seq: the number of the last event; 0 before the snapshot.
        gaps: how many events did not follow the one before.
        frames: how many messages have come.

    """

    def __init__(self, url: str, code: str, *, silent: bool) -> None:
        uri = parse_uri(url)
        self.seq = self.gaps = self.frames = 0
        self.socket = socket.socket()
        if silent:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        self.socket.settimeout(ENTRY_SECONDS)
        self.socket.connect((uri.host, uri.port))
        self._protocol = ClientProtocol(uri, subprotocols=[Subprotocol(Encoding.MSGPACK)])
        self._protocol.send_request(self._protocol.connect())
        self._write()
        while self._protocol.state is State.CONNECTING:
            self.read()
        self._say(Hello(version=VERSION))
        self._say(Watch(code=code))
        self.socket.setblocking(False)

    @property
    def port(self) -> int:
        """The own port, by which the server can tell this one from others."""
        return int(self.socket.getsockname()[1])

    def read(self) -> bool:
        """Take what has come; tell whether the connection still stands."""
        data = self.socket.recv(READ_SIZE)
        if data:
            self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if isinstance(event, Frame) and event.opcode is Opcode.BINARY:
                self._take(msgpack.unpackb(event.data))
        self._write()  # the answers to pings
        return bool(data) and self._protocol.state is not State.CLOSED

    def _take(self, row: list[Any]) -> None:
        self.frames += 1
        if row[0] in EVENTS:
            self.gaps += row[1] != self.seq + 1
            self.seq = row[1]
        elif row[0] == Snapshot.TAG:
            self.seq = row[1]

    def close(self) -> None:
        """Say goodbye, and wait for no answer."""
        with contextlib.suppress(OSError):
            if self._protocol.state is State.OPEN:
                self._protocol.send_close(1000)
                self._write()
        self.socket.close()

    def _say(self, message: Message) -> None:
        frame = encode(message)
        assert isinstance(frame, bytes)
        self._protocol.send_binary(frame)
        self._write()

    def _write(self) -> None:
        data = b"".join(self._protocol.data_to_send())
        if data:
            self.socket.sendall(data)


class Crowd(LineServer):
    """All spectators of this process."""

    def __init__(self) -> None:
        super().__init__()
        self._reading: set[Spectator] = set()
        self._silent: list[Spectator] = []
        self._lost = 0

    def _read(self, onlooker: Spectator) -> None:
        try:
            stands = onlooker.read()
        except BlockingIOError:
            return
        except OSError:
            stands = False
        if not stands:
            self._lost += 1
            self._drop(onlooker)

    def _answer(self, words: list[str]) -> object:
        match words:
            case ["watch", url, code, number]:
                return self._come(url, code, int(number))
            case ["stare", url, code, number]:
                came = [Spectator(url, code, silent=True) for _ in range(int(number))]
                self._silent += came
                return [onlooker.port for onlooker in came]
            case ["until", seq]:
                self._wait(lambda: all(onlooker.seq >= int(seq) for onlooker in self._reading))
                return {}
            case ["tell"]:
                return self._tell()
            case ["leave"]:
                self._leave()
                return {}
        return {"error": f"{words} is nothing that can be asked for"}

    def _come(self, url: str, code: str, number: int) -> list[int]:
        came = []
        for _ in range(number):
            onlooker = Spectator(url, code, silent=False)
            self._selector.register(onlooker.socket, selectors.EVENT_READ, onlooker)
            self._reading.add(onlooker)
            came.append(onlooker.port)
            if len(came) % GROUP == 0:
                self._turn(0)  # whoever does not answer a ping in time is cut off
        self._wait(lambda: all(onlooker.seq for onlooker in self._reading))
        return came

    def _wait(self, is_so: Callable[[], bool]) -> None:
        while not is_so() and not self._ended:
            self._turn()

    def _tell(self) -> dict[str, int]:
        told = {
            "watching": len(self._reading),
            "lost": self._lost,
            "gaps": sum(onlooker.gaps for onlooker in self._reading),
            "frames": sum(onlooker.frames for onlooker in self._reading),
        }
        self._lost = 0
        for onlooker in self._reading:
            onlooker.gaps = onlooker.frames = 0
        return told

    def _leave(self) -> None:
        for onlooker in tuple(self._reading):
            onlooker.close()
            self._drop(onlooker)
        for onlooker in self._silent:
            onlooker.close()
        self._silent.clear()

    def _drop(self, onlooker: Spectator) -> None:
        self._selector.unregister(onlooker.socket)
        self._reading.discard(onlooker)
        onlooker.socket.close()


def give_way() -> None:
    """Run only when nobody else wants to: real spectators have machines of their own."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(19)


if __name__ == "__main__":
    give_way()
    Crowd().obey()
