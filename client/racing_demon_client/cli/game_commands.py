"""The commands that list games, show their rules, and show solo statistics."""

import argparse
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from racing_demon_client.shared.rules_text import rules_of
from racing_demon_client.sources.solo.results import score_lines
from racing_demon_client.sources.solo.statistics import scores, statistics_path
from racing_demon_client.streams import write
from racing_demon_protocol.engine.specification import Game, Racing
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, game_named

RACED: Final = {
    Racing.SHARED: "shared",
    Racing.IDENTICAL: "same deal",
    Racing.REFLEX: "quick hands",
    Racing.TOGETHER: "two together",
    Racing.SOLO: "one player",
}


async def games(arguments: argparse.Namespace) -> int:
    """List the games."""
    if arguments.json:
        for game in GAMES.values():
            write(json.dumps(_row(game), ensure_ascii=False))
        return 0
    rows = [("name", "packs", "skill", "to race", "title")]
    rows += [
        (game.name, str(game.packs), str(game.skill), RACED[game.racing], game.title)
        for game in GAMES.values()
    ]
    for line in _table(rows, shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize):
        write(line)
    return 0


def _table(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield rows as lines; a narrow terminal cuts the last column."""
    wide = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    for row in rows:
        line = "".join(cell.ljust(size) for cell, size in zip(row, wide, strict=True)).rstrip()
        yield line if len(line) <= width else line[: width - 3] + "..."


def _row(game: Game) -> dict[str, object]:
    return {
        "name": game.name,
        "title": game.title,
        "packs": game.packs,
        "cards": game.deck_size,
        "skill": game.skill,
        "racing": str(game.racing),
        "source": game.source,
    }


async def rules(arguments: argparse.Namespace) -> int:
    """Print the rules of a game."""
    try:
        game = game_named(arguments.game)
    except InvalidGame as error:
        sys.stderr.write(f"racing-demon: {error}\n")
        return 2
    for line in rules_of(game):
        write(line)
    return 0


def statistics(arguments: argparse.Namespace) -> int:
    """Print how often each game was played solo, and won."""
    known = scores(statistics_path())
    if arguments.game:
        known = {name: score for name, score in known.items() if name == arguments.game}
    if arguments.json:
        write(json.dumps({name: score.model_dump(mode="json") for name, score in known.items()}))
        return 0
    for line in score_lines(known):
        write(line)
    return 0
