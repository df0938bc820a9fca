"""A network in virtual time: connections in this process, with delays, breaks and silences from a seed.

The loop opens servers and connections on it as if they were sockets, so that servers and clients run on it
unchanged. Bytes of one direction keep their order, as in TCP; those of different connections overtake each
other, and where many arrive in the same millisecond, they arrive together, in any order.
"""

import asyncio
import math
import random
from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar
from functools import partial
from typing import Any, Final, NamedTuple

from tests.support.virtual_rooms import VirtualLoop

WINDOW: Final = 8_192
"""Bytes on their way, or unread, that count as sent: what operating systems keep for a connection."""
TOGETHER: Final = 2e-6
"""Appointments within so many seconds are kept together; their order is drawn within half of it."""


VISITOR: ContextVar[int] = ContextVar("VISITOR", default=-1)
"""Whose connections are opened here, and by all tasks that are begun here."""


class Faults(NamedTuple):
    """How bad the lines are.

    Attributes:
        delay: the longest delay of a direction, in seconds; each connection has its own, up to it.
        jitter: what may come on top of it, each time.

    """

    delay: float = 0.1
    jitter: float = 0.02


class Network:
    """All connections.

    Attributes:
        lines: those that are open, in the order in which they were opened.
        unreachable: the visitors whose connections lead nowhere.
        read: is told what a server is given to read, on which line, just before it is.

    Args:
        loop: runs it.
        seed: decides every delay.
        faults: how bad the lines are.

    """

    def __init__(self, loop: asyncio.AbstractEventLoop, seed: int, faults: Faults) -> None:
        self.lines: list[Line] = []
        self.unreachable: set[int] = set()
        self.read: Callable[[Line, bytes], None] = lambda line, data: None
        self._loop = loop
        self._seed = seed
        self._faults = faults
        self._count = 0
        self._servers: dict[int, MemoryServer] = {}

    def listen(self, factory: Callable[[], asyncio.BaseProtocol], port: int) -> "MemoryServer":
        """Open a server at a port."""
        server = self._servers[port] = MemoryServer(self, factory, port)
        return server

    def close(self, port: int) -> None:
        """Close a server's port."""
        self._servers.pop(port, None)

    async def connect(
        self, factory: Callable[[], asyncio.BaseProtocol], port: int
    ) -> tuple["_MemoryTransport", asyncio.BaseProtocol]:
        """Open a connection to a port.

        Raises:
            ConnectionRefusedError: nobody listens there.

        """
        self._count += 1
        line = Line(self, self._loop, random.Random(f"{self._seed}/{self._count}"), self._faults)
        await asyncio.sleep(line.delay)
        server = self._servers.get(port)
        if server is None or line.visitor in self.unreachable:
            raise ConnectionRefusedError(111, "Connection refused")
        self.lines = [known for known in self.lines if not known.is_closed] + [line]
        protocol = factory()
        line.join(protocol, server.factory())
        return line.near, protocol


class Line:
    """One connection, with its two ends.

    Attributes:
        near: the client's end.
        far: the server's.
        visitor: the number of whoever opened it, as :data:`VISITOR` had it.
        delay: how long a way takes at least.
        is_silent: whether nothing arrives any more, and nobody is told.

    """

    def __init__(
        self, network: Network, loop: asyncio.AbstractEventLoop, rng: random.Random, faults: Faults
    ) -> None:
        self.visitor = VISITOR.get()
        self.network = network
        self.delay = rng.uniform(0.0, faults.delay)
        self.is_silent = False
        self.near = _MemoryTransport(self, loop, random.Random(rng.random()), faults.jitter)
        self.far = _MemoryTransport(self, loop, random.Random(rng.random()), faults.jitter)
        self.near.peer, self.far.peer = self.far, self.near

    @property
    def is_closed(self) -> bool:
        """Whether both ends are closed."""
        return self.near.is_over and self.far.is_over

    def join(self, near: asyncio.BaseProtocol, far: asyncio.BaseProtocol) -> None:
        """Let two protocols speak over it."""
        self.far.set_protocol(far)
        self.near.set_protocol(near)
        far.connection_made(self.far)
        near.connection_made(self.near)

    def cut(self) -> None:
        """Break it, for both ends, with all that is on its way."""
        self.near.lose(ConnectionResetError(104, "Connection reset by peer"))
        self.far.lose(ConnectionResetError(104, "Connection reset by peer"))


class _MemoryTransport(asyncio.Transport):
    """One end of a line.

    Attributes:
        peer: the other end.
        is_over: whether the protocol has been told that it is.
        is_awake: whether the program behind it takes what arrives: a slow reader does not.

    """

    peer: "_MemoryTransport"

    def __init__(
        self, line: Line, loop: asyncio.AbstractEventLoop, rng: random.Random, jitter: float
    ) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.is_over = False
        self.is_awake = True
        self._line = line
        self._loop = loop
        self._rng = rng
        self._jitter = jitter
        self._protocol: Any = None
        self._closing = False
        self._paused = False
        self._unread: deque[bytes] = deque()
        self._on_the_way: deque[Callable[[], None]] = deque()
        self._outstanding = 0
        self._most_waiting = math.inf
        self._is_behind = False
        self._last = 0.0

    # For protocols.

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        protocol: asyncio.BaseProtocol = self._protocol
        return protocol

    def is_closing(self) -> bool:
        return self._closing

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._most_waiting = math.inf if high is None else high

    def get_write_buffer_size(self) -> int:
        return max(0, self._outstanding - WINDOW)

    def write(self, data: Any) -> None:
        if self._closing or not data:
            return
        self._outstanding += len(data)
        self._send(self.peer.arrive, bytes(data))
        if not self._is_behind and self.get_write_buffer_size() > self._most_waiting:
            self._is_behind = True
            self._protocol.pause_writing()

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self._send(self.peer.end)

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._send(self.peer.end)
            self._loop.call_soon(self._tell_lost, None)

    def abort(self) -> None:
        self._send(self.peer.lose, ConnectionResetError(104, "Connection reset by peer"))
        self.lose(None)

    def is_reading(self) -> bool:
        return not self._paused

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        if self._paused:
            self._paused = False
            self._loop.call_soon(self.read)

    # For the line.

    def lose(self, error: Exception | None) -> None:
        """End at once."""
        if not self._closing:
            self._closing = True
            self._loop.call_soon(self._tell_lost, error)

    def arrive(self, data: bytes) -> None:
        """Take bytes from the other end."""
        self._unread.append(data)
        self.read()

    def end(self) -> None:
        """Take the other end's good-bye."""
        self._unread.append(b"")
        self.read()

    def read(self) -> None:
        """Give the protocol what has arrived: as one piece, as a system does it."""
        if self._paused or self._closing or not self.is_awake or not self._unread:
            return
        pieces = list(self._unread)
        is_end = b"" in pieces
        data = b"".join(pieces)
        self._unread.clear()
        self.peer.consumed(len(data))
        if data:
            if self is self._line.far:
                self._line.network.read(self._line, data)
            self._protocol.data_received(data)
        if is_end and not self._closing and not self._protocol.eof_received():
            self.close()

    def consumed(self, size: int) -> None:
        """Note that the other end has read some bytes."""
        self._outstanding -= size
        if self._is_behind and not self._closing and not self.get_write_buffer_size():
            self._is_behind = False
            self._protocol.resume_writing()

    def _send(self, arrive: Callable[..., None], *what: object) -> None:
        delay = self._line.delay + self._rng.uniform(0, self._jitter)
        tick = math.ceil((self._loop.time() + delay) * 1_000) / 1_000
        self._last = max(self._last, tick + self._rng.random() * TOGETHER / 2)
        self._on_the_way.append(partial(arrive, *what))
        self._loop.call_at(self._last, self._deliver)  # of equal times the loop may take either first

    def _deliver(self) -> None:
        arrive = self._on_the_way.popleft()
        if not self._line.is_silent:
            arrive()

    def _tell_lost(self, error: Exception | None) -> None:
        if not self.is_over:
            self.is_over = True
            self._protocol.connection_lost(error)


class MemorySocket:
    """What is asked of a listening socket."""

    family = 2

    def __init__(self, port: int) -> None:
        self._port = port

    def getsockname(self) -> tuple[str, int]:
        """Return where it listens."""
        return "127.0.0.1", self._port

    def dup(self) -> "MemorySocket":
        """Return the same once more."""
        return self

    def listen(self, backlog: int) -> None:
        """Do nothing more."""

    def __enter__(self) -> "MemorySocket":
        return self

    def __exit__(self, *_: object) -> None:
        pass


class MemoryServer:
    """What is asked of asyncio's servers."""

    def __init__(self, network: Network, factory: Callable[[], asyncio.BaseProtocol], port: int) -> None:
        self.factory = factory
        self.sockets = (MemorySocket(port),)
        self._network = network
        self._port = port

    def close(self) -> None:
        """Listen no more."""
        self._network.close(self._port)

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop that runs it."""
        return asyncio.get_running_loop()

    def is_serving(self) -> bool:
        """Say that it listens."""
        return True

    async def start_serving(self) -> None:
        """Do nothing: it listens already."""

    async def wait_closed(self) -> None:
        """Do nothing: it is closed at once."""


class NetworkLoop(VirtualLoop):
    """A loop in virtual time, whose servers and connections are on a network of its own.

    Attributes:
        network: that network.

    """

    def __init__(self, seed: int, faults: Faults) -> None:
        super().__init__()
        self._clock_resolution = TOGETHER
        self._rng = random.Random(f"{seed}/timers")
        self.network = Network(self, seed, faults)

    def call_later(  # type: ignore[override]  # its arguments are not told apart here
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Do something after some time: appointments are kept together with what arrives, in any order."""
        due = self.time() + delay - TOGETHER / 2
        when = math.ceil(due * 1_000) / 1_000 + self._rng.random() * TOGETHER / 2
        return self.call_at(when, callback, *args, context=context)

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Callable[[], asyncio.BaseProtocol], host: str, port: int, **_: Any
    ) -> MemoryServer:
        """Open a server of the network."""
        return self.network.listen(protocol_factory, port)

    async def create_connection(  # type: ignore[override]
        self, protocol_factory: Callable[[], asyncio.BaseProtocol], **where: Any
    ) -> tuple[_MemoryTransport, asyncio.BaseProtocol]:
        """Open a connection of the network."""
        return await self.network.connect(protocol_factory, where["port"])
