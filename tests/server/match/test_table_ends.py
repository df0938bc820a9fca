"""Going out, with and without the shout, and what it is worth."""

import pytest

from racing_demon_protocol.engine.cards import parse
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.builds import pure
from tests.support.cases import for_each
from tests.support.tables import MS, Own, Sitting, names_of, of_type, pack_of, told

LAST = Own(["KD"])
MANY = 2_000
"""Plays that end a hand here, where it is a hundred thousand for players."""
THREE_SUITS = [*pack_of("SHC"), "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD"]
"""All of seat 0's pack but the king of diamonds."""


def _one_card_left(**options: object) -> Sitting:
    """Return a hand of three: one has a card left, the others have brought up three cards and none."""
    sitting = Sitting.lobby(3, **options)
    sitting.start()
    sitting.lay(
        [*THREE_SUITS, "AS/1 2S/1", "AH/1"], LAST, Own(["3S", "2H", "9C"]), Own(["AC", "4C"], stock="7H")
    )
    return sitting


def _over(events: list[ev.Event]) -> ev.HandOver:
    return of_type(ev.HandOver, events)[0]


# By itself.


def test_going_out_is_worth_sixty_two() -> None:
    """Who has all cards in the middle gets 52 and ten, everybody else one a card."""
    sitting = _one_card_left()
    over = _over(sitting.play(0, sitting.column(0)))
    assert (over.reason, over.out, over.points) == (EndReason.OUT, 0, (62, 3, 0))


@for_each(("bonus", "points"), [(0, 52), (25, 77)])
def test_the_bonus_is_an_option(bonus: int, points: int) -> None:
    """The ten for going out may be any number."""
    sitting = _one_card_left(out_bonus=bonus)
    assert (points, 3, 0) == _over(sitting.play(0, sitting.column(0))).points


def test_the_last_card_ends_the_hand() -> None:
    """The end is the very next event, and at the same moment."""
    sitting = _one_card_left()
    sitting.wait(7_654_321)
    events = sitting.play(0, sitting.column(0))
    assert (told(events), _over(events).elapsed_ms) == ("played hand_over", 7_654)
    assert Phase.TALLY is sitting.table.view.phase


def test_nothing_is_played_after_the_last_card() -> None:
    """A play that arrives after the end does not count, however soon, and whatever was seen."""
    sitting = _one_card_left()
    seen = sitting.seq
    sitting.play(0, sitting.column(0))
    refused = sitting.miss(1, sitting.column(1), seen=seen)
    assert refused.reason == Reason.HAND_OVER


def test_of_two_with_one_card_left_one_goes_out() -> None:
    """The order is total: the first of two goes out, and the other keeps the last card."""
    sitting = Sitting.playing(2)
    sitting.lay([*THREE_SUITS, *pack_of("S", 1), "AH/1"], LAST, Own(["2H"]))
    sitting.play(1, sitting.column(1))
    assert sitting.miss(0, sitting.column(0)).reason == Reason.HAND_OVER
    assert _over(sitting.log).points == (51, 15 + 10)


def test_the_classic_game_is_out_without_the_reserve() -> None:
    """In the classic game the reserve must be empty; each card left in it costs two."""
    sitting = Sitting.lobby(2, game="classic")
    sitting.start()
    sitting.lay(["AS"], Own(["KC"], reserve="2S"), Own(["KD"], reserve="kh qh 3H"))
    over = _over(sitting.play(0, sitting.reserve(0)))
    assert (over.reason, over.points) == (EndReason.OUT, (2 + 10, -6))


def test_playing_the_reserve_to_a_column_goes_out_too() -> None:
    """In the classic game the last card of the reserve may go anywhere."""
    sitting = Sitting.lobby(2, game="classic")
    sitting.start()
    sitting.lay(["AS"], Own(["KC"], reserve="QH"), Own(["KD"], reserve="3H"))
    over = _over(sitting.play(0, sitting.reserve(0), sitting.column(0)))
    assert (over.out, over.points) == (0, (1 + 10, -2))


def test_the_end_takes_readiness_and_stuckness_back() -> None:
    """After a hand nobody is stuck, and nobody ready but the bots."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.AddBot)
    sitting.start()
    sitting.events(0, cl.Stuck)
    sitting.lay(THREE_SUITS, LAST, Own(["KC"]), Own(["KH"]))
    sitting.play(0, sitting.column(0))
    states = sitting.table.view.seats.values()
    assert [(s.ready, s.stuck) for s in states] == [(False, False), (False, False), (True, False)]


# With the shout.


def _out(**options: object) -> Sitting:
    sitting = _one_card_left(call_out="shout", **options)
    sitting.play(0, sitting.column(0))
    return sitting


def test_without_the_shout_the_hand_goes_on() -> None:
    """Where the shout is wanted, the last card alone ends nothing."""
    sitting = _out()
    assert Phase.PLAYING is sitting.table.view.phase
    sitting.play(1, sitting.column(1))


def test_the_shout_gives_grace() -> None:
    """The call is told to all, with the time that is left."""
    sitting = _out(grace_ms=700)
    events = sitting.events(0, cl.Call)
    assert [ev.Called(seq=sitting.seq, seat=0, grace_ms=700)] == events
    assert (Phase.GRACE, sitting.now + 700 * MS) == (sitting.table.view.phase, sitting.table.next_timer_at)


def test_cards_in_the_air_land() -> None:
    """Until the grace is over plays are accepted, and count."""
    sitting = _out()
    sitting.events(0, cl.Call)
    sitting.wait(1_000 * MS - 1)
    sitting.play(1, sitting.column(1))
    over = _over(sitting.wait(1))
    assert (over.reason, over.out, over.points) == (EndReason.OUT, 0, (62, 4, 0))


def test_cards_that_land_late_do_not_count() -> None:
    """At the very end of the grace the hand is over."""
    sitting = _out()
    sitting.events(0, cl.Call)
    sitting.wait(1_000 * MS)
    assert sitting.miss(1, sitting.column(1)).reason == Reason.HAND_OVER


def test_the_hand_ends_when_the_grace_does() -> None:
    """The end has the time at which it was due, however late the table was woken."""
    sitting = _out()
    sitting.wait(2_000 * MS)
    sitting.events(0, cl.Call)
    assert _over(sitting.wait(9_000 * MS)).elapsed_ms == 3_000


def test_no_grace_is_no_grace() -> None:
    """With a grace of nothing the call ends the hand."""
    sitting = _out(grace_ms=0)
    sitting.events(0, cl.Call)
    assert sitting.miss(1, sitting.column(1)).reason == Reason.HAND_OVER


def test_the_second_caller_is_too_late() -> None:
    """Once somebody has called nobody else does; the hand is not called over while plays still count."""
    sitting = _out()
    sitting.events(0, cl.Call)
    assert [sitting.refused(seat, cl.Call).reason for seat in (0, 1)] == [Reason.NOT_NOW] * 2


@for_each("call_out", ["shout", "auto"])
def test_nobody_calls_who_is_not_out(call_out: str) -> None:
    """A false call is refused, and changes nothing."""
    sitting = _one_card_left(call_out=call_out)
    assert sitting.refused(0, cl.Call).reason == Reason.ILLEGAL


def test_a_late_guest_does_not_call() -> None:
    """Who has no cards because none were dealt to him is not out."""
    sitting = _one_card_left(call_out="shout")
    sitting.join("Joy")
    assert sitting.refused(3, cl.Call).reason == Reason.ILLEGAL


@for_each("call_out", ["shout", "auto"])
def test_nobody_calls_after_the_hand(call_out: str) -> None:
    """After the end there is nothing to call."""
    sitting = _one_card_left(call_out=call_out)
    for seat in range(3):
        sitting.events(seat, cl.Stuck)
    assert sitting.refused(0, cl.Call).reason == Reason.HAND_OVER


def test_who_calls_first_gets_the_bonus() -> None:
    """Of two who are out, the one that calls has won the hand."""
    sitting = Sitting.lobby(2, call_out="shout")
    sitting.start()
    sitting.lay(["AS", "AS/1"], Own(["2S"]), Own(["2S"]))
    for seat in (0, 1):
        sitting.play(seat, sitting.column(seat))
    sitting.events(1, cl.Call)
    over = _over(sitting.wait(1_000 * MS))
    assert (over.out, over.points) == (1, (2, 12))


def test_who_forgets_to_call_is_out_when_nobody_can_play() -> None:
    """A hand that ends by itself while somebody is out is that player's."""
    sitting = Sitting.lobby(2, call_out="shout")
    sitting.start()
    sitting.lay(["AS"], Own(["2S"]), Own(["9D"]))
    sitting.play(0, sitting.column(0))
    over = _over(sitting.wait(1_000 * MS))
    assert (over.reason, over.out, over.points) == (EndReason.OUT, 0, (12, 0))


def test_in_the_grace_nobody_is_stuck() -> None:
    """The grace ends by itself."""
    sitting = _out()
    sitting.events(0, cl.Call)
    assert sitting.refused(1, cl.Stuck).reason == Reason.NOT_NOW


def test_the_caller_may_leave_in_the_grace() -> None:
    """Whoever called is out, even when gone before the end."""
    sitting = _out()
    sitting.events(0, cl.Call)
    sitting.events(0, cl.Leave)
    assert _over(sitting.wait(1_000 * MS)).points == (62, 3, 0)


# Everybody gone.


def test_a_hand_that_everybody_leaves_is_over() -> None:
    """With the last player goes the hand, and with the hand the match."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS", "AS/1 2S/1"], Own(["KD"]), Own(["KD"]))
    sitting.events(0, cl.Leave)
    events = sitting.events(1, cl.Leave)
    assert told(events) == "left hosted hand_over match_over"
    assert (
        _over(events).reason,
        _over(events).out,
        _over(events).points,
    ) == (EndReason.ABANDONED, None, (1, 2))


def test_an_abandoned_match_is_won_all_the_same() -> None:
    """When all have left, the best of them has won."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS", "AS/1 2S/1"], Own(["KD"]), Own(["KD"]))
    for seat in (0, 1):
        sitting.events(seat, cl.Leave)
    assert sitting.table.view.winners == (1,)


def test_bots_do_not_abandon() -> None:
    """A hand in which only bots are left goes on."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    sitting.start()
    assert told(sitting.events(0, cl.Leave)) == "left hosted"


def test_who_waits_for_the_next_deal_does_not_keep_a_hand() -> None:
    """A hand without players ends, and the match goes on with the guest who came late."""
    sitting = Sitting.playing(1)
    sitting.join("Joy")
    assert told(sitting.events(0, cl.Leave)) == "left hosted hand_over"
    assert told(sitting.events(1, cl.Start)) == "committed dealt"
    assert sitting.table.view.hand_seats == (1,)


def test_a_match_that_everybody_leaves_between_hands_is_over() -> None:
    """The tally of an empty table is final."""
    sitting = Sitting.playing(2)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    sitting.events(0, cl.Leave)
    assert told(sitting.events(1, cl.Leave)) == "left hosted match_over"


def test_an_abandoned_table_can_be_taken_up_again() -> None:
    """The next guest becomes host, and plays a new match alone."""
    sitting = Sitting.playing(1)
    sitting.events(0, cl.Leave)
    seat = sitting.join("Joy")
    sitting.start()
    assert ((seat,), seat, ["Joy"]) == (
        sitting.table.view.hand_seats,
        sitting.table.view.host,
        names_of(sitting),
    )


def test_a_finished_foundation_takes_nothing() -> None:
    """On a king no card is played, not even an ace."""
    sitting = Sitting.playing(2)
    sitting.lay(pack_of("S"), Own(["AH", "KD"]), Own(["KC"]))
    assert sitting.miss(0, sitting.column(0), 0).reason == Reason.ILLEGAL
    assert parse("KS") == sitting.tops()[0]


@pure("replaces a constant")
def test_a_hand_without_end_ends_with_its_tally(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cards can go to and fro for ever, so many plays end the hand. Its record is valid."""
    for module in ("racing_demon_server.match.lifecycle", "racing_demon_protocol.records.verify"):
        monkeypatch.setattr(f"{module}.MAX_PLAYS", MANY)
    sitting = Sitting(bytes(32), game="puzzle", hands=1, countdown_ms=0, pause_after_ms=None)
    sitting.join("Ann")
    sitting.start()
    sitting.wait(1)
    stock = sitting.rules.layout.stock[0]
    gathering = cl.PlayCards(counter=1, source=stock, count=1, destination=stock, seen=sitting.seq)
    while sitting.table.view.in_hand:
        sitting.now += 30 * MS
        sitting.log += sitting.table.handle_command(0, gathering, sitting.now).events
        gathering = gathering.model_copy(update={"counter": gathering.counter + 1})
    over = _over(sitting.log)
    assert EndReason.TIME_UP is over.reason
    assert MANY <= len(of_type(ev.Played, sitting.log)) < MANY + 100
    first = TableState("TEST", sitting.table.view.options).snapshot(0)
    assert verify([first, *sitting.log]).hands == 1
