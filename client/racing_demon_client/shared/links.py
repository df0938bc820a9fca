"""Links to tables, which browsers open and ``racing-demon join`` accepts, and servers' addresses."""

from typing import Final

from racing_demon_protocol.limits import DEFAULT_PORT, WEBSOCKET_PATH

TLS_PORT: Final = 443


def link_of(address: str, code: str) -> str:
    """Return the link to a table, such as ``http://192.168.1.5:5252/BCDF``.

    Args:
        address: its server's address, like ``ws://192.168.1.5:5252``.
        code: its code.

    """
    scheme, _, rest = address.rpartition("://")
    return (
        f"{'https' if scheme == 'wss' else 'http'}://{rest.rstrip('/').removesuffix(WEBSOCKET_PATH)}/{code}"
    )


def taken_apart(text: str) -> tuple[str, str]:
    """Split a word into the server's address and the table's code, which may be empty.

    The word is a link, or an address followed by ``#`` and the code.

    Raises:
        ValueError: it is neither; the text says why.

    """
    scheme, is_whole, rest = text.rpartition("://")
    if not is_whole or scheme.lower() in {"ws", "wss"}:
        address, _, code = text.partition("#")
        return address, code
    if scheme.lower() not in {"http", "https"}:
        raise ValueError(f"{text}: a table's address begins with http://, https://, ws:// or wss://")
    path = rest.partition("?")[0].partition("#")[0].rstrip("/")
    host, slash, code = path.rpartition("/")
    return (
        f"{'wss' if scheme.lower() == 'https' else 'ws'}://{host if slash else path}",
        code if slash else "",
    )


def full_url(address: str) -> str:
    """Complete an address that may lack scheme, port or path.

    A server's default port is 5252. TLS is handled by a reverse proxy, at the scheme's default port.
    """
    scheme, _, rest = address.rpartition("://")
    place, _, path = rest.partition("/")
    if not place.rpartition(":")[2].isdigit():
        place += f":{TLS_PORT if scheme == 'wss' else DEFAULT_PORT}"
    return f"{scheme or 'ws'}://{place}/{path or 'v1'}"
