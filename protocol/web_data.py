"""Writes what the browser's table loads of the protocol: its messages, and its games with their moves."""

import json
from typing import Any, Final

from pydantic_core import PydanticUndefined

from game_list import games
from move_list import moves
from racing_demon_protocol.wire.messages import FROM_CLIENT, FROM_SERVER, Message, name_of
from racing_demon_protocol.wire.options import Options

__all__ = ["games_with_moves", "messages", "texts"]

NOT_DRAWN: Final = {"text", "goal", "scoring", "rounds", "limit", "counts"}
REQUEST: Final = "{tag: number, fields: string[], defaults: Record<string, any>}"
ANSWER: Final = "{name: string, fields: string[], defaults: Record<string, any>}"


def messages() -> str:
    """Return the names, fields and defaults of all messages as a module in JavaScript."""
    to_server = {name_of(cls): {"tag": tag, **_fields(cls)} for tag, cls in sorted(FROM_CLIENT.items())}
    to_client = {tag: {"name": name_of(cls), **_fields(cls)} for tag, cls in sorted(FROM_SERVER.items())}
    return (
        "// Generated from the protocol's messages by protocol/generate.py.\n\n"
        f"/** @type {{Record<string, {REQUEST}>}} */\n"
        f"export const FROM_CLIENT = {_lines(to_server)};\n\n"
        f"/** @type {{Record<number, {ANSWER}>}} */\n"
        f"export const FROM_SERVER = {_lines(to_client)};\n"
    )


def games_with_moves() -> str:
    """Return all games, each with its moves, and the tables of those, as JSON in one line a game."""
    told, known = json.loads(games()), json.loads(moves())
    rows = (json.dumps({**_for_drawing(game), "moves": known["games"][name]}) for name, game in told.items())
    listed = ",\n".join(f"{json.dumps(name)}: {row}" for name, row in zip(told, rows, strict=True))
    return f'{{"tables": {json.dumps(known["tables"])},\n"games": {{\n{listed}\n}}}}\n'


def texts() -> str:
    """Return what each game is about, by its name, as JSON: a page loads that behind all else."""
    return json.dumps({name: game["text"] for name, game in json.loads(games()).items()}, indent=0) + "\n"


def _for_drawing(game: dict[str, Any]) -> dict[str, Any]:
    """Return a game without what only a dealer or a judge needs: browsers load less."""
    groups = [{key: group[key] for key in group if key not in NOT_DRAWN} for group in game["groups"]]
    return {key: game[key] for key in game if key not in NOT_DRAWN} | {"groups": groups}


def _fields(cls: type[Message]) -> dict[str, Any]:
    defaults = {
        name: _plain(field.default)
        for name, field in cls.model_fields.items()
        if field.default is not PydanticUndefined
    }
    return {"fields": list(cls.model_fields), "defaults": defaults}


def _plain(default: Any) -> Any:
    """Return a default as JSON has it; options that are all as usual are named by none of them."""
    if isinstance(default, Options):
        return {}
    return list(default) if isinstance(default, tuple) else default


def _lines(told: dict[Any, Any]) -> str:
    rows = "".join(f"  {json.dumps(str(name))}: {json.dumps(row)},\n" for name, row in told.items())
    return "{\n" + rows + "}"
