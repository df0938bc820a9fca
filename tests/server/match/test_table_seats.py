"""Who sits where: joining, leaving, coming back, and the host's bots."""

from typing import Any

import pytest

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.tables import NAMES, SECOND, Own, Sitting, names_of, of_type


def _refusal_of_join(sitting: Sitting, name: str) -> Reason:
    before = sitting.state()
    with pytest.raises(CommandRefused) as caught:
        sitting.join(name)
    assert before == sitting.state()
    return caught.value.reason


# Coming.


def test_the_first_to_join_is_the_host() -> None:
    """Whoever comes first gets seat 0 and the table."""
    sitting = Sitting.lobby(1)
    assert [ev.Joined(seq=1, seat=0, name="Ann"), ev.Hosted(seq=2, seat=0)] == sitting.log[:2]


def test_later_ones_get_the_next_seats() -> None:
    """Seats are given in order, and nobody but the first becomes host."""
    sitting = Sitting.lobby(3)
    assert (list(sitting.table.view.seats), sitting.table.view.host) == ([0, 1, 2], 0)


def test_a_name_that_is_taken_gets_a_number() -> None:
    """The second and third Ann are told apart from the first."""
    sitting = Sitting()
    for name in ("Ann", "Ann", "ANN"):
        sitting.join(name)
    assert names_of(sitting) == ["Ann", "Ann 2", "ANN 3"]


def test_a_name_is_cleaned_at_the_door() -> None:
    """What everybody sees is the cleaned name."""
    sitting = Sitting()
    sitting.join("  An\u202en\n ")
    assert names_of(sitting) == ["Ann"]


def test_a_name_with_nothing_in_it_takes_no_seat() -> None:
    """A name of which nothing is left is refused, and no seat is used up."""
    assert _refusal_of_join(Sitting.lobby(), "\u200b \n") == Reason.BAD_NAME


def test_the_ninth_finds_no_seat() -> None:
    """Eight sit at a table, and no more."""
    assert _refusal_of_join(Sitting.lobby(8), "Joy") == Reason.TABLE_FULL


@for_each("options", [{"seats": 2}, {"game": "sympathy"}])
def test_no_more_sit_down_than_there_are_seats(options: dict[str, Any]) -> None:
    """Whoever has a seat above counts where there are fewer by now; and no option sends anybody away."""
    sitting = Sitting.lobby(4)
    for seat in (0, 1):
        sitting.events(seat, cl.Leave)
    sitting.events(2, cl.SetOptions, options=Options(**options))
    assert _refusal_of_join(sitting, "Joy") == Reason.TABLE_FULL
    sitting.events(3, cl.Leave)
    assert sitting.join("Joy") == 0
    assert sitting.refused(2, cl.SetOptions, options=Options(seats=1)).reason == Reason.BAD_OPTION


def test_a_match_keeps_the_seat_of_who_left_it() -> None:
    """Whoever joins in mid-match gets another seat: the tally still belongs to the one who left."""
    sitting = Sitting.playing(3)
    sitting.events(1, cl.Leave)
    assert sitting.join("Joy") == 3
    state = sitting.table.view.seats[1]
    assert (NAMES[1], True) == (state.name, state.left)
    for seat in (0, 2):
        sitting.events(seat, cl.Stuck)
    assert Phase.TALLY is sitting.table.view.phase
    assert sitting.join("Kim") == 4


def test_a_match_that_is_over_keeps_no_place_for_who_left_it() -> None:
    """The seat is free for another, and the tally still has the old name in it."""
    sitting = Sitting.playing(2, seats=2, hands=1)
    sitting.events(1, cl.Leave)
    sitting.events(0, cl.Stuck)
    assert sitting.table.view.phase is Phase.OVER
    before = sitting.table.view.player(1)
    assert sitting.join("Joy") == 1
    assert ("Joy", before) == (sitting.table.view.seats[1].name, sitting.table.view.player(1))
    assert before == sitting.mirror.player(1)


def test_a_refused_guest_costs_no_event() -> None:
    """What was due when somebody was turned away is told with the next step."""
    sitting = Sitting.lobby(8)
    sitting.events(0, cl.Start)
    sitting.now += 3 * SECOND
    with pytest.raises(CommandRefused):
        sitting.join("Joy")
    assert [ev.Signalled] == [type(event) for event in sitting.wait(0)]


def test_a_host_without_a_seat_stays_the_host() -> None:
    """Where somebody hosts who only watches, the first guest does not become host."""
    sitting = Sitting()
    sitting.host_watching()
    sitting.join("Ann")
    assert sitting.table.view.host is None


@for_each("cls", [cl.Ready, cl.Stuck, cl.Call, cl.Leave])
def test_a_host_without_a_seat_plays_nothing(cls: type[cl.Command]) -> None:
    """Who only watches is refused what players do."""
    sitting = Sitting()
    sitting.host_watching()
    sitting.join("Ann")
    assert sitting.refused(None, cls).reason == Reason.NOT_SEATED


def test_a_host_without_a_seat_makes_no_play() -> None:
    """Who only watches plays no cards."""
    sitting = Sitting()
    sitting.host_watching()
    sitting.join("Ann")
    sitting.join("Ben")
    sitting.start()
    refused = sitting.refused(None, cl.PlayCards, source=0, count=1, destination=1, seen=sitting.seq)
    assert refused.reason == Reason.NOT_SEATED


# Going.


def test_leaving_between_matches_frees_the_seat() -> None:
    """In the lobby a leaver is gone without a trace, and the next guest gets the seat."""
    sitting = Sitting.lobby(3)
    sitting.events(1, cl.Leave)
    assert list(sitting.table.view.seats) == [0, 2]
    assert 1 not in sitting.table.seat_tokens
    assert sitting.join("Joy") == 1


def test_leaving_in_a_hand_freezes_the_seat() -> None:
    """In a match the seat stays in the tally, marked as left."""
    sitting = Sitting.playing(3)
    sitting.events(2, cl.Leave)
    state = sitting.table.view.seats[2]
    assert (state.left, state.connected) == (True, False)


@for_each(("on_leave", "points"), [("freeze", 3), ("forfeit", 0)])
def test_what_a_leaver_keeps(on_leave: str, points: int) -> None:
    """The cards in the middle count for a leaver, unless leaving forfeits them."""
    sitting = Sitting.playing(2, on_leave=on_leave)
    sitting.lay(["AS 2S 3S", "AH/1"], Own(["4S"]), Own(["5H KD", "4H"]))
    sitting.events(0, cl.Leave)
    over = of_type(ev.HandOver, sitting.events(1, cl.Stuck))[0]
    assert (points, 1) == over.points


@for_each("cls", [cl.Stuck, cl.Ready, cl.Call, cl.Start])
def test_who_has_left_has_nothing_to_say(cls: type[cl.Command]) -> None:
    """A leaver's commands are refused for as long as the seat is kept for the tally."""
    sitting = Sitting.playing(3)
    sitting.events(2, cl.Leave)
    assert sitting.refused(2, cls).reason in {Reason.NOT_SEATED, Reason.NOT_HOST}


def test_who_has_left_plays_no_more_cards() -> None:
    """A frozen layout does not move, not even for the one who left it."""
    sitting = Sitting.playing(3)
    sitting.events(2, cl.Leave)
    refused = sitting.miss(2, sitting.stock(2), sitting.waste(2), count=3)
    assert refused.reason == Reason.NOT_SEATED


def test_who_has_left_is_not_ready() -> None:
    """A leaver cannot hurry the next deal."""
    sitting = Sitting.playing(3)
    sitting.events(2, cl.Leave)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert Phase.TALLY is sitting.table.view.phase
    assert sitting.refused(2, cl.Ready).reason == Reason.NOT_SEATED


def test_who_has_left_does_not_come_back() -> None:
    """The connection of a leaver is no news."""
    sitting = Sitting.playing(3)
    sitting.events(2, cl.Leave)
    assert sitting.connect(2, connected=True) == []


def test_a_new_match_forgets_who_left_the_last() -> None:
    """With the next match a leaver's seat is free, and the token opens nothing."""
    sitting = Sitting.playing(3, hands=1)
    sitting.events(2, cl.Leave)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert Phase.OVER is sitting.table.view.phase
    sitting.start()
    assert 2 not in sitting.table.view.seats
    with pytest.raises(CommandRefused) as caught:
        sitting.table.seat_tokens.actor(NAMES[2].encode())
    assert caught.value.reason == Reason.BAD_TOKEN


def test_a_host_without_a_seat_outlives_the_match() -> None:
    """The claim of a host who only watches is not forgotten with the leavers."""
    sitting = Sitting(hands=1)
    sitting.host_watching()
    sitting.join("Ann")
    sitting.start()
    sitting.events(0, cl.Stuck)
    sitting.start()
    assert None in sitting.table.seat_tokens


# Late.


def test_who_comes_late_waits_for_the_next_deal() -> None:
    """A late guest has a seat, and no cards before the next deal."""
    sitting = Sitting.playing(2)
    assert (sitting.join("Joy"), sitting.table.view.hand_seats) == (2, (0, 1))
    refused = sitting.miss(2, sitting.stock(0), sitting.waste(0), count=3)
    assert refused.reason == Reason.NOT_SEATED
    assert sitting.refused(2, cl.Stuck).reason == Reason.NOT_SEATED
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    sitting.start()
    assert sitting.table.view.hand_seats == (0, 1, 2)


def test_who_comes_late_does_not_keep_a_hand_going() -> None:
    """A hand is agreed to be stuck by those who play it."""
    sitting = Sitting.playing(2)
    sitting.join("Joy")
    sitting.events(0, cl.Stuck)
    assert of_type(ev.HandOver, sitting.events(1, cl.Stuck))


@for_each("phase", [Phase.COUNTDOWN, Phase.PLAYING, Phase.TALLY])
def test_a_table_may_take_nobody_in_late(phase: Phase) -> None:
    """With late_join off, a match takes in neither people nor bots."""
    sitting = Sitting.lobby(1, late_join=False)
    sitting.events(0, cl.Start)
    if phase is not Phase.COUNTDOWN:
        sitting.wait(3 * SECOND)
    if phase is Phase.TALLY:
        sitting.events(0, cl.Stuck)
    assert phase is sitting.table.view.phase
    assert _refusal_of_join(sitting, "Joy") == Reason.NOT_NOW
    assert sitting.refused(0, cl.AddBot).reason == Reason.NOT_NOW


def test_after_the_match_everybody_may_come() -> None:
    """With late_join off, guests come between matches all the same."""
    sitting = Sitting.playing(1, late_join=False, hands=1)
    sitting.events(0, cl.Stuck)
    assert sitting.join("Joy") == 1


# Connections.


def test_a_lost_connection_keeps_the_seat() -> None:
    """Everybody is told when a player's connection goes, and when it comes back."""
    sitting = Sitting.lobby(2)
    assert [ev.Connected(seq=5, seat=1, connected=False)] == sitting.connect(1, connected=False)
    assert [ev.Connected(seq=6, seat=1, connected=True)] == sitting.connect(1, connected=True)


def test_no_news_is_not_told() -> None:
    """A connection that is there already is no event."""
    assert Sitting.lobby(2).connect(1, connected=True) == []


def test_who_has_no_seat_comes_and_goes_unseen() -> None:
    """The connection of a host without a seat is no event."""
    sitting = Sitting.lobby(1)
    sitting.host_watching()
    assert sitting.table.connect(None, connected=False, at=sitting.now) == []
