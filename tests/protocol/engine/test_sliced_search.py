"""Searches in slices: the same answer, however it is cut, and never much work at a time."""

import random
from collections.abc import Iterator
from functools import partial

import pytest

from racing_demon_protocol.engine.sliced_search import SearchSteps, SlicedSearch
from racing_demon_protocol.engine.specification import Game
from racing_demon_protocol.games import GAMES
from racing_demon_server.match.hand import SLICE_UNITS
from tests.support.calls import calls_of
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, random_hands
from tests.support.effort import amount, more_when_long
from tests.support.typical import of_games

every_game = of_games(GAMES.values())

PLAYS = amount(21, 60)
MAX_CALLS = 6_000
"""Calls of functions in one slice: a slow machine of today makes five million in a second."""


def _steps(*units: int, answer: bool) -> SearchSteps:
    yield from units
    return answer


def test_a_search_stops_after_the_units_it_was_given() -> None:
    """It works until the units are used up, and finishes the step that it is in."""
    search = SlicedSearch(_steps(3, 3, 3, 3, answer=True))
    assert (search.advance(4), search.units) == (None, 6)
    assert (search.advance(1), search.units) == (None, 9)
    assert (search.advance(10), search.units) == (True, 12)


@for_each("answer", [True, False])
def test_an_answer_stays(answer: bool) -> None:
    """Who asks on gets the same answer, and nothing more is done."""
    search = SlicedSearch(_steps(1, answer=answer))
    assert [answer, answer] == [search.finish(), search.advance(5)]
    assert search.units == 1


def test_nothing_is_done_without_units() -> None:
    """A search that is given nothing has not begun."""
    search = SlicedSearch(_steps(answer=True))
    assert search.advance(0) is None


def _positions(game: Game, count: int) -> Iterator[Dealt]:
    """Yield hands for all seats of a game in which the first has played by chance, most near an end."""
    seats = tuple(range(game.max_seats))
    for hand, rng in random_hands(game, 2, seats=seats):
        for number in range(count):
            plays = list(hand.rules.legal_plays(hand.board, 0))
            if not plays:
                break
            led = [play for play in plays if hand.rules.is_irreversible(hand.board, 0, play)]
            hand.play(rng.choice(led or plays))
            if number % 10 == 0 or len(plays) < 4:
                yield hand


@pytest.mark.long
@more_when_long
@every_game
def test_slices_do_not_change_the_answer(game: Game) -> None:
    """Cut anywhere, a search does the same work and comes to the same answer."""
    rng = random.Random(game.name)
    for hand in _positions(game, PLAYS):
        whole, cut = (hand.dealer.search(hand.board, 0) for _ in range(2))
        whole.finish()
        while cut.result is None:
            cut.advance(rng.randrange(1, 50))
        assert (whole.result, whole.units) == (cut.result, cut.units)


@pytest.mark.long
@more_when_long
@every_game
def test_no_slice_does_much(game: Game) -> None:
    """In every game with all its seats a slice is a few thousand calls of functions at the most."""
    for hand in _positions(game, PLAYS):
        search = hand.dealer.search(hand.board, 0)
        while search.result is None:
            assert calls_of(partial(search.advance, SLICE_UNITS)) < MAX_CALLS
