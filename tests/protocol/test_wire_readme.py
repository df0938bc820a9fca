"""The examples in protocol/README.md, checked against the codec and the schema."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from racing_demon_protocol.board import Kind, Shows
from racing_demon_protocol.codec import Encoding, decode_client, decode_server, encode
from racing_demon_protocol.declaration import Game, Geometry, Racing
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.layout import Layout
from racing_demon_protocol.messages import FROM_CLIENT, FROM_SERVER, name_of
from racing_demon_protocol.reasons import CloseCode, Reason

FOLDER = Path(__file__).parents[2] / "protocol"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
GAMES_LISTED: dict[str, Any] = json.loads((FOLDER / "games.json").read_text(encoding="utf-8"))
EXAMPLES = re.findall(r"```\n(\[.*\])\n((?:[0-9a-f ]+\n?)+)  \((\d+) bytes\)", README)


def test_every_message_has_an_example() -> None:
    """Each message of either direction stands in the README once."""
    assert sorted({**FROM_CLIENT, **FROM_SERVER}) == sorted(json.loads(text)[0] for text, _, _ in EXAMPLES)


@pytest.mark.parametrize(("text", "hexadecimal", "size"), EXAMPLES)
def test_an_example_is_one_message_in_both_encodings(text: str, hexadecimal: str, size: str) -> None:
    """The JSON and the hexadecimal of an example decode to the same message, and encode to themselves."""
    data = bytes.fromhex(hexadecimal)
    decode = decode_client if json.loads(text)[0] in FROM_CLIENT else decode_server
    message = decode(text)

    assert message == decode(data)
    assert (text, data, len(data)) == (encode(message, Encoding.JSON), encode(message), int(size))


@pytest.mark.parametrize("text", [text for text, _, _ in EXAMPLES])
def test_an_example_fits_the_schema(text: str) -> None:
    """Each example is valid by schema.json, and is not when a field too many stands behind it."""
    row = json.loads(text)
    cls = FROM_CLIENT.get(row[0]) or FROM_SERVER[row[0]]
    direction = "client_to_server" if row[0] in FROM_CLIENT else "server_to_client"
    validator = Draft202012Validator({**SCHEMA[direction][name_of(cls)], "$defs": SCHEMA["$defs"]})

    assert validator.is_valid(row)
    assert not validator.is_valid([*row, *[None] * 20])


def test_every_word_of_the_games_is_explained() -> None:
    """Every field of a group, every kind of pile, way to show and geometry is told in the README."""
    explained = set(re.findall(r"`([a-z_]+)`", README))
    assert {
        field for game in GAMES_LISTED.values() for group in game["groups"] for field in group
    } <= explained
    assert {*map(str, Kind), *map(str, Shows), *map(str, Geometry)} <= explained


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_piles_are_numbered_as_told(game: Game) -> None:
    """With the README's rule and games.json alone the piles of any table get the numbers that they have."""
    seats = {Racing.SOLO: (0,), Racing.TOGETHER: (0, 1)}.get(game.racing, (1, 4, 6))
    layout = Layout(game, seats)
    groups = GAMES_LISTED[game.name]["groups"]
    told: list[tuple[str, int | None]] = []
    for group in groups:
        told += [(group["name"], None)] * (group["piles"] * len(seats) * (group["owner"] == "table"))
    for seat in seats:
        for group in groups:
            told += [(group["name"], seat)] * (group["piles"] * (group["owner"] == "player"))
    assert told == [(pile.group, pile.seat) for pile in layout.piles]


def test_every_word_of_the_wire_is_explained() -> None:
    """Every refusal's reason and every close code has its line in the README's tables."""
    explained = set(re.findall(r"^\| `?([a-z_]+|\d{4})`? \|", README, re.MULTILINE))

    assert {str(reason) for reason in Reason} | {str(int(code)) for code in CloseCode} <= explained
