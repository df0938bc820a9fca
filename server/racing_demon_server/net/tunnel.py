"""What is known of a tunnel: the address at which the internet reaches this server, and its invitations."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

from websockets.http11 import Request

from racing_demon_server.rate_limits import NOT_SAID
from racing_demon_server.sharding import CODE_LETTERS

from .origin import Origin, named_clients, parsed

DIGITS: Final = "23456789"
WORD_LENGTH: Final = 16
KEY_SIZE: Final = 32
HTTPS_PORT: Final = ":443"
STARTING: Final = "The tunnel is starting."
REACHING: Final = "The tunnel's address is {}. The table is not reached there yet."


class Tunnel:
    """The state of a tunnel.

    A table's invitation is a word that follows from the key: 75 bits, which nobody guesses. It begins with a
    digit, so that it is never taken for a code. It opens the table at the tunnel's listener, and codes don't.

    Attributes:
        address: like ``https://name.example``; empty while it is not known, and nothing is answered.
        is_open: whether this server was reached at the address from outside.
        names_clients: whether the tunnel says where requests come from; ``None`` before the first.
        trouble: why it is not open, for people; empty if it is, or if nobody wants it open.
        instance: tells this server from others, at the address.

    Args:
        key: the secret of the invitations.

    """

    def __init__(self, key: bytes) -> None:
        self.address = ""
        self.is_open = False
        self.names_clients: bool | None = None
        self.trouble = ""
        self.instance = secrets.token_hex(16)
        self._key = key

    def start(self) -> None:
        """Expect an address."""
        self.fail(STARTING)
        self.names_clients = None

    def end(self) -> None:
        """Answer nobody any more, as the host wishes."""
        self.fail("")

    def learn(self, address: str) -> None:
        """Answer requests for an address, and for no other, until it is known whether they arrive."""
        self.address = address
        self.is_open, self.trouble = False, REACHING.format(address)

    def opened(self) -> None:
        """Invite people: the address leads here."""
        self.is_open, self.trouble = True, ""

    def fail(self, why: str) -> None:
        """Forget the address, which leads here no longer."""
        self.address, self.is_open, self.trouble = "", False, why

    # Invitations.

    def word(self, code: str) -> str:
        """Return the word that opens the table with a code."""
        number = int.from_bytes(hmac.digest(self._key, code.encode(), hashlib.sha256))
        number, first = divmod(number, len(DIGITS))
        letters, rest = CODE_LETTERS + DIGITS, [DIGITS[first]]
        while len(rest) < WORD_LENGTH:
            number, letter = divmod(number, len(letters))
            rest.append(letters[letter])
        return "".join(rest)

    def code_of(self, word: str, codes: Iterable[str]) -> str | None:
        """Return which of these tables a word opens; ``None`` if it opens none."""
        given, found = word.strip().upper().encode(), None
        for code in codes:
            if hmac.compare_digest(self.word(code).encode(), given):
                found = code
        return found

    def link(self, code: str) -> str | None:
        """Return the invitation to a table; ``None`` while nobody can follow it.

        The word is in the fragment, which browsers send to no server.
        """
        return f"{self.address}/#{self.word(code)}" if self.is_open else None

    def seat_token(self, token_hash: bytes) -> str:
        """Return a second token of a seat, for a device that does not have the first."""
        return hmac.digest(self._key, b"seat" + token_hash, hashlib.sha256).hex()

    def seat_link(self, code: str, token_hash: bytes) -> str | None:
        """Return the invitation to a seat; ``None`` while nobody can follow it."""
        link = self.link(code)
        return None if link is None else f"{link},seat={self.seat_token(token_hash)}"

    # Requests.

    def is_own_name(self, request: Request) -> bool:
        """Return whether a request is for the tunnel's address."""
        named, own = request.headers.get_all("Host"), self.address.removeprefix("https://")
        return bool(own) and len(named) == 1 and named[0].strip().lower().removesuffix(HTTPS_PORT) == own

    def is_own_page(self, request: Request) -> bool:
        """Return whether a handshake comes from a program, or from the page at the tunnel's address."""
        origins = request.headers.get_all("Origin")
        return self.is_own_name(request) and (not origins or origins == [self.address])

    def origin(self, request: Request) -> Origin:
        """Return where a request comes from, as the tunnel says.

        Nobody is on this machine or its network: whoever is not named by a public address counts as one with
        all others of whom that is true.
        """
        headers = request.headers
        named = named_clients(headers.get_all("X-Forwarded-For"), headers.get_all("Forwarded"))
        client = parsed(named[-1].rpartition(",")[2].strip()) if named else None
        is_named = client is not None and client.is_global
        self.names_clients = is_named or bool(self.names_clients)
        return Origin(str(client) if is_named else NOT_SAID, is_relay=False)
