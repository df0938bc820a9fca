"""The judge of one hand: when it asks whether the hand is dead, and what it remembers."""

import pytest

from racing_demon_protocol.engine.cards import parse
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.wire.messages.client import PlayCards
from racing_demon_server.match.hand import DEAD_CHECK_DELAY_US, Hand
from tests.support.cases import for_each
from tests.support.tables import SECOND, Own, Sitting


def _judge(sitting: Sitting) -> Hand:
    assert sitting.hand is not None
    return sitting.hand


def _hand(*own: Own, foundation: tuple[str, ...] = (), **options: object) -> tuple[Sitting, Hand]:
    sitting = Sitting.lobby(len(own), **options)
    sitting.start()
    sitting.lay(foundation, *own)
    return sitting, _judge(sitting)


def _command(sitting: Sitting, source: int, destination: int = -1, count: int = 1) -> PlayCards:
    return PlayCards(counter=1, source=source, count=count, destination=destination, seen=sitting.seq)


def test_the_first_test_comes_after_the_signal() -> None:
    """A hand may be dead from the deal: it is asked soon after the signal."""
    sitting = Sitting.playing(2)
    hand = _judge(sitting)
    assert sitting.now == hand.signal_at
    assert hand.signal_at + DEAD_CHECK_DELAY_US == hand.dead_check_at


def test_a_change_is_asked_about_once() -> None:
    """After the answer nothing is asked until something changes."""
    sitting, hand = _hand(Own(["AS", "9D"]))
    assert not hand.is_dead([0], sitting.now)
    assert hand.dead_check_at is None


def test_a_play_asks_again() -> None:
    """Some time after a play the hand may be dead."""
    sitting, hand = _hand(Own(["AS", "9D"]))
    hand.is_dead([0], sitting.now)
    hand.play(0, _command(sitting, sitting.column(0)), sitting.now + 7)
    assert sitting.now + 7 + DEAD_CHECK_DELAY_US == hand.dead_check_at


def test_many_plays_share_one_test() -> None:
    """A test that is coming anyway is not put off by further plays."""
    sitting, hand = _hand(Own(["AS", "AH", "9D"]))
    hand.is_dead([0], sitting.now)
    for number in (0, 1):
        hand.play(0, _command(sitting, sitting.column(0, number)), sitting.now + number * 1_000)
    assert sitting.now + DEAD_CHECK_DELAY_US == hand.dead_check_at


def test_a_hand_that_goes_on_is_not_searched() -> None:
    """Where a card came to the foundations meanwhile, the hand is alive, and asked about once more."""
    sitting, hand = _hand(Own(["AS", "9D"]))
    hand.play(0, _command(sitting, sitting.column(0)), sitting.now)
    assert hand.is_alive(sitting.now + 7)
    assert sitting.now + 7 + DEAD_CHECK_DELAY_US == hand.dead_check_at
    assert not hand.is_alive(sitting.now + 8)


def test_the_test_asks_only_those_who_play() -> None:
    """A seat that is not asked about has no play; without any there is none."""
    sitting, hand = _hand(Own(["9D"]), Own(["AS", "9D"]), Own(["9D"]))
    asked: list[list[int]] = [[0, 1, 2], [1], [0, 2], []]
    assert [hand.is_dead(seats, sitting.now) for seats in asked] == [False, False, True, True]


def test_who_is_out_first_is_remembered() -> None:
    """The first to reach the goal stays the first."""
    sitting, hand = _hand(Own(["2S"]), Own(["3S"]), foundation=("AS",), call_out="shout")
    assert hand.first_out is None
    for seat in (0, 1):
        hand.play(seat, _command(sitting, sitting.column(seat)), sitting.now)
    assert hand.first_out == 0


def test_who_was_out_first_is_known_after_a_restart() -> None:
    """A hand that is taken up from its plays has noted the same seat."""
    sitting, hand = _hand(Own(["2S"]), Own(["3S"]), foundation=("AS",), call_out="shout")
    twin = _judge(sitting.fork())
    for seat in (0, 1):
        for event in hand.play(seat, _command(sitting, sitting.column(seat)), sitting.now):
            twin.restore(event, sitting.now)
    assert twin.first_out == 0


def test_who_takes_a_card_back_is_not_out_any_more() -> None:
    """Where cards may leave one's own foundations, being out is only as good as it lasts."""
    sitting, hand = _hand(
        Own(["3H 2S"]), foundation=("AS", "AH 2H", "KC"), call_out="shout", take_back="free"
    )
    hand.play(0, _command(sitting, sitting.column(0), count=2), sitting.now)
    assert hand.first_out == 0
    hand.play(0, _command(sitting, 2, sitting.column(0)), sitting.now)
    assert hand.first_out is None


def test_shifts_are_counted_until_there_is_progress() -> None:
    """Turning does not begin the count anew, a play to the foundations does."""
    sitting, hand = _hand(Own(["AS", "9D"], stock="7H 8H"), stall_rule="rotate")
    hand.rotate(sitting.now)
    sitting.board.rotate()
    hand.play(0, _command(sitting, sitting.stock(0), sitting.waste(0), 2), sitting.now)
    assert hand.rotations == 1
    hand.play(0, _command(sitting, sitting.column(0)), sitting.now)
    assert hand.rotations == 0


def test_a_stock_is_turned_by_the_hand_itself() -> None:
    """The first turn, where the table wants it, is a play that answers no command."""
    _, hand = _hand(Own(["9D"], stock="7H 8H"))
    turned = hand.first_turn(0)
    assert [(0, 0, 2, (parse("7H"),))] == [(e.seat, e.counter, e.count, e.shown) for e in turned]


def test_nothing_is_turned_before_an_ace_that_must_be_played() -> None:
    """Where aces are forced, the hand itself does not turn past one."""
    _, hand = _hand(Own(["AS"], stock="7H 8H"), forced_bases=True)
    assert hand.first_turn(0) == []


def test_nothing_is_turned_where_nothing_is() -> None:
    """A seat without a stock has no first turn."""
    _, hand = _hand(Own(["9D"]))
    assert hand.first_turn(0) == []


def test_an_illegal_play_changes_nothing() -> None:
    """The judge says why, and leaves the board as it was."""
    sitting, hand = _hand(Own(["9D", "9H"]))
    before = sitting.state()
    with pytest.raises(IllegalPlay) as caught:
        hand.play(0, _command(sitting, sitting.column(0)), sitting.now)
    assert (Reason.ILLEGAL, before) == (caught.value.reason, sitting.state())


@for_each("destination", [-1, 255])
def test_a_refusal_of_no_known_pile_names_none(destination: int) -> None:
    """Where the play went nowhere, the refusal says so."""
    sitting, hand = _hand(Own(["9D", "9H"]))
    command = _command(sitting, 255, destination)
    refused = hand.refusal(0, command, IllegalPlay("No.", Reason.UNKNOWN_PILE), sitting.now)
    assert (refused.reason, refused.pile, refused.top) == (Reason.UNKNOWN_PILE, -1, -1)


def test_a_refusal_shows_what_lies_there_now() -> None:
    """The refusal of a play to a column has the column and its last card."""
    sitting, _ = _hand(Own(["9D", "9H"]))
    refused = sitting.miss(0, sitting.column(0), sitting.column(0, 1))
    assert (sitting.column(0, 1), parse("9H")) == (refused.pile, refused.top)


def test_a_refusal_shows_no_hidden_card() -> None:
    """Of a stock the refusal shows that something lies there, and not what."""
    sitting, _ = _hand(Own(["9D"], stock="AS"))
    assert sitting.miss(0, sitting.column(0), sitting.stock(0)).top == -1


def test_a_race_is_never_lost_before_it_began() -> None:
    """A stamp before the winner's is told as a dead heat, and not as a negative time."""
    sitting, hand = _hand(Own(["2S", "KD"]), Own(["2S", "KD"]), foundation=("AS",))
    command = _command(sitting, sitting.column(1))
    hand.play(0, _command(sitting, sitting.column(0)), sitting.now + SECOND)
    refused = hand.refusal(1, command, IllegalPlay("No."), sitting.now)
    assert (refused.reason, refused.late_us) == (Reason.BEATEN, 0)
