"""From hand to hand: the tally, the next deal, and who has won."""

from racing_demon_protocol.engine.commit_reveal import commitment
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.cases import for_each
from tests.support.tables import MS, SECOND, Own, Sitting, of_type, told

RANKS = "A23456789TJQK"


def _finish(sitting: Sitting, *points: int) -> list[ev.Event]:
    """End the hand with so many points for each of its seats, by agreement."""
    runs = [" ".join(f"{rank}S/{pack}" for rank in RANKS[:count]) for pack, count in enumerate(points)]
    sitting.lay(runs, *[Own(["KD"])] * len(points))
    events: list[ev.Event] = []
    for seat in sitting.table.view.hand_seats:
        state = sitting.table.view.seats[seat]
        if not state.left and state.connected:
            events += sitting.events(seat, cl.Stuck)
    return events


def _play_hands(sitting: Sitting, *results: tuple[int, ...]) -> None:
    for points in results:
        if sitting.table.view.phase is not Phase.PLAYING:
            sitting.start()
        _finish(sitting, *points)


# The tally.


def test_the_results_are_kept() -> None:
    """The tally has each hand's seats, points and end."""
    sitting = Sitting.playing(2)
    sitting.wait(4 * SECOND)
    _finish(sitting, 3, 5)
    result = sitting.table.view.results[0]
    assert (
        result.hand,
        result.seats,
        result.points,
        result.reason,
        result.out,
        result.elapsed_ms,
    ) == (1, (0, 1), (3, 5), EndReason.STUCK, None, 4_000)


def test_who_leaves_in_the_tally_decides_no_match() -> None:
    """A lead is settled when the hand ends: without its runner-up the match still goes on."""
    sitting = Sitting.playing(3, win_lead=6)
    _play_hands(sitting, (9, 5, 1))
    assert not of_type(ev.MatchOver, sitting.events(1, cl.Leave))
    sitting.start()
    assert of_type(ev.MatchOver, _finish(sitting, 0, 0))


def test_totals_are_over_the_match() -> None:
    """Each seat's total is the sum of its hands; a late guest's begins with the first of them."""
    sitting = Sitting.playing(2)
    _play_hands(sitting, (3, 5))
    sitting.join("Joy")
    _play_hands(sitting, (1, 2, 4))
    assert scoring.totals(sitting.table.view) == {0: 4, 1: 7, 2: 4}


def test_a_leaver_stays_in_the_tally() -> None:
    """Who leaves between two hands keeps the points of the first, and gets none of the second."""
    sitting = Sitting.playing(3)
    _play_hands(sitting, (3, 5, 7))
    sitting.events(2, cl.Leave)
    _play_hands(sitting, (3, 5))
    assert scoring.totals(sitting.table.view) == {0: 6, 1: 10, 2: 7}


def test_the_seed_is_told_after_the_hand() -> None:
    """The seed at the end is the one that was committed to before the deal."""
    sitting = Sitting.playing(2)
    over = of_type(ev.HandOver, _finish(sitting, 3, 5))[0]
    committed = of_type(ev.Committed, sitting.log)[0]
    assert committed.commitment == commitment(bytes.fromhex(over.seed), committed.hand_id)


def test_the_hand_can_be_dealt_again() -> None:
    """From the seed anybody can repeat the deal, and finds the cards that were shown."""
    sitting = Sitting.playing(4)
    dealt = of_type(ev.Dealt, sitting.log)[0]
    over = of_type(ev.HandOver, _finish(sitting, 1, 2, 3, 4))[0]
    dealer = Dealer(bytes.fromhex(over.seed), sitting.rules)
    assert dealt.shown == dealer.first_cards()


def test_every_hand_has_its_own_seed() -> None:
    """No seed is used twice, in one match or in two."""
    sitting = Sitting.playing(2, hands=2)
    _play_hands(sitting, (1, 2), (3, 4), (5, 6))
    assert len({over.seed for over in of_type(ev.HandOver, sitting.log)}) == 3
    names = [committed.hand_id for committed in of_type(ev.Committed, sitting.log)]
    assert names == ["TEST/1/1", "TEST/1/2", "TEST/2/1"]


# The next deal.


def test_the_next_hand_is_dealt_by_itself() -> None:
    """After the time for the tally the next hand is dealt, and its countdown begins."""
    sitting = Sitting.playing(2, tally_ms=8_000)
    _finish(sitting, 3, 5)
    assert sitting.now + 8 * SECOND == sitting.table.next_timer_at
    assert sitting.wait(8 * SECOND - 1) == []
    assert told(sitting.wait(1)) == "committed dealt"
    assert sitting.now + 3 * SECOND == sitting.table.next_timer_at


def test_the_time_for_the_tally_begins_with_the_end() -> None:
    """A hand that ended by itself is tallied from then on, however late the table was woken."""
    sitting = Sitting.playing(2, tally_ms=8_000)
    sitting.lay([], Own(["9D"]), Own(["9D"]))
    assert told(sitting.wait(9 * SECOND)) == "hand_over committed dealt"
    assert sitting.table.next_timer_at == sitting.now + 2_500 * MS


def test_the_next_hand_is_dealt_when_all_are_ready() -> None:
    """Nobody has to wait for the end of the tally when nobody wants to look at it."""
    sitting = Sitting.playing(2)
    _finish(sitting, 3, 5)
    assert told(sitting.events(0, cl.Ready)) == "readied"
    assert told(sitting.events(1, cl.Ready)) == "readied committed dealt"


def test_one_alone_goes_on_when_ready() -> None:
    """In the middle of a match one player alone need not wait for the host, or company."""
    sitting = Sitting.playing(1)
    _finish(sitting, 3)
    assert told(sitting.events(0, cl.Ready)) == "readied committed dealt"


def test_one_person_among_bots_is_waited_for() -> None:
    """Against bots alone the next hand comes when the person is ready, and not by itself."""
    sitting = Sitting.playing(1, tally_ms=8_000)
    sitting.events(0, cl.Stuck)
    sitting.events(0, cl.AddBot, level="easy")
    assert not sitting.table.view.deals_by_itself
    assert sitting.wait(3_600 * SECOND) == []
    assert told(sitting.events(0, cl.Ready)) == "readied committed dealt"


def test_a_second_person_gets_time_before_the_next_deal() -> None:
    """With a second person at the table hands are dealt by the clock again, which begins then."""
    sitting = Sitting.playing(1, tally_ms=8_000)
    _finish(sitting, 3)
    sitting.wait(3_600 * SECOND)
    sitting.join("Joy")
    assert sitting.table.view.deals_by_itself
    assert sitting.wait(8 * SECOND - 1) == []
    assert told(sitting.wait(1)) == "committed dealt"


def test_the_host_may_go_on_at_once() -> None:
    """The host deals the next hand, whoever is ready."""
    sitting = Sitting.playing(2)
    _finish(sitting, 3, 5)
    assert told(sitting.events(0, cl.Start)) == "committed dealt"


def test_a_table_that_everybody_is_away_from_waits() -> None:
    """While nobody is connected no hand is dealt."""
    sitting = Sitting.playing(2)
    _finish(sitting, 3, 5)
    for seat in (0, 1):
        sitting.connect(seat, connected=False)
    assert sitting.wait(3_600 * SECOND) == []
    assert sitting.table.next_timer_at is None


def test_the_first_to_come_back_gets_the_countdown() -> None:
    """A hand that was put off is dealt when somebody is there, with the whole countdown before it."""
    sitting = Sitting.playing(2)
    _finish(sitting, 3, 5)
    for seat in (0, 1):
        sitting.connect(seat, connected=False)
    sitting.wait(3_600 * SECOND)
    sitting.connect(1, connected=True)
    assert told(sitting.wait(1)) == "committed dealt hosted"
    assert -3_000 <= sitting.table.hand_clock.elapsed_ms(sitting.now) < -2_900


def test_a_new_guest_gets_the_countdown_too() -> None:
    """A hand that was put off is dealt ten seconds after a guest has come instead of those who are away."""
    sitting = Sitting.playing(1)
    _finish(sitting, 3)
    sitting.connect(0, connected=False)
    sitting.wait(3_600 * SECOND)
    sitting.join("Joy")
    assert told(sitting.wait(10 * SECOND)) == "hosted committed dealt"


def test_bots_need_nobody() -> None:
    """A table of bots alone plays on."""
    sitting = Sitting(tally_ms=1_000)
    sitting.host_watching()
    for _ in range(2):
        sitting.events(None, cl.AddBot)
    sitting.start()
    _finish(sitting, 3, 5)
    assert told(sitting.wait(1 * SECOND)) == "committed dealt"


# Who has won.


def test_a_match_has_so_many_hands() -> None:
    """After the last of the hands the match is over, and the best total has won."""
    sitting = Sitting.playing(3, hands=2)
    _finish(sitting, 9, 8, 1)
    sitting.start()
    assert told(_finish(sitting, 1, 4, 3)) == "stuck_said stuck_said stuck_said hand_over match_over"
    assert (sitting.table.view.phase, sitting.table.view.winners) == (Phase.OVER, (1,))


def test_nothing_happens_by_itself_after_the_match() -> None:
    """When a match is over the table waits for its players."""
    sitting = Sitting.playing(2, hands=1)
    _finish(sitting, 3, 5)
    assert sitting.table.next_timer_at is None
    assert sitting.wait(3_600 * SECOND) == []


@for_each(("target", "over"), [(9, True), (10, True), (11, False)])
def test_a_total_may_end_the_match(target: int, over: bool) -> None:
    """With a target, the match ends with the hand in which somebody reaches it."""
    sitting = Sitting.playing(2, target=target)
    _play_hands(sitting, (5, 1), (5, 2))
    assert over == (sitting.table.view.phase is Phase.OVER)


def test_a_target_does_not_make_a_match_longer() -> None:
    """The hands agreed on are the most, target or not."""
    sitting = Sitting.playing(2, hands=2, target=100)
    _play_hands(sitting, (5, 1), (5, 2))
    assert Phase.OVER is sitting.table.view.phase


def test_equal_totals_win_together() -> None:
    """By themselves equal totals are joint winners."""
    sitting = Sitting.playing(3, hands=1)
    _finish(sitting, 5, 3, 5)
    assert sitting.table.view.winners == (0, 2)


def test_equal_totals_may_play_another_hand() -> None:
    """With tie_break=hand the match goes on until one is ahead."""
    sitting = Sitting.playing(3, hands=1, tie_break="hand")
    _play_hands(sitting, (5, 3, 5), (2, 4, 2))
    assert Phase.TALLY is sitting.table.view.phase
    _play_hands(sitting, (0, 2, 1))
    assert (sitting.table.view.phase, sitting.table.view.winners) == (Phase.OVER, (1,))


def test_a_tie_behind_the_winner_breaks_nothing() -> None:
    """Only the best need be told apart."""
    sitting = Sitting.playing(3, hands=1, tie_break="hand")
    _finish(sitting, 5, 3, 3)
    assert sitting.table.view.winners == (0,)


def test_who_has_left_cannot_win() -> None:
    """The best of those who stayed has won."""
    sitting = Sitting.playing(3, hands=2)
    _play_hands(sitting, (13, 3, 4))
    sitting.events(0, cl.Leave)
    _play_hands(sitting, (1, 1))
    assert sitting.table.view.winners == (2,)


def test_a_leaver_s_target_ends_nothing() -> None:
    """Who left with the target reached does not end the match of the others."""
    sitting = Sitting.playing(3, target=10)
    sitting.events(0, cl.Leave)
    _finish(sitting, 13, 3, 4)
    assert Phase.TALLY is sitting.table.view.phase


def test_the_match_goes_on_for_who_stays() -> None:
    """A match of two goes on when one of them leaves, and the other is ready."""
    sitting = Sitting.playing(2)
    sitting.events(1, cl.Leave)
    _finish(sitting, 3, 5)
    assert told(sitting.events(0, cl.Ready)) == "readied committed dealt"


# The next match.


def test_a_new_match_begins_with_a_clean_tally() -> None:
    """With the first hand of a new match results and winners are gone, and the hands count from 1."""
    sitting = Sitting.playing(2, hands=1)
    _finish(sitting, 3, 5)
    assert told(sitting.start()) == "committed dealt signalled"
    view = sitting.table.view
    assert (view.results, view.winners, view.hand_number, scoring.totals(view)) == ((), (), 1, {0: 0, 1: 0})


def test_a_new_match_begins_when_all_are_ready() -> None:
    """After a match, too, the readiness of all brings the cards."""
    sitting = Sitting.playing(2, hands=1)
    _finish(sitting, 3, 5)
    sitting.events(0, cl.Ready)
    assert told(sitting.events(1, cl.Ready)) == "readied committed dealt"


def test_the_tally_stands_until_the_next_match() -> None:
    """Who leaves after the match does not take its results along."""
    sitting = Sitting.playing(2, hands=1)
    _finish(sitting, 3, 5)
    sitting.events(1, cl.Leave)
    assert (sitting.table.view.results[0].points, sitting.table.view.winners) == ((3, 5), (1,))


def test_points_are_those_of_the_hand() -> None:
    """While a hand is played the points are those on the board, afterwards those of the tally."""
    sitting = Sitting.playing(2, on_leave="forfeit")
    sitting.lay(["AS 2S"], Own(["KD"]), Own(["KD"]))
    assert scoring.points(sitting.table.view) == {0: 2, 1: 0}
    sitting.events(0, cl.Leave)
    sitting.events(1, cl.Stuck)
    assert scoring.points(sitting.table.view) == {0: 0, 1: 0}


def test_a_match_that_its_only_player_left_has_no_winner() -> None:
    """Whoever came in meanwhile has not played, and nobody has won against anybody."""
    sitting = Sitting.playing(1, hands=1)
    sitting.join("Ben")
    sitting.events(0, cl.Leave)
    (over,) = of_type(ev.MatchOver, sitting.log)
    assert over.winners == ()
