"""When a loop is to wake."""

from racing_demon_server.wakeup import seconds_until
from tests.support.cases import for_each


@for_each(
    ("due", "now", "seconds"),
    [(5_000, 5_000, 0), (5_001, 5_000, 0.001), (6_000, 5_000, 0.001), (6_001, 5_000, 0.002), (1, 5_000, 0)],
)
def test_a_loop_sleeps_for_whole_milliseconds(due: int, now: int, seconds: float) -> None:
    """They are rounded up, so that it does not wake before its time; what is overdue is due at once."""
    assert seconds == seconds_until(due, now)
