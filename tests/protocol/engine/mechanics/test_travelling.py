"""Travelling packets: Travellers and Cheney 13 and 18, card by card, and their chances."""

import os
import random
import sys
from collections import defaultdict
from dataclasses import replace
from math import sqrt

import pytest

from racing_demon_protocol.engine.board import FOUNDATIONS, Kind
from racing_demon_protocol.engine.cards import UNKNOWN, Card, name, parse, rank
from racing_demon_protocol.engine.mechanics.travelling import Complete, Counting, Travelling
from racing_demon_protocol.engine.specification import Game
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.games import GAMES
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, random_hands

DEALS = int(os.environ.get("RACING_DEMON_DEALS", "10000"))
"""How many deals of the Clock are counted by hand; the engine plays one in 250 of them."""

UNTRAVELLED = {1: "5C", 4: "5S", 5: "TC AD", 10: "4H"}
"""What lies face down at the end of the lost game in Travellers, by packet, from the bottom."""


def _play_out(dealt: Dealt) -> list[Card]:
    """Play the only legal play each time, and return the cards that came to the hand, in their order."""
    while plays := dealt.plays():
        assert len(plays) == 1
        dealt.play(plays[0][1])
    hand = dealt.rules.layout.group_piles(0, "hand")[0]
    return [move.shown[0] for _, move in dealt.log if move.destination == hand and move.shown]


def _deck_that_travels(order: list[Card], untravelled: dict[int, list[Card]]) -> list[Card]:
    """Return the deal in which cards travel in an order: each comes off the packet of the one before it.

    The first one, and those that follow a king, come off the last packet.
    """
    off = defaultdict(list)
    for before, card in zip([parse("KS"), *order], order, strict=False):
        off[rank(before)].append(card)
    return [c for number in range(1, 14) for c in [*untravelled.get(number, []), *reversed(off[number])]]


def _told(rng: random.Random) -> tuple[list[Card], list[Card]]:
    """Return a deal of the lost game in Travellers, and the order in which its cards travel."""
    kept = {number: [parse(word) for word in text.split()] for number, text in UNTRAVELLED.items()}
    last = [parse("6D"), parse("KS")]
    resting = {card for cards in kept.values() for card in cards}
    order = [card for card in range(52) if card not in {*resting, *last}]
    rng.shuffle(order)
    return _deck_that_travels([*order, *last], kept), [*order, *last]


@for_each("number", range(5))
def test_the_lost_game_of_seed_003(number: int) -> None:
    """Deals that end as the seed tells: packets complete and not, 47 cards turned, the last one K♠."""
    deal, order = _told(random.Random(number))
    dealt = Dealt(GAMES["travellers"], decks=[deal])
    assert order == _play_out(dealt)
    packets = dealt.named("packet")
    whole = [
        number
        for number, cards in enumerate(packets, 1)
        if [rank(c) for c in cards if c >= 0] == [number] * 4
    ]
    assert whole == [2, 3, 6, 7, 8, 9, 11, 12]
    tops = {number: dealt.dealer.open_board().cards[number - 1][-1] for number in UNTRAVELLED}
    assert {number: name(card) for number, card in tops.items()} == {1: "5♣", 4: "5♠", 5: "A♦", 10: "4♥"}
    assert (name(packets[5][0]), name(dealt.named("out")[0][-1])) == ("6♦", "K♠")
    assert sum(card == UNKNOWN for cards in packets for card in cards) == 5
    assert dealt.is_over()
    assert not dealt.rules.is_out(dealt.board, 0)


def _reading(complete: Complete) -> Game:
    game = GAMES["travellers"]
    assert isinstance(game.mechanic, Travelling)
    return replace(game, mechanic=replace(game.mechanic, complete=complete))


def test_the_lost_game_is_lost_under_both_readings() -> None:
    """Packets that hold other cards are not complete either way."""
    dealt = Dealt(_reading(Complete.RIGHT), decks=[_told(random.Random(1))[0]])
    _play_out(dealt)
    assert not dealt.rules.is_out(dealt.board, 0)
    assert dealt.is_over()


@for_each(("complete", "is_won"), [(Complete.TRAVELLED, False), (Complete.RIGHT, True)])
def test_four_aces_that_never_travelled(complete: Complete, is_won: bool) -> None:
    """A packet that was dealt complete counts under one reading only; its cards are turned up in the end."""
    aces = [card for card in range(52) if rank(card) == 1]
    others = [card for card in range(52) if rank(card) not in {1, 13}]
    random.Random(2).shuffle(others)
    kings = [card for card in range(52) if rank(card) == 13]
    order = [*others[:20], kings[0], *others[20:30], kings[1], *others[30:], kings[2], kings[3]]
    dealt = Dealt(_reading(complete), decks=[_deck_that_travels(order, {1: aces})])
    _play_out(dealt)
    assert is_won is dealt.rules.is_out(dealt.board, 0)
    assert dealt.is_over()


def test_four_kings_in_the_spare_packet_lose_at_once() -> None:
    """Seed 003: "Should all four be kings, the game is a failure from the start"."""
    kings = [card for card in range(52) if rank(card) == 13]
    dealt = Dealt(GAMES["travellers"], decks=[[card for card in range(52) if card not in kings] + kings])
    assert kings[::-1] == _play_out(dealt)
    assert not dealt.rules.is_out(dealt.board, 0)
    assert dealt.rules.progress(dealt.board, 0) == 4


def _turned_up(deal: list[Card]) -> int:
    """Return how many cards of a clock are turned up, from thirteen lists, by nothing of the engine."""
    hours = [deal[4 * hour : 4 * hour + 4] for hour in range(13)]
    hour, count = 12, 0
    while hours[hour]:
        hour = hours[hour].pop() % 13
        count += 1
    return count


@for_each("game", ["travellers", "clock"])
def test_packets_travel_as_counted_by_hand(game: str) -> None:
    """As many cards travel, and as many deals are won, as on thirteen lists that know no engine."""
    outcomes, rng = set(), random.Random(game)
    for _ in range(max(40, DEALS // 250)):
        deal = list(range(52))
        rng.shuffle(deal)
        again = Dealt(GAMES[game], decks=[deal])
        count = len(_play_out(again))
        assert _turned_up(deal) == count == again.rules.progress(again.board, 0)
        assert again.rules.is_out(again.board, 0) is (
            count == 52 or (game == "travellers" and _is_whole(again))
        )
        outcomes.add(count)
    assert len(outcomes) > 5


def _is_whole(dealt: Dealt) -> bool:
    return all(UNKNOWN not in cards for cards in dealt.named("packet"))


def test_the_clock_is_won_once_in_thirteen() -> None:
    """All cards travel in one deal of thirteen, exactly.

    Within four sigma: a tenth of a point where a million deals and more are counted.
    """
    rng, deal, won = random.Random(13), list(range(52)), 0
    for _ in range(DEALS):
        rng.shuffle(deal)
        won += _turned_up(deal) == 52
    error = sqrt(12 / 169 / DEALS)
    assert abs(won / DEALS - 1 / 13) < 4 * error
    sys.stdout.write(
        f"Clock: {100 * won / DEALS:.3f} % of {DEALS} deals won; one in 13 is {100 / 13:.3f} %\n"
    )


def _wander(deal: list[Card], *, count_first: bool) -> tuple[list[list[int]], int]:
    """Play Wandering Card on a table of ranks; return the packets, and how many cards were laid aside."""
    packets: list[list[int]] = [[] for _ in range(13)]
    aside = []
    for number, card in enumerate(deal):
        place = number % 13
        if rank(card) == place + 1 and (count_first or number >= 13):
            aside.append(rank(card))
        else:
            packets[place].append(rank(card))
    for wanderer in aside:
        card = wanderer
        while True:
            packet = packets[card - 1]
            if not packet or packet[-1] == card:
                packet.insert(0, card)
                break
            packet.insert(0, card)
            card = packet.pop()
    return packets, len(aside)


@for_each("counting", [Counting.AFTER_FIRST, Counting.ALL])
def test_wandering_cards_wander_as_told(counting: Counting) -> None:
    """Entry 13, played once more with ranks on lists: the packets are the same, won or lost."""
    game = GAMES["wandering-card"]
    assert isinstance(game.mechanic, Travelling)
    game = replace(game, mechanic=replace(game.mechanic, counting=counting))
    results = set()
    for _, rng in random_hands(game, 60):
        deal = list(range(52))
        rng.shuffle(deal)
        dealt = Dealt(game, decks=[deal])
        _play_out(dealt)
        packets, aside = _wander(deal, count_first=counting is Counting.ALL)
        # Wanderers are taken from the top, and here from the bottom: the end is the same.
        assert [sorted(cards) for cards in packets] == [
            sorted(map(rank, cards)) for cards in dealt.named("packet")
        ]
        is_won = all(cards == [number] * 4 for number, cards in enumerate(packets, 1))
        assert is_won is dealt.rules.is_out(dealt.board, 0)
        assert (aside == 0) is (dealt.board.came == {})
        results.add(is_won)
    assert {True, False} == results


# Weavers (Cheney 44).

WEAVERS = GAMES["weavers"]


def _lay_by_hand(deal: list[int]) -> tuple[list[list[int]], list[int]]:
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
        dealt = Dealt(WEAVERS, decks=[deal])
        places, weavers = _lay_by_hand([card for card in deal if rank(card) != 13])
        assert places == [list(pile) for pile in dealt.named("packet")]
        assert weavers == list(dealt.named("aside")[0])
        assert [[rank(card) for card in cards] for cards in dealt.named("foundation")] == [[13]] * 8


def test_the_packets_are_laid_again_as_they_lie_twice() -> None:
    """Taken up from the first place, each from its bottom; a rank that is used up has no place any more."""
    laid_again, most = 0, 0
    for dealt, rng in random_hands(WEAVERS, 6):
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
                assert [tuple(cards) for cards in expected.values()] == dealt.named("packet")
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
    for dealt, _ in random_hands(WEAVERS, 40):
        while plays := dealt.plays():
            dealt.play(plays[0][1])
        is_won = dealt.rules.is_out(dealt.board, 0)
        assert is_won is all(len(cards) == 13 for cards in dealt.named("foundation"))
        results.add(is_won)
        if len(results) == 2:
            return
    raise AssertionError(f"always {results}")
