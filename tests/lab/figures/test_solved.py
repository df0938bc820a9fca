"""Known shares of Klondike deals that can be won with all cards known."""

import math
import os
import random
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import count, islice, tee
from typing import Final

import pytest

from racing_demon_protocol.engine.cards import PACK_SIZE, name
from racing_demon_protocol.engine.rules.base import Rules
from tests.lab.figures.solver import Outcome, can_be_won, play_line, solve
from tests.support.boards import Position, build, deal_seed, rules_of

DEALS: Final = int(os.environ.get("RACING_DEMON_SOLVED", "50"))
"""How many deals of each game are solved."""
MAX_POSITIONS: Final = int(os.environ.get("RACING_DEMON_POSITIONS", "50000"))
"""How many positions of a deal are looked at before it counts as unknown."""
DOUBT: Final = 0.00005
"""How improbable it is at each end that a true figure lies outside of what was measured."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("cc") is None, reason="the solver is compiled"),
]


@dataclass(frozen=True)
class ReadModel:
    """A game, and the share of its deals that can be won, in per cent.

    From Blake & Gent, "The winnability of Klondike solitaire and many other patience games" (tables 1 and 3).
    """

    turn: int
    take_back: str
    share: float

    def __str__(self) -> str:
        return f"turn {self.turn}, take-back {self.take_back}"

    @property
    def rules(self) -> Rules:
        """The rules of the solitary game."""
        return rules_of(turn=self.turn, take_back=self.take_back)


GAMES: Final = (
    ReadModel(3, "free", 81.945),
    ReadModel(1, "never", 90.204),
    ReadModel(3, "never", 81.524),
    ReadModel(1, "free", 90.480),
)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_as_many_deals_can_be_won_as_is_published(game: ReadModel) -> None:
    """The published share is no surprise; each deal that counts as won is played to its end by the engine."""
    rules, outcomes, positions = game.rules, Counter[Outcome](), 0
    deals = [deal_seed(rules, number.to_bytes(32, "big")) for number in range(DEALS)]
    for deal, solved in zip(deals, solve(rules, deals, MAX_POSITIONS), strict=True):
        outcomes[solved.outcome] += 1
        positions += solved.positions
        play_line(deal, solved.line)
        assert rules.is_out(deal.board, 0) == (solved.outcome is Outcome.WON)

    won, lost, unknown = (outcomes[each] for each in Outcome)
    least, most = 100 * _least(won, DEALS), 100 * (1 - _least(lost, DEALS))
    sys.stdout.write(
        f"Klondike, {game}: {DEALS} deals, {positions} positions: {won} won, {lost} lost, {unknown} unknown: "
        f"{least:.2f} to {most:.2f} %; published {game.share:.3f} %\n"
    )
    assert least <= game.share <= most


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_what_is_lost_is_lost(game: ReadModel) -> None:
    """Where the solver calls a late position lost, no legal plays lead to a win, says the engine alone."""
    rules = game.rules
    late, again = tee(_late(rules, number) for number in count())
    answers = zip(late, solve(rules, again, 100), strict=True)
    lost = islice((each for each, solved in answers if solved.outcome is Outcome.LOST), DEALS // 2)
    told = Counter(can_be_won(each, 1_000) for each in lost)
    sys.stdout.write(f"Klondike, {game}: {told[Outcome.LOST]} of {DEALS // 2} late positions are lost\n")
    assert not told[Outcome.WON]
    assert told[Outcome.LOST] > told[Outcome.UNKNOWN]


def _late(rules: Rules, number: int) -> Position:
    """Return a position late in a hand: most cards up, the others at random in columns, stock and waste."""
    rng = random.Random(number)
    size = rng.randint(18, 27)
    up = [13] * 4
    while PACK_SIZE - sum(up) < size:
        suit = rng.randrange(4)
        up[suit] -= up[suit] > 0
    packs = [[name(13 * suit + rank, ascii_only=True) for rank in range(13)] for suit in range(4)]
    left = [card for raised, pack in zip(up, packs, strict=True) for card in pack[raised:]]
    rng.shuffle(left)
    talon = rng.randint(0, 8)
    cut = rng.randint(0, talon)
    columns: list[list[str]] = [[] for _ in range(7)]
    for card in left[talon:]:
        column = rng.choice([n for n, cards in enumerate(columns) if len(cards) <= n])
        columns[column].append(card)
    return build(
        rules,
        foundation=[" ".join(pack[:raised]) for raised, pack in zip(up, packs, strict=True)],
        tableau=[" ".join([card.lower() for card in cards[:-1]] + cards[-1:]) for cards in columns],
        stock=" ".join(left[cut:talon]),
        waste=" ".join(left[:cut]),
    )


def _least(counted: int, of: int) -> float:
    """Return the least share that so many of so many are no surprise for (Clopper and Pearson)."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if _at_least(counted, of, middle) > DOUBT else (middle, high)
    return low


def _at_least(counted: int, of: int, share: float) -> float:
    """Return how probable it is that so many or more of so many things are of a kind that has this share."""
    if not 0 < share < 1:
        return float(share >= 1 or not counted)
    return math.fsum(
        math.exp(
            math.lgamma(of + 1)
            - math.lgamma(each + 1)
            - math.lgamma(of - each + 1)
            + each * math.log(share)
            + (of - each) * math.log1p(-share)
        )
        for each in range(counted, of + 1)
    )
