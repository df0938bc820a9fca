"""Announcements of tables by multicast DNS, and the choice of a machine's addresses.

Pure: callers pass in the machine's adapters and the environment.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.wire.codec import VERSION

if TYPE_CHECKING:
    import ifaddr

SERVICE: Final = "_racing-demon._tcp.local."
MAX_TABLES: Final = 64
"""The maximum number of announcements that a client checks and a server makes."""
MAX_TEXT: Final = 32
"""The maximum length of a name, in characters."""

VARIABLE: Final = "RACING_DEMON_INTERFACES"
"""The environment variable with the addresses to use, separated by commas."""
NO_INTERFACES: Final = "none"
"""Its value to send nothing at all."""
MAX_INTERFACES: Final = 16
"""A machine with many virtual networks must not open a socket on each of them."""

Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface


@dataclass(frozen=True, kw_only=True, slots=True)
class Announcement:
    """The announcement of a table.

    Attributes:
        code: its code.
        game: the name of its game.
        host: the name of its host.
        port: its server's port.
        path: the path of the WebSocket on that server.
        needs_passphrase: whether it has a passphrase.
        has_ipv6: whether the server listens on IPv6, too.

    """

    code: str
    game: str
    host: str
    port: int
    path: str = WEBSOCKET_PATH
    needs_passphrase: bool = False
    has_ipv6: bool = False

    def texts(self) -> dict[str, str]:
        """Return the service's TXT records."""
        return {
            "code": self.code,
            "game": self.game[:MAX_TEXT],
            "host": self.host[:MAX_TEXT],
            "v": str(VERSION),
            "path": self.path,
            "pass": "1" if self.needs_passphrase else "0",
        }


def chosen(adapters: "Iterable[ifaddr.Adapter]", environ: Mapping[str, str]) -> list[Interface]:
    """Return a machine's addresses on its networks; the loopback only if it has no other.

    Args:
        adapters: the machine's network adapters.
        environ: ``RACING_DEMON_INTERFACES`` in it overrides the addresses.

    """
    interfaces = [_interface(ip) for adapter in adapters for ip in adapter.ips]
    wanted = environ.get(VARIABLE, "").strip()
    if wanted:
        names = {name.strip() for name in wanted.split(",")}
        return [each for each in interfaces if str(each.ip) in names][:MAX_INTERFACES]
    return ([each for each in interfaces if not each.is_loopback] or interfaces)[:MAX_INTERFACES]


def _interface(ip: "ifaddr.IP") -> Interface:
    if isinstance(ip.ip, str):
        return ipaddress.IPv4Interface(f"{ip.ip}/{ip.network_prefix}")
    address, _, scope = ip.ip
    place = f"{address.partition('%')[0]}%{scope}" if scope else address
    return ipaddress.IPv6Interface(f"{place}/{ip.network_prefix}")
