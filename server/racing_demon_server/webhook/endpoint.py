"""Where a webhook leads, and the secret by which its receiver knows the sender.

Requests are signed as `Standard Webhooks <https://www.standardwebhooks.com>`_ say.
"""

import base64
import binascii
import hmac
from pathlib import Path
from typing import Final, NamedTuple, Self
from urllib.parse import urlsplit

PREFIX: Final = "whsec_"
MIN_SECRET, MAX_SECRET = 24, 64
"""The bytes of a secret."""
MAX_URL: Final = 2_048
MAX_FILE: Final = 4_096
PORTS: Final = {"http": 80, "https": 443}


class Endpoint(NamedTuple):
    """The receiver of a webhook. Its path and query may be secret: they belong into no log.

    Attributes:
        is_tls: whether the connection is encrypted, and the receiver's certificate checked.
        host: its host.
        port: its port.
        path: path and query.

    """

    is_tls: bool
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, url: str) -> Self:
        """Return the receiver at a URL.

        Raises:
            ValueError: it is none. The text does not repeat it.

        """
        if len(url) > MAX_URL or not url.isascii() or not url.isprintable() or " " in url:
            raise ValueError(
                "it has spaces or other characters than ASCII, or is very long: write %20 and so on"
            )
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            raise ValueError("the port of its URL is none") from None
        if parts.scheme not in PORTS or not parts.hostname:
            raise ValueError("write a URL like https://club.example.org/hooks/cards")
        if "@" in parts.netloc:
            raise ValueError("no password belongs in the URL: receivers check the signature")
        if parts.fragment:
            raise ValueError("what follows # in a URL is never sent: leave it out")
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(parts.scheme == "https", parts.hostname, port or PORTS[parts.scheme], path)

    @property
    def authority(self) -> str:
        """The host, with the port if it is not the usual one, as in requests and logs."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS["https" if self.is_tls else "http"] else f"{host}:{self.port}"


def read_secret(path: Path) -> bytes:
    """Return the secret in a file.

    Raises:
        ValueError: there is none. The text does not repeat what is there.

    """
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE + 1).decode("ascii", errors="replace").strip()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    try:
        secret = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if not text.startswith(PREFIX) or not MIN_SECRET <= len(secret) <= MAX_SECRET:
        raise ValueError(
            f"{path} holds no secret of a webhook. Make one with "
            f"(umask 077; echo {PREFIX}$(openssl rand -base64 32) > {path})"
        )
    return secret


def signature(secret: bytes, notice_id: str, at: int, body: bytes) -> str:
    """Return the signature of a request: over its id, its time in seconds since 1970, and its body."""
    digest = hmac.digest(secret, f"{notice_id}.{at}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(digest).decode()}"
