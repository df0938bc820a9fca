"""Cards that a table plays wherever they fit, for clients that do not know a game's rules."""

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.table.suggestions import best_play
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Played
from tests.support.cases import for_each
from tests.support.tables import Own, Sitting, of_type


@pytest.mark.long
def test_a_card_of_any_game_goes_to_its_best_place() -> None:
    """What the rules call the best play of a pile is what happens, and answers the command."""
    assert [game for game in GAMES if not _goes_to_its_best_place(game)] == []


def _goes_to_its_best_place(game: str) -> bool:
    sitting = Sitting.playing(max(1, min(2, GAMES[game].min_seats)), game=game)
    seat = sitting.rules.layout.seats[0]
    bests = [
        best
        for source in range(len(sitting.board.piles))
        if (best := best_play(sitting.rules, sitting.board, seat, source)) is not None
    ]
    if not bests:
        return True
    best = bests[0]
    events = sitting.events(seat, cl.PlayBest, source=best.source, count=1, seen=sitting.seq)
    (played, *_) = of_type(Played, events)
    is_best = (seat, best.source, best.destination) == (played.seat, played.source, played.destination)
    return is_best and sitting.counter(seat) == played.counter


@for_each(("count", "onto"), [(2, 2), (3, 1)])
def test_a_run_goes_where_all_of_it_can_go(count: int, onto: int) -> None:
    """Of a column's places the one for so many cards is meant."""
    sitting = Sitting.playing(2)
    sitting.lay([], Own(["KH TS 9H 8S", "JD", "TC", "9D"], reserve="2C"), Own(["KD"], reserve="2D"))
    (played,) = of_type(
        Played, sitting.events(0, cl.PlayBest, source=sitting.column(0), count=count, seen=sitting.seq)
    )
    assert (count, sitting.column(0, onto)) == (played.count, played.destination)


def test_a_card_of_an_earlier_hand_is_refused() -> None:
    """What the client had seen counts, as for any other play."""
    sitting = Sitting.playing(2)
    sitting.lay([], Own(["9S 8H", "9C"], reserve="2C"), Own(["KD"], reserve="2D"))
    refused = sitting.refused(0, cl.PlayBest, source=sitting.column(0), count=1, seen=1)
    assert Reason.HAND_OVER is refused.reason


def test_a_card_that_fits_nowhere_is_refused() -> None:
    """Nothing changes, and the client says so in its own words."""
    sitting = Sitting.playing(2)
    empty = sitting.waste(0)
    before = sitting.state()
    assert Reason.ILLEGAL is sitting.refused(0, cl.PlayBest, source=empty, count=1, seen=sitting.seq).reason
    assert Reason.ILLEGAL is sitting.refused(0, cl.PlayBest, source=511, count=1, seen=sitting.seq).reason
    assert before == sitting.state()


def test_who_came_late_has_no_card_to_play() -> None:
    """A seat that is not in the hand is refused, as with any other play."""
    sitting = Sitting.playing(2)
    late = sitting.join("Joy")
    refused = sitting.refused(late, cl.PlayBest, source=sitting.column(0), count=1, seen=sitting.seq)
    assert Reason.NOT_SEATED is refused.reason
