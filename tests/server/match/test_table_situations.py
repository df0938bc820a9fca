"""Coming back, coming late, hosting and ending early, where players are in one situation or another."""

from itertools import islice
from typing import Final

import pytest

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import totals
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_server.match.table import SavedState, Table
from tests.support.cases import for_each
from tests.support.inside import seat_tokens_of
from tests.support.records import record
from tests.support.tables import NAMES, SECOND, Sitting, names_of, of_type, told

ANN, BEN, CLEO = range(3)
TEAM, HANDICAP, PROGRAM, DEVICES, RESTART = "a team", "a handicap", "a program", "two devices", "a restart"
SITUATIONS: Final = (TEAM, HANDICAP, PROGRAM, DEVICES, RESTART)


def lobby(situation: str, seat: int) -> Sitting:
    """Return a table of three, of whom one is in a situation, and Ann gets seven points less in each hand."""
    sitting = Sitting(hands=9, countdown_ms=0, teams=2 if situation == TEAM else None)
    for number, name in enumerate(NAMES[:3]):
        is_program = situation == PROGRAM and number == seat
        sitting.record(sitting.table.join(name, name.encode(), sitting.now, program=is_program)[1])
    sitting.events(ANN, cl.SetHandicap, seat=ANN, handicap=Handicap(points=-7))
    if situation == HANDICAP:
        sitting.events(ANN, cl.SetHandicap, seat=seat, handicap=Handicap(points=-5, delay_s=1))
    return sitting


def hand(sitting: Sitting) -> None:
    """Play a hand in which nobody does anything, or what is left of one."""
    if not sitting.table.view.in_hand:
        sitting.start()
        sitting.wait(SECOND)
    for seat in [seat for seat in sitting.table.view.hand_seats if sitting.table.view.plays_hand(seat)]:
        sitting.events(seat, cl.Stuck)
    assert not sitting.table.view.in_hand


def happens(sitting: Sitting, situation: str) -> None:
    """Let the server be started anew, where that is the situation."""
    if situation == RESTART:
        restart(sitting)


def restart(sitting: Sitting) -> None:
    """Let the table be restored from what the journal has of it, and everybody be away."""
    hands = list(islice(hand_seeds(bytes(32)), 40))
    drawn = dict.fromkeys(event.hand_id for event in of_type(ev.Prepared, sitting.log))
    log = [(event, sitting.now) for event in sitting.log]
    table = Table("TEST", sitting.options, iter(hands[len(drawn) :]))
    seeds = dict(zip(drawn, hands, strict=False))
    table.restore(SavedState(None, log, seeds, seat_tokens_of(sitting.table)))
    sitting.table = table
    sitting.record(table.continue_after_restart(sitting.now))


def back(sitting: Sitting, seat: int, situation: str) -> list[ev.Event]:
    """Let somebody who has left return, perhaps from another device."""
    token = b"tablet" if situation == DEVICES else NAMES[seat].encode()
    return sitting.record(sitting.table.take_back(seat, token, sitting.now)[1])


@for_each("situation", SITUATIONS)
def test_who_left_comes_back_to_all_that_they_had(situation: str) -> None:
    """One row: the seat, its points, team and handicap. They play from the next deal, and sit once."""
    sitting = lobby(situation, CLEO)
    hand(sitting)
    sitting.start()
    before, added = sitting.table.view.seats[CLEO], totals(sitting.table.view)
    sitting.events(CLEO, cl.Leave)
    happens(sitting, situation)
    assert told(back(sitting, CLEO, situation)).split()[0] == "returned"
    assert sitting.table.view.seats[CLEO] == before
    assert totals(sitting.table.view) == added
    assert sitting.table.seat_tokens.people().count(CLEO) == 1
    with pytest.raises(Exception, match="not yours"):
        back(sitting, CLEO, situation)
    for seat in (ANN, BEN):
        sitting.connect(seat, connected=True)
    hand(sitting)
    hand(sitting)
    assert sitting.table.view.plays_hand(CLEO)
    assert totals(sitting.table.view)[CLEO] == 3 * added[CLEO]
    assert names_of(sitting) == [*NAMES[:3]]
    verify(record(sitting.options, sitting.log))


@for_each("situation", SITUATIONS)
def test_who_comes_late_starts_at_the_lowest_total(situation: str) -> None:
    """In that match, whatever happens to them then; a team has its total already."""
    sitting = lobby(situation, CLEO)
    if situation == TEAM:
        assert sitting.refused(ANN, cl.SetLateStart).reason == Reason.NOT_NOW
    else:
        sitting.events(ANN, cl.SetLateStart)
    hand(sitting)
    happens(sitting, situation)
    is_program = situation == PROGRAM
    fay, events = sitting.table.join("Fay", b"Fay", sitting.now, program=is_program)
    sitting.record(events)
    start = 0 if situation == TEAM else -7
    (joined,) = of_type(ev.Joined, events)
    assert (joined.start, joined.program) == (start, is_program)
    happens(sitting, situation)
    if situation == DEVICES:
        sitting.events(fay, cl.Leave)
        sitting.record(sitting.table.take_back(fay, b"tablet", sitting.now)[1])
    if situation == HANDICAP:
        sitting.events(ANN, cl.SetHandicap, seat=fay, handicap=Handicap(points=3))
    for seat in sitting.table.view.seats:
        sitting.connect(seat, connected=True)
    hand(sitting)
    assert totals(sitting.table.view)[fay] == start + (3 if situation == HANDICAP else 0)
    sitting.events(ANN, cl.EndMatch)
    verify(record(sitting.options, sitting.log))
    hand(sitting)
    assert totals(sitting.table.view)[fay] == (3 if situation == HANDICAP else 0)


@for_each("situation", SITUATIONS)
def test_a_host_who_was_away_has_the_table_back(situation: str) -> None:
    """Nobody else is told to be host for good; the seat's token is enough, on whatever device."""
    sitting = lobby(situation, ANN)
    hand(sitting)
    sitting.start()
    before = sitting.table.view.seats[ANN]
    sitting.connect(ANN, connected=False)
    sitting.wait(21 * SECOND)
    assert (sitting.table.view.host, sitting.table.view.absent_host) == (BEN, ANN)
    happens(sitting, situation)
    for seat in (BEN, CLEO):
        sitting.connect(seat, connected=True)
    assert (sitting.table.view.host, sitting.table.view.absent_host) == (BEN, ANN)
    sitting.table.seat_tokens.actor(NAMES[ANN].encode())
    hosted = of_type(ev.Hosted, sitting.connect(ANN, connected=True))
    assert [(event.seat, event.absent_host) for event in hosted] == [(ANN, None)]
    if situation == DEVICES:  # the second connection with the token takes the first one's place
        assert not of_type(ev.Hosted, sitting.connect(ANN, connected=True))
    assert sitting.table.view.seats[ANN] == before
    sitting.events(ANN, cl.SetLastHand)
    assert sitting.refused(BEN, cl.EndMatch).reason == Reason.NOT_HOST


@for_each("situation", SITUATIONS)
def test_a_match_that_is_ended_early_counts_as_it_stands(situation: str) -> None:
    """With a last hand, and at once: the leaders win, and all rows are what they were."""
    sitting = lobby(situation, CLEO)
    hand(sitting)
    sitting.start()
    sitting.events(ANN, cl.SetLastHand)
    sitting.events(CLEO, cl.Leave)
    happens(sitting, situation)
    back(sitting, CLEO, situation)
    for seat in (ANN, BEN):
        sitting.connect(seat, connected=True)
    assert sitting.table.view.last_hand == 2
    winners = {TEAM: (BEN,), HANDICAP: (BEN,)}.get(situation, (BEN, CLEO))
    now = sitting.fork()
    for each, is_early in ((now, True), (sitting, False)):
        if is_early:
            each.events(ANN, cl.EndMatch)
        else:
            hand(each)
        (end,) = of_type(ev.MatchOver, each.log)
        assert (end.winners, end.closed) == (winners, is_early)
        assert each.table.view.phase is Phase.OVER
        verify(record(each.options, each.log))
