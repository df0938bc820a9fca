"""Who has signed in at a proxy that the operator has named for that."""

from typing import Final

from websockets.datastructures import Headers

from racing_demon_server.players.directory import SignedIn
from racing_demon_server.settings import ServerSettings

from .origin import networks, parsed

MAX_IDENTITY: Final = 200
"""The most characters of what a proxy says."""


class SignInHeader:
    """Reads the header in which a proxy says who has signed in there.

    It counts only where the peer is such a proxy: anybody can send it to the server. Proxies that name the
    addresses of clients, and this machine, are none by that.

    Args:
        settings: the server's settings.

    """

    def __init__(self, settings: ServerSettings) -> None:
        self._name = settings.identity_header
        self._proxies = networks(settings.identity_proxies)

    def of(self, headers: Headers, peer: str) -> SignedIn | None:
        """Return who has signed in, by a request's headers and its peer's address; ``None`` for nobody."""
        address = parsed(peer)
        if not self._name or address is None or not any(address in each for each in self._proxies):
            return None
        values = headers.get_all(self._name)
        said = values[0].strip() if len(values) == 1 else ""
        return SignedIn(said) if 0 < len(said) <= MAX_IDENTITY else None
