"""Whole matches of bots in virtual time: for measuring, for tests, and to see how levels compare.

python -m racing_demon_server.simulate --hands 200 --levels easy,easy,medium,hard
"""

import argparse
import heapq
import random
import sys
from collections.abc import Sequence
from typing import Final

from racing_demon_protocol.arguments import seed
from racing_demon_protocol.declaration import Racing
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.messages.client import AddBot, Command, Start
from racing_demon_protocol.messages.events import Event
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import BotLevel, Phase
from racing_demon_protocol.shuffle import SEED_SIZE, hand_seeds, subseed

from .bots import LEVELS, Bot
from .claims import Actor
from .table import MAX_SEATS, Table

__all__ = ["Arrived", "pass_time", "play_match"]

RACES: Final = [name for name, game in GAMES.items() if game.racing in {Racing.SHARED, Racing.IDENTICAL}]
MOST_HANDS: Final = 1_000_000

Arrived = tuple[int, Actor, Command]
"""A command as a table received it: when in microseconds, from whom, what."""


def play_match(
    seed: bytes, levels: Sequence[str], options: Options
) -> tuple[Table, list[Event], list[Arrived]]:
    """Play one match of bots in virtual time, as fast as the machine can.

    Args:
        seed: 32 bytes that everything follows from: the cards, and the bots' chances.
        levels: a level for each bot.
        options: the table's.

    Returns:
        The table after the match, its log, and the commands that made it, refused ones included.

    """
    table = Table("SIM", options, hand_seeds(seed))
    table.claims.add(None, b"host")
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
    """Wake a table whenever it wants to be woken, up to a moment, as a room does; return what happened."""
    events: list[Event] = []
    while (due := table.due) is not None and due <= until:
        events += table.tick(due)
    return events


def _hands(text: str) -> int:
    if not (text.isdecimal() and len(text) <= len(str(MOST_HANDS)) and 1 <= int(text) <= MOST_HANDS):
        raise argparse.ArgumentTypeError(f"{text!r} will not do: 1 to {MOST_HANDS:,} hands")
    return int(text)


def _levels(text: str) -> list[str]:
    levels = text.split(",")
    if not (set(BotLevel) >= set(levels) and len(levels) <= MAX_SEATS):
        known = ", ".join(BotLevel)
        raise argparse.ArgumentTypeError(f"{text!r} will not do: one to eight of {known}, divided by commas")
    return levels


def main(argv: Sequence[str] | None = None) -> int:
    """Print what each level earns over a number of hands."""
    parser = argparse.ArgumentParser(prog="racing_demon_server.simulate", description=__doc__.split("\n")[0])
    parser.add_argument("--hands", type=_hands, default=200, help="how many hands (default 200)")
    parser.add_argument(
        "--levels", type=_levels, default="easy,easy,medium,hard", help="a level for each seat, with commas"
    )
    parser.add_argument("--game", choices=RACES, metavar="GAME", default="racing-demon")
    parser.add_argument("--seed", type=seed, default=bytes(SEED_SIZE), help="for the same hands again")
    arguments = parser.parse_args(argv)
    levels = arguments.levels
    totals = [0] * len(levels)
    wins = [0] * len(levels)
    seconds = 0.0
    reasons: dict[str, int] = {}
    for number in range(arguments.hands):
        # Seats take turns at the levels: where one sits must not matter.
        shift = number % len(levels)
        seated = levels[shift:] + levels[:shift]
        options = Options(game=arguments.game, hands=1, countdown_ms=0, tally_ms=0)
        table, _, _ = play_match(subseed(arguments.seed, f"match/{number}"), seated, options)
        result = table.view.results[0]
        seconds += result.elapsed_ms / 1_000
        reasons[result.reason] = reasons.get(result.reason, 0) + 1
        for seat, points in enumerate(result.points):
            place = (seat + shift) % len(levels)
            totals[place] += points
            wins[place] += points == max(result.points)
    sys.stdout.write(f"{arguments.hands} hands of {arguments.game}, {seconds / arguments.hands:.0f} s each; ")
    sys.stdout.write(", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) + "\n")
    sys.stdout.write("level    points/hand  best of hand\n")
    for level, total, won in zip(levels, totals, wins, strict=True):
        sys.stdout.write(f"{level:8} {total / arguments.hands:11.1f} {won / arguments.hands:12.0%}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
