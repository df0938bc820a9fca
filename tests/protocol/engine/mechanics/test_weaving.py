"""Weavers (Cheney 44)."""

import random

import pytest

from racing_demon_protocol.engine.board import FOUNDATIONS, Kind
from racing_demon_protocol.engine.cards import rank
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.games import GAMES
from tests.support.dealt_hands import Dealt, random_hands

GAME = GAMES["weavers"]


def _laid(deal: list[int]) -> tuple[list[list[int]], list[int]]:
    """Lay cards on twelve places by hand; return the places, and the weavers."""
    places: list[list[int]] = [[] for _ in range(12)]
    weavers: list[int] = []
    for number, card in enumerate(deal):
        (weavers if rank(card) == number % 12 + 1 else places[number % 12]).append(card)
    return places, weavers


def test_cards_are_laid_in_turn_and_weavers_aside() -> None:
    """After the kings ninety-six cards go to twelve places; what falls on its own number is laid aside."""
    for number in range(5):
        deal = list(range(104))
        random.Random(number).shuffle(deal)
        dealt = Dealt(GAME, decks=[deal])
        places, weavers = _laid([card for card in deal if rank(card) != 13])
        assert places == dealt.named("packet")
        assert weavers == dealt.named("aside")[0]
        assert [[rank(card) for card in cards] for cards in dealt.named("foundation")] == [[13]] * 8


def test_the_packets_are_laid_again_as_they_lie_twice() -> None:
    """Taken up from the first place, each from its bottom; a rank that is used up has no place any more."""
    laid_again, most = 0, 0
    for dealt, rng in random_hands(GAME, 6):
        for _ in range(1_000):
            plays = [play for _, play in dealt.plays()]
            if not plays:
                break
            play = rng.choice(plays)
            if play.source == play.destination:
                pack = [card for cards in [*dealt.named("packet"), *dealt.named("aside")] for card in cards]
                gone = [rank(card) for cards in dealt.named("foundation") for card in cards]
                places = [number for number in range(1, 13) if gone.count(number) < 8]
                expected = {number: [] for number in range(1, 13)}  # type: dict[int, list[int]]
                for number, card in enumerate(pack):
                    place = places[number % len(places)]
                    if rank(card) != place:
                        expected[place].append(card)
                dealt.play(play)
                assert list(expected.values()) == dealt.named("packet")
                laid_again += 1
            else:
                dealt.play(play)
        most = max(most, dealt.board.redeals.get(0, 0))
    assert laid_again
    assert most == 2


def test_the_foundation_may_be_left_open() -> None:
    """A top that fits may be played to the foundations as such: the first that takes it is meant."""
    dealt = Dealt(GAMES["weavers"])
    upward = next(p for _, p in dealt.plays() if dealt.board.piles[p.destination].kind is Kind.FOUNDATION)
    meant = upward._replace(destination=FOUNDATIONS)
    assert upward == dealt.rules.verify_play(dealt.board, 0, meant)
    with pytest.raises(IllegalPlay):
        dealt.rules.verify_play(dealt.board, 0, meant._replace(count=2))


def test_hands_are_won_and_lost() -> None:
    """Both ends are come to; a won hand has all cards on the foundations."""
    results = set()
    for dealt, _ in random_hands(GAME, 40):
        while plays := dealt.plays():
            dealt.play(plays[0][1])
        is_won = dealt.rules.is_out(dealt.board, 0)
        assert is_won is all(len(cards) == 13 for cards in dealt.named("foundation"))
        results.add(is_won)
        if len(results) == 2:
            return
    raise AssertionError(f"always {results}")
