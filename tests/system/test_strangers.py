"""What the internet reaches of a host's machine: guests and strangers on machines of their own."""

import socket
import ssl
import urllib.error
import urllib.request
from asyncio import to_thread
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.messages import client as cl
from tests.support.machines import Machines, machines
from tests.support.namespaces import can_have_namespaces
from tests.support.servers import PATIENCE, Closing, Peer
from tests.support.tunnels import make_certificate
from tests.system.test_tunnel import open_link, programs_of, serving

pytestmark = pytest.mark.skipif(
    not can_have_namespaces(), reason="made of network namespaces (root on Linux, ip, nft)"
)

PUBLIC = "8.8.4"
"""Addresses that the server takes for those of the internet, which no cable here leads to."""


class Outside(NamedTuple):
    """A host's machine on a cable with others, and the tunnel's public end, which is on one of its own.

    Attributes:
        made: the machines: ``home``, ``edge`` (the public end), ``one`` and ``other`` (guests).
        room: the port of the room, at home.
        listener: the port of the tunnel's listener, at home.
        link: the invitation over the internet.

    """

    made: Machines
    room: int
    listener: int
    link: str
    certificate: Path

    def connected(self, who: str, address: str, port: int) -> socket.socket:
        """Connect from a machine to an address and a port."""
        with self.made.at(who):
            return socket.create_connection((address, port), PATIENCE)

    @asynccontextmanager
    async def stranger(self, who: str, **headers: str) -> AsyncIterator[Peer]:
        """Open a WebSocket from a machine to the public address."""
        parts = urlsplit(self.link)
        assert parts.port is not None
        more: dict[str, Any] = {
            "sock": self.connected(who, self.made.address("edge"), parts.port),
            "ssl": self._trusting(),
            "additional_headers": headers,
        }
        async with Peer.connect(f"wss://{parts.netloc}/v1", **more) as peer:
            yield peer

    async def page(self, who: str, url: str) -> tuple[int, str]:
        """Return what is answered to a request from a machine."""

        def get() -> tuple[int, str]:
            with self.made.at(who):
                try:
                    with urllib.request.urlopen(url, timeout=PATIENCE, context=self._trusting()) as answer:  # noqa: S310 - our own
                        return answer.status, answer.read().decode()
                except urllib.error.HTTPError as error:
                    with error:
                        return error.code, error.read().decode()

        return await to_thread(get)

    def _trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.certificate)


@asynccontextmanager
async def outside(folder: Path, *options: str) -> AsyncIterator[Outside]:
    """Run a server at home with a tunnel to another machine, and a table at it."""
    with machines("home", "edge", "one", "other", network=PUBLIC) as made, made.at("home"):
        edge = made.address("edge")
        certificate = make_certificate(folder, edge)
        public = (0, made.namespace("edge"), edge)
        async with serving(certificate, *public, options=options) as (_, port, ann):
            link = await open_link(port, ann.code)
            (program,) = programs_of(certificate)
            listener = Path(f"/proc/{program}/cmdline").read_bytes().split(b"\0")[3]
            yield Outside(made, int(port), int(listener), link, certificate)


async def test_a_stranger_reaches_the_public_address_alone(tmp_path: Path) -> None:
    """The page and the game answer there; the ports at home refuse, and nobody reads metrics."""
    async with outside(tmp_path) as here:
        status, page = await here.page("one", here.link)
        assert (status, "<title>Racing Demon</title>" in page) == (200, True)
        async with here.stranger("one") as ben:
            await ben.greet()
            assert (await ben.enter(cl.Join(code=urlsplit(here.link).fragment, name="Ben"))).seat == 1
        for port in (here.room, here.listener):
            here.connected("home", "127.0.0.1", port).close()
            with pytest.raises(ConnectionRefusedError):
                here.connected("one", here.made.address("home"), port)
        assert (await here.page("one", f"{here.link.partition('/#')[0]}/metrics"))[0] == 404
        assert (await here.page("home", f"http://127.0.0.1:{here.room}/metrics"))[0] == 200


@pytest.mark.long
async def test_guests_are_told_apart_by_where_they_are(tmp_path: Path) -> None:
    """Each has the limits of an address, whatever they claim: none is taken for another, or for local."""
    too_many = Closing(CloseCode.FULL, "Too many connections from your address.")
    async with outside(tmp_path, "--limit=connections_per_address=1") as here:
        async with here.stranger("one") as ben:
            await ben.greet()
            for claimed in ("127.0.0.1", here.made.address("other"), "8.8.8.8, 127.0.0.1"):
                async with here.stranger("one", **{"X-Forwarded-For": claimed}) as again:
                    assert await again.closed() == too_many
            async with here.stranger("other") as cat:
                await cat.greet()
                async with here.stranger("other") as again:
                    assert await again.closed() == too_many
