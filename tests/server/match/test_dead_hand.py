"""The dead-hand test in slices: what is known of whom, what is dropped, and what the table does meanwhile."""

import random
from functools import cache
from itertools import pairwise
from typing import Self

import pytest

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.sliced_search import SearchSteps, SlicedSearch
from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.match.hand import (
    DEAD_CHECK_DELAY_US,
    SLICE_GAP_US,
    SLICE_UNITS,
    WAIT_US_PER_UNIT,
    DeadHandTest,
)
from tests.support.builds import skip_unless_pure
from tests.support.cases import for_each
from tests.support.inside import dead_tests, dealer_of
from tests.support.tables import SECOND, Sitting, of_type

LONG = 20 * SLICE_UNITS


class Fortune(Dealer):
    """A dealer who says of each seat what a test wants, after so many units of work.

    Attributes:
        asked: the seats that a search was begun for, in order.
        units: the work done for all of them.

    """

    def __new__(cls, *_arguments: object) -> Self:
        """Skip the test where this class is not possible."""
        skip_unless_pure("inherits from a dealer")
        return super().__new__(cls)

    def __init__(self, answers: dict[int, bool], units: int = 1) -> None:
        super().__init__(bytes(32), make_rules(GAMES["racing-demon"], (0, 1, 2)))
        self.asked: list[int] = []
        self.units = 0
        self._answers = answers
        self._units = units

    def search(self, board: Board, seat: int) -> SlicedSearch[bool]:
        """Begin a search that has its answer already, and takes its time."""
        self.asked.append(seat)
        return SlicedSearch(self._take(self._answers[seat]))

    def _take(self, answer: bool) -> SearchSteps:
        for _ in range(self._units):
            self.units += 1
            yield 1
        return answer


def _test(answers: dict[int, bool], units: int = 1) -> tuple[DeadHandTest, Fortune]:
    dealer = Fortune(answers, units)
    return DeadHandTest(dealer.open_board(), dealer, 0), dealer


# Slice by slice.


def test_a_slice_ends_and_the_next_comes_soon() -> None:
    """A search that takes longer than a slice goes on a little later, and is begun once."""
    test, dealer = _test({0: False}, 2 * SLICE_UNITS + 1)
    for number in range(2):
        assert not test.work([0], number * SLICE_GAP_US)
        assert (number + 1) * SLICE_GAP_US == test.next_slice_at
    assert test.work([0], 2 * SLICE_GAP_US)
    assert (test.next_slice_at, dealer.asked) == (None, [0])


def test_several_seats_share_a_slice() -> None:
    """What the first seats leave of a slice is for the next; who is known to be dead is not asked again."""
    test, dealer = _test({0: False, 1: False, 2: False}, SLICE_UNITS // 2 - 1)
    assert [test.work([0, 1, 2], at) for at in (0, SLICE_GAP_US)] == [False, True]
    assert dealer.asked == [0, 1, 2]


def test_one_who_can_go_on_is_enough() -> None:
    """Where somebody can come further, nobody else is asked about, and nothing is due."""
    test, dealer = _test({0: False, 1: True, 2: False})
    assert not test.work([0, 1, 2], 0)
    assert (test.next_slice_at, dealer.asked) == (None, [0, 1])


def test_a_change_ends_the_search() -> None:
    """It begins anew, as long after the change as after any play."""
    test, dealer = _test({0: False}, 2 * SLICE_UNITS)
    test.work([0], 0)
    test.restart(1)
    assert test.next_slice_at == 1 + DEAD_CHECK_DELAY_US
    test.work([0], 1 + DEAD_CHECK_DELAY_US)
    assert dealer.asked == [0, 0]


def test_a_change_takes_answers_back() -> None:
    """Who was dead may be alive after a play: all are asked anew."""
    test, dealer = _test({0: False, 1: False})
    assert test.work([0, 1], 0)
    test.restart(1)
    assert test.work([0, 1], 2)
    assert dealer.asked == [0, 1, 0, 1]


def test_what_is_overdue_does_not_come_all_at_once() -> None:
    """However late a slice was, the next one comes after now."""
    test, _ = _test({0: False}, 3 * SLICE_UNITS)
    test.work([0], 0)
    test.reschedule_overdue(SECOND)
    assert test.next_slice_at == SECOND + SLICE_GAP_US


def test_a_seat_keeps_its_slot_however_late_it_is() -> None:
    """Of three seats the second has every third slot; whatever delays its test, it stays in them."""
    dealer, slot, period = Fortune({0: False}, 3 * SLICE_UNITS), SLICE_GAP_US, 3 * SLICE_GAP_US
    test = DeadHandTest(dealer.open_board(), dealer, 0, 1, 3)
    assert slot == test.next_slice_at
    test.reschedule_overdue(slot - 1)
    assert slot == test.next_slice_at
    test.reschedule_overdue(slot)
    assert slot + period == test.next_slice_at
    test.work([0], slot + period)
    assert slot + 2 * period == test.next_slice_at
    test.reschedule_overdue(100 * period)
    assert slot + 100 * period == test.next_slice_at
    test.shift(SLICE_GAP_US // 2)
    assert slot + 101 * period == test.next_slice_at


def test_a_long_search_is_followed_by_a_rest() -> None:
    """After a search of several slices none begins for some time, whether it was ended or dropped."""
    test, dealer = _test({0: False, 1: False}, 2 * SLICE_UNITS)
    for at in (0, SLICE_GAP_US, 2 * SLICE_GAP_US):
        assert not test.work([0, 1], at)
    rest = 2 * SLICE_GAP_US + 2 * SLICE_UNITS * WAIT_US_PER_UNIT
    assert ([0], rest) == (dealer.asked, test.next_slice_at)
    test.work([0, 1], rest)
    assert dealer.asked == [0, 1]


# At a table.


@cache
def _long() -> Sitting:
    """Return a table of two where a long search says that the first is dead."""
    sitting = Sitting.playing(2, bytes([5]) * 32, game="flower-garden", countdown_ms=0)
    rng = random.Random(5)
    while (search := _search(sitting)).finish() or search.units < LONG:
        legal = sitting.plays(0)
        led = [play for play in legal if sitting.rules.is_irreversible(sitting.board, 0, play)]
        _play(sitting, 0, led[0] if led else rng.choice(legal))
    return sitting


def _play(sitting: Sitting, seat: int, play: Play) -> None:
    sitting.play(seat, play.source, play.destination, play.count)


def _stuck(sitting: Sitting) -> list[int]:
    return [said.seat for said in of_type(ev.StuckSaid, sitting.log)]


def _search(sitting: Sitting) -> SlicedSearch[bool]:
    assert sitting.hand is not None
    return dealer_of(sitting.hand).search(sitting.hand.board, 0)


def test_a_table_plays_on_while_it_searches() -> None:
    """Between two slices the others' plays are carried out; the seat that is dead is told so in the end."""
    sitting = _long().fork()
    sitting.wait(DEAD_CHECK_DELAY_US + 10 * SLICE_GAP_US)
    assert ([], sitting.now + 2 * SLICE_GAP_US) == (_stuck(sitting), sitting.table.next_timer_at)
    _play(sitting, 1, sitting.plays(1)[0])
    assert sitting.now + 2 * SLICE_GAP_US == sitting.table.next_timer_at
    sitting.wait(SECOND)
    assert _stuck(sitting) == [0]


def test_a_table_that_is_woken_late_does_one_slice() -> None:
    """However late it is, one waking is one slice of work, and all others come after it."""
    sitting = _long().fork()
    for _ in range(3):
        sitting.now += SECOND
        assert sitting.table.run_until(sitting.now) == []
        assert sitting.table.next_timer_at is not None
        assert sitting.now < sitting.table.next_timer_at <= sitting.now + 3 * SLICE_GAP_US


@pytest.mark.long
@for_each("seats", [1, 2, 8])
@for_each("game", ["racing-demon", "flower-garden"])
def test_a_command_waits_for_one_slice_at_most(game: str, seats: int) -> None:
    """Whenever a command comes, and however many seats are searched for, one slice is done before it."""
    sitting, rng = Sitting.playing(seats, game=game, countdown_ms=0), random.Random(seats)
    assert sitting.hand is not None
    dealer = Fortune(dict.fromkeys(range(seats), False), 10_000_000)
    for test in dead_tests(sitting.hand).values():
        test._dealer = dealer
    sitting.wait(DEAD_CHECK_DELAY_US)
    done = [dealer.units]
    for _ in range(1_000):
        late = rng.choice([rng.randint(1, SLICE_GAP_US), rng.randint(1, 2 * seats * SLICE_GAP_US)])
        sitting.now += late
        sitting.send(0, cl.Mute, seat=0)
        done.append(dealer.units)
    most = max(after - before for before, after in pairwise(done))
    assert most == SLICE_UNITS
    assert sorted(dealer.asked) == ([*range(seats)] if game == "flower-garden" else [0])


@for_each("late", [0, 1, SLICE_GAP_US // 2, SLICE_GAP_US - 1])
def test_a_slice_that_is_nearly_in_time_moves_no_other_seat_s(late: int) -> None:
    """Whether another seat was searched for just before or not, a seat is found stuck at the same moment."""
    found = []
    for is_other_searched in (True, False):
        sitting = Sitting.playing(2, game="flower-garden", countdown_ms=0)
        assert sitting.hand is not None
        first, second = dead_tests(sitting.hand).values()
        first._dealer = Fortune({0: True}, 100 * LONG if is_other_searched else 1)
        second._dealer = Fortune({1: False}, LONG)
        assert first.next_slice_at is not None
        sitting.now = first.next_slice_at + late
        while not _stuck(sitting):
            sitting.record(sitting.table.run_until(sitting.now))
            sitting.now += SLICE_GAP_US
        (said,) = of_type(ev.StuckSaid, sitting.log)
        found.append((said.seat, sitting.now))
    assert found[0] == found[1]
    assert found[0][0] == 1


def test_a_play_of_the_seat_ends_its_search() -> None:
    """Whoever plays is asked about anew, as long after it as after any play."""
    sitting = _long().fork()
    sitting.wait(DEAD_CHECK_DELAY_US + 10 * SLICE_GAP_US)
    _play(sitting, 0, sitting.plays(0)[0])
    assert sitting.now + DEAD_CHECK_DELAY_US == sitting.table.next_timer_at
    sitting.wait(DEAD_CHECK_DELAY_US - 1)
    assert _stuck(sitting) == []


@pytest.mark.long
def test_a_wide_search_comes_to_its_end() -> None:
    """Where neutral moves lead to 9,504 positions and none of them leads on, the seat is known to be dead."""
    sitting, rng = (
        Sitting.playing(1, (30).to_bytes(32, "big"), game="flower-garden", countdown_ms=0),
        random.Random(30),
    )
    for _ in range(19):
        legal = sitting.plays(0)
        led = [play for play in legal if sitting.rules.is_irreversible(sitting.board, 0, play)]
        _play(sitting, 0, rng.choice(led or legal))
    assert not _search(sitting).finish()


def test_a_search_ends_with_the_hand() -> None:
    """A hand that is over is searched no further."""
    sitting = _long().fork()
    sitting.wait(DEAD_CHECK_DELAY_US)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    (over,) = of_type(ev.HandOver, sitting.log)
    assert (over.reason, sitting.table.view.phase) == (EndReason.STUCK, Phase.TALLY)
    assert sitting.table.next_timer_at is not None
    assert sitting.now + SLICE_GAP_US < sitting.table.next_timer_at
