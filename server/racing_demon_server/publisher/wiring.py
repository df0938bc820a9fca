"""From the server's settings to its publisher."""

import os
import secrets
import socket
from typing import TYPE_CHECKING

from racing_demon_protocol.broker_address import parse_broker

from ..room import Clock
from ..settings import Settings

if TYPE_CHECKING:
    from .publishing import Publisher

__all__ = ["own_urls", "publishers"]

EVERYWHERE = {"", "0.0.0.0", "::"}  # noqa: S104 - to know them, not to listen there


def own_urls(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses under which a server that listens at a host is probably reached."""
    if host in EVERYWHERE:
        host = _own_address()
    return (f"ws://[{host}]:{port}",) if ":" in host else (f"ws://{host}:{port}",)


def _own_address() -> str:
    """Return this machine's address on its network; looking sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: only the route is looked up
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def publishers(settings: Settings, clock: Clock) -> "list[Publisher]":
    """Return the publisher that the settings ask for, or none.

    Raises:
        ValueError: the broker's address or the node's name will not do.

    """
    if not settings.mqtt_url:
        return []
    from .publishing import Publisher  # noqa: PLC0415 - most servers need no broker, nor its library
    from .topics import Topics  # noqa: PLC0415

    address = parse_broker(settings.mqtt_url, os.environ)
    topics = Topics(settings.node or secrets.token_hex(6))
    return [Publisher(address, topics, clock, homeassistant=settings.homeassistant)]
