"""What the process that looks after others gives to them."""

import socket

from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.processes import listening
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.clocks import clock
from tests.support.servers import Peer, gateway_of


async def test_a_play_does_not_wait_for_more_to_send() -> None:
    """Connections at a socket that was opened beforehand send at once (TCP_NODELAY), as at any other."""
    settings = ServerSettings(port=0)
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        registry = Registry(settings, clock, NullJournal())
        gateway = gateway_of(settings, registry)
        await gateway.listen(sock=listener)
        async with Peer.connect(f"ws://127.0.0.1:{port}/v1") as peer:
            await peer.greet()
            (connection,) = gateway.connections
            sock = connection.transport.get_extra_info("socket")
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        gateway.close()
        await gateway.wait_closed()


def test_an_address_of_version_6_is_one_of_those_alone() -> None:
    """A server that listens everywhere on IPv6 leaves IPv4 to others, as it does with one process."""
    with listening("::1", 0) as listener:
        assert listener.family == socket.AF_INET6
        assert listener.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
