"""The numbers of a seat's commands: which comes after which."""

from hypothesis import given
from hypothesis import strategies as st

from racing_demon_protocol.wire.serial_numbers import is_newer, newest_counter, next_counter
from tests.support.cases import for_each
from tests.support.effort import examples

HIGHEST = 2**31 - 1
counters = st.integers(1, HIGHEST)


@examples(100)
@given(st.integers(0, HIGHEST))
def test_every_counter_has_a_next_one(last: int) -> None:
    """However high a counter is, or none was used yet: the next one is valid, and newer."""
    following = next_counter(last)
    assert 1 <= following <= HIGHEST
    assert is_newer(following, last)


@examples(100)
@given(counters, counters)
def test_of_two_counters_one_at_most_is_newer(one: int, other: int) -> None:
    """Neither is newer than itself, nor are both newer than the other."""
    assert not (is_newer(one, other) and is_newer(other, one))


@for_each(
    ("counter", "last", "newer"),
    [
        (1, 0, True),
        (5, 2, True),
        (2, 5, False),
        (5, 5, False),
        (0, 0, False),
        (0, HIGHEST, False),
        (1, HIGHEST, True),
        (2**30 - 1, 0, True),
        (2**30, 0, False),
        (HIGHEST, 0, False),
        (HIGHEST, 1, False),
        (3, HIGHEST - 2, True),
    ],
)
def test_a_counter_is_newer_by_less_than_half_the_way_round(counter: int, last: int, newer: bool) -> None:
    """Gaps are fine; 0 is no counter; the highest is followed by 1, and comes not after the first ones."""
    assert newer is is_newer(counter, last)


@for_each(
    ("one", "other", "newest"),
    [(0, HIGHEST, HIGHEST), (0, 2**30, 2**30), (7, 9, 9), (9, 7, 9), (HIGHEST, 3, 3), (4, 0, 4)],
)
def test_the_newest_of_two_counters(one: int, other: int, newest: int) -> None:
    """Whoever has used none takes the other's, however high it is."""
    assert newest == newest_counter(one, other)
