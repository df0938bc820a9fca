"""Opens and closes a server's tunnel while its tables are played."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Final

from racing_demon_server.net.gateway import Gateway
from racing_demon_server.net.tunnel import Tunnel

LOOPBACK: Final = "127.0.0.1"
"""Where a tunnel's program connects to, and nobody else."""
CLOSED: Final = (
    "The host has closed the way over the internet. Your seat is kept: whoever has an invitation can return."
)

KeepOpen = Callable[[Tunnel, Sequence[str], int, str], Coroutine[None, None, None]]

log = logging.getLogger("racing_demon_server")


class TunnelSwitch:
    """Opens and closes a tunnel: its listener, and its program.

    Args:
        tunnel: what is known of it.
        new_gateway: returns a gateway for those who come through it.
        gateways: the server's gateways, to which that is added while the tunnel is open.
        port: the port of its listener; 0 for any free one.
        keep_open: runs the tunnel's program with its command line, the listener's port, and the address.

    """

    def __init__(
        self,
        tunnel: Tunnel,
        new_gateway: Callable[[], Gateway],
        gateways: list[Gateway],
        port: int,
        keep_open: KeepOpen,
    ) -> None:
        self._tunnel = tunnel
        self._new_gateway = new_gateway
        self._gateways = gateways
        self._port = port
        self._keep_open = keep_open
        self._gateway: Gateway | None = None
        self._running: asyncio.Task[None] | None = None
        self._turning = asyncio.Lock()

    async def open(self, command: Sequence[str], address: str) -> None:
        """Listen, start the tunnel's program, and check that its address leads here. Leave an open one.

        Args:
            command: the program's command line; empty if it runs by itself.
            address: the tunnel's address; empty to read it from the program's output.

        Raises:
            OSError: the port cannot be listened on.

        """
        async with self._turning:
            if self._gateway is not None:
                return
            gateway = self._new_gateway()
            await gateway.listen(host=LOOPBACK, port=self._port)
            self._gateway = gateway
            self._gateways.append(gateway)
            self._tunnel.start()
            keeping = self._keep_open(self._tunnel, command, gateway.port, address)
            self._running = asyncio.create_task(keeping)

    async def close(self, code: int, reason: str) -> None:
        """Close the connections through the tunnel with a reason for people, then end its program."""
        async with self._turning:
            gateway, self._gateway = self._gateway, None
            if gateway is None:
                return
            self._tunnel.end()
            gateway.close(code, reason)
            await gateway.wait_closed()
            self._gateways.remove(gateway)
            running, self._running = self._running, None
            if running is not None:
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running
            log.info("tunnel closed")
