"""How a device proves to a server which player uses it, without sending its secret again. Pure.

It is SCRAM's proof (RFC 5802): what the server keeps, a hash of the secret, suffices to check a proof, and to
make none.
"""

import hashlib
import hmac
from typing import Final, NamedTuple

HASHED: Final = b"racing-demon player 1\n"
SIGNED: Final = b"racing-demon player 2\n"
"""They keep hash and proof apart from everything else that is hashed."""


class ProofFacts(NamedTuple):
    """What a proof is good for.

    Attributes:
        server: the server's name for itself, from its challenge.
        nonce: the challenge's.
        address: scheme, host and port that the client has dialled, like ``wss://cards.example``. A server at
            another address cannot use the proof that it was given.
        player: the player.
        device: the number of the device.

    """

    server: str
    nonce: str
    address: str
    player: str
    device: int


def secret_hash(secret: str) -> bytes:
    """Return what a server keeps of a device's secret of 64 hexadecimal digits."""
    return _hashed(bytes.fromhex(secret))


def player_proof(secret: str, facts: ProofFacts) -> str:
    """Return the proof that answers a challenge, in hexadecimal: the secret, hidden by a signature."""
    return _xor(bytes.fromhex(secret), _signature(secret_hash(secret), SIGNED, facts)).hex()


def is_proven(kept: bytes, proof: str, facts: ProofFacts) -> bool:
    """Return whether a proof is made with the secret of which a server keeps the hash.

    The signature can be made of what is kept. It reveals the secret, whose hash must be the same.
    """
    return hmac.compare_digest(_hashed(_xor(bytes.fromhex(proof), _signature(kept, SIGNED, facts))), kept)


def older_proof(secret: str, facts: ProofFacts) -> str:
    """Return the proof for a server of an older version, which keeps what it is made with."""
    host = facts.address.partition("://")[2]
    return _signature(secret_hash(secret), HASHED, facts._replace(address=host)).hex()


def _hashed(secret: bytes) -> bytes:
    return hashlib.sha256(HASHED + secret).digest()


def _signature(kept: bytes, label: bytes, facts: ProofFacts) -> bytes:
    server, nonce, address, player, device = facts
    said = "\n".join((server, nonce, address.lower(), player, str(device)))
    return hmac.digest(kept, label + said.encode(), hashlib.sha256)


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
