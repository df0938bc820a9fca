"""A table's options, changed one by one."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.options import Options

CHOSEN: Final[dict[str, Any]] = {
    "game": "classic",
    "hands": 3,
    "target": 100,
    "grace_ms": 500,
    "time_limit_ms": 60_000,
    "countdown_ms": 0,
    "tally_ms": 0,
    "seats": 4,
    "watch_delay_ms": 30_000,
    "pause_after_ms": 0,
    "turn": 1,
    "redeals": 2,
    "tail_rule": "either2",
    "waste_view": 3,
    "take_back": "free",
    "columns": 5,
    "reserve": 10,
    "reserve_card": -1,
    "out_bonus": 0,
    "king_bonus": 5,
    "win_lead": 30,
    "teams": 2,
}
"""Values that change more than the first other one would."""


def _other(name: str, default: Any) -> Any:
    """Return a value other than an option's default: a chosen one, another word, a bound, or yes for no."""
    if name in CHOSEN:
        return CHOSEN[name]
    schema = Options.model_json_schema()
    kinds = schema["properties"][name].get("anyOf", [schema["properties"][name]])
    bounds = (kind[bound] for kind in kinds for bound in ("minimum", "maximum") if bound in kind)
    names = (kind["$ref"].rpartition("/")[2] for kind in kinds if "$ref" in kind)
    words = (word for each in names for word in schema["$defs"][each]["enum"])
    return next((value for value in (*words, *bounds) if value != default), not default)


CHANGED: Final[dict[str, Any]] = {
    name: _other(name, field.default) for name, field in Options.model_fields.items()
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
