"""Whether a table's options can be played. Hosts may ask often, so the check builds as little as possible."""

from functools import lru_cache
from typing import Final

from racing_demon_protocol.constants import MAX_PILES, MAX_SEATS
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.options import Options

PARTIES: Final = (1, 3, MAX_SEATS)
"""Numbers of players that together give every number of columns that a game can have."""
MOST_REMEMBERED: Final = 8_192
"""Cached answers. There are fewer combinations of a game and its sizes."""


def verify_playable(options: Options) -> None:
    """Check that a game can be dealt with these options to any number of players.

    Raises:
        InvalidGame: it cannot be dealt.

    """
    for players in PARTIES:
        declare(options, players)
    fault = _fault_of(options.game, options.columns, options.columns_by_players, options.reserve)
    if fault:
        raise InvalidGame(fault)


@lru_cache(maxsize=MOST_REMEMBERED)
def _fault_of(name: str, columns: int | None, columns_by_players: bool, reserve: int | None) -> str:
    """Return why a layout cannot be dealt, or an empty text. No other options change a layout.

    Every seat has the same piles, so one is enough.
    """
    sizes = Options(game=name, columns=columns, columns_by_players=columns_by_players, reserve=reserve)
    try:
        for game in {declare(sizes, players) for players in PARTIES}:
            if len(make_rules(game, (0,)).layout.piles) * MAX_SEATS > MAX_PILES:
                return f"{name} has too many piles for {MAX_SEATS} players"
    except InvalidGame as error:
        return str(error)
    return ""
