"""Matches of all games and switches, as records, honest and forged."""

from collections.abc import Callable
from functools import cache

import pytest

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.specification import Deals
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.options import Options
from tests.support.bot_matches import play_match

Log = list[Event]
Forger = Callable[[Log], None]

MATCHES: dict[str, dict[str, object]] = {
    "racing-demon": {"hands": 2},
    "classic": {"game": "classic", "hands": 3, "on_leave": "forfeit"},
    "demon-a": {"game": "demon-a", "hands": 1},
    "demon-b": {"game": "demon-b", "hands": 1, "auto_first_turn": True},
    "fooliana": {"game": "fooliana", "hands": 1},
    "rotating": {"hands": 1, "stall_rule": "rotate", "auto_first_turn": True},
    "shuffled": {"hands": 1, "shuffle": True},
    "house rules": {"hands": 1, "stock_shift": "once_a_pass", "king_bonus": 10},
    "turned singly": {"game": "classic", "hands": 2, "turn": 1, "call_out": "shout", "target": 40},
}
"""The options of the matches by name; two bots play each."""


@cache
def match(name: str) -> tuple[Options, tuple[Event, ...]]:
    """Play a match of two bots once."""
    options = Options.model_validate({"countdown_ms": 0, "tally_ms": 0, **MATCHES[name]})
    _, log, _ = play_match(bytes([7]) * 32, ["hard", "medium"], options)
    return options, tuple(log)


def record(options: Options, log: Log) -> list[Message]:
    """Return a record from the first event on, with its numbers in a row; whispers have none."""
    whispers = GAMES[options.game].deals is Deals.IDENTICAL
    numbered: list[Message] = []
    number = 0
    for event in log:
        number += not (whispers and isinstance(event, Played))
        numbered.append(event.model_copy(update={"seq": number}))
    return [TableState("SIM", options).snapshot(0), *numbered]


def place_of(log: Log, cls: type[Event], nth: int = 0) -> int:
    """Return where the so-manieth event of a kind stands; negative from the end."""
    return [place for place, event in enumerate(log) if isinstance(event, cls)][nth]


def change(log: Log, place: int, **fields: object) -> None:
    """Change an event."""
    log[place] = log[place].model_copy(update=fields)


def plays_up(log: Log, name: str) -> list[int]:
    """Return where cards go to the foundations."""
    options, _ = match(name)
    view = TableState("SIM", options)
    found = []
    for place, event in enumerate(log):
        up = isinstance(event, Played) and view.board is not None
        if up and view.board.piles[event.destination].kind is Kind.FOUNDATION:  # type: ignore[union-attr, attr-defined]
            found.append(place)
        view.apply(event)
    return found


def refused(name: str, forge: Forger) -> str:
    """Return why a forged record is refused."""
    options, true = match(name)
    log = list(true)
    forge(log)
    assert list(true) != log, "nothing was forged"
    with pytest.raises(InvalidRecord) as error:
        verify(record(options, log))
    return str(error.value)
