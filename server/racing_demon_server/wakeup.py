"""When a loop is to wake for what is due."""

__all__ = ["seconds_until"]


def seconds_until(due: int, now: int = 0) -> float:
    """Return how long a loop is to sleep until something is due, in seconds; both are microseconds.

    uvloop keeps appointments to the millisecond, so these are whole ones, rounded up: woken a little too
    early, whoever asks what is due would find nothing, and ask again and again until the rest was over.
    """
    return -(-max(0, due - now) // 1_000) / 1_000
