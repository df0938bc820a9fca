"""A table's options, changed one by one."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.options import Options

CHANGED: Final[dict[str, Any]] = {
    "game": "classic",
    "hands": 3,
    "target": 100,
    "tie_break": "hand",
    "call_out": "shout",
    "grace_ms": 500,
    "stall_rule": "rotate",
    "auto_first_turn": True,
    "on_leave": "forfeit",
    "late_join": False,
    "hints": True,
    "time_limit_ms": 60_000,
    "countdown_ms": 0,
    "tally_ms": 0,
    "seats": 4,
    "spectators": False,
    "watch_delay_ms": 30_000,
    "pause_after_ms": 0,
    "turn": 1,
    "redeals": 2,
    "shuffle": True,
    "tail_rule": "either2",
    "waste_view": 3,
    "take_back": "free",
    "forced_bases": True,
    "columns": 5,
    "columns_by_players": True,
    "reserve": 10,
    "reserve_card": -1,
    "out_bonus": 0,
    "king_bonus": 5,
    "spaces": "at_once",
    "reserve_up": True,
    "stock_shift": "any_time",
    "turn_by_players": True,
    "match_score": "hands",
    "casual": True,
    "win_lead": 30,
    "handicap": "auto",
    "teams": 2,
}
"""A value other than the default for every option."""


def house_rules(game: str) -> Iterator[Options]:
    """Yield options that change a game, each by another rule."""
    usual = declare(Options(game=game), 2)
    for name, value in CHANGED.items():
        options = Options(**{name: value, "game": game})
        with suppress(InvalidGame):
            if declare(options, 2) != usual:
                yield options
