"""Sockets that sit at tables, opened one by one without a library, and then handed to the load."""

import base64
import json
import os
import socket
from collections.abc import Sequence
from typing import Any, Final

import msgpack
from websockets.frames import Frame, Opcode

from benchmarks.yardsticks.script import OPTIONS, SEATS
from racing_demon_protocol.wire.codec import VERSION, Encoding, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Create, Hello, Join, Start, Watch
from racing_demon_protocol.wire.messages.server import Seated, Snapshot

PATIENCE: Final = 30.0


class Socket:
    """One WebSocket, whose reads wait and take no more than the frame that is asked for.

    Attributes:
        encoding: how messages are written.
        newest: what was in the frame that was read last.

    Args:
        url: the server's.
        path: another path than the URL's.
        encoding: how messages are written.
        buffer: the bytes that the system may keep for it; 0 for as many as it likes.

    """

    def __init__(
        self, url: str, path: str | None = None, *, encoding: Encoding = Encoding.MSGPACK, buffer: int = 0
    ) -> None:
        self.encoding = encoding
        host, _, own_path = url.removeprefix("ws://").partition("/")
        name, _, port = host.rpartition(":")
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE)
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.connect((name, int(port)))
        self.newest = b""
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET /{own_path if path is None else path} HTTP/1.1",
            f"Host: {host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {encoding}",
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            seen = self.socket.recv(4_096, socket.MSG_PEEK)
            end = (answer + seen).find(b"\r\n\r\n")
            size = len(seen) if end < 0 else end + 4 - len(answer)
            answer += self._exactly(size)
        if b" 101 " not in answer.partition(b"\r\n")[0]:
            raise ConnectionError(answer.decode(errors="replace")[:200])

    def fileno(self) -> int:
        """Return the socket's number."""
        return self.socket.fileno()

    def say(self, message: Message) -> None:
        """Send a message."""
        self.send(encode(message, self.encoding))

    def send(self, data: bytes | str) -> None:
        """Send bytes, or a text, as a frame."""
        frame = Frame(Opcode.TEXT, data.encode()) if isinstance(data, str) else Frame(Opcode.BINARY, data)
        self.socket.sendall(frame.serialize(mask=True))

    def hear(self) -> list[Any]:
        """Return the next message as it is on the wire: its number, then its fields."""
        read = json.loads if self.encoding is Encoding.JSON else msgpack.unpackb
        return list(read(self.data()))

    def data(self) -> bytes:
        """Return what is in the next frame of a message; answer pings before it."""
        while True:
            first, size = self._exactly(2)
            if size == 126:
                size = int.from_bytes(self._exactly(2), "big")
            data = self._exactly(size)
            if first & 15 in {Opcode.BINARY, Opcode.TEXT}:
                self.newest = data
                return data
            if first & 15 == Opcode.PING:
                self.socket.sendall(Frame(Opcode.PONG, data).serialize(mask=True))

    def until(self, tag: int) -> list[Any]:
        """Return the next message of a kind, and pass over those before it.

        Raises:
            ConnectionError: another request was refused, or the connection was closed.

        """
        while True:
            row = self.hear()
            if row[0] == tag:
                return row
            if row[0] == 68:
                raise ConnectionError(f"refused: {row}")

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionError("the server has closed the connection")
            data += part
        return data

    def close(self) -> None:
        """Go, without a word."""
        self.socket.close()


def sit_at_relay(url: str, tables: int, members: int = SEATS) -> list[Socket]:
    """Return the sockets of a number of tables of a relay, table by table."""
    return [Socket(url, f"t/{number}") for number in range(tables) for _ in range(members)]


def stand_by_relay(url: str, number: int) -> list[Socket]:
    """Return the sockets of spectators at a table of a relay at which nobody says anything."""
    return [Socket(url, "t/idle") for _ in range(number)]


def look_on(url: str, number: int) -> list[Socket]:
    """Return the sockets of spectators at a table of ours at which nothing happens, and of its host."""
    if not number:
        return []
    host, codes = sit_down(url, 1, seats=1, start=False)
    return host + watch(url, codes, number)


def sit_down(
    url: str, tables: int, *, seats: int = SEATS, start: bool = True
) -> tuple[list[Socket], list[str]]:
    """Fill a number of tables of our server, and deal; return the sockets, table by table, and the codes."""
    found, codes = list[Socket](), list[str]()
    for _ in range(tables):
        host = Socket(url)
        host.say(Hello(version=VERSION))
        host.say(Create(name="Player 1", options=OPTIONS))
        code = host.until(Seated.TAG)[1]
        codes.append(code)
        guests = [Socket(url) for _ in range(1, seats)]
        for seat, guest in enumerate(guests, 2):
            guest.say(Hello(version=VERSION))
            guest.say(Join(code=code, name=f"Player {seat}"))
            guest.until(Seated.TAG)
        for guest in guests:
            guest.until(Snapshot.TAG)
        party = [host, *guests]
        if start:
            host.say(Start(counter=1))
        found += party
    return found, codes


def watch(url: str, codes: Sequence[str], number: int, *, buffer: int = 0) -> list[Socket]:
    """Return spectators' sockets, at the tables of these codes in turn."""
    found = []
    for index in range(number):
        looker = Socket(url, buffer=buffer)
        looker.say(Hello(version=VERSION))
        looker.say(Watch(code=codes[index % len(codes)]))
        looker.until(Snapshot.TAG)
        found.append(looker)
    return found
