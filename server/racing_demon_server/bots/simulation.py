"""Whole matches of bots in virtual time, for measurements and tests.

python -m racing_demon_server.bots.simulation --hands 200 --levels easy,easy,medium,hard
python -m racing_demon_server.bots.simulation --hands 40 --pairs
"""

import argparse
import heapq
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Final

from racing_demon_protocol.engine.shuffle import SEED_SIZE, hand_seeds, subseed
from racing_demon_protocol.engine.specification import Racing
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.limits import MOST_SEATS
from racing_demon_protocol.reasons import BotLevel, EndReason, Phase
from racing_demon_protocol.wire.messages.client import AddBot, Command, Start
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.options import Options
from racing_demon_server import arguments as types
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import Table

from .players import LEVELS, Bot

RACES: Final = [name for name, game in GAMES.items() if game.racing in {Racing.SHARED, Racing.IDENTICAL}]
MOST_HANDS: Final = 1_000_000

Arrived = tuple[int, Actor, Command]
"""A command as a table received it: its time, its sender, and the command."""


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


def play_match(
    seed: bytes, levels: Sequence[str], options: Options
) -> tuple[Table, list[Event], list[Arrived]]:
    """Play one match of bots in virtual time, as fast as the machine can.

    Args:
        seed: 32 bytes that determine the cards and the bots' randomness.
        levels: a level for each bot.
        options: the table's.

    Returns:
        The table after the match, its log, and the commands that made it, refused ones included.

    """
    table = Table("SIM", options, hand_seeds(seed))
    table.seat_tokens.add(None, b"host")
    arrived: list[Arrived] = []
    log: list[Event] = []

    def send(at: int, actor: Actor, command: Command) -> None:
        arrived.append((at, actor, command))
        log.extend(table.receive(actor, command, at).events)

    for number, level in enumerate(levels):
        send(0, None, AddBot(counter=number + 1, level=level))
    send(0, None, Start(counter=len(levels) + 1))
    bots = [
        Bot(seat, LEVELS[level], random.Random(subseed(seed, f"bot/{seat}")))  # noqa: S311 - not the cards
        for seat, level in enumerate(levels)
    ]
    waiting: list[tuple[int, int, Command | None]] = [(0, bot.seat, None) for bot in bots]
    while table.view.phase is not Phase.OVER:
        at, seat, command = heapq.heappop(waiting)
        log.extend(pass_time(table, at))
        if command is not None:
            send(at, seat, command)
        command, wait_ms = bots[seat].decide(table.view)
        heapq.heappush(waiting, (at + wait_ms * 1_000, seat, command))
    return table, log, arrived


def pass_time(table: Table, until: int) -> list[Event]:
    """Wake a table whenever it is due, up to a moment, as a room does. Return what happened."""
    events: list[Event] = []
    while (due := table.due) is not None and due <= until:
        events += table.tick(due)
    return events


def _levels(text: str) -> list[str]:
    levels = text.split(",")
    if not (set(BotLevel) >= set(levels) and len(levels) <= MOST_SEATS):
        known = ", ".join(BotLevel)
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed: give one to eight of {known}, separated by commas"
        )
    return levels


def main(argv: Sequence[str] | None = None) -> int:
    """Print what each level earns over a number of hands, or each level against each."""
    parser = argparse.ArgumentParser(
        prog="racing_demon_server.bots.simulation",
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
