"""Hands of every building game at a table of two: judged, told, recorded and proved."""

import random

import pytest

from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import PlayCards, Stuck
from racing_demon_protocol.wire.messages.events import HandOver, Played
from tests.support.effort import amount, more_when_long
from tests.support.records import record
from tests.support.tables import SECOND, Sitting, of_type
from tests.support.typical import BUILDING_GAMES, of_games

PLAYS = amount(30, 60)


@pytest.mark.long
@more_when_long
@of_games(game.name for game in BUILDING_GAMES)
def test_a_hand_is_played_and_proved(game: str) -> None:
    """Every mirror follows chance plays, buried cards and layings among them, and the record is right."""
    sitting, rng = Sitting.playing(2, bytes([3] * 32), game=game, hands=1), random.Random(3)
    seats = sitting.rules.layout.seats
    for number in range(PLAYS):
        plays = [(seat, play) for seat in seats for play in sitting.plays(seat)]
        if not plays or of_type(HandOver, sitting.log):
            break
        seat, play = rng.choice(plays)
        events = sitting.events(
            seat,
            PlayCards,
            source=play.source,
            count=play.count,
            destination=play.destination,
            seen=sitting.table.view.seq,
            depth=play.depth,
        )
        assert isinstance(events[0], Played)
        if number % 20 == 10:
            assert TableState.from_snapshot(sitting.table.view.snapshot(0)).board == sitting.board
    sitting.wait(SECOND)
    for seat in seats:
        if not of_type(HandOver, sitting.log):
            sitting.events(seat, Stuck)
    assert len(of_type(HandOver, sitting.log)) == 1
    assert verify(record(sitting.options, sitting.log)).hands == 1
