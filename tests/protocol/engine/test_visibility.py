import random

from racing_demon_protocol.engine.visibility import redacted
from racing_demon_protocol.games import GAMES
from tests.support.dealt_hands import Dealt


def test_only_identical_deals_are_private() -> None:
    """Around shared foundations all is seen; with the same cards nothing is, unless one plays alone."""
    assert [
        Dealt(GAMES[name], seats=seats).rules.is_private
        for name, seats in (("racing-demon", (0, 1)), ("pet", (0, 1)), ("pet", (0,)))
    ] == [False, True, False]


def test_what_others_do_is_not_seen() -> None:
    """However the others play, a seat's view of the board is the same: of theirs it is the deal."""
    views = []
    for chance in (1, 2):
        hand, rng = Dealt(GAMES["pet"], seats=(0, 1, 2)), random.Random(chance)
        dealt = hand.board.copy()
        mine = next(iter(hand.rules.legal_plays(hand.board, 1)))
        hand.play(mine, 1)
        for _ in range(30):
            seat = rng.choice((0, 2))
            plays = list(hand.rules.legal_plays(hand.board, seat))
            hand.play(rng.choice(plays), seat)
        views.append((redacted(hand.board, dealt, 1), redacted(hand.board, dealt, None), hand.board))
        assert views[-1][1] == dealt
    assert views[0][:2] == views[1][:2]
    assert views[0][2] != views[1][2]
    assert views[0][0] != views[0][1]
