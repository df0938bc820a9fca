import random

import pytest

from racing_demon_protocol.games import GAMES
from racing_demon_protocol.racing import Runner, is_private, order, told, veiled

from ..support.dealt import Dealt
from ..support.solo import chance_game


@pytest.mark.parametrize(
    ("runners", "expected"),
    [
        ([Runner(0, 30, at=5), Runner(1, 31, at=9)], [(1,), (0,)]),
        ([Runner(0, 30, at=5), Runner(1, 30, at=4)], [(1,), (0,)]),
        ([Runner(0, 30, at=5), Runner(1, 30, at=5)], [(0, 1)]),
        ([Runner(0, 51, at=1), Runner(1, 52, out=True, at=9)], [(1,), (0,)]),
        ([Runner(0, 52, out=True, at=8), Runner(1, 40, out=True, at=7)], [(1,), (0,)]),
    ],
    ids=["further", "earlier", "tie", "won", "won first"],
)
def test_the_order_of_a_race(runners: list[Runner], expected: list[tuple[int, ...]]) -> None:
    """Won first, then progress, then the earlier last progress decide (catalogue 6.8)."""
    assert expected == order(runners)
    assert expected == order(reversed(runners)) or len(expected) == 1


def test_only_identical_deals_are_private() -> None:
    """Around shared foundations all is seen; with the same cards nothing is, unless one plays alone."""
    assert [False, True, False] == [
        is_private(Dealt(GAMES[name], seats=seats).rules)
        for name, seats in (("racing-demon", (0, 1)), ("pet", (0, 1)), ("pet", (0,)))
    ]


def test_what_others_do_is_not_seen() -> None:
    """However the others play, a seat's view of the board is the same, and they are told of progress only."""
    views = []
    for chance in (1, 2):
        hand, rng = Dealt(GAMES["pet"], seats=(0, 1, 2)), random.Random(chance)
        mine = next(iter(hand.rules.legal_plays(hand.board, 1)))
        hand.play(mine, 1)
        for _ in range(30):
            seat = rng.choice((0, 2))
            plays = list(hand.rules.legal_plays(hand.board, seat))
            hand.play(rng.choice(plays), seat)
        views.append((veiled(hand.rules, hand.board, 1), veiled(hand.rules, hand.board, None), hand.board))
    assert views[0][:2] == views[1][:2]
    assert views[0][2] != views[1][2]
    assert not any(views[0][1])


def test_progress_is_told_when_it_changes() -> None:
    """After each play the others hear of the seats whose progress changed, and of nothing else."""
    hand = Dealt(GAMES["picture"], seats=(0, 1))
    known = {seat: hand.rules.progress(hand.board, seat) for seat in (0, 1)}
    for _ in chance_game(hand, random.Random(2), 60):
        news = told(hand.rules, known, hand.board)
        assert len(news) <= 1
        known |= news
    assert known == {seat: hand.rules.progress(hand.board, seat) for seat in (0, 1)}
    assert max(known.values()) > 8
