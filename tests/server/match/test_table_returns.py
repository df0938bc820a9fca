"""How players who left during a match come back to their seats, with all that they had."""

import pytest

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import totals
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from tests.support.records import record
from tests.support.tables import NAMES, SECOND, Own, Sitting, of_type, told

CLEO = 2


def over(sitting: Sitting) -> list[ev.Event]:
    """Deal if none is dealt, and end the hand by agreement."""
    if sitting.table.view.phase is not Phase.PLAYING:
        sitting.start()
        sitting.wait(SECOND)
    seats = [seat for seat in sitting.table.view.hand_seats if sitting.table.view.plays_hand(seat)]
    return [event for seat in seats for event in sitting.events(seat, cl.Stuck)]


def test_who_left_comes_back_to_the_same_row() -> None:
    """The seat, its points, its team and its handicap are theirs again, and they play from the next deal."""
    sitting = Sitting.lobby(3, hands=9, teams=3, countdown_ms=0)
    sitting.events(0, cl.SetHandicap, seat=CLEO, handicap=Handicap(delay_s=1, points=2))
    over(sitting)
    sitting.start()
    before, added = sitting.table.view.seats[CLEO], totals(sitting.table.view)
    sitting.events(CLEO, cl.Leave)
    assert told(sitting.come_back(CLEO)) == "returned"
    assert sitting.table.view.seats[CLEO] == before
    assert (before.team, before.handicap.points, added[CLEO]) == (2, 2, 2)
    assert sitting.refused(CLEO, cl.Stuck).reason == Reason.NOT_SEATED
    assert of_type(ev.HandOver, over(sitting))
    assert totals(sitting.table.view)[CLEO] == added[CLEO] * 2
    sitting.start()
    assert sitting.table.view.plays_hand(CLEO)
    assert len(sitting.table.view.seats) == 3


def test_the_hand_that_was_left_stays_as_the_option_says() -> None:
    """Whoever comes back has left that hand: it is not waited for, and brings what a leaver gets."""
    sitting = Sitting.playing(3, on_leave="forfeit", hands=9)
    sitting.lay(["AS", "AS/1", "AS/2 2S/2"], *[Own(["KD"])] * 3)
    sitting.events(CLEO, cl.Leave)
    sitting.come_back(CLEO)
    assert sitting.table.view.stuck() == (0, 2)
    end = of_type(ev.HandOver, over(sitting))[0]
    assert end.points == (1, 1, 0)


def test_a_hand_that_all_have_left_ends_though_one_is_back() -> None:
    """Nobody plays it any more."""
    sitting = Sitting.playing(2, hands=9)
    sitting.events(1, cl.Leave)
    sitting.come_back(1)
    assert of_type(ev.HandOver, sitting.events(0, cl.Leave))[0].reason == "abandoned"
    assert sitting.table.view.phase is Phase.TALLY


def test_neither_a_lock_nor_the_end_of_entry_keeps_them_out() -> None:
    """They are nobody new."""
    sitting = Sitting.playing(3, late_join=False, hands=9)
    sitting.events(CLEO, cl.Leave)
    sitting.events(0, cl.CloseEntry)
    assert told(sitting.come_back(CLEO)) == "returned"


def test_the_kicked_and_those_of_another_match_do_not_come_back() -> None:
    """The match that they left is over, or the host does not want them."""
    kicked = Sitting.playing(3, hands=9)
    kicked.events(0, cl.Kick, seat=CLEO)
    ended = Sitting.playing(3, hands=9)
    ended.events(CLEO, cl.Leave)
    over(ended)
    ended.events(0, cl.EndMatch)
    left = Sitting.playing(3, hands=9)
    for gone in range(3):
        left.events(gone, cl.Leave)
    assert left.table.view.phase is Phase.OVER
    for sitting in (kicked, ended, left):
        with pytest.raises(CommandRefused):
            sitting.come_back(CLEO)
    assert kicked.table.seat_tokens.left_with(NAMES[CLEO].encode()) is None


def test_who_left_has_no_seat_until_they_ask_for_it() -> None:
    """The token resumes nothing, and no command is theirs."""
    sitting = Sitting.playing(3, hands=9)
    sitting.events(CLEO, cl.Leave)
    token = NAMES[CLEO].encode()
    assert not sitting.table.seat_tokens.knows(token)
    assert sitting.table.seat_tokens.left_with(token) == CLEO
    assert CLEO not in sitting.table.seat_tokens


def test_while_somebody_lacks_the_word_they_come_back_as_somebody_new() -> None:
    """An older client would not understand it; the old seat is nobody's then."""
    sitting = Sitting.playing(3, hands=9)
    sitting.events(CLEO, cl.Leave)
    sitting.table.ask_who_lacks(lambda _words: ["Ben"])
    assert not sitting.table.may_return(CLEO)
    seat = sitting.join(NAMES[CLEO])
    assert seat == 3
    sitting.table.ask_who_lacks(lambda _words: [])
    assert not sitting.table.may_return(CLEO)


def test_they_come_back_while_cards_are_drawn_and_sit_that_hand_out() -> None:
    """Cards were promised to others; snapshots tell who waits, and a void draw leaves them out."""
    sitting = Sitting.lobby(3, hands=9)
    over(sitting)
    for seat in range(3):
        sitting.events(seat, cl.Contribute, commitment="0" * 64)
    sitting.events(0, cl.Start)
    assert sitting.table.view.phase is Phase.SHUFFLING
    sitting.events(CLEO, cl.Leave)
    sitting.come_back(CLEO)
    assert sitting.table.view.sitting_out == (CLEO,)
    assert "returns" in sitting.table.view.extensions
    assert TableState.from_snapshot(sitting.table.view.snapshot(0)).sitting_out == (CLEO,)
    sitting.wait(60 * SECOND)
    assert not sitting.table.view.plays_hand(CLEO)


def test_records_know_it() -> None:
    """Such a match is verified, and has one row for each player."""
    sitting = Sitting.playing(3, hands=2, countdown_ms=0, on_leave="forfeit")
    sitting.events(CLEO, cl.Leave)
    sitting.turn(0)
    sitting.come_back(CLEO)
    over(sitting)
    sitting.start()
    sitting.turn(CLEO)
    over(sitting)
    checked = verify(record(sitting.table.view.options, sitting.log))
    assert (checked.hands, checked.matches) == (2, 1)


def test_the_tally_of_a_match_keeps_the_name_of_who_was_back_and_leaves_after_it() -> None:
    """Their row is not only that of the last hand, of which they stayed out."""
    sitting = Sitting.playing(3, hands=9, countdown_ms=0)
    over(sitting)
    sitting.events(CLEO, cl.Leave)
    sitting.start()
    sitting.come_back(CLEO)
    sitting.events(0, cl.EndMatch)
    sitting.events(CLEO, cl.Leave)
    assert sitting.table.view.player(CLEO) == NAMES[CLEO]
