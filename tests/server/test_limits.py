"""The token bucket."""

import pytest

from racing_demon_server.limits import Bucket

SECOND = 1_000_000
START = 77 * SECOND


def taken(bucket: Bucket, tries: int, at: int) -> int:
    """Return how many of some tries at one moment succeed."""
    return sum(bucket.take(at) for _ in range(tries))


def test_a_fresh_bucket_is_full() -> None:
    """At first the whole burst is there, and no more."""
    assert 5 == taken(Bucket(1, 5), 10, START)


def test_what_flows_in_can_be_taken() -> None:
    """Ten a second are one each tenth of a second."""
    bucket = Bucket(10, 5)
    taken(bucket, 5, START)
    assert [1, 1, 1] == [taken(bucket, 3, START + tenth * SECOND // 10) for tenth in (1, 2, 3)]


def test_it_holds_no_more_than_the_burst() -> None:
    """An hour of patience does not make a flood."""
    bucket = Bucket(10, 5)
    taken(bucket, 5, START)
    assert 5 == taken(bucket, 100, START + 3_600 * SECOND)


def test_a_refusal_costs_nothing() -> None:
    """Who tries too often is not punished for trying."""
    bucket = Bucket(1, 1)
    taken(bucket, 1_000, START)
    assert 1 == taken(bucket, 10, START + SECOND)


def test_a_steady_stream_at_the_rate_passes() -> None:
    """Exactly the rate, for long, is never refused."""
    bucket = Bucket(4, 1)
    assert all(bucket.take(START + number * SECOND // 4) for number in range(1_000))


def test_twice_the_rate_passes_by_half() -> None:
    """Over a long time only the rate comes through, whatever is tried."""
    bucket = Bucket(4, 1)
    passed = sum(bucket.take(START + number * SECOND // 8) for number in range(1_000))
    assert 500 == passed


def test_whether_it_is_empty_is_known_before() -> None:
    """A bucket is empty when the next cannot be taken, and asking takes nothing."""
    bucket = Bucket(1, 2)
    for at in (0, 0, 500_000, 1_000_000, 1_000_000, 2_000_000):
        assert bucket.is_empty(at) != bucket.take(at)


def test_a_clock_that_falls_back_gives_nothing() -> None:
    """Stamps out of order bring no more than one that stood still."""
    bucket = Bucket(1, 2)
    taken(bucket, 2, START)
    assert [False, False] == [bucket.take(START - 10 * SECOND), bucket.take(START)]


@pytest.mark.parametrize("burst", [0.5, 0])
def test_a_bucket_for_less_than_one_gives_nothing(burst: float) -> None:
    """There is no half a command."""
    bucket = Bucket(1_000, burst)
    assert 0 == taken(bucket, 10, START)
    assert 0 == taken(bucket, 10, START + SECOND)
