"""Games that stand for the others: ``make test`` asks these, and ``make test-all`` asks every game."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, Final, TypeVar

import pytest

from racing_demon_protocol.engine.specification import Building, Game
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each

F = TypeVar("F", bound=Callable[..., Any])

BUILDING_GAMES: Final = [game for game in GAMES.values() if isinstance(game.mechanic, Building)]
"""The games built in sequences."""


def _features(game: Game) -> set[object]:
    """Return what a game has: its mechanic, special rules, kinds of piles, and each choice for all of it."""
    values = ((field.name, getattr(game, field.name)) for field in fields(game))
    chosen: set[object] = {(name, value) for name, value in values if isinstance(value, Enum)}
    return chosen | {type(part) for part in (game.mechanic, *game.specials, *game.groups)}


def covering(features: Mapping[str, set[object]]) -> frozenset[str]:
    """Return names that have all features among them: always the one next that has most of the rest."""
    left, chosen = set[object]().union(*features.values()), set[str]()
    while left:
        best = max(features, key=lambda name: len(features[name] & left))
        chosen.add(best)
        left -= features[best]
    return frozenset(chosen)


TYPICAL: Final = {Options().game} | covering({name: _features(game) for name, game in GAMES.items()})
"""The usual game, and games that have every mechanic, special rule, kind of pile, deal, race and goal."""


def of_games(games: Iterable[Game] | Iterable[str]) -> Callable[[F], F]:
    """Ask each of these games, or names of games; those that are not typical are marked long."""
    names = [(game, game if isinstance(game, str) else game.name) for game in games]
    return for_each(
        "game",
        [
            pytest.param(game, id=name, marks=() if name in TYPICAL else pytest.mark.long)
            for game, name in names
        ],
    )
