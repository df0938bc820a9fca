"""The networks of this machine: where to announce and look for tables, and which hosts are on them."""

import ipaddress
import os
import socket
from collections.abc import Sequence
from typing import Final

import ifaddr

from racing_demon_protocol.discovery.mdns import NO_INTERFACES, VARIABLE, Interface, chosen

__all__ = ["Address", "Interface", "can_multicast", "is_multicast_disabled", "is_near", "own_interfaces"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

GROUP_4: Final = ("224.0.0.251", 5353)
GROUP_6: Final = ("ff02::fb", 5353)
EMPTY_QUERY: Final = bytes(12)
"""A multicast DNS message with no questions."""


def is_multicast_disabled() -> bool:
    """Return whether the user disabled multicast: ``RACING_DEMON_INTERFACES=none``."""
    return os.environ.get(VARIABLE, "").strip() == NO_INTERFACES


def own_interfaces() -> list[Interface]:
    """Return this machine's addresses on its networks, or those that the user configured."""
    return chosen(ifaddr.get_adapters(), os.environ)


def can_multicast(interface: Interface) -> str:
    """Try to send a multicast packet; return why that failed, or an empty string.

    The packet contains no question. Whether anyone receives it cannot be known.
    """
    try:
        if isinstance(interface, ipaddress.IPv4Interface):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, interface.ip.packed)
                sender.sendto(EMPTY_QUERY, GROUP_4)
        else:
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sender:
                scope = int(interface.scope_id or 0)
                sender.bind((str(interface.ip), 0, 0, scope))
                sender.sendto(EMPTY_QUERY, (*GROUP_6, 0, scope))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def is_near(address: Address, interfaces: Sequence[Interface]) -> bool:
    """Return whether an address is on one of our networks; announcements may not lead elsewhere."""
    if address.is_loopback:
        return any(each.is_loopback for each in interfaces)
    if isinstance(address, ipaddress.IPv6Address) and address.is_link_local:
        scopes = {each.scope_id for each in interfaces if isinstance(each, ipaddress.IPv6Interface)}
        return address.scope_id is not None and address.scope_id in scopes
    return not address.is_multicast and any(address in each.network for each in interfaces)
