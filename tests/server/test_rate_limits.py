"""The token bucket."""

from racing_demon_server.rate_limits import Allowance, TokenBucket
from tests.support.cases import for_each

SECOND = 1_000_000
START = 77 * SECOND


def taken(bucket: TokenBucket, tries: int, at: int) -> int:
    """Return how many of some tries at one moment succeed."""
    return sum(bucket.take(at) for _ in range(tries))


def test_a_fresh_bucket_is_full() -> None:
    """At first the whole burst is there, and no more."""
    assert taken(TokenBucket(1, 5), 10, START) == 5


def test_what_flows_in_can_be_taken() -> None:
    """Ten a second are one each tenth of a second."""
    bucket = TokenBucket(10, 5)
    taken(bucket, 5, START)
    assert [taken(bucket, 3, START + tenth * SECOND // 10) for tenth in (1, 2, 3)] == [1, 1, 1]


def test_it_holds_no_more_than_the_burst() -> None:
    """An hour of patience does not make a flood."""
    bucket = TokenBucket(10, 5)
    taken(bucket, 5, START)
    assert taken(bucket, 100, START + 3_600 * SECOND) == 5


def test_a_refusal_costs_nothing() -> None:
    """Who tries too often is not punished for trying."""
    bucket = TokenBucket(1, 1)
    taken(bucket, 1_000, START)
    assert taken(bucket, 10, START + SECOND) == 1


def test_a_steady_stream_at_the_rate_passes() -> None:
    """Exactly the rate, for long, is never refused."""
    bucket = TokenBucket(4, 1)
    assert all(bucket.take(START + number * SECOND // 4) for number in range(1_000))


def test_twice_the_rate_passes_by_half() -> None:
    """Over a long time only the rate comes through, whatever is tried."""
    bucket = TokenBucket(4, 1)
    passed = sum(bucket.take(START + number * SECOND // 8) for number in range(1_000))
    assert passed == 500


def test_whether_it_is_empty_is_known_before() -> None:
    """A bucket is empty when the next cannot be taken, and asking takes nothing."""
    bucket = TokenBucket(1, 2)
    for at in (0, 0, 500_000, 1_000_000, 1_000_000, 2_000_000):
        assert bucket.is_empty(at) != bucket.take(at)


def test_a_clock_that_falls_back_gives_nothing() -> None:
    """Stamps out of order bring no more than one that stood still."""
    bucket = TokenBucket(1, 2)
    taken(bucket, 2, START)
    assert [bucket.take(START - 10 * SECOND), bucket.take(START)] == [False, False]


@for_each("burst", [0.5, 0])
def test_a_bucket_for_less_than_one_gives_nothing(burst: float) -> None:
    """There is no half a command."""
    bucket = TokenBucket(1_000, burst)
    assert taken(bucket, 10, START) == 0
    assert taken(bucket, 10, START + SECOND) == 0


# Units.


def test_several_units_are_taken_together_or_not_at_all() -> None:
    """Of what does not suffice nothing is taken."""
    bucket = TokenBucket(1, 5)
    assert [bucket.take(START, units) for units in (3, 3, 2)] == [True, False, True]


def test_debts_are_paid_before_anything_flows_in() -> None:
    """What was taken though it was not there is told as the time that it takes to flow in."""
    bucket = TokenBucket(2, 1)
    taken(bucket, 1, START)
    assert [bucket.overdraw(START) for _ in range(2)] == [SECOND // 2, SECOND]
    assert [bucket.take(START + late) for late in (SECOND, 3 * SECOND // 2)] == [False, True]


def test_a_share_is_used_before_the_pool() -> None:
    """A connection draws on what others use, too, only beyond its own share."""
    pool = TokenBucket(1, 3)
    one, other = (Allowance(TokenBucket(1, 2), [pool]) for _ in range(2))
    assert sum(one.take(START) for _ in range(10)) == 5
    assert sum(other.take(START) for _ in range(10)) == 2


def test_what_one_pool_has_not_is_taken_from_none() -> None:
    """Where the table's pool is empty, the address' is as it was."""
    table, address = TokenBucket(1, 1), TokenBucket(1, 3)
    at_table = Allowance(TokenBucket(1, 0), [address, table])
    elsewhere = Allowance(TokenBucket(1, 0), [address])
    assert sum(at_table.take(START) for _ in range(10)) == 1
    assert sum(elsewhere.take(START) for _ in range(10)) == 2


def test_a_pool_can_come_later() -> None:
    """Who sits down at a table draws on its pool from then on."""
    allowance = Allowance(TokenBucket(1, 0), [])
    assert all(allowance.take(START) for _ in range(10))
    allowance.add_pool(TokenBucket(1, 2))
    assert sum(allowance.take(START) for _ in range(10)) == 2


def test_a_message_of_several_units_takes_them_all_from_the_share_and_then_from_the_pools() -> None:
    """What the share has not, each pool pays in full; where one of them cannot, nothing is taken."""
    share, small, large = TokenBucket(1, 10), TokenBucket(1, 10), TokenBucket(1, 20)
    allowance = Allowance(share, [small, large])
    assert [allowance.take(0, 8), allowance.take(0, 8), allowance.take(0, 8)] == [True, True, False]
    assert [share.is_empty(0, 2), share.is_empty(0, 3)] == [False, True]
    assert [small.is_empty(0, 2), small.is_empty(0, 3)] == [False, True]
    assert [large.is_empty(0, 12), large.is_empty(0, 13)] == [False, True]


def test_a_share_fills_with_time() -> None:
    """Somebody without pools waits for their own share, and for no longer."""
    allowance = Allowance(TokenBucket(1, 2), [TokenBucket(1, 1)])
    assert [allowance.take(0, 2), allowance.take(0)] == [True, True]
    assert [allowance.take(999_998), allowance.take(1_000_000)] == [False, True]


def test_what_was_used_is_paid_with_the_next_use() -> None:
    """What nobody could know before is taken with what comes next, from the share or from all pools."""
    share, pool = TokenBucket(1, 10), TokenBucket(1, 29)
    allowance = Allowance(share, [pool])
    allowance.charge(9)
    assert [allowance.take(0), share.is_empty(0)] == [True, True]
    allowance.charge(28)
    assert [allowance.take(0), allowance.take(0, 2)] == [True, False]
    allowance.charge(2)
    assert [allowance.take(0), allowance.overdraw(0), not allowance.settle(0)] == [False, 2_000_000, True]
    assert [allowance.overdraw(1_000_000), not allowance.settle(0)] == [3_000_000, False]


def test_only_debts_are_to_be_waited_for() -> None:
    """A unit that is there costs no waiting; one that is not, until it would have flowed in."""
    allowance = Allowance(TokenBucket(1, 1), [])
    assert [
        allowance.overdraw(5_000_000),
        allowance.overdraw(5_000_000),
        allowance.overdraw(5_500_000),
    ] == [0, 1_000_000, 1_500_000]
