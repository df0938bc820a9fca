"""A tunnel's program for tests: https at this machine, to a port of this machine, with the client named.

``python -m tests.support.tunnels PORT CERTIFICATE [OWN_PORT [NAMESPACE ADDRESS]]`` prints its address as
such programs do. With a port of its own, the address stays the same when it is started again. Its public end
may be in another network namespace, at an address there: then clients are named as they are.
"""

import asyncio
import socket
import ssl
import subprocess
import sys
from contextlib import nullcontext, suppress
from pathlib import Path

from tests.support.machines import inside

HOST = "127.0.0.1"
CLIENT = "8.8.4.4"
"""Whom it names where all clients are at this machine."""
END_OF_HEAD = b"\r\n\r\n"


def make_certificate(folder: Path, address: str = HOST) -> Path:
    """Write a certificate for a machine, and its key behind it, into a file; return the file."""
    key, certificate = folder / "key.pem", folder / "tunnel.pem"
    subprocess.run(  # noqa: S603
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
            ),
            *("-days", "2", "-subj", "/CN=tunnel", "-addext", f"subjectAltName=IP:{address}"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    certificate.write_text(certificate.read_text() + key.read_text())
    return certificate


async def forward(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward a connection, and name its client in the first request."""
    with suppress(OSError, asyncio.IncompleteReadError):
        head = await reader.readuntil(END_OF_HEAD)
        peer: str = writer.get_extra_info("peername")[0]
        client = CLIENT if peer == HOST else peer
        behind, there = await asyncio.open_connection(HOST, port)
        named = f"\r\nX-Forwarded-For: {client}".encode()
        there.write(head.removesuffix(END_OF_HEAD) + named + END_OF_HEAD)
        await asyncio.gather(pump(reader, there), pump(behind, writer))


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until there are no more."""
    with suppress(OSError):
        while data := await reader.read(4_096):
            writer.write(data)
            await writer.drain()
    writer.close()


async def main(
    port: str, certificate: str, own_port: str = "0", namespace: str = "", host: str = HOST
) -> None:
    """Forward for ever."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with inside(namespace) if namespace else nullcontext():
        public = socket.create_server((host, int(own_port)))
    serving = await asyncio.start_server(lambda *ends: forward(int(port), *ends), sock=public, ssl=context)
    sys.stderr.write(
        f"See https://docs.example/tunnels for help.\nINF |  https://{host}:{public.getsockname()[1]}  |\n"
    )
    sys.stderr.flush()
    await serving.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
