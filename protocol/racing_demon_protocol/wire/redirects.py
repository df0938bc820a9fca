"""Where a server may redirect its clients: another port, or a host below the one that they dialled."""

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

from racing_demon_protocol.errors import ForeignHost

_NUMBER: Final = re.compile("[0-9]+|0[xX][0-9a-fA-F]*")
"""The last label of a name that some resolvers read as an address in an old notation."""


def port_of(url: str) -> int:
    """Return the port of a WebSocket's URL, which may be its scheme's own.

    Raises:
        ValueError: it is not a port.

    """
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "wss" else 80)


def at_port(url: str, port: int) -> str:
    """Return a URL with another port."""
    parts = urlsplit(url)
    before, at, host = parts.netloc.rpartition("@")
    name = f"{host.partition(']')[0]}]" if host.startswith("[") else host.partition(":")[0]
    return parts._replace(netloc=f"{before}{at}{name}:{port}").geturl()


def moved_to(url: str, host: str, port: int) -> str:
    """Return the URL that a client follows to another host.

    Args:
        url: the URL that was dialled first.
        host: the host in the server's ``moved``.
        port: the port in it.

    Raises:
        ForeignHost: the host is neither the dialled one nor below it.

    """
    dialled = urlsplit(url).hostname or ""
    if not is_below(host, dialled):
        raise ForeignHost(host, dialled)
    parts = urlsplit(url)
    before, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{before}{at}{bracketed(host)}:{port}").geturl()


def bracketed(host: str) -> str:
    """Return a host as URLs have it: an address of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def is_below(host: str, dialled: str) -> bool:
    """Return whether a host is the dialled one or, if both are names, a name below it."""
    host, dialled = (name.lower().removesuffix(".") for name in (host, dialled))
    address = _address(dialled)
    if address is not None or _is_numeric(host):
        return bool(host) and (host == dialled or (address is not None and _address(host) == address))
    return bool(dialled) and (host == dialled or host.endswith(f".{dialled}"))


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_numeric(host: str) -> bool:
    """Return whether a host is an IP address, or may be read as one."""
    return ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]) is not None
