"""Thousands of spectators in a process of their own, each a socket whose bytes are read and thrown away.

It answers each line with one line, in JSON:

    watch URL CODE N    N more come to watch; then: {}
    tell                the bytes that came since the last question, and how many connections were lost

It ends with its standard input. Pings are not answered: let the server send none.
"""

import base64
import selectors
import socket
from typing import Final

from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from benchmarks.line_server import LineServer, give_way
from racing_demon_protocol.wire.codec import VERSION, Encoding, encode
from racing_demon_protocol.wire.messages.client import Hello, Watch

READ_SIZE: Final = 65_536
ENTRY_SECONDS: Final = 20.0
GROUP: Final = 50
"""After this many have come, those who are there already read again."""


def entry(url: str, code: str) -> bytes:
    """Return all that a spectator sends: the handshake, and the request to watch a table."""
    uri = parse_uri(url)
    lines = (
        f"GET {uri.path} HTTP/1.1",
        f"Host: {uri.host}:{uri.port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: {Encoding.MSGPACK}",
    )
    frames = []
    for message in (Hello(version=VERSION), Watch(code=code)):
        encoded = encode(message)
        assert isinstance(encoded, bytes)
        frames.append(Frame(Opcode.BINARY, encoded).serialize(mask=True))
    return "\r\n".join((*lines, "", "")).encode() + b"".join(frames)


class Readers(LineServer):
    """All spectators of this process."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer = bytearray(READ_SIZE)
        self._bytes = self._lost = 0

    def _answer(self, words: list[str]) -> object:
        match words:
            case ["watch", url, code, number]:
                self._come(url, entry(url, code), int(number))
                return {}
            case ["tell"]:
                told = {"bytes": self._bytes, "lost": self._lost}
                self._bytes = 0
                return told
        return {"error": f"{words} is nothing that can be asked for"}

    def _come(self, url: str, asked: bytes, number: int) -> None:
        uri = parse_uri(url)
        for come in range(1, number + 1):
            watching = socket.create_connection((uri.host, uri.port), ENTRY_SECONDS)
            watching.sendall(asked)
            watching.setblocking(False)
            self._selector.register(watching, selectors.EVENT_READ, watching)
            if come % GROUP == 0:
                self._turn(0)

    def _read(self, watching: socket.socket) -> None:
        try:
            size = watching.recv_into(self._buffer)
        except BlockingIOError:
            return
        except OSError:
            size = 0
        self._bytes += size
        if not size:
            self._lost += 1
            self._selector.unregister(watching)
            watching.close()


if __name__ == "__main__":
    give_way()
    Readers().obey()
