"""What each level of bot earns, in whole matches in virtual time.

python benchmarks/bots.py --hands 200 --levels easy,easy,medium,hard
python benchmarks/bots.py --hands 40 --pairs
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.bot_matches import play_match

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.engine.specification import Racing
from racing_demon_protocol.enums import BotLevel, EndReason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options
from racing_demon_server import arguments as types

RACES: Final = [name for name, game in GAMES.items() if game.racing in {Racing.SHARED, Racing.IDENTICAL}]
MOST_HANDS: Final = 1_000_000


@dataclass
class HandTotals:
    """The totals of many hands.

    Attributes:
        game: the game.
        levels: the levels that played.
        hands: their number.
        points: each level's points.
        best: in how many hands each level earned the most.
        reasons: how many hands ended for each reason.
        milliseconds: their total time.

    """

    game: str
    levels: Sequence[str]
    hands: int
    points: list[int]
    best: list[int]
    reasons: Counter[str]
    milliseconds: int = 0

    @property
    def seconds(self) -> float:
        """The average time of a hand."""
        return self.milliseconds / 1_000 / self.hands


def _levels(text: str) -> list[str]:
    levels = text.split(",")
    if not (set(BotLevel) >= set(levels) and len(levels) <= MAX_SEATS):
        known = ", ".join(BotLevel)
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed: give one to eight of {known}, separated by commas"
        )
    return levels


def main(argv: Sequence[str] | None = None) -> int:
    """Print what each level earns over a number of hands, or each level against each."""
    parser = argparse.ArgumentParser(
        prog="benchmarks/bots.py",
        description="Play hands between bots of several levels, and print what each level earns.",
    )
    parser.add_argument(
        "--hands", type=types.number(1, MOST_HANDS), default=200, help="how many hands (default 200)"
    )
    levels = parser.add_mutually_exclusive_group()
    levels.add_argument(
        "--levels", type=_levels, default="easy,easy,medium,hard", help="a level for each seat, with commas"
    )
    levels.add_argument("--pairs", action="store_true", help="two of each level against two of each other")
    parser.add_argument("--game", choices=RACES, metavar="GAME", default="racing-demon")
    parser.add_argument("--seed", type=types.seed, default=bytes(SEED_SIZE), help="for the same hands again")
    arguments = parser.parse_args(argv)
    if arguments.pairs:
        _print_pairs(arguments.hands, arguments.game, arguments.seed)
    else:
        _print_levels(_play_hands(arguments.levels, arguments.hands, arguments.game, arguments.seed))
    return 0


def _play_hands(levels: Sequence[str], hands: int, game: str, seed: bytes) -> HandTotals:
    """Play hands in which the levels take turns at the seats, to average out their positions."""
    played = HandTotals(game, list(levels), hands, [0] * len(levels), [0] * len(levels), Counter())
    for number in range(hands):
        shift = number % len(levels)
        seated = [*levels[shift:], *levels[:shift]]
        options = Options(game=game, hands=1, countdown_ms=0, tally_ms=0)
        result = play_match(subseed(seed, f"match/{number}"), seated, options)[0].view.results[0]
        played.milliseconds += result.elapsed_ms
        played.reasons[result.reason] += 1
        for seat, points in enumerate(result.points):
            place = (seat + shift) % len(levels)
            played.points[place] += points
            played.best[place] += points == max(result.points)
    return played


def _print_levels(played: HandTotals) -> None:
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(played.reasons.items()))
    sys.stdout.write(f"{played.hands} hands of {played.game}, {played.seconds:.0f} s each; {reasons}\n")
    sys.stdout.write("level    points/hand  best of hand\n")
    for level, points, best in zip(played.levels, played.points, played.best, strict=True):
        sys.stdout.write(f"{level:8} {points / played.hands:11.1f} {best / played.hands:12.0%}\n")


def _print_pairs(hands: int, game: str, seed: bytes) -> None:
    """Print for each level against each: points a hand, how often somebody goes out, seconds a hand."""
    sys.stdout.write(f"{hands} hands of {game} each, two bots of a level against two of another\n")
    sys.stdout.write("level    against  points/hand  against     out  s/hand\n")
    for one, other in combinations_with_replacement(BotLevel, 2):
        played = _play_hands([one, other, one, other], hands, game, seed)
        first, second = (sum(played.points[place::2]) / 2 / hands for place in (0, 1))
        out = played.reasons[EndReason.OUT] / hands
        sys.stdout.write(f"{one:8} {other:8} {first:10.1f} {second:8.1f} {out:7.0%} {played.seconds:7.0f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
