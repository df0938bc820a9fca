"""Cards that a table plays wherever they fit, for clients that do not know a game's rules."""

import pytest

from racing_demon_protocol.games import GAMES
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.table.intent import best_play
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Played
from tests.support.tables import Sitting, of_type


@pytest.mark.parametrize("game", GAMES)
def test_a_card_of_any_game_goes_to_its_best_place(game: str) -> None:
    """What the rules call the best play of a pile is what happens, and answers the command."""
    sitting = Sitting.playing(max(1, min(2, GAMES[game].least_seats)), game=game)
    seat = sitting.rules.layout.seats[0]
    bests = [
        best
        for source in range(len(sitting.board.piles))
        if (best := best_play(sitting.rules, sitting.board, seat, source)) is not None
    ]
    if not bests:
        return
    best = bests[0]
    events = sitting.events(seat, cl.PlayBest, source=best.source, count=1, seen=sitting.seq)
    (played, *_) = of_type(Played, events)
    assert (seat, best.source, best.destination) == (played.seat, played.source, played.destination)
    assert sitting.counter(seat) == played.counter


def test_a_card_that_fits_nowhere_is_refused() -> None:
    """Nothing changes, and the client says so in its own words."""
    sitting = Sitting.playing(2)
    empty = sitting.waste(0)
    before = sitting.state()
    assert Reason.ILLEGAL is sitting.refused(0, cl.PlayBest, source=empty, count=1, seen=sitting.seq).reason
    assert Reason.ILLEGAL is sitting.refused(0, cl.PlayBest, source=511, count=1, seen=sitting.seq).reason
    assert before == sitting.state()
