"""Which rules belong to a declaration, and who shares them."""

import random

import pytest

from racing_demon_protocol.engine.factory import RULES, make_rules
from racing_demon_protocol.engine.specification import Game
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options
from tests.support.dealt_hands import Dealt
from tests.support.typical import of_games


def test_every_game_has_the_rules_of_its_mechanic() -> None:
    """The mechanic that a game names decides."""
    for game in GAMES:
        declared = declare(Options(game=game), 1)
        assert RULES[type(declared.mechanic)] is type(make_rules(declared, (0,)))


def test_hands_share_their_rules() -> None:
    """They know nothing of any hand; other games and other seats have others."""
    for game in GAMES.values():
        seats = range(game.min_seats)
        assert make_rules(game, tuple(seats)) is make_rules(game, seats)
    game = declare(Options(), 3)
    assert make_rules(game, (0, 1, 2)) is not make_rules(game, (0, 1, 3))
    assert make_rules(game, (0, 1, 2)) is not make_rules(declare(Options(turn=1), 3), (0, 1, 2))


@of_games(GAMES.values())
def test_rules_that_have_judged_a_hand_judge_the_next_like_new_ones(game: Game) -> None:
    """The same plays are legal, the same follow by themselves, and the same hands are dead."""
    seats = range(game.min_seats)
    used = RULES[type(game.mechanic)](game, seats)
    for seed, rng in ((bytes([number]) * 32, random.Random(number)) for number in range(2)):
        old = Dealt(game, seed, seats, rules=used)
        new = Dealt(game, seed, seats, rules=RULES[type(game.mechanic)](game, seats))
        for number in range(60):
            plays = new.plays()
            assert plays == old.plays()
            if number % 20 == 0:
                assert new.dealer.is_dead(new.board, new.seats) == old.dealer.is_dead(old.board, old.seats)
            if not plays:
                break
            seat, play = rng.choice(plays)
            for hand in (old, new):
                hand.play(play, seat)
        assert new.log == old.log


@pytest.mark.long
def test_a_dead_hand_of_gamblers_says_nothing_of_another() -> None:
    """Of hands with as many cards thrown out one may be dead: rules that remember an answer say it of all."""
    game = GAMES["gamblers"]
    kind = RULES[type(game.mechanic)]
    used = kind(game, (0,))
    for number in range(3):
        old, new = (Dealt(game, bytes([number]) * 32, rules=rules) for rules in (used, kind(game, (0,))))
        for _ in range(1_000):
            plays = new.plays()
            if not plays or new.dealer.is_dead(new.board, (0,)):
                break
            assert not old.dealer.is_dead(old.board, (0,))
            old.play(plays[0][1])
            new.play(plays[0][1])
        assert new.dealer.is_dead(new.board, (0,)) == old.dealer.is_dead(old.board, (0,))
