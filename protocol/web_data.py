"""Write the protocol data that the browser table loads: messages, and games with their moves."""

import json
from typing import Any, Final

from pydantic_core import PydanticUndefined

from game_list import games
from move_list import moves
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.mechanics.line import DoubleJump, PushPin
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.engine.mechanics.pairs import Ranks, Sympathy
from racing_demon_protocol.engine.mechanics.script import Script
from racing_demon_protocol.engine.mechanics.sums import Sums
from racing_demon_protocol.engine.mechanics.travelling import Travelling
from racing_demon_protocol.engine.specification import Mechanic
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import FROM_CLIENT, FROM_SERVER, Message, name_of
from racing_demon_protocol.wire.options import Options

COUNTED: Final[dict[type[Mechanic], Kind | None]] = {
    **dict.fromkeys((Sums, Ranks, Sympathy, Merging, PushPin), Kind.OUT),
    **dict.fromkeys((DoubleJump, Travelling, Script), None),
}
"""The kind of piles whose cards are a seat's progress, where it is not its own cards on the foundations."""
NOT_DRAWN: Final = {"text", "goal", "scoring", "rounds", "limit", "counts"}
REQUEST: Final = "{tag: number, fields: string[], defaults: Record<string, any>}"
ANSWER: Final = "{name: string, fields: string[], defaults: Record<string, any>}"


def messages() -> str:
    """Return the names, fields and defaults of all messages as a JavaScript module."""
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
    """Return all games with their moves, and the moves' tables, as JSON with one line per game."""
    told, known = json.loads(games()), json.loads(moves())
    rows = (
        json.dumps({**_for_drawing(game), **_scored(name), "moves": known["games"][name]})
        for name, game in told.items()
    )
    listed = ",\n".join(f"{json.dumps(name)}: {row}" for name, row in zip(told, rows, strict=True))
    return f'{{"tables": {json.dumps(known["tables"])},\n"games": {{\n{listed}\n}}}}\n'


def texts() -> str:
    """Return each game's introduction by name, as JSON that a page loads last."""
    return json.dumps({name: game["text"] for name, game in json.loads(games()).items()}, indent=0) + "\n"


def _for_drawing(game: dict[str, Any]) -> dict[str, Any]:
    """Return a game without what only a dealer or judge needs, so that browsers load less."""
    groups = [{key: group[key] for key in group if key not in NOT_DRAWN} for group in game["groups"]]
    return {key: game[key] for key in game if key not in NOT_DRAWN} | {"groups": groups}


def _scored(name: str) -> dict[str, Any]:
    """Return what the points of a hand as it stands depend on, where that is not one for each card up."""
    game = GAMES[name]
    told: dict[str, Any] = {"reserve_card": game.scoring.reserve_card} if game.scoring.reserve_card else {}
    mechanic = type(game.mechanic)
    return told | ({"counted": COUNTED[mechanic]} if mechanic in COUNTED else {})


def _fields(cls: type[Message]) -> dict[str, Any]:
    defaults = {
        name: _plain(field.default)
        for name, field in cls.model_fields.items()
        if field.default is not PydanticUndefined
    }
    return {"fields": list(cls.model_fields), "defaults": defaults}


def _plain(default: Any) -> Any:
    """Return a default as JSON; default options are an empty object."""
    if isinstance(default, Options):
        return {}
    return list(default) if isinstance(default, tuple) else default


def _lines(told: dict[Any, Any]) -> str:
    rows = "".join(f"  {json.dumps(str(name))}: {json.dumps(row)},\n" for name, row in told.items())
    return "{\n" + rows + "}"
