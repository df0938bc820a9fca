"""Serial numbers: the counters of a seat's commands, which wrap around (RFC 1982, with 31 bits).

0 is no number; it stands for none.
"""

from typing import Final

from .messages.base import MAX_INT

MODULUS: Final = MAX_INT + 1


def is_newer(counter: int, last: int) -> bool:
    """Return whether a counter follows the last one: it is ahead by less than half the range."""
    return counter > 0 and 0 < (counter - last) % MODULUS < MODULUS // 2


def newest_counter(one: int, other: int) -> int:
    """Return the newer of two counters, or the nonzero one."""
    return other if not one or is_newer(other, one) else one


def next_counter(last: int) -> int:
    """Return the counter after the last one; 0 means that there was none."""
    return last % MAX_INT + 1
