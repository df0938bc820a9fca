"""Creates the publisher of a server's settings."""

import os
import secrets
from typing import TYPE_CHECKING, Final

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.discovery.broker_address import parse_broker
from racing_demon_protocol.wire.redirects import bracketed
from racing_demon_server.network_interfaces import EVERYWHERE, reachable
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.room import Clock

if TYPE_CHECKING:
    from .publisher import Publisher

MOST_URLS: Final = 4
"""The most URLs published, for machines on many networks."""


def own_urls(host: str, port: int, base_path: str = "") -> tuple[str, ...]:
    """Return the addresses at which a listening server can probably be reached.

    Loopback addresses are omitted, unless the server listens only there.
    """
    path = f"{base_path}{WEBSOCKET_PATH}" if base_path else ""
    hosts = [str(each.ip) for each in reachable(host, {})] if host in EVERYWHERE else [host]
    return tuple(f"ws://{bracketed(each)}:{port}{path}" for each in hosts[:MOST_URLS])


def publishers(settings: ServerSettings, clock: Clock) -> "list[Publisher]":
    """Return the publishers of the settings: one or none.

    Raises:
        ValueError: the broker's address or the node's name is invalid.

    """
    if not settings.mqtt_url:
        return []
    from .publisher import Publisher  # noqa: PLC0415 - most servers need no broker, nor its library
    from .topics import Topics  # noqa: PLC0415

    address = parse_broker(settings.mqtt_url, os.environ)
    topics = Topics(settings.node or secrets.token_hex(6))
    return [Publisher(address, topics, clock, homeassistant=settings.homeassistant)]
