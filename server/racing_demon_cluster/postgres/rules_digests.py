"""Digests of the games' declarations: servers compare them to see whether they know the same rules."""

import hashlib
import json
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from racing_demon_protocol.engine.specification import LATER
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.capabilities import EXTENSIONS

FOR_PEOPLE: Final = frozenset({"title", "source", "text", "doubts"})
"""The fields of a game that do not affect its rules."""
DIGITS: Final = 16


def supported_rules() -> list[str]:
    """Return what this server can continue: digests of the games' rules, and the extensions of the wire."""
    return [*rules_digests(), *sorted(EXTENSIONS)]


def rules_digests() -> list[str]:
    """Return a digest of each game's name and rules."""
    return sorted(
        hashlib.sha256(json.dumps(_plain(game), sort_keys=True).encode()).hexdigest()[:DIGITS]
        for game in GAMES.values()
    )


def _plain(value: Any) -> Any:
    """Return a value as JSON data, the same in every process and version of Python.

    It has no attribute that older versions do not know, unless a game uses it.
    """
    if is_dataclass(value) and not isinstance(value, type):
        parts = {
            each.name: getattr(value, each.name)
            for each in fields(value)
            if each.name not in FOR_PEOPLE
            and not (each.metadata == LATER and getattr(value, each.name) == each.default)
        }
        return [type(value).__name__, {name: _plain(part) for name, part in parts.items()}]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, frozenset):
        return sorted(map(_plain, value))
    if isinstance(value, tuple):
        return list(map(_plain, value))
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    assert value is None or isinstance(value, bool | int | float | str), value
    return value
