"""What happened lately, and how it fades."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.terminal.activity import BANNER_MS, Activity, Cue
from racing_demon_client.terminal.drawing.scene import FeedLine
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult, Refused
from racing_demon_protocol.wire.options import Options
from tests.support.boards import build, rules_of
from tests.support.desks import view_of
from tests.support.effort import examples
from tests.support.matches import MATCHES, log_of, of_matches, options_of

NOW = 50_000
SEED = "0" * 64


def table(players: int = 2) -> tuple[Activity, TableState]:
    """Return what happened at a table whose hand has just begun: nothing."""
    activity, view = Activity(), view_of(build(rules_of(players=players), tableau=("KS",)))
    activity.take_up(view, NOW, 0)
    return activity, view


def up(seat: int, pile: int = 0) -> ev.Played:
    """Return the event of a card that went to a foundation."""
    return ev.Played(seq=1, seat=seat, counter=1, source=9, count=1, destination=pile)


def over(reason: EndReason, elapsed_ms: int = 7_000) -> ev.HandOver:
    """Return the end of a hand."""
    return ev.HandOver(seq=1, reason=reason, out=None, elapsed_ms=elapsed_ms, points=(0, 0), seed=SEED)


def test_nothing_happened_later_than_it_is() -> None:
    """A server that was away goes on from its last event: what was noted meanwhile is set back."""
    activity, view = table()
    times: list[int | None] = [90_000, None, 27_000, 28_000, 32_000, 33_000]
    activity.feed.extend(FeedLine(at_ms, str(at_ms)) for at_ms in times)
    activity.note(ev.Continued(seq=9, elapsed_ms=28_000), view, NOW)
    assert [line.at_ms for line in activity.feed] == [90_000, None, 27_000, 28_000, 28_000, 28_000]


# Flashes.


def test_a_flash_ends_after_400_ms() -> None:
    """Both piles of a play are fresh for that long, and no others."""
    activity, view = table()
    activity.note(up(0), view, NOW)
    assert [{0, 9}, {0, 9}, set()] == [activity.fresh(NOW + ms) for ms in (0, 399, 400)]


def test_a_new_play_flashes_anew() -> None:
    """A pile that changes again is fresh from then on; the others fade in their own time."""
    activity, view = table()
    activity.note(up(0, pile=1), view, NOW)
    activity.note(up(0, pile=2), view, NOW + 300)
    assert {2, 9} == activity.fresh(NOW + 400)
    assert set() == activity.fresh(NOW + 700)


def test_a_new_deal_is_not_fresh() -> None:
    """What flashed in the last hand does not in the next."""
    activity, view = table()
    activity.note(up(0), view, NOW)
    activity.take_up(view, NOW + 1, -3_000)
    assert not activity.fresh(NOW + 1)


# The clock.


@examples(100)
@given(st.integers(0, 30_000), st.integers(0, 40_000))
def test_the_seconds_to_the_signal(countdown: int, later: int) -> None:
    """They are rounded up, so that the last one is told as 1; from the signal on there are none."""
    activity, view = table()
    activity.note(ev.Dealt(seq=1, seats=(0, 1), shown=(), countdown_ms=countdown), view, NOW)
    left = max(0, countdown - later)
    assert (left + 999) // 1_000 == activity.seconds_to_signal(NOW + later)
    assert max(0, later - countdown) == activity.elapsed_ms(NOW + later)


def test_the_clock_runs_from_the_signal_and_stops_at_the_end() -> None:
    """Before the signal it stands at nothing, after the end at the hand's whole time."""
    activity, view = table()
    assert Cue.SIGNAL is activity.note(ev.Signalled(seq=1), view, NOW)
    assert activity.elapsed_ms(NOW + 1_234) == 1_234
    activity.note(over(EndReason.DEAD), view, NOW + 9_000)
    assert activity.elapsed_ms(NOW + 60_000) == 7_000


@pytest.mark.parametrize("countdown", [0, 3_000])
def test_the_clock_runs_in_the_second_hand_too(countdown: int) -> None:
    """Whatever the last hand's time was, and however short the countdown is."""
    activity, view = table()
    result = HandResult(hand=1, seats=(0, 1), points=(1, 2), reason=EndReason.DEAD, elapsed_ms=7_000)
    view.results, view.phase = [result], Phase.TALLY
    activity.note(over(EndReason.DEAD), view, NOW)
    view.phase = Phase.COUNTDOWN
    activity.note(ev.Dealt(seq=2, seats=(0, 1), shown=(), countdown_ms=countdown), view, NOW)
    view.phase = Phase.PLAYING
    activity.note(ev.Signalled(seq=3), view, NOW + countdown)
    assert activity.elapsed_ms(NOW + countdown + 500) == 500


def test_coming_late_the_clock_is_right() -> None:
    """A snapshot tells how long the hand lasts; between the hands, how long it lasted."""
    activity, view = table()
    activity.note(view.snapshot(5_000), view, NOW)
    assert activity.elapsed_ms(NOW + 10) == 5_010
    view.results = [HandResult(hand=1, seats=(0, 1), points=(1, 2), reason=EndReason.DEAD, elapsed_ms=7_000)]
    view.phase = Phase.TALLY
    activity.note(view.snapshot(20_000), view, NOW)
    assert activity.elapsed_ms(NOW + 10) == 7_000


# Words that fill the screen.


def test_the_banner_comes_and_goes() -> None:
    """Somebody is out: the word stands for two and a half seconds."""
    activity, view = table()
    assert Cue.DEMON is activity.note(over(EndReason.OUT), view, NOW)
    shown = [activity.banner(NOW + ms) for ms in (0, BANNER_MS - 1, BANNER_MS)]
    assert shown == ["DEMON!", "DEMON!", ""]


@pytest.mark.parametrize("reason", [EndReason.DEAD, EndReason.STUCK, EndReason.ABANDONED])
def test_other_ends_are_silent(reason: EndReason) -> None:
    """Where nobody went out there is neither word nor sound."""
    activity, view = table()
    assert activity.note(over(reason), view, NOW) is None
    assert activity.banner(NOW) == ""


def test_a_call_is_told_once() -> None:
    """The end that follows a call does not repeat it."""
    activity, view = table()
    assert Cue.DEMON is activity.note(ev.Called(seq=1, seat=1, grace_ms=1_000), view, NOW)
    assert activity.note(over(EndReason.OUT), view, NOW + 1_000) is None
    assert activity.banner(NOW + BANNER_MS) == ""


def test_a_lost_race_has_a_sound() -> None:
    """Being beaten is heard, any other refusal is not."""
    activity, view = table()
    cues = [activity.note(Refused(counter=1, reason=reason, text=""), view, NOW) for reason in Reason]
    assert [cue for cue in cues if cue is not None] == [Cue.BEATEN]


# Pace.


def test_the_windows_of_the_pace() -> None:
    """Five windows of 15 seconds, the latest last; what is older is forgotten."""
    activity, view = table()
    for ms in (0, 1_000, 16_000, 70_000):
        activity.note(up(0), view, NOW + ms)
    assert activity.pace(NOW + 70_000)[0] == [2, 1, 0, 0, 1]
    assert activity.pace(NOW + 84_999)[0] == [1, 0, 0, 0, 1]
    assert activity.pace(NOW + 999_000)[0] == [0, 0, 0, 0, 0]
    assert activity.pace(NOW)[1] == [0, 0, 0, 0, 0]


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20_000)), max_size=40), st.integers(0, 90_000))
def test_the_pace_counts_what_went_up(plays: list[tuple[int, int]], later: int) -> None:
    """Each seat's windows together hold its cards of the last 75 seconds, each in the window of its age."""
    activity, view = table()
    now, times = NOW, []
    for seat, wait in plays:
        now += wait
        times.append((seat, now))
        activity.note(up(seat), view, now)
    now += later
    for seat in (0, 1):
        ages = [(now - at) // 15_000 for other, at in times if other == seat]
        assert [ages.count(age) for age in (4, 3, 2, 1, 0)] == activity.pace(now)[seat]


def test_only_foundations_count() -> None:
    """What moves between own piles is no pace."""
    activity, view = table()
    activity.note(ev.Played(seq=1, seat=0, counter=1, source=9, count=1, destination=12), view, NOW)
    assert sum(activity.pace(NOW)[0]) == 0


@of_matches
def test_a_whole_match(name: str) -> None:
    """Followed event by event, a match has a signal a hand, and as many calls as hands that ended so."""
    activity, view, now = Activity(), TableState("TEST", options_of(name)), NOW
    cues = []
    for event in log_of(name):
        now += 3_000
        view.apply(event)
        cue = activity.note(event, view, now)
        if cue is not None:
            cues.append(cue)
        assert activity.fresh(now) == (
            {event.source, event.destination} if isinstance(event, ev.Played) else set()
        )
    ends = [event for event in log_of(name) if isinstance(event, ev.HandOver)]
    assert len(ends) == cues.count(Cue.SIGNAL) == Options.model_validate(MATCHES[name][1]).hands
    assert sum(end.reason is EndReason.OUT for end in ends) <= cues.count(Cue.DEMON)


def test_a_newcomer_at_the_tally_knows_when_the_next_hand_is_dealt() -> None:
    """From how long the hand had lasted, and how long ago it began; if that is not known, nothing is told."""
    view = TableState("TEST", Options(tally_ms=20_000))
    view.phase = Phase.TALLY
    result = HandResult(hand=1, seats=(0,), points=(3,), reason=EndReason.STUCK, out=None, elapsed_ms=60_000)
    view.results = [result]
    activity = Activity()
    for elapsed_ms, seconds in ((65_000, 15), (60_000, 20), (0, 0)):
        activity.take_up(view, NOW, elapsed_ms)
        assert seconds == activity.seconds_to_deal(NOW)
