from collections.abc import Mapping, Sequence

import pytest

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.errors import InconsistentEvent, InvalidGame
from racing_demon_protocol.table.handicaps import dealt_handicaps, is_harder, waits_ms
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import HandResult, SeatState
from racing_demon_protocol.wire.options import HandicapRule, Options
from tests.support.cases import for_each

CLASSIC = Options(game="classic", handicap=HandicapRule.AUTO)


def _after(
    *hands: tuple[int, ...], out: int | None = None, options: Options = CLASSIC, bot: int | None = None
) -> list[Handicap]:
    """Return the handicaps of three seats after hands with these points."""
    seats = {
        seat: SeatState(seat=seat, name=str(seat), bot="hard" if seat == bot else "") for seat in range(3)
    }
    results = _played(options, seats, hands, out)
    return list(dealt_handicaps(options, seats, results, (0, 1, 2))) or [Handicap()] * 3


def _played(
    options: Options, seats: Mapping[int, SeatState], hands: Sequence[tuple[int, ...]], out: int | None = None
) -> list[HandResult]:
    """Return hands with these points, each dealt by the handicaps that those before it have led to."""
    results: list[HandResult] = []
    for number, points in enumerate(hands, 1):
        dealt = dealt_handicaps(options, seats, results, seats)
        made = HandResult(hand=number, seats=tuple(seats), points=points, reason=EndReason.STUCK, out=out)
        results.append(made.model_copy(update={"handicaps": dealt}))
    return results


def test_auto_gives_the_best_a_card_more_and_who_scores_nothing_one_fewer() -> None:
    """Whoever goes out counts as best; otherwise the points decide, and those who share the best share it."""
    assert [each.heap for each in _after((10, 5, 0))] == [1, 0, -1]
    assert [each.heap for each in _after((10, 5, 0), out=1)] == [0, 1, -1]
    assert [each.heap for each in _after((10, 10, -4), (10, 2, 3))] == [2, 1, -1]


def test_auto_keeps_heaps_between_three_and_twenty() -> None:
    """Each hand changes a heap by one card at most."""
    handicaps = _after(*[(10, 5, 0)] * 30)
    assert [13 + each.heap for each in handicaps] == [20, 13, 3]


def test_auto_adds_its_steps_to_what_a_seat_was_given_last() -> None:
    """Also where that was given after the hands: two steps down of five cards more leave three."""
    seats = {0: SeatState(seat=0, name="Ann", handicap=Handicap(heap=5))}
    result = HandResult(hand=1, seats=(0, 1), points=(0, 10), reason=EndReason.STUCK)
    assert dealt_handicaps(CLASSIC, seats, [result, result], [0]) == (Handicap(heap=3),)


def test_a_step_that_is_lost_at_a_bound_does_not_come_back() -> None:
    """Whoever won more often than a heap can grow has a card fewer after a hand without points."""
    handicaps = _after(*[(10, 5, 5)] * 30, (0, 5, 5))
    assert 13 + handicaps[0].heap == 19


@for_each(
    ("options", "lost"),
    [(CLASSIC, Handicap(heap=-10)), (Options(handicap=HandicapRule.AUTO), Handicap())],
    ids=["heap", "delay"],
)
def test_lost_steps_stay_lost_when_the_seat_is_given_something_else(options: Options, lost: Handicap) -> None:
    """Three hands without points at the easiest change nothing, by whatever handicap the next is dealt."""
    ann, ben = SeatState(seat=0, name="Ann", handicap=lost), SeatState(seat=1, name="Ben")
    results = _played(options, {0: ann, 1: ben}, [(0, 10)] * 3)
    other = ann.model_copy(update={"handicap": Handicap(heap=2 if lost.heap else 0, delay_s=5)})
    assert dealt_handicaps(options, {0: other, 1: ben}, results, [0]) == (other.handicap,)


def test_auto_changes_the_signal_where_there_is_no_heap() -> None:
    """Then it is a second for a card, up to fifteen, also where all have the same cards."""
    for game in ("racing-demon", "demon-a"):
        options = Options(game=game, handicap=HandicapRule.AUTO)
        assert [each.delay_s for each in _after(*[(10, 5, 0)] * 20, options=options)] == [15, 0, 0]


def test_auto_lets_bots_keep_theirs() -> None:
    """A bot's strength is its level."""
    assert [each.heap for each in _after((10, 5, 0), bot=0)] == [0, 0, -1]


def test_somebody_always_starts_at_once() -> None:
    """Seconds count from the fewest in the hand."""
    assert waits_ms([Handicap(delay_s=5), Handicap(delay_s=2)]) == (3_000, 0)
    assert waits_ms(()) == ()


@for_each("heap", [-29, 29])
def test_a_server_cannot_make_a_heap_of_no_cards(heap: int) -> None:
    """A deal that no pack has, or fewer than no cards, is not applied; whoever sent it is not believed."""
    view = TableState("T", Options(game="classic", columns=9, reserve=20))
    view.apply(ev.Joined(seq=1, seat=0, name="Ann"))
    view.apply(ev.Committed(seq=2, hand=1, hand_id="T/1/1", commitment="0" * 64))
    dealt = ev.Dealt(seq=3, seats=(0,), shown=(), countdown_ms=0, handicaps=(Handicap(heap=heap),))
    with pytest.raises((InvalidGame, InconsistentEvent)):
        view.apply(dealt)


def test_harder_means_in_everything() -> None:
    """More cards, a later signal and fewer points are harder."""
    assert is_harder(Handicap(heap=2, points=-1), Handicap(heap=1))
    assert not is_harder(Handicap(heap=2, points=1), Handicap(heap=1))
