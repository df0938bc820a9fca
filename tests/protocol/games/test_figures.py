"""Known figures of the games, from arithmetic and from programs that are not ours."""

import math
import os
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import ACE, Card, is_red, rank
from racing_demon_protocol.engine.deal import deck
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.rules.base import Rules
from tests.support.boards import Position, deal_seed, rules_of
from tests.support.cases import for_each

COUNTED = int(os.environ.get("RACING_DEMON_DEALS", "10000"))
"""How many deals are counted by hand."""
DEALS = min(max(3_000, COUNTED // 10), 50_000)
"""How many of them the engine looks at."""


@dataclass(frozen=True)
class Sample:
    """What was counted over the deals of the seeds from 0 up: Klondike, one player."""

    dead: list[bool]
    dead_by_hand: list[bool]
    aces: list[int]


@pytest.fixture(scope="module")
def sample() -> Sample:
    """Deal many hands, and ask of each whether it is dead at once."""
    rules = rules_of()
    dead, dead_by_hand, aces = [], [], []
    for number in range(DEALS):
        seed = number.to_bytes(32, "big")
        dealer, board = Dealer(seed, rules), rules.deal()
        shown = dealer.first_cards()
        board.reveal(board.all_unnamed(), shown)
        dead.append(dealer.is_dead(board, [0]))
        dead_by_hand.append(_is_dead_by_hand(deck(seed, 0)))
        aces.append(sum(rank(card) == ACE for card in shown))
    return Sample(dead, dead_by_hand, aces)


def _is_dead_by_hand(cards: Sequence[Card]) -> bool:
    """Tell whether a deck gives no play at all in its first pass, from the deck alone."""
    ends = [cards[place] for place in (0, 2, 5, 9, 14, 20, 27)]
    turned = cards[30::3]
    if any(rank(card) == ACE for card in [*ends, *turned]):
        return False
    below_and_above = [(below, above) for below in ends for above in [*ends, *turned]]
    return not any(
        rank(below) == rank(above) + 1 and is_red(below) != is_red(above) for below, above in below_and_above
    )


def test_no_play_in_the_first_pass(sample: Sample) -> None:
    """0.2505 % of all Klondike deals have no play in the first pass by threes, within five sigma."""
    expected = 0.002505
    sigma = math.sqrt(expected * (1 - expected) / DEALS)
    assert abs(sum(sample.dead) / DEALS - expected) < 5 * sigma


def test_dead_deals_one_by_one(sample: Sample) -> None:
    """Just those deals are dead that a look at the fifteen cards tells to be."""
    assert sample.dead_by_hand == sample.dead


def test_no_play_in_the_first_pass_by_hand() -> None:
    """The same figure, counted without the engine: a million deals and more tell it from its neighbors."""
    rng, cards, dead = random.Random(399), list(range(52)), 0
    for _ in range(COUNTED):
        rng.shuffle(cards)
        dead += _is_dead_by_hand(cards)
    expected = 0.002505
    sys.stdout.write(f"Klondike: {100 * dead / COUNTED:.4f} % of {COUNTED} deals have no play at first\n")
    assert abs(dead / COUNTED - expected) < 5 * math.sqrt(expected * (1 - expected) / COUNTED)


def test_an_exposed_ace(sample: Sample) -> None:
    """44.9644 % of all Klondike deals expose an ace, within five sigma."""
    expected = 1 - math.comb(48, 7) / math.comb(52, 7)
    sigma = math.sqrt(expected * (1 - expected) / DEALS)
    assert abs(sum(aces > 0 for aces in sample.aces) / DEALS - expected) < 5 * sigma


def test_mean_of_exposed_aces(sample: Sample) -> None:
    """A Klondike deal exposes 7/13 of an ace on the average, within five sigma."""
    variance = 7 * (1 / 13) * (12 / 13) * (45 / 51)
    assert abs(sum(sample.aces) / DEALS - 7 / 13) < 5 * math.sqrt(variance / DEALS)


def _pass(position: Position) -> list[Card]:
    """Turn the stock through, and return the top of the waste after each turn."""
    stock, waste = position.rules.layout.stock[0], position.rules.layout.waste[0]
    tops = []
    while position.board.cards[stock]:
        _turn(position)
        tops.append(position.board.cards[waste][-1])
    return tops


def _turn(position: Position) -> None:
    play = position.rules.stock_play(position.board, 0)
    assert play is not None
    position.play(0, play)


@for_each("seed", range(10))
def test_eight_of_24_cards_surface(seed: int) -> None:
    """Of 24 untouched cards turned by threes the same eight surface in every pass."""
    position = deal_seed(rules_of(), bytes([seed]) * 32)
    foreseen = position.surfacing()
    for _ in range(4):
        tops = _pass(position)
        assert (8, foreseen) == (len(tops), set(tops))
        _turn(position)


@for_each("seed", range(5))
def test_what_surfaces_does_not_depend_on_the_moment(seed: int) -> None:
    """At every point of a pass without plays, the same cards can still surface."""
    position = deal_seed(rules_of(), bytes([seed]) * 32)
    foreseen = position.surfacing()
    for _ in range(20):
        _turn(position)
        assert foreseen == position.surfacing()


@for_each("game", ["demon-a", "demon-b", "fooliana"])
def test_34_cards_are_eleven_threes_and_one(game: str) -> None:
    """A Demon's first pass without plays has eleven threes, and a single card at the end."""
    position = deal_seed(rules_of(game))
    stock = position.rules.layout.stock[0]
    sizes = []
    while left := len(position.board.cards[stock]):
        _turn(position)
        sizes.append(left - len(position.board.cards[stock]))
    assert sizes == [3] * 11 + [1]


@for_each(("game", "stock"), [("racing-demon", 24), ("classic", 35), ("demon-b", 34)])
def test_what_is_left_for_the_stock(game: str, stock: int) -> None:
    """Klondike leaves 24 cards, the classic game 35, Demon 34."""
    rules = rules_of(game)
    board: Board = rules.deal()
    assert stock == len(board.cards[rules.layout.seat_piles(0, Kind.STOCK)[0]])


def test_most_families_of_a_table() -> None:
    """A table of n has 4n families, n of each suit, and 52n cards fill them (A10)."""
    rules: Rules = rules_of("racing-demon", 8)
    assert 13 * len(rules.layout.foundations) == 8 * 52
