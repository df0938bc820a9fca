"""Which rules belong to a declaration, and who shares them."""

from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.options import Options
from racing_demon_protocol.rulebook import RULES, make_rules


def test_every_game_has_the_rules_of_its_mechanic() -> None:
    """The mechanic that a game names decides."""
    for game in GAMES:
        declared = declare(Options(game=game), 1)
        assert RULES[type(declared.mechanic)] is type(make_rules(declared, (0,)))


def test_hands_of_a_building_game_share_their_rules() -> None:
    """They know nothing of any hand; other games and other seats have others."""
    game = declare(Options(), 3)
    assert make_rules(game, (0, 1, 2)) is make_rules(game, range(3))
    assert make_rules(game, (0, 1, 2)) is not make_rules(game, (0, 1, 3))
    assert make_rules(game, (0, 1, 2)) is not make_rules(declare(Options(turn=1), 3), (0, 1, 2))


def test_rules_that_remember_are_shared_by_nobody() -> None:
    """Gambler's Patience keeps what it has found out of a hand."""
    game = declare(Options(game="gamblers"), 1)
    assert make_rules(game, (0,)) is not make_rules(game, (0,))
