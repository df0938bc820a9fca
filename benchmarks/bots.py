"""What each level of bot earns, in whole matches in virtual time.

python benchmarks/bots.py --hands 200 --levels easy,easy,medium,hard
python benchmarks/bots.py --hands 40 --pairs
python benchmarks/bots.py --hands 100 --ladder
python benchmarks/bots.py --hands 200 --persons
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, pairwise
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.bot_matches import Person, play_match

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.engine.specification import Racing
from racing_demon_protocol.enums import BotLevel, EndReason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS
from racing_demon_server import arguments as types
from racing_demon_server.bots.levels import STEPS, Level

RACES: Final = [name for name, game in GAMES.items() if game.racing in {Racing.SHARED, Racing.IDENTICAL}]
MAX_HANDS: Final = 1_000_000
MAX_MATCH: Final = 100
EXPERTS: Final = [BotLevel.EXPERT] * 4
AT_ONCE: Final = {"countdown_ms": 0, "tally_ms": 0}
CONFIDENCE: Final = 1.96
"""The standard errors on both sides of a mean that are its 95 % interval."""
LEARNT: Final = 5
"""The hands of a match after which an adaptive bot should know its person."""

PERSONS: Final = {
    "a child": Level(play_ms=8_000, turn_ms=1_500, overlooks=0.55, looks_ahead=False),
    "a newcomer": Level(play_ms=4_000, turn_ms=1_000, overlooks=0.4, looks_ahead=False),
    "somebody who plays at times": Level(play_ms=2_300, turn_ms=1_000, overlooks=0.2, looks_ahead=False),
    "somebody who plays often": Level(play_ms=1_300, turn_ms=700, overlooks=0.05, looks_ahead=True),
}
"""People whom an adaptive bot may meet; none is any of its own levels."""


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
        leads: in each hand the average points of the levels at even places, less those at odd ones.
        milliseconds: their total time.

    """

    game: str
    levels: Sequence[str]
    hands: int
    points: list[int]
    best: list[int]
    reasons: Counter[str]
    leads: list[float] = field(default_factory=list)
    milliseconds: int = 0

    @property
    def seconds(self) -> float:
        """The average time of a hand."""
        return self.milliseconds / 1_000 / self.hands


def _levels(text: str) -> list[str]:
    levels = text.split(",")
    if not (set(STEPS) >= set(levels) and len(levels) <= MAX_SEATS):
        known = ", ".join(STEPS)
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed: give one to eight of {known}, separated by commas"
        )
    return levels


def main(argv: Sequence[str] | None = None) -> int:
    """Print what each level earns over a number of hands, each level against each, or the tables."""
    parser = argparse.ArgumentParser(
        prog="benchmarks/bots.py",
        description="Play hands between bots of several levels, and print what each level earns.",
    )
    parser.add_argument(
        "--hands", type=types.number(1, MAX_HANDS), default=200, help="how many hands (default 200)"
    )
    levels = parser.add_mutually_exclusive_group()
    levels.add_argument(
        "--levels", type=_levels, default="easy,easy,medium,hard", help="a level for each seat, with commas"
    )
    levels.add_argument("--pairs", action="store_true", help="two of each level against two of each other")
    text = "each level against the one below in every preset, and how often four experts go out"
    levels.add_argument("--ladder", action="store_true", help=text)
    text = "simulated people, one after the other, against an adaptive bot"
    levels.add_argument("--persons", action="store_true", help=text)
    parser.add_argument(
        "--game", choices=RACES, metavar="GAME", default="racing-demon", help="not with --ladder"
    )
    parser.add_argument("--seed", type=types.seed, default=bytes(SEED_SIZE), help="for the same hands again")
    arguments = parser.parse_args(argv)
    hands, options, seed = arguments.hands, Options(game=arguments.game), arguments.seed
    if arguments.pairs:
        _print_pairs(hands, options, seed)
    elif arguments.ladder:
        _print_ladder(hands, seed)
    elif arguments.persons:
        _print_persons(hands, options, seed)
    else:
        _print_levels(_play_hands(arguments.levels, hands, options, seed))
    return 0


def _play_hands(levels: Sequence[str], hands: int, options: Options, seed: bytes) -> HandTotals:
    """Play hands in which the levels take turns at the seats, to average out their positions."""
    played = HandTotals(options.game, list(levels), hands, [0] * len(levels), [0] * len(levels), Counter())
    options = options.model_copy(update={"hands": 1, "target": None, **AT_ONCE})
    for number in range(hands):
        shift = number % len(levels)
        seated = [*levels[shift:], *levels[:shift]]
        result = play_match(subseed(seed, f"match/{number}"), seated, options)[0].view.results[0]
        played.milliseconds += result.elapsed_ms
        played.reasons[result.reason] += 1
        points = result.points[-shift:] + result.points[:-shift]
        for place, earned in enumerate(points):
            played.points[place] += earned
            played.best[place] += earned == max(points)
        if len(points) > 1:
            played.leads.append(mean(points[::2]) - mean(points[1::2]))
    return played


def _print_levels(played: HandTotals) -> None:
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(played.reasons.items()))
    sys.stdout.write(f"{played.hands} hands of {played.game}, {played.seconds:.0f} s each; {reasons}\n")
    sys.stdout.write("level    points/hand  best of hand\n")
    for level, points, best in zip(played.levels, played.points, played.best, strict=True):
        sys.stdout.write(f"{level:8} {points / played.hands:11.1f} {best / played.hands:12.0%}\n")


def _print_pairs(hands: int, options: Options, seed: bytes) -> None:
    """Print for each level against each: points a hand, how often somebody goes out, seconds a hand."""
    sys.stdout.write(f"{hands} hands of {options.game} each, two bots of a level against two of another\n")
    sys.stdout.write("level    against  points/hand  against     out  s/hand\n")
    for one, other in combinations_with_replacement(STEPS, 2):
        played = _play_hands([one, other, one, other], hands, options, seed)
        first, second = (sum(played.points[place::2]) / 2 / hands for place in (0, 1))
        out = played.reasons[EndReason.OUT] / hands
        sys.stdout.write(f"{one:8} {other:8} {first:10.1f} {second:8.1f} {out:7.0%} {played.seconds:7.0f}\n")
        sys.stdout.flush()


def _print_ladder(hands: int, seed: bytes) -> None:
    """Print as Markdown what two bots of a level earn more than two of the level below, in every preset."""
    steps = list(pairwise(STEPS))
    heads = ["preset", *(f"{upper} - {lower}" for lower, upper in steps), "four experts go out"]
    _print_row(heads)
    _print_row(["---"] * len(heads))
    for preset in PRESETS.values():
        cells = [preset.name]
        for lower, upper in steps:
            leads = _play_hands([upper, lower, upper, lower], hands, preset.options, seed).leads
            cells.append(f"{mean(leads):.1f} ± {_margin(leads):.1f}")
        outs = _play_hands(EXPERTS, hands, preset.options, seed).reasons[EndReason.OUT]
        _print_row([*cells, f"{outs / hands:.0%}"])


def _margin(values: Sequence[float]) -> float:
    """Return half of the 95 % interval of a mean."""
    return CONFIDENCE * stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0


def _print_persons(hands: int, options: Options, seed: bytes) -> None:
    """Print as Markdown how many hands simulated people win against an adaptive bot."""
    _print_row(["person", "wins", "ties", "loses", f"wins after hand {LEARNT}"])
    _print_row(["---"] * 5)
    for name, level in PERSONS.items():
        counts, learnt = Counter[int](), Counter[int]()
        for match, first in enumerate(range(0, hands, MAX_MATCH)):
            length = {"hands": min(MAX_MATCH, hands - first)}
            person = Person(0, level, random.Random(subseed(seed, f"person/{match}")))  # noqa: S311 - no secret
            seated = ["", BotLevel.ADAPTIVE]
            played = options.model_copy(update={**length, **AT_ONCE})
            table, _, _ = play_match(subseed(seed, f"match/{match}"), seated, played, {0: person})
            for result in table.view.results:
                own, other = result.points
                lead = (own > other) - (own < other)
                counts[lead] += 1
                learnt[lead] += result.hand > LEARNT
        shares = [f"{counts[lead] / hands:.0%}" for lead in (1, 0, -1)]
        _print_row([name, *shares, f"{learnt[1] / max(1, learnt.total()):.0%}"])


def _print_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
