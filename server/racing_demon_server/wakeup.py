"""How long a loop sleeps until something is due."""

__all__ = ["seconds_until"]


def seconds_until(due: int, now: int = 0) -> float:
    """Return the seconds until something is due; both arguments are microseconds.

    The result is whole milliseconds, rounded up, because uvloop's timers have that resolution. Woken
    early, the caller would find nothing due and wake again and again.
    """
    return -(-max(0, due - now) // 1_000) / 1_000
