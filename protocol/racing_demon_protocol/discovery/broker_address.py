"""A broker's address as people write it: ``mqtt://user:password@host:port``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

PASSWORD: Final = "RACING_DEMON_MQTT_PASSWORD"  # noqa: S105 - the name of the variable
"""The environment variable for the password, because other users can read command lines."""

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker's address and credentials. Its ``repr`` never shows the password.

    Attributes:
        host: its name or IP address.
        port: its port.
        user: the user's name; ``None`` for an anonymous connection.
        password: the user's password.
        tls: whether the connection is encrypted.
        ca: the file of the only certificate authority to trust; ``None`` for the system's.

    """

    host: str
    port: int
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False
    ca: str | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def parse_broker(url: str, environment: Mapping[str, str]) -> BrokerAddress:
    """Parse a broker's URL; the password may come from the environment.

    Raises:
        ValueError: the URL is invalid. The text says what to write, and does not quote the URL.

    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        more = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError:
        raise ValueError(_how("it cannot be read")) from None
    if parts.scheme not in PORTS or not host or parts.path not in {"", "/"} or parts.fragment or port == 0:
        raise ValueError(_how("it is no address of a broker"))
    if more.keys() - {"ca"} or (more and parts.scheme != "mqtts"):
        raise ValueError(_how("only ?ca=FILE may follow, with mqtts"))
    user = None if parts.username is None else unquote(parts.username)
    password = None if parts.password is None else unquote(parts.password)
    if password is None and user is not None:
        password = environment.get(PASSWORD)
    if not user and password is not None:
        raise ValueError(_how("a password needs a user"))
    return BrokerAddress(
        host, port or PORTS[parts.scheme], user or None, password, parts.scheme == "mqtts", more.get("ca")
    )


def _how(why: str) -> str:
    return (
        f"{why}: write mqtt://host:port, mqtts://user@host:port or mqtts://user@host?ca=FILE, "
        f"with the password in {PASSWORD}; signs like @ / # in names are written %40 %2F %23"
    )
