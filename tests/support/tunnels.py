"""A tunnel's program for tests: https at this machine, to a port of this machine, with the client named.

``python -m tests.support.tunnels PORT CERTIFICATE [OWN_PORT]`` prints its address as such programs do. With a
port of its own, the address stays the same when it is started again.
"""

import asyncio
import ssl
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

HOST = "127.0.0.1"
CLIENT = b"8.8.4.4"
END_OF_HEAD = b"\r\n\r\n"


def make_certificate(folder: Path) -> Path:
    """Write a certificate for this machine, and its key behind it, into a file; return the file."""
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
            *("-days", "2", "-subj", "/CN=tunnel", "-addext", f"subjectAltName=IP:{HOST}"),
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
        behind, there = await asyncio.open_connection(HOST, port)
        there.write(head.removesuffix(END_OF_HEAD) + b"\r\nX-Forwarded-For: " + CLIENT + END_OF_HEAD)
        await asyncio.gather(pump(reader, there), pump(behind, writer))


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until there are no more."""
    with suppress(OSError):
        while data := await reader.read(4_096):
            writer.write(data)
            await writer.drain()
    writer.close()


async def main(port: int, certificate: str, own_port: int = 0) -> None:
    """Forward for ever."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    serving = await asyncio.start_server(lambda *ends: forward(port, *ends), HOST, own_port, ssl=context)
    address = f"https://{HOST}:{serving.sockets[0].getsockname()[1]}"
    sys.stderr.write(f"See https://docs.example/tunnels for help.\nINF |  {address}  |\n")
    sys.stderr.flush()
    await serving.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])))
