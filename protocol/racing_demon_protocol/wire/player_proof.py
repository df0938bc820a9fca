"""How a device proves to a server which player uses it, without sending its secret again. Pure."""

import hashlib
import hmac
from typing import Final

LABEL: Final = b"racing-demon player 1\n"
"""Keeps the proof apart from everything else that is hashed."""


def secret_hash(secret: str) -> bytes:
    """Return what a server keeps of a device's secret of 64 hexadecimal digits."""
    return hashlib.sha256(LABEL + bytes.fromhex(secret)).digest()


def player_proof(  # noqa: PLR0913, PLR0917 - all that the proof binds
    key: bytes, server: str, nonce: str, host: str, player: str, device: int
) -> str:
    """Return the proof that answers a challenge, in hexadecimal.

    Args:
        key: the hash of the device's secret.
        server: the server's name for itself, from its challenge.
        nonce: the challenge's.
        host: the host and port that the client has dialled, in lower case. A server at another address
            cannot use the proof that it was given.
        player: the player.
        device: the number of the device.

    """
    said = "\n".join((server, nonce, host.lower(), player, str(device)))
    return hmac.new(key, LABEL + said.encode(), hashlib.sha256).hexdigest()
