"""Plays that two piles alone decide are those that the rules in full allow."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Final

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.cards import PACK_SIZE
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.rules.move_tables import MoveTables
from racing_demon_protocol.engine.specification import Game
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, random_hands
from tests.support.effort import amount, more_when_long
from tests.support.typical import BUILDING_GAMES, of_games

PLAYS: Final = 40
"""So many plays of a hand are followed; the pairs of piles are tried before each tenth of them."""
ODD: Final = (
    {"turn": 1},
    {"turn": 5},
    {"redeals": 0},
    {"waste_view": 3},
    {"take_back": "free"},
    {"forced_bases": True},
)


def _is_legal(rules: BuildingRules, hand: Dealt, seat: int, play: Play) -> bool:
    try:
        return rules.legality.verify(hand.board, seat, play) == play
    except IllegalPlay:
        return False


def _noise(hand: Dealt, rng: random.Random) -> Iterator[Play]:
    """Yield plays between all sorts of piles, of so many cards as may just be there."""
    piles = range(-2, len(hand.board.piles) + 1)
    for source in rng.sample(piles, min(12, len(piles))):
        cards = hand.board.cards[source] if 0 <= source < len(hand.board.piles) else []
        for destination in piles:
            yield Play(
                source, rng.choice((1, 1, 2, 3, 0, len(cards), -1)), destination, rng.choice((0, 0, 0, 1))
            )


def _check(game: Game, seats: range) -> None:
    for hand, rng in random_hands(game, 1, seats=seats):
        rules = hand.rules
        assert isinstance(rules, BuildingRules)
        ways = MoveTables(rules.layout, rules.columns)
        for number in range(PLAYS):
            plays = hand.plays()
            if not plays:
                return
            tried = (
                [(rng.choice((*seats, 7)), play) for play in _noise(hand, rng)] if number % 10 == 0 else []
            )
            for seat, play in plays + tried:
                if ways.allows(hand.board, seat, play):
                    assert _is_legal(rules, hand, seat, play), (seat, play)
            seat, play = rng.choice(plays)
            hand.play(play, seat)


@of_games(BUILDING_GAMES)
def test_what_is_allowed_is_legal(game: Game) -> None:
    """What a plain way allows the rules in full allow, too, whatever else is tried."""
    rules = make_rules(game, (0,))
    assert isinstance(rules, BuildingRules)
    if rules.move_tables is not None:
        _check(game, range(min(3, game.max_seats)))


@for_each("asked", ODD, ids=str)
def test_options_are_heard(asked: dict[str, object]) -> None:
    """The same holds with options of a table."""
    game = declare(Options(game="racing-demon", **asked), 3)
    rules = make_rules(game, (0,))
    assert isinstance(rules, BuildingRules)
    if rules.move_tables is not None:
        _check(game, range(3))


@more_when_long
def test_nearly_all_plays_are_plain() -> None:
    """In Racing Demon only spaces, and the rest of a stock, may be anything else."""
    players = amount(2, 8)
    for hand, rng in random_hands(declare(Options(), players), 1, seats=range(players)):
        assert isinstance(hand.rules, BuildingRules)
        ways, plain, of = MoveTables(hand.rules.layout, hand.rules.columns), 0, 0
        for _ in islice(hand.play_on(rng), 0, None, amount(30, 1)):
            plays = hand.plays()
            of += len(plays)
            plain += sum(ways.allows(hand.board, seat, play) for seat, play in plays)
        assert plain > 0.9 * of


@of_games(BUILDING_GAMES)
def test_what_is_wanted_above_goes_up(game: Game) -> None:
    """The cards that the foundations want of a seat are those for which one of them is open."""
    for hand, rng in random_hands(game, 1):
        rules = hand.rules
        assert isinstance(rules, BuildingRules)
        for _ in range(PLAYS):
            open_for = {
                card
                for card in range(PACK_SIZE)
                if any(True for _ in rules.open_foundations(hand.board, 0, card))
            }
            assert open_for == rules.foundations.accepted_cards(hand.board, 0)
            plays = hand.plays()
            if not plays:
                break
            hand.play(rng.choice(plays)[1])
