"""Hands of the games with mechanics of their own at a table: judged, told, recorded and proved."""

import random

from racing_demon_protocol.engine.specification import Building, Racing
from racing_demon_protocol.enums import EndReason, Reason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import PlayCards, Stuck
from racing_demon_protocol.wire.messages.events import HandOver
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from tests.support.bot_matches import play_match
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long, usually
from tests.support.records import record
from tests.support.tables import SECOND, Sitting, of_type

OWN = [name for name, game in GAMES.items() if not isinstance(game.mechanic, Building)]
MAX_PLAYS = amount(200, 900)
"""Where a game may go round in circles for long, its players give it up after so many."""


def _players(game: str) -> int:
    return min(2, GAMES[game].max_seats)


def _play_hand(sitting: Sitting, rng: random.Random) -> HandOver:
    """Play at random until the hand is over; who has no play waits."""
    seats = sitting.rules.layout.seats
    for number in range(MAX_PLAYS):
        plays = [(seat, play) for seat in seats for play in sitting.plays(seat)]
        if not plays or of_type(HandOver, sitting.log):
            break
        seat, play = rng.choice(plays)
        sitting.play(seat, play.source, play.destination, play.count)
        if number % 50 == 10:
            assert TableState.from_snapshot(sitting.table.view.snapshot(0)).board == sitting.board
    sitting.wait(SECOND)
    for seat in seats:
        if not of_type(HandOver, sitting.log):
            sitting.events(seat, Stuck)
    return of_type(HandOver, sitting.log)[0]


@more_when_long
@for_each("game", OWN)
def test_a_hand_is_played_to_its_end_and_proved(game: str) -> None:
    """Every mirror follows, the hand ends won, dead or given up, and its record is right in every event."""
    sitting = Sitting.playing(_players(game), bytes([1] * 32), game=game, hands=1)
    over = _play_hand(sitting, random.Random(1))
    assert (over.reason is EndReason.OUT) is (over.out is not None)
    # On identical deals each is found stuck alone; on one board all are dead together.
    assert over.reason is not EndReason.DEAD or not sitting.table.view.is_private
    assert verify(record(sitting.options, sitting.log)).hands == 1


@for_each("game", OWN)
def test_what_is_refused_has_a_reason(game: str) -> None:
    """A play that the game does not know, or of another's pile, is refused, and changes nothing."""
    sitting = Sitting.playing(_players(game), game=game)
    seat = next(seat for seat in sitting.rules.layout.seats if sitting.plays(seat))
    play = sitting.plays(seat)[0]
    refused = sitting.miss(seat, play.source, play.source)
    assert refused.reason is Reason.ILLEGAL
    assert refused.text.endswith(".")
    if GAMES[game].racing not in {Racing.TOGETHER, Racing.SOLO}:
        other = sitting.refused(
            1 - seat, PlayCards, **sitting._fields(play.source, play.destination, play.count, None)
        )
        assert isinstance(other, Refused)
        assert other.reason is Reason.NOT_YOUR_PILE


@for_each("game", usually(5, [game for game in OWN if game != "gamblers"]))
def test_bots_play_it(game: str) -> None:
    """Two bots bring a hand to its end without a refused play, and the record is right."""
    options = Options.model_validate({"game": game, "hands": 1, "countdown_ms": 0, "tally_ms": 0})
    _, log, _ = play_match(bytes([5]) * 32, ["hard", "easy"], options)
    assert verify(record(options, log)).hands == 1
