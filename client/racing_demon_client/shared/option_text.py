"""A table's options in words: their names and values, and how to type them.

Commands and settings use the protocol's names; screens and messages use plain words.
"""

import ast
import re
from collections.abc import Mapping
from functools import cache
from inspect import getsource
from itertools import pairwise
from typing import Final

from pydantic import ValidationError

from racing_demon_protocol.wire.options import Options

from .option_errors import explained
from .text import counted

__all__ = ["called", "meanings", "options_text", "read", "refusal", "usual", "value_text"]

CALLED: Final = {
    "hands": "hands in a match",
    "target": "points that end a match",
    "tie_break": "equal totals",
    "call_out": "going out",
    "grace_ms": "grace after a call",
    "stall_rule": "when nobody can play",
    "auto_first_turn": "automatic first turn",
    "on_leave": "when a player leaves",
    "late_join": "joining between hands",
    "watch_delay_ms": "delay for spectators",
    "pause_after_ms": "pause without players",
    "time_limit_ms": "time limit of a hand",
    "countdown_ms": "countdown before a hand",
    "tally_ms": "tally between hands",
    "turn": "cards per turn",
    "redeals": "redeals",
    "shuffle": "redeals are shuffled",
    "tail_rule": "last cards of the stock",
    "waste_view": "visible waste cards",
    "take_back": "taking cards back",
    "forced_bases": "first cards must go up",
    "columns_by_players": "fewer columns for many",
    "reserve": "cards in the reserve",
    "reserve_card": "points per reserve card",
    "out_bonus": "points for going out",
}
"""Names of options whose identifier does not explain itself."""
VALUES: Final = {
    "auto": "automatic",
    "shout": "when the player calls",
    "none": "the hand ends",
    "rotate": "stocks move on by a card",
    "joint": "joint winners",
    "hand": "another hand",
    "freeze": "points so far count",
    "forfeit": "the hand scores nothing",
    "top": "the top one",
    "either2": "either of the last two",
    "never": "never",
    "free": "yes",
    "to_space": "only into a space",
}
NONE: Final = {"target": "none", "pause_after_ms": "never", "time_limit_ms": "none"}
"""What no value means, if not the game's default."""
UNITS: Final = {"": 1_000, "s": 1_000, "ms": 1, "min": 60_000}
TIME: Final = re.compile(r"(\d{1,8}(?:\.\d{1,3})?)\s*(s|ms|min|)")


def called(name: str) -> str:
    """Return an option's name."""
    return CALLED.get(name, name.removesuffix("_ms").replace("_", " "))


def usual(name: str) -> str:
    """Return the meaning of an option without a value."""
    return NONE.get(name, "the game's own" if Options.model_fields[name].default is None else "default")


def value_text(name: str, value: object) -> str:
    """Return an option's value in words: ``1 s``, ``yes``, ``automatic``."""
    if value is None:
        return usual(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.endswith("_ms") and isinstance(value, int):
        return f"{value // 60_000} min" if value and value % 60_000 == 0 else f"{value / 1_000:g} s"
    return VALUES.get(str(value), str(value))


def read(name: str, text: str) -> object:
    """Return the value of a typed or chosen text; leave an invalid one for the model to refuse."""
    if name.endswith("_ms") and (found := TIME.fullmatch(text)):
        return round(float(found[1]) * UNITS[found[2]])
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() and text.isascii() else text


def refusal(error: ValidationError) -> str:
    """Return what is wrong with an entered value, in the same words."""
    first = error.errors(include_url=False)[0]
    name, about = str(first["loc"][0]) if first["loc"] else "", first.get("ctx", {})
    match first["type"]:
        case "greater_than_equal":
            return f"{called(name)}: {value_text(name, about['ge'])} or more."
        case "less_than_equal":
            return f"{called(name)}: {value_text(name, about['le'])} or less."
        case "int_type":
            kind = "a time, like 1.5 s or 2 min" if name.endswith("_ms") else "a whole number"
            return f"{called(name)}: {kind}."
    return explained(error)


def options_text(options: Options) -> str:
    """Return the number of hands, and every option that differs from the defaults, in one line."""
    changed = [
        f"{called(name)}: {value_text(name, getattr(options, name))}"
        for name in options.model_dump(exclude_defaults=True)
        if name not in {"game", "hands"}
    ]
    return ", ".join([counted(options.hands, "hand"), *changed])


@cache
def meanings() -> Mapping[str, str]:
    """Return the meaning of each option: its description in the model, without units and sources."""
    (model,) = ast.parse(getsource(Options)).body
    assert isinstance(model, ast.ClassDef)
    return {
        field.target.id: re.sub(r" \(A\d+\)|``|, in (ms|milliseconds)", "", text.value.value)
        for field, text in pairwise(model.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
