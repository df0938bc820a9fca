"""The networks that this machine is on: where tables are announced and looked for, and who is a neighbour."""

import ipaddress
import os
import socket
from collections.abc import Sequence
from typing import Final

import ifaddr

from racing_demon_protocol.discovery.mdns import NO_INTERFACES, VARIABLE, Interface, chosen

__all__ = ["Address", "Interface", "can_multicast", "is_near", "own_interfaces", "sends_nothing"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

GROUP_4: Final = ("224.0.0.251", 5353)
GROUP_6: Final = ("ff02::fb", 5353)
EMPTY_QUERY: Final = bytes(12)
"""A multicast DNS message that asks for nothing."""


def sends_nothing() -> bool:
    """Tell whether the user wants no multicast at all: ``RACING_DEMON_INTERFACES=none``."""
    return os.environ.get(VARIABLE, "").strip() == NO_INTERFACES


def own_interfaces() -> list[Interface]:
    """Return this machine's addresses on its networks, or those that its user names instead."""
    return chosen(ifaddr.get_adapters(), os.environ)


def can_multicast(interface: Interface) -> str:
    """Try to send to the neighbours; return why it cannot be done, or nothing where it can.

    What is sent asks for nothing. Whether anybody hears it cannot be known.
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
    """Tell whether somebody on our networks may be at an address: nobody is to send us anywhere else."""
    if address.is_loopback:
        return any(each.is_loopback for each in interfaces)
    if address.is_multicast or address.is_unspecified or address.is_reserved:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.is_link_local and not address.scope_id:
        return False
    return not address.is_global or any(address in each.network for each in interfaces)
