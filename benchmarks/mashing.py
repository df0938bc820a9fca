"""Who wins against players that press keys blindly, and how often "stuck" is said, in virtual time.

python benchmarks/mashing.py --hands 200
"""

import argparse
import random
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.bot_matches import Player, play_match

from benchmarks.mashers import Insistent, Masher
from racing_demon_client.shared.trackers import BestPlayThrottle
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages.client import Command, Stuck
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server import arguments as types
from racing_demon_server.match.commands import ILLEGAL_PLAYS_SPAN_US
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import CommandResult

MAX_HANDS: Final = 1_000_000
Maker = Callable[[int, random.Random], Player]
"""Makes the player of a seat."""


@dataclass
class RandomTable:
    """Who plays, and what came of it.

    Attributes:
        first: makes the first player; ``None`` for a bot of the first level.
        levels: the levels of the bots.
        points: the first player's points, and those of the best other.
        wins: the hands that the first player has won alone, and those that another has.
        refused: why plays were refused: the first player's, and the others'.
        stuck: how often the first player, and the others, have said that they are stuck.
        most_illegal: the most illegal plays of one of the others within the limit's span.

    """

    first: Maker | None
    levels: Sequence[str]
    points: list[int] = field(default_factory=lambda: [0, 0])
    wins: list[int] = field(default_factory=lambda: [0, 0])
    refused: tuple[Counter[Reason], Counter[Reason]] = field(default_factory=lambda: (Counter(), Counter()))
    stuck: list[int] = field(default_factory=lambda: [0, 0])
    most_illegal: int = 0
    milliseconds: int = 0

    def play(self, hands: int, seed: bytes) -> None:
        """Play hands in which the first player takes turns at the seats."""
        for number in range(hands):
            own = subseed(seed, f"mashing/{number}")
            seat = number % len(self.levels)
            bots = [*self.levels[1:]]
            bots.insert(seat, self.levels[0])
            others = {} if self.first is None else {seat: self.first(seat, random.Random(own))}  # noqa: S311 - no secret
            options = Options(hands=1, countdown_ms=0, tally_ms=0)
            hear = self._hearing(seat)
            result = play_match(own, bots, options, others, hear)[0].view.results[0]
            self.milliseconds += result.elapsed_ms
            best = max(points for place, points in enumerate(result.points) if place != seat)
            self.points[0] += result.points[seat]
            self.points[1] += best
            self.wins[0] += result.points[seat] > best
            self.wins[1] += result.points[seat] < best

    def _hearing(self, first: int) -> Callable[[int, Actor, Command, CommandResult], None]:
        illegal: defaultdict[Actor, deque[int]] = defaultdict(deque)

        def hear(at: int, actor: Actor, command: Command, answer: CommandResult) -> None:
            side = actor != first
            self.stuck[side] += isinstance(command, Stuck)
            if not isinstance(answer.reply, Refused):
                return
            self.refused[side][answer.reply.reason] += 1
            if side and answer.reply.reason is Reason.ILLEGAL:
                times = illegal[actor]
                times.append(at)
                while times[0] <= at - ILLEGAL_PLAYS_SPAN_US:
                    times.popleft()
                self.most_illegal = max(self.most_illegal, len(times))

        return hear


EXPERTS: Final = ("expert",) * 4
COMPANIES: Final[dict[str, tuple[Maker | None, Sequence[str]]]] = {
    "bots of all levels": (None, ("expert", "hard", "medium", "easy")),
    "experts alone": (None, EXPERTS),
    "best plays, pressed blindly": (
        lambda seat, rng: Masher(seat, rng, ups=False, limit=BestPlayThrottle()),
        EXPERTS,
    ),
    "cards up, pressed blindly": (lambda seat, rng: Masher(seat, rng, ups=True, limit=None), EXPERTS),
    "insists on stuck": (lambda seat, rng: Insistent(seat, rng, "medium"), ("medium", "hard")),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Play, and print a line for each company."""
    parser = argparse.ArgumentParser(prog="benchmarks/mashing.py", description=__doc__)
    parser.add_argument("--hands", type=types.number(1, MAX_HANDS), default=200, help="how many hands")
    parser.add_argument("--seed", type=types.seed, default=bytes(SEED_SIZE), help="for the same hands again")
    parser.add_argument("--only", choices=COMPANIES, help="this company alone")
    arguments = parser.parse_args(argv)
    for name, (first, levels) in COMPANIES.items():
        if arguments.only not in {None, name}:
            continue
        company = RandomTable(first, levels)
        company.play(arguments.hands, arguments.seed)
        hands = arguments.hands
        own, best = (points / hands for points in company.points)
        refusals = ["; ".join(f"{n} {reason}" for reason, n in each.items()) for each in company.refused]
        sys.stdout.write(
            f"{name}, {len(levels) - 1} others: {hands} hands of {company.milliseconds // hands // 1000} s\n"
            f"  points a hand {own:.1f}, the best other {best:.1f}; "
            f"won {company.wins[0]}, lost {company.wins[1]}\n"
            f"  refused: {refusals[0] or 'none'}; of the others: {refusals[1] or 'none'}, "
            f"at most {company.most_illegal} illegal in a span\n"
            f"  stuck: {company.stuck[0] / hands:.1f} a hand, the others {company.stuck[1] / hands:.1f}\n"
        )
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
