"""The declared games, one module for each, and how a table's options change them."""

from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.specification import (
    Foundations,
    Game,
    Group,
    Racing,
    Reserve,
    Scoring,
    Space,
    Stock,
    Tableau,
    Waste,
)
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.wire.options import Options, SpaceFill

from .common import regrouped

__all__ = ["GAMES", "GROUP_OPTIONS", "declare", "game_named", "seats_of"]

NAMES: Final = (
    "racing-demon",
    "classic",
    "demon-a",
    "demon-b",
    "fooliana",
    "fooliana-reorder",
    "demon-a-aces",
    "demon-a-first",
    "demon-b-aces",
    "demon-b-first",
    "triangle",
    "staircase",
    "solitaire",
    "solitaire-aces",
    "solitaire-suits",
    "solitaire-memory",
    "grandfathers",
    "honors",
    "toad",
    "bethel",
    "paternal",
    "paternal-down",
    "paternal-kings",
    "trios",
    "fours",
    "flower-garden",
    "musical",
    "louise",
    "legitimist",
    "queens-cotillon",
    "knaves-dial",
    "knaves-dial-double",
    "sultan",
    "windmill",
    "picture",
    "lady-of-the-manor",
    "queens-party",
    "bridal-wreath",
    "salique-law",
    "st-helena",
    "blockade",
    "nivernaise",
    "nivernaise-strict",
    "duchess-of-luynes",
    "judges",
    "judges-free",
    "puzzle",
    "puzzle-all-piles",
    "egyptian",
    "egyptian-draw",
    "brunette-and-blonde",
    "square",
    "fifteen-in-a-row",
    "napoleon",
    "pet",
    "old-stager",
    "corners",
    "seven",
    "reversible-sequences",
    "intervale",
    "beleaguered-castle",
    "fourteen",
    "number-eleven",
    "number-eleven-double",
    "picture-gallery",
    "little-lots",
    "sympathy",
    "sympathy-alone",
    "push-pin",
    "double-jump",
    "travellers",
    "wandering-card",
    "clock",
    "weavers",
    "gamblers",
    "musical-sequel",
    "a-spell",
)
"""The games, the default first. Each is the ``GAME`` of the module with its name."""

GAMES: Final[dict[str, Game]] = {
    name: import_module(f".{name.replace('-', '_')}", __name__).GAME for name in NAMES
}
"""Every game by its name."""

FEW_PLAYERS: Final = 2
"""With this many players or fewer there are more columns, or fewer cards a turn, if an option says so."""
GROUP_OPTIONS: dict[str, tuple[type[Group], str]] = {
    "turn": (Stock, "turn"),
    "redeals": (Stock, "redeals"),
    "shuffle": (Stock, "shuffle"),
    "tail_rule": (Stock, "tail_rule"),
    "waste_view": (Waste, "view"),
    "take_back": (Foundations, "take_back"),
    "forced_bases": (Foundations, "forced_bases"),
    "reserve": (Reserve, "size"),
    "stock_shift": (Stock, "shift"),
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
    _verify_teams(game, options)
    if options.turn_by_players:
        _verify_has(game, Waste, "turn_by_players")
        if options.turn is None and players <= FEW_PLAYERS:
            game = _change(game, Stock, "turn_by_players", turn=1)
    for option, (kind, attribute) in GROUP_OPTIONS.items():
        value = getattr(options, option)
        if value is not None:
            game = _change(game, kind, option, **{attribute: value})
    if options.stock_shift is not None:
        _verify_shared(game, "the stock's top card cannot go to its bottom")
    if options.spaces is not None:
        game = _fill_spaces(game, options.spaces)
    if options.reserve_up:
        game = _change(game, Reserve, "reserve_up", shows=Shows.ALL)
    scoring = _scored(game, options)
    return game if scoring is game.scoring else replace(game, scoring=scoring)


def _scored(game: Game, options: Options) -> Scoring:
    """Return what a game's cards score with these options."""
    scoring = game.scoring
    if options.king_bonus:
        _verify_shared(game, "kings bring no bonus")
        scoring = replace(scoring, king_bonus=options.king_bonus)
    if options.out_bonus is not None:
        scoring = replace(scoring, out_bonus=options.out_bonus)
    if options.reserve_card is not None:
        _verify_has(game, Reserve, "reserve_card")
        scoring = replace(scoring, reserve_card=options.reserve_card)
    return scoring


def seats_of(options: Options) -> int:
    """Return the maximum number of seats at a table, by its options and its game.

    Raises:
        InvalidGame: there is no such game.

    """
    return min(options.seats, game_named(options.game).max_seats)


def _verify_teams(game: Game, options: Options) -> None:
    """Check that a game can be played in as many teams as the options say."""
    if options.teams is None:
        return
    if game.racing in {Racing.IDENTICAL, Racing.REFLEX}:
        text = "has no teams: all have the same cards, so a partner's screen would show your future"
        raise InvalidGame(f"{game.title} {text}.")
    if game.racing is not Racing.SHARED:
        raise InvalidGame(f"{game.title} has no teams: nobody plays it against others.")
    if options.teams > options.seats:
        raise InvalidGame(f"{options.teams} teams need at least {options.teams} seats.")


def _resize(game: Game, options: Options, players: int) -> Game:
    """Set the tableau's number of columns as the options say."""
    columns = options.columns
    if columns is None and options.columns_by_players:
        columns = 6 if players <= FEW_PLAYERS else 5 if players == 3 else 4
    if columns is None:
        return game
    _verify_has(game, Tableau, "columns")
    tableau = next(group for group in game.groups if isinstance(group, Tableau))
    if set(tableau.shape) != {1}:
        raise InvalidGame(f"{game.title} has columns of its own shape; their number cannot be changed.")
    return _change(game, Tableau, "columns", shape=(1,) * columns)


def _fill_spaces(game: Game, fill: SpaceFill) -> Game:
    """Let the reserve fill empty columns, at once or alone."""
    _verify_has(game, Reserve, "spaces")
    _verify_has(game, Tableau, "spaces")
    if any(isinstance(group, Tableau) and group.space != Space() for group in game.groups):
        raise InvalidGame(
            f"{game.title} has a rule of its own for empty columns, which the option 'spaces' cannot change."
        )
    reserves = tuple(group.name for group in game.groups if isinstance(group, Reserve))
    space = Space(fill=True) if fill is SpaceFill.AT_ONCE else Space(takes=reserves)
    return _change(game, Tableau, "spaces", space=space)


def _verify_shared(game: Game, otherwise: str) -> None:
    if game.racing is not Racing.SHARED:
        raise InvalidGame(f"{game.title} is not played around shared foundations, and so {otherwise}.")


def _verify_has(game: Game, kind: type[Group], option: str) -> None:
    if not any(isinstance(group, kind) for group in game.groups):
        raise InvalidGame(f"{game.title} has nothing that the option {option!r} could change.")


def _change(game: Game, kind: type[Group], option: str, **values: Any) -> Game:
    _verify_has(game, kind, option)
    return replace(game, groups=regrouped(game, kind, **values))
