"""Asks other servers whether they can reach the database, for a server that cannot."""

import asyncio
from collections.abc import Sequence
from typing import Final

from racing_demon_protocol.wire.redirects import bracketed

Address = tuple[str, int]
"""A host and a port."""

ASK_SECONDS: Final = 1.0
MAX_ANSWER: Final = 1_024


def address_of(inside: str) -> Address:
    """Return host and port of an address written as HOST:PORT."""
    host, _, port = inside.rpartition(":")
    return host.strip("[]"), int(port)


async def somebody_is_well(peers: Sequence[Address]) -> bool:
    """Return whether any of these servers reports within a second that it can write."""
    return any(await asyncio.gather(*map(_is_well, peers)))


async def _is_well(peer: Address) -> bool:
    try:
        async with asyncio.timeout(ASK_SECONDS):
            reader, writer = await asyncio.open_connection(*peer)
            try:
                # Servers answer to addresses and to players' names for them; this name may be for servers
                # only.
                host = bracketed(writer.get_extra_info("peername")[0])
                writer.write(f"GET /healthz HTTP/1.1\r\nHost: {host}:{peer[1]}\r\n\r\n".encode())
                answer = await reader.read(MAX_ANSWER)
            finally:
                writer.transport.abort()
    except (OSError, TimeoutError):
        return False
    return answer.startswith(b"HTTP/1.1 200 ")
