"""The declared games, one module per family, and how a table's options change them."""

from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from racing_demon_protocol.engine.specification import (
    Foundations,
    Game,
    Group,
    Reserve,
    Stock,
    Tableau,
    Waste,
)
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.wire.options import Options

from .castle import BELEAGUERED_CASTLE
from .cells import CELL_GAMES
from .columns import COLUMN_GAMES
from .common import regrouped
from .demon import CLASSIC, DEMON_A, DEMON_B, FOOLIANAS, RACING_DEMONS
from .fans import FAN_GAMES
from .free import FREE_GAMES
from .klondike import RACING_DEMON, TRIANGULAR_GAMES
from .puzzle import PUZZLES
from .ranks import GAMBLERS_PATIENCE, LITTLE_LOTS, SYMPATHY, SYMPATHY_ALONE
from .rounds import ROUND_GAMES
from .rows import DOUBLE_JUMP, PUSH_PIN
from .steps import STEP_GAMES
from .sums import FOURTEEN, NUMBER_ELEVEN, NUMBER_ELEVEN_DOUBLE, PICTURE_GALLERY
from .travelling import CLOCK, TRAVELLERS, WANDERING_CARD, WEAVERS
from .tricks import A_SPELL, MUSICAL_SEQUEL

__all__ = ["GAMES", "GROUP_OPTIONS", "declare", "game_named", "seats_of"]

BUILDING_GAMES = (
    *(RACING_DEMON, CLASSIC, DEMON_A, DEMON_B, *FOOLIANAS, *RACING_DEMONS),
    *TRIANGULAR_GAMES,
    *FREE_GAMES,
    *FAN_GAMES,
    *STEP_GAMES,
    *CELL_GAMES,
    *ROUND_GAMES,
    *PUZZLES,
    *COLUMN_GAMES,
    BELEAGUERED_CASTLE,
)
OWN_MECHANICS = (
    *(FOURTEEN, NUMBER_ELEVEN, NUMBER_ELEVEN_DOUBLE, PICTURE_GALLERY),
    *(LITTLE_LOTS, SYMPATHY, SYMPATHY_ALONE),
    *(PUSH_PIN, DOUBLE_JUMP),
    *(TRAVELLERS, WANDERING_CARD, CLOCK, WEAVERS),
    GAMBLERS_PATIENCE,
    *(MUSICAL_SEQUEL, A_SPELL),
)

GAMES: dict[str, Game] = {game.name: game for game in (*BUILDING_GAMES, *OWN_MECHANICS)}
"""Every game by its name, the default first."""

GROUP_OPTIONS: dict[str, tuple[type[Group], str]] = {
    "turn": (Stock, "turn"),
    "redeals": (Stock, "redeals"),
    "shuffle": (Stock, "shuffle"),
    "tail_rule": (Stock, "tail_rule"),
    "waste_view": (Waste, "view"),
    "take_back": (Foundations, "take_back"),
    "forced_bases": (Foundations, "forced_bases"),
    "reserve": (Reserve, "size"),
}
"""The options that change an attribute of a kind of groups."""


def game_named(name: str) -> Game:
    """Return the game with a name.

    Raises:
        InvalidGame: there is no such game.

    """
    try:
        return GAMES[name]
    except KeyError:
        alike = " or ".join(get_close_matches(name, GAMES))
        meant = f"did you mean {alike}?" if alike else "racing-demon games lists all that there are."
        raise InvalidGame(f"There is no game {name!r}; {meant}") from None


def declare(options: Options, players: int) -> Game:
    """Return the declaration for a table's options and a number of players.

    Raises:
        InvalidGame: there is no such game, or an option does not apply to it.

    """
    game = _resize(game_named(options.game), options, players)
    for option, (kind, attribute) in GROUP_OPTIONS.items():
        value = getattr(options, option)
        if value is not None:
            game = _change(game, kind, option, **{attribute: value})
    scoring = game.scoring
    if options.out_bonus is not None:
        scoring = replace(scoring, out_bonus=options.out_bonus)
    if options.reserve_card is not None:
        _verify_has(game, Reserve, "reserve_card")
        scoring = replace(scoring, reserve_card=options.reserve_card)
    return game if scoring is game.scoring else replace(game, scoring=scoring)


def seats_of(options: Options) -> int:
    """Return the maximum number of seats at a table, by its options and its game.

    Raises:
        InvalidGame: there is no such game.

    """
    return min(options.seats, game_named(options.game).most_seats)


def _resize(game: Game, options: Options, players: int) -> Game:
    """Set the tableau's number of columns as the options say."""
    columns = options.columns
    if columns is None and options.columns_by_players:
        columns = 6 if players <= 2 else 5 if players == 3 else 4
    if columns is None:
        return game
    _verify_has(game, Tableau, "columns")
    tableau = next(group for group in game.groups if isinstance(group, Tableau))
    if set(tableau.shape) != {1}:
        raise InvalidGame(f"{game.name} has columns of its own shape; their number cannot be changed.")
    return _change(game, Tableau, "columns", shape=(1,) * columns)


def _verify_has(game: Game, kind: type[Group], option: str) -> None:
    if not any(isinstance(group, kind) for group in game.groups):
        raise InvalidGame(f"{game.name} has nothing that the option {option!r} could change.")


def _change(game: Game, kind: type[Group], option: str, **values: Any) -> Game:
    _verify_has(game, kind, option)
    return replace(game, groups=regrouped(game, kind, **values))
