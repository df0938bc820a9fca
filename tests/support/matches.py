"""Whole matches of bots, played once and used by many tests."""

from functools import cache
from typing import Final

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.options import Options
from tests.support.bot_matches import Arrived, play_match
from tests.support.cases import for_each
from tests.support.effort import usually

MATCHES: dict[str, tuple[int, dict[str, object]]] = {
    "racing-demon": (3, {"hands": 2}),
    "shouted": (2, {"game": "classic", "hands": 2, "call_out": "shout"}),
    "rotated": (2, {"hands": 1, "stall_rule": "rotate"}),
    "first turns": (3, {"hands": 1, "auto_first_turn": True, "waste_view": 3}),
    "demon-a": (2, {"game": "demon-a", "hands": 1}),
    "demon-b": (2, {"game": "demon-b", "hands": 1}),
    "fooliana": (2, {"game": "fooliana", "hands": 1, "redeals": 2}),
    "eight": (8, {"hands": 1}),
    "house rules": (
        2,
        {"game": "classic", "hands": 2, "stock_shift": "any_time", "spaces": "at_once", "king_bonus": 5}
        | {"reserve_up": True, "turn_by_players": False, "match_score": "hands"},
    ),
}
"""The matches by name: how many bots, and the table's options."""
USUAL: Final = ("racing-demon", "shouted", "demon-a", "eight")
of_matches = for_each("name", usually(len(USUAL), (*USUAL, *(name for name in MATCHES if name not in USUAL))))
"""Ask every match, in ``make test`` some."""


LEVELS: Final = ("easy", "medium", "hard", "medium") * 2
"""The bots' levels, by seat."""


@cache
def _match(name: str) -> tuple[TableState, list[Event], list[Arrived]]:
    players, _ = MATCHES[name]
    table, log, arrived = play_match(bytes(32), LEVELS[:players], options_of(name))
    return table.view, log, arrived


def options_of(name: str) -> Options:
    """Return the options of a match."""
    return Options.model_validate(MATCHES[name][1])


def log_of(name: str) -> list[Event]:
    """Return all events of a match."""
    return _match(name)[1]


def commands_of(name: str) -> list[Command]:
    """Return all commands that a match's bots sent."""
    return [command for _, _, command in arrived_in(name)]


def arrived_in(name: str) -> list[Arrived]:
    """Return the same with their times and actors."""
    return _match(name)[2]


def final_view(name: str) -> TableState:
    """Return the judge's own view after a match; it is not to be changed."""
    return _match(name)[0]
