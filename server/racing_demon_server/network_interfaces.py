"""The machine's addresses, and those at which the server can be reached."""

import ipaddress
import socket
from collections.abc import Mapping
from typing import Final

import ifaddr

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.discovery.mdns import VARIABLE, Interface, chosen
from racing_demon_protocol.wire.redirects import bracketed

EVERYWHERE: Final = {"": {4, 6}, "0.0.0.0": {4}, "::": {6}}  # noqa: S104 - to know them, not to listen there
"""Hosts that stand for all addresses of the machine, with their IP versions."""

MAX_URLS: Final = 4
"""The most URLs of a server, for machines on many networks."""
REFRESH_SECONDS: Final = 3.0
"""How often announcers check the machine's addresses."""


def reachable(host: str, environ: Mapping[str, str], *, also_named: bool = False) -> list[Interface]:
    """Return the addresses at which others can reach a server that listens on a host, the usual one first.

    For a server that listens on all addresses, those that others cannot use are omitted.

    Args:
        host: the address that the server listens on.
        environ: environment variables, which may name the addresses to use.
        also_named: whether to keep those that others cannot use, if they are named.

    """
    usual = _routed_address()
    try:
        interfaces = chosen(ifaddr.get_adapters(), environ)
    except OSError:  # a sandboxed service may not be allowed to list them
        interfaces = [ipaddress.IPv4Interface(usual)] if usual else []
    versions = EVERYWHERE.get(host)
    if versions is None:
        return [each for each in interfaces if str(each.ip) == host]
    is_named = also_named and bool(environ.get(VARIABLE, "").strip())
    there = [
        each
        for each in interfaces
        if each.version in versions and (is_named or not (each.is_loopback or each.is_link_local))
    ]
    return sorted(there, key=lambda each: (str(each.ip) != usual, each.version))


def own_urls(host: str, port: int, base_path: str = "") -> tuple[str, ...]:
    """Return the URLs at which a listening server can probably be reached.

    Loopback addresses are omitted, unless the server listens only there.
    """
    path = f"{base_path}{WEBSOCKET_PATH}" if base_path else ""
    hosts = [str(each.ip) for each in reachable(host, {})] if host in EVERYWHERE else [host]
    return tuple(f"ws://{bracketed(each)}:{port}{path}" for each in hosts[:MAX_URLS])


def is_private(host: str) -> bool:
    """Return whether a host is an address of a private network, or stands for all addresses."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host in EVERYWHERE
    return not address.is_loopback and (address.is_unspecified or not address.is_global)


def _routed_address() -> str:
    """Return the address that this machine's default route uses. This sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: only the route is looked up
            return str(probe.getsockname()[0])
        except OSError:
            return ""
