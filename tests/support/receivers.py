"""A receiver of a webhook whose answers a test decides, and what it was told."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from email.parser import BytesParser
from pathlib import Path
from ssl import SSLContext
from typing import Any, Final, NamedTuple, Self

from tests.support.servers import deadline

SECRET: Final = "whsec_" + "c2VjcmV0" * 6
HUNG: Final = 0
"""An answer that never comes."""


class Request(NamedTuple):
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        """The notice's id."""
        return self.headers["webhook-id"]

    @property
    def told(self) -> Any:
        """The body."""
        return json.loads(self.body)


class Receiver:
    """A receiver at a port of this machine.

    Attributes:
        port: its port.
        requests: all that came.
        taken: those that it has taken.
        answers: the statuses of its next answers; then all is taken.
        more: what follows the status in an answer.

    """

    def __init__(self) -> None:
        self.port = 0
        self.requests: list[Request] = []
        self.taken: list[Request] = []
        self.answers: deque[int] = deque()
        self.more = b"\r\n"
        self._news = asyncio.Condition()

    @classmethod
    @asynccontextmanager
    async def running(cls, port: int = 0, tls: SSLContext | None = None) -> AsyncIterator[Self]:
        """Run one."""
        receiver = cls()
        server = await asyncio.start_server(receiver._serve, "127.0.0.1", port, ssl=tls)
        try:
            receiver.port = server.sockets[0].getsockname()[1]
            yield receiver
        finally:
            server.close()

    @property
    def url(self) -> str:
        """Its address, whose path is secret."""
        return f"http://127.0.0.1:{self.port}/hooks/hush?to=club"

    async def until(self, fits: Callable[[], object]) -> None:
        """Wait until a condition holds, which may change with each request."""
        async with deadline(lambda: [request.id for request in self.requests]), self._news:
            await self._news.wait_for(fits)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            line, _, rest = head.partition(b"\r\n")
            headers = {name.lower(): value for name, value in BytesParser().parsebytes(rest).items()}
            body = await reader.readexactly(int(headers["content-length"]))
            request = Request(line.split()[1].decode(), headers, body)
            status = self.answers.popleft() if self.answers else 204
            async with self._news:
                self.requests.append(request)
                if 200 <= status < 300:
                    self.taken.append(request)
                self._news.notify_all()
            if status == HUNG:
                await reader.read()  # until the other end gives up
            else:
                writer.write(f"HTTP/1.1 {status} Whatever\r\n".encode() + self.more)
                await writer.drain()
        except (OSError, EOFError):
            pass  # the other end was killed
        finally:
            writer.close()


def secret_file(folder: Path) -> Path:
    """Write the secret into a file of its own."""
    path = folder / "webhook.secret"
    path.touch(mode=0o600)
    path.write_text(f"{SECRET}\n")
    return path
