"""Hands that nobody can continue, and hands that nobody wants to."""

from racing_demon_protocol.engine.cards import UNKNOWN, parse
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.cases import for_each
from tests.support.tables import MS, SECOND, Own, Sitting, of_type, told

NOTHING = Own(["9D"])
"""A layout without a play."""

ONE_PLAY = Own(["2S 3h KC", "AD"])
"""A layout whose one play to the foundations leads to no other."""


def _reasons(sitting: Sitting) -> list[EndReason]:
    return [over.reason for over in of_type(ev.HandOver, sitting.log)]


def _hand(*own: Own, foundation: tuple[str, ...] = (), **options: object) -> Sitting:
    sitting = Sitting.lobby(len(own), **options)
    sitting.start()
    sitting.lay(foundation, *own)
    return sitting


# Dead.


def test_a_dead_hand_ends_by_itself() -> None:
    """When the last play has been made, the hand ends within a second, and nobody gets a bonus."""
    sitting = _hand(ONE_PLAY, NOTHING)
    sitting.wait(5 * SECOND)
    sitting.play(0, sitting.column(0, 1))
    assert sitting.table.next_timer_at is not None
    assert sitting.now < sitting.table.next_timer_at <= sitting.now + SECOND
    over = of_type(ev.HandOver, sitting.wait(SECOND))[0]
    assert (over.reason, over.out, over.points) == (EndReason.DEAD, None, (1, 0))


def test_a_hand_may_be_dealt_dead() -> None:
    """A deal that nobody can play ends within a second of the signal."""
    sitting = _hand(NOTHING, NOTHING)
    assert told(sitting.wait(SECOND)) == "hand_over"


def test_a_hand_lives_while_anybody_can_play() -> None:
    """One player's play is enough."""
    sitting = _hand(NOTHING, NOTHING, ONE_PLAY)
    assert sitting.wait(60 * SECOND) == []


@for_each("stock", ["AS 3S 4S", "3S AS 4S", "3S 4S AS"])
def test_a_card_in_the_stock_may_keep_a_hand_alive(stock: str) -> None:
    """Of three cards in the stock the one that a turn shows counts, and no other."""
    sitting = _hand(Own(["9D"], stock=stock), NOTHING)
    assert stock.startswith("AS") == (sitting.wait(SECOND) == [])


def test_somebody_s_play_may_bring_another_s_hand_to_life() -> None:
    """A player without a play waits: others' cards may make their own playable again."""
    sitting = _hand(Own(["2S", "9D"]), Own(["AS", "9C"]))
    sitting.play(1, sitting.column(1))
    assert sitting.wait(10 * SECOND) == []
    sitting.play(0, sitting.column(0))
    assert told(sitting.wait(SECOND)) == "hand_over"


def test_a_leaver_has_no_play() -> None:
    """When the only one who could play leaves, the hand is dead within a second."""
    sitting = _hand(ONE_PLAY, NOTHING)
    assert sitting.wait(10 * SECOND) == []
    sitting.events(0, cl.Leave)
    assert told(sitting.wait(SECOND)) == "hand_over"


def test_who_is_away_still_has_plays() -> None:
    """A lost connection makes no hand dead: the player may come back."""
    sitting = _hand(ONE_PLAY, NOTHING)
    sitting.connect(0, connected=False)
    assert told(sitting.wait(60 * SECOND)) == "paused hosted"


def test_a_last_pass_that_is_over_leaves_a_dead_hand() -> None:
    """Where the waste is not turned over, turning past the last play ends the hand as well."""
    sitting = _hand(Own(["9D"], stock="4S AS"), NOTHING, redeals=0, turn=1)
    assert sitting.wait(SECOND) == []
    sitting.turn(0)
    assert sitting.wait(SECOND) == []
    sitting.turn(0)
    assert told(sitting.wait(SECOND)) == "hand_over"


def test_a_pass_that_no_later_one_repeats_may_leave_a_dead_hand() -> None:
    """A card that only the present pass shows is lost when the waste is turned over."""
    sitting = _hand(Own(["9D"], stock="5S AS 4S 3S", waste="6S 7S"), NOTHING)
    sitting.turn(0)
    assert sitting.wait(SECOND) == []
    sitting.turn(0)
    assert told(sitting.wait(SECOND)) == "hand_over"


def test_a_hand_that_ended_is_not_tested_again() -> None:
    """After the end the table waits for the next deal only."""
    sitting = _hand(NOTHING, NOTHING)
    sitting.wait(SECOND)
    assert sitting.now - SECOND + 500 * MS + 20 * SECOND == sitting.table.next_timer_at


# Stuck.


def test_a_hand_ends_when_all_are_stuck() -> None:
    """When the last player says so too, the hand is over, and nobody gets a bonus."""
    sitting = Sitting.playing(3)
    assert told(sitting.events(2, cl.Stuck)) == "stuck_said"
    assert told(sitting.events(0, cl.Stuck)) == "stuck_said"
    assert told(sitting.events(1, cl.Stuck)) == "stuck_said hand_over"
    assert _reasons(sitting) == [EndReason.STUCK]


def test_being_stuck_twice_is_no_news() -> None:
    """Saying it again is accepted, and changes nothing."""
    sitting = Sitting.playing(2)
    sitting.events(0, cl.Stuck)
    assert sitting.events(0, cl.Stuck) == []


def test_a_word_stands_while_others_play_on() -> None:
    """Others' plays that open none of one's own take no "stuck" back: it is said again in the same step."""
    sitting = _hand(Own(["2S 3h KC", "AD", "AS"]), NOTHING, NOTHING)
    for seat in (1, 2):
        sitting.events(seat, cl.Stuck)
    assert told(sitting.play(0, sitting.column(0, 1))) == "played stuck_said stuck_said"
    assert told(sitting.play(0, sitting.column(0, 2))) == "played stuck_said stuck_said"
    assert [state.stuck for state in sitting.table.view.seats.values()] == [False, True, True]


def test_a_play_that_opens_one_takes_the_word_back() -> None:
    """Who can play since another's play is asked again, and nobody else."""
    sitting = _hand(Own(["2S 3h KC", "AD"]), Own(["2D"]), NOTHING)
    for seat in (1, 2):
        sitting.events(seat, cl.Stuck)
    assert told(sitting.play(0, sitting.column(0, 1))) == "played stuck_said"
    assert [state.stuck for state in sitting.table.view.seats.values()] == [False, False, True]


def test_a_run_is_judged_by_where_it_ends() -> None:
    """Of several cards that go up at once the last one decides."""
    sitting = _hand(Own(["3S 2S", "AD", "AS"]), Own(["3S"]), Own(["4S"]))
    sitting.play(0, sitting.column(0, 2))
    for seat in (1, 2):
        sitting.events(seat, cl.Stuck)
    sitting.play(0, sitting.column(0), count=2)
    assert [state.stuck for state in sitting.table.view.seats.values()] == [False, True, False]


def test_a_play_that_was_there_before_takes_nothing_back() -> None:
    """Who said so in spite of a play is not asked again because of it, nor because it has a second place."""
    sitting = _hand(Own(["2S 3h KC", "AD/1", "2D/1"]), Own(["2D"]), NOTHING, foundation=("AD/2",))
    sitting.events(1, cl.Stuck)
    assert told(sitting.play(0, sitting.column(0, 1))) == "played stuck_said"


def test_a_card_buried_in_the_waste_takes_nothing_back() -> None:
    """Only cards that everybody sees decide: what lies below the waste's top, or in the stock, is hidden."""
    sitting = _hand(Own(["2S 3h KC", "AD"]), Own(["9D"], stock="2D", waste="2D 7S"), NOTHING)
    sitting.events(1, cl.Stuck)
    assert told(sitting.play(0, sitting.column(0, 1))) == "played stuck_said"


def test_own_progress_takes_the_own_word_back_alone() -> None:
    """Who plays on is not stuck; who had said so, too, still is."""
    sitting = _hand(ONE_PLAY, NOTHING, NOTHING)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    sitting.play(0, sitting.column(0, 1))
    assert [state.stuck for state in sitting.table.view.seats.values()] == [False, True, False]


def test_a_word_that_stands_ends_the_hand() -> None:
    """One "stuck" each is enough, however long others play on in between."""
    sitting = _hand(Own(["2S 3h KC", "AD", "AS"]), NOTHING)
    sitting.events(1, cl.Stuck)
    for column in (1, 2):
        sitting.play(0, sitting.column(0, column))
    assert told(sitting.events(0, cl.Stuck)) == "stuck_said hand_over"
    assert _reasons(sitting) == [EndReason.STUCK]


def test_a_leaver_s_word_is_not_said_again() -> None:
    """Nobody waits for somebody who has left."""
    sitting = _hand(Own(["2S 3h KC", "AD", "AS"]), NOTHING, NOTHING)
    sitting.events(2, cl.Stuck)
    sitting.events(2, cl.Leave)
    assert told(sitting.play(0, sitting.column(0, 1))) == "played"


def test_turning_takes_nothing_back() -> None:
    """Turning the stock, or the waste over, is no progress."""
    sitting = _hand(Own(["AD"], stock="9S"), NOTHING)
    sitting.events(1, cl.Stuck)
    for _ in range(2):
        sitting.turn(0)
    assert sitting.table.view.seats[1].stuck


def test_a_neutral_move_takes_nothing_back() -> None:
    """A card that goes from one parent to its like is no progress."""
    sitting = _hand(Own(["9D 8S", "9H", "AD"]), NOTHING)
    sitting.events(1, cl.Stuck)
    sitting.play(0, sitting.column(0), sitting.column(0, 1))
    assert sitting.table.view.seats[1].stuck


def test_who_is_stuck_may_play() -> None:
    """Saying it binds nobody."""
    sitting = _hand(ONE_PLAY, NOTHING)
    sitting.events(0, cl.Stuck)
    sitting.play(0, sitting.column(0, 1))
    assert not sitting.table.view.seats[0].stuck


def test_who_is_away_is_not_asked() -> None:
    """A hand ends when all say stuck but those who have been away for long."""
    sitting = Sitting.playing(3)
    sitting.connect(2, connected=False)
    sitting.events(0, cl.Stuck)
    assert told(sitting.events(1, cl.Stuck)) == "stuck_said"
    assert told(sitting.wait(10 * SECOND)) == "hand_over"


def test_who_goes_away_is_not_waited_for() -> None:
    """When the only one who is not stuck loses the connection for long, the hand ends; not before."""
    sitting = Sitting.playing(3)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert told(sitting.connect(2, connected=False)) == "connected"
    assert told(sitting.wait(9 * SECOND)) == ""
    assert told(sitting.wait(1 * SECOND)) == "hand_over"


def test_who_comes_back_is_waited_for_again() -> None:
    """Who was away for long, came back, and is lost again, counts from the second loss on."""
    sitting = Sitting.playing(3)
    sitting.connect(2, connected=False)
    sitting.wait(60 * SECOND)
    sitting.connect(2, connected=True)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert told(sitting.connect(2, connected=False)) == "connected"
    assert told(sitting.wait(10 * SECOND - 1)) == ""
    assert told(sitting.wait(1)) == "hand_over"


def test_who_takes_the_seat_of_somebody_given_up_is_waited_for() -> None:
    """That a seat's former player was away for long is not the next one's."""
    sitting = Sitting.lobby(3)
    sitting.connect(2, connected=False)
    sitting.wait(60 * SECOND)
    sitting.events(2, cl.Leave)
    assert sitting.join("Don") == 2
    sitting.start()
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert told(sitting.connect(2, connected=False)) == "connected"
    assert told(sitting.wait(10 * SECOND - 1)) == ""
    assert told(sitting.wait(1)) == "hand_over"


def test_who_leaves_is_not_waited_for() -> None:
    """When the only one who is not stuck leaves, the hand ends."""
    sitting = Sitting.playing(3)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert told(sitting.events(2, cl.Leave)) == "left hand_over"


def test_a_hand_does_not_end_for_want_of_connections() -> None:
    """When all are away, and none of them stuck, the hand waits."""
    sitting = Sitting.playing(2)
    for seat in (0, 1):
        sitting.connect(seat, connected=False)
    assert told(sitting.wait(3_600 * SECOND)) == "paused"
    assert Phase.PLAYING is sitting.table.view.phase


def test_one_who_is_stuck_and_away_does_not_end_a_hand() -> None:
    """What somebody said who is away now ends nothing, while the one who is there has not said it."""
    sitting = Sitting.playing(2)
    sitting.events(0, cl.Stuck)
    assert told(sitting.connect(0, connected=False)) == "connected"


def test_who_comes_back_is_still_stuck() -> None:
    """A lost connection takes no word back."""
    sitting = Sitting.playing(2)
    sitting.events(0, cl.Stuck)
    sitting.connect(0, connected=False)
    sitting.connect(0, connected=True)
    assert told(sitting.events(1, cl.Stuck)) == "stuck_said hand_over"


# Shifting the threes.


def test_the_stocks_are_shifted_before_the_end() -> None:
    """With stall_rule=rotate being stuck shifts all stocks, and takes what was said back."""
    sitting = _hand(Own(["AD"], stock="9S 8S 7S", waste="6S"), Own(["9D"], waste="KC"), stall_rule="rotate")
    sitting.events(0, cl.Stuck)
    assert told(sitting.events(1, cl.Stuck)) == "stuck_said rotated"
    assert [state.stuck for state in sitting.table.view.seats.values()] == [False, False]
    assert [
        sitting.board.cards[sitting.stock(0)],
        sitting.board.cards[sitting.waste(0)],
    ] == [(UNKNOWN,) * 4, ()]


def test_shifting_puts_the_top_card_at_the_bottom() -> None:
    """After the shift other cards come up by threes."""
    sitting = _hand(Own(["AD"], stock="AS 7S 8S 9S"), Own(["9D"]), stall_rule="rotate")
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    sitting.turn(0)
    assert parse("AS") == sitting.board.top(sitting.waste(0))


@for_each(("turn", "shifts"), [(1, 0), (2, 1), (3, 2), (5, 4)])
def test_all_shifts_are_tried(turn: int, shifts: int) -> None:
    """A hand ends when as many shifts as make a difference have brought nothing."""
    sitting = Sitting.playing(2, stall_rule="rotate", turn=turn)
    for _ in range(shifts + 1):
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    assert (shifts, [EndReason.STUCK]) == (len(of_type(ev.Rotated, sitting.log)), _reasons(sitting))


def test_progress_allows_as_many_shifts_again() -> None:
    """After a play that brings the hand on the shifts are counted anew."""
    sitting = _hand(ONE_PLAY, Own(["9D"], stock="AS 7S"), stall_rule="rotate")
    for shift in range(4):
        if shift == 2:
            sitting.play(0, sitting.column(0, 1))
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    assert (len(of_type(ev.Rotated, sitting.log)), _reasons(sitting)) == (4, [])


def test_a_dead_hand_is_shifted_too() -> None:
    """A dead hand whose hidden card comes up by a shift goes on."""
    sitting = _hand(Own(["9D"], stock="3S 4S AS"), NOTHING, stall_rule="rotate")
    assert told(sitting.wait(60 * SECOND)) == "rotated"
    sitting.turn(0)
    sitting.play(0, sitting.waste(0))


def test_a_hand_that_stays_dead_ends() -> None:
    """When no shift helps, the hand ends; each is tried within a second of the one before."""
    sitting = _hand(Own(["9D"], stock="3S 4S 5S 6S"), NOTHING, stall_rule="rotate")
    assert told(sitting.wait(3 * SECOND)) == "rotated rotated hand_over"
    assert _reasons(sitting) == [EndReason.DEAD]


def test_by_itself_nothing_is_shifted() -> None:
    """The shift is a house rule, not the seed's."""
    sitting = Sitting.playing(2)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert of_type(ev.Rotated, sitting.log) == []


# A single stock.


def test_a_player_shifts_their_own_stock() -> None:
    """The top card goes to the bottom, other cards turn up, and the player is no longer stuck."""
    sitting = _hand(Own(["9D"], stock="AS 7S 8S 9S"), Own(["9D"], stock="2S 3S"), stock_shift="any_time")
    sitting.events(0, cl.Stuck)
    assert told(sitting.events(0, cl.ShiftStock)) == "stock_shifted"
    assert not sitting.table.view.seats[0].stuck
    sitting.turn(0)
    assert parse("AS") == sitting.board.top(sitting.waste(0))


def test_who_comes_in_mid_hand_has_no_stock_to_shift() -> None:
    """They play from the next deal."""
    sitting = _hand(Own(["9D"], stock="AS 7S"), Own(["9D"], stock="2S 3S"), stock_shift="any_time")
    refused = sitting.refused(sitting.join("Cat"), cl.ShiftStock)
    assert refused.reason == Reason.NOT_SEATED


def test_others_stay_stuck_when_a_stock_is_shifted() -> None:
    """A shift is no progress, and helps nobody else."""
    sitting = _hand(Own(["9D"], stock="AS 7S 8S 9S"), Own(["9D"], stock="2S 3S"), stock_shift="any_time")
    sitting.events(1, cl.Stuck)
    sitting.events(0, cl.ShiftStock)
    assert sitting.table.view.seats[1].stuck


def test_a_stock_is_shifted_once_a_pass() -> None:
    """The second shift is refused until the waste is turned over."""
    sitting = _hand(Own(["9D"], stock="AS 7S 8S 9S"), NOTHING, stock_shift="once_a_pass")
    sitting.events(0, cl.ShiftStock)
    assert sitting.refused(0, cl.ShiftStock).reason == Reason.ILLEGAL
    for _ in range(3):
        sitting.turn(0)
    assert told(sitting.events(0, cl.ShiftStock)) == "stock_shifted"


@for_each("shift", [None, "any_time"])
def test_a_shift_is_refused_with_a_sentence(shift: str | None) -> None:
    """Where the table does not allow it, or the stock has a single card, nothing changes."""
    sitting = _hand(Own(["9D"], stock="AS"), NOTHING, stock_shift=shift)
    refused = sitting.refused(0, cl.ShiftStock)
    assert (refused.reason, refused.text[-1]) == (Reason.ILLEGAL, ".")


def test_a_hand_that_a_shift_could_help_is_not_dead() -> None:
    """An ace that no turn brings up keeps the hand alive; without the house rule it ends."""
    own = Own(["9D"], stock="3S 4S AS 5S 6S 7S")
    plain, sitting = (_hand(own, NOTHING, stock_shift=shift) for shift in (None, "once_a_pass"))
    assert told(plain.wait(3 * SECOND)) == "hand_over"
    assert told(sitting.wait(60 * SECOND)) == ""
    sitting.events(0, cl.ShiftStock)
    sitting.turn(0)
    sitting.play(0, sitting.waste(0))


def test_nobody_is_stuck_between_hands() -> None:
    """Just after the end "stuck" is refused for the same reason as a play."""
    sitting = Sitting.playing(1)
    sitting.events(0, cl.Stuck)
    assert sitting.refused(0, cl.Stuck).reason == Reason.HAND_OVER
