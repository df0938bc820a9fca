"""The commands around games: which there are, how they go, and how one did alone."""

import argparse
import json
import sys

from racing_demon_protocol.declaration import Game
from racing_demon_protocol.games import GAMES

from .describing import kind_of, rules_of
from .plain.alone import told_scores
from .solo.statistics import scores, statistics_path

__all__ = ["games", "rules", "statistics"]


def write(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")


async def games(arguments: argparse.Namespace) -> int:
    """List the games."""
    if arguments.json:
        for game in GAMES.values():
            write(json.dumps(_row(game), ensure_ascii=False))
        return 0
    write(f"{'name':22} {'title':32} {'packs':5} {'skill':5} {'to race':28} source")
    for game in GAMES.values():
        start = f"{game.name:22} {game.title:32} {game.packs:>5} {game.skill:>5}"
        write(f"{start} {kind_of(game):28} {game.source}")
    return 0


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
    """Tell the rules of a game."""
    game = GAMES.get(arguments.game)
    if game is None:
        sys.stderr.write(
            f"racing-demon: there is no game {arguments.game!r}; racing-demon games lists them.\n"
        )
        return 1
    for line in rules_of(game):
        write(line)
    return 0


def statistics(arguments: argparse.Namespace) -> int:
    """Tell how often each game was played alone, and won."""
    known = scores(statistics_path())
    if arguments.game:
        known = {name: score for name, score in known.items() if name == arguments.game}
    if arguments.json:
        write(json.dumps({name: score.model_dump(mode="json") for name, score in known.items()}))
        return 0
    for line in told_scores(known):
        write(line)
    return 0
