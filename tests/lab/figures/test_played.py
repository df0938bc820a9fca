"""How many deals are won of games whose rules leave room for doubt, as the doubts are settled."""

import os
import random
import sys
from collections.abc import Sequence
from typing import Any, Final

import pytest

from racing_demon_protocol.engine.cards import Card, rank
from racing_demon_protocol.engine.deal import deck
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.options import Options
from tests.lab.figures.playing import is_won
from tests.support.dealt_hands import Dealt

DEALS: Final = int(os.environ.get("RACING_DEMON_PLAYED", "4"))
"""How many deals of each game are played."""

GAMES: Final[tuple[dict[str, Any], ...]] = (
    {"game": "puzzle"},
    {"game": "puzzle-all-piles"},
    {"game": "puzzle-all-piles", "shuffle": True},
    {"game": "fooliana"},
    {"game": "fooliana", "tail_rule": "either2"},
    {"game": "fooliana", "shuffle": True},
    {"game": "fooliana-reorder"},
    {"game": "old-stager"},
    {"game": "demon-a"},
)

ORDER: Final = (13, 12, 11, 10, 9, 8, 7, 1)
"""The ranks of a family of Puzzle."""

pytestmark = pytest.mark.long


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_how_many_deals_a_patient_player_wins(options: dict[str, Any]) -> None:
    """Every hand comes to an end, and the share of those that are won is told."""
    game = declare(Options(**options), 1)
    won = [is_won(Dealt(game, number.to_bytes(32, "big")), random.Random(number)) for number in range(DEALS)]
    sys.stdout.write(f"{options}: {sum(won)} of {DEALS} deals won\n")


@pytest.mark.parametrize("game", ["puzzle", "puzzle-all-piles"])
def test_the_same_deals_of_puzzle_are_won_by_hand(game: str) -> None:
    """The outcome of each deal of Puzzle is that which a few lines find that know ranks alone."""
    declared = declare(Options(game=game), 1)
    for seed in (number.to_bytes(32, "big") for number in range(max(DEALS, 12))):
        cards = deck(seed, 0, ranks=declared.ranks)
        by_hand = _is_won_by_hand(cards, all_piles=game != "puzzle")
        assert by_hand == is_won(Dealt(declared, seed), random.Random(0))


def test_one_deal_of_puzzle_in_five_is_won() -> None:
    """By those few lines, 18.8 % of the deals; fewer than 0.4 % when all piles are dealt to (entry 25)."""
    rng, cards = random.Random(25), [card for card in range(52) if rank(card) in ORDER]
    deals = [rng.sample(cards, len(cards)) for _ in range(max(400, 10 * DEALS))]
    won, of_all_piles = (
        sum(_is_won_by_hand(cards, all_piles=all_piles) for cards in deals) / len(deals)
        for all_piles in (False, True)
    )
    sys.stdout.write(f"Puzzle: {100 * won:.2f} % of {len(deals)} deals won; {100 * of_all_piles:.2f} %\n")
    assert 0.1 < won < 0.3
    assert of_all_piles < 0.02


def _is_won_by_hand(cards: Sequence[Card], *, all_piles: bool) -> bool:
    """Play Puzzle with ranks alone, until all are up or the piles come round as they were."""
    left, seen = [rank(card) for card in cards], set()
    up: list[int] = []
    while left and (tuple(left), tuple(up)) not in seen:
        seen.add((tuple(left), tuple(up)))
        piles: list[list[int]] = [[], [], [], []]
        for card in left:
            if card == ORDER[0]:
                up.append(0)
                continue
            dealt_to = [n for n in range(4) if all_piles or n >= len(up) or up[n] < len(ORDER) - 1]
            min((piles[n] for n in dealt_to), key=len).append(card)
        for number, pile in enumerate(piles):
            while pile and up[number] + 1 < len(ORDER) and pile[-1] == ORDER[up[number] + 1]:
                up[number] += bool(pile.pop())
        left = [card for pile in piles for card in pile[:: 1 if all_piles else -1]]
    return not left
