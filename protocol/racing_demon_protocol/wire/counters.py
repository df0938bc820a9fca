"""The counters that number a seat's commands. They go round, so that no counter leaves a seat without a next.

It is the arithmetic of RFC 1982 for 31 bits, without 0, which numbers nothing.
"""

from typing import Final

from .messages.base import MAX_INT

__all__ = ["is_newer", "newest_counter", "next_counter"]

NUMBERS: Final = MAX_INT + 1


def is_newer(counter: int, last: int) -> bool:
    """Tell whether a counter comes after the last one: it is ahead by less than half of the way round."""
    return counter > 0 and 0 < (counter - last) % NUMBERS < NUMBERS // 2


def newest_counter(one: int, other: int) -> int:
    """Return the newer of two counters, or the one that is there, where the other is 0."""
    return other if not one or is_newer(other, one) else one


def next_counter(last: int) -> int:
    """Return the counter after the last one; 0 stands for none yet."""
    return last % MAX_INT + 1
