"""Tables' codes.

Each follows from the table's number, and nobody can guess one without the key. No two tables have the same
number. After a change of the cluster's key, or when all codes were used once, two numbers can have the same
code; so codes are reserved in the database, with the numbers.
"""

import hashlib
import hmac
from typing import Final

from racing_demon_server.sharding import CODE_LETTERS

MIN_LETTERS: Final = 6
"""There are only 160,000 codes of four letters: a cluster would use them up, and guests could guess them."""
ROUNDS: Final = 6


def code_of(number: int, letters: int, key: bytes) -> str:
    """Return the code of a table's number: a permutation of all codes of that length (a Feistel network).

    Args:
        number: the table's.
        letters: the length of codes.
        key: the cluster's.

    """
    base = len(CODE_LETTERS)
    small, large = base ** (letters // 2), base ** (letters - letters // 2)
    left, right = divmod(number % (small * large), large)
    for turn in range(ROUNDS):
        # The halves may have different sizes: a hash of each moves the other.
        if turn % 2:
            right = (right + _hash(key, turn, left)) % large
        else:
            left = (left + _hash(key, turn, right)) % small
    place, code = left * large + right, ""
    for _ in range(letters):
        place, letter = divmod(place, base)
        code += CODE_LETTERS[letter]
    return code


def _hash(key: bytes, turn: int, half: int) -> int:
    message = b"code" + turn.to_bytes(1) + half.to_bytes(8)
    return int.from_bytes(hmac.digest(key, message, hashlib.sha256)[:16])
