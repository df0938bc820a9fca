"""The server's port as it is, with an echo behind it: for test suites of RFC 6455, which want one.

A program: ``python -m tests.lab.autobahn.echo_server PORT``. All of the gateway is real, from the handshake
to the message that is whole; only what is then done with it is another thing, and sizes and times are not
limited.
"""

import asyncio
import sys

from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.net import connection
from racing_demon_server.net.connection import Connection
from racing_demon_server.net.handler import Handler
from racing_demon_server.net.origin import Origin
from racing_demon_server.net.table_service import TableHandler, TableService
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.clocks import clock
from tests.support.servers import start

MANY = 1e9


class EchoHandler(TableHandler):
    """Says every message once more, and nothing else."""

    def settle(self, at: int) -> bool:
        """Owe nothing."""
        return True

    def charge(self, events: int, kept: int) -> None:
        """Pay nothing."""

    def owe(self, units: int) -> None:
        """Pay nothing."""

    def reply(self, message: Message) -> None:
        """Say nothing of one's own."""

    def handle_message(self, data: bytes) -> None:
        """Say it once more."""
        opcode = Opcode.TEXT if self.encoding is Encoding.JSON else Opcode.BINARY
        try:
            if opcode is Opcode.TEXT:
                data.decode()
        except UnicodeDecodeError:
            self.close(CloseCode.BAD_FRAME, "Not understood: text that is not UTF-8")
        else:
            self.send({self.encoding: Frame(opcode, data).serialize(mask=False)})


class EchoService(TableService):
    """Gives each connection an echo."""

    def handler(self, connection: Connection, _request: Request, origin: Origin) -> Handler:
        """Return the handler of a connection."""
        return EchoHandler(connection, self, origin)


async def main(port: int) -> None:
    """Serve until the program is ended."""
    vars(connection).update(MAX_CLIENT_FRAME=2**24)
    settings = ServerSettings(
        port=port,
        entry_seconds=600,
        frames_per_second=MANY,
        frame_burst=MANY,
        units_per_connection=MANY,
        controls_per_second=MANY,
        control_burst=MANY,
        max_fragments=10**9,
        backlog_bytes=2**30,
    )
    registry = Registry(settings, clock, NullJournal())
    server = await start(settings, registry, clock, service=EchoService)
    sys.stdout.write(f"listening on {server.port}\n")
    sys.stdout.flush()
    await server.wait_closed()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
