"""The commands around games: which there are, how they go, and how one did alone."""

import argparse
import json
import sys

from racing_demon_protocol.declaration import Game
from racing_demon_protocol.games import GAMES

from .describing import kind_of, rules_of
from .plain.words import duration
from .solo.statistics import Score, scores, statistics_path

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
    if not known:
        write("Nothing was played alone yet. racing-demon games lists what there is.")
        return 0
    write(f"{'game':22} {'played':>6} {'won':>5} {'':>5} {'in a row':>8} {'most':>5} {'best':>7}")
    for name, score in sorted(known.items(), key=lambda each: -each[1].played):
        write(_line(name, score))
    return 0


def _line(name: str, score: Score) -> str:
    share = f"{100 * score.won // max(1, score.played)} %"
    best = "-" if score.best_ms is None else duration(score.best_ms)
    counts = f"{name:22} {score.played:>6} {score.won:>5} {share:>5}"
    return f"{counts} {score.streak:>8} {score.longest:>5} {best:>7}"
