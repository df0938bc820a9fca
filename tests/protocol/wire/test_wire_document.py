"""The documents of the wire: their examples, checked against the codec and the schema, and their words."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from racing_demon_protocol.engine.board import Kind, Shows
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Game, Geometry, Racing
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.codec import Encoding, decode_client, decode_server, encode
from racing_demon_protocol.wire.messages import FROM_CLIENT, FROM_SERVER, name_of
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each

FOLDER = Path(__file__).parents[3] / "protocol"
DOCUMENT, MESSAGES = (
    (FOLDER.parent / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("wire", "messages")
)
SCHEMA: dict[str, Any] = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
GAMES_LISTED: dict[str, Any] = json.loads((FOLDER / "games.json").read_text(encoding="utf-8"))
EXAMPLES = [
    (text.replace("\n", ""), data, size)
    for text, data, size in re.findall(r"```\n(\[[^`]*\])\n((?:[0-9a-f ]+\n?)+)  \((\d+) bytes\)", MESSAGES)
]
"""Each message in JSON, its lines joined, and in hexadecimal, with the number of bytes."""


def test_every_message_has_an_example() -> None:
    """Each message of either direction stands in the document once."""
    assert sorted({**FROM_CLIENT, **FROM_SERVER}) == sorted(json.loads(text)[0] for text, _, _ in EXAMPLES)


@for_each(("text", "hexadecimal", "size"), EXAMPLES)
def test_an_example_is_one_message_in_both_encodings(text: str, hexadecimal: str, size: str) -> None:
    """The JSON and the hexadecimal of an example decode to the same message, and encode to themselves."""
    data = bytes.fromhex(hexadecimal)
    decode = decode_client if json.loads(text)[0] in FROM_CLIENT else decode_server
    message = decode(text)

    assert message == decode(data)
    assert (text, data, len(data)) == (encode(message, Encoding.JSON), encode(message), int(size))


@for_each("text", [text for text, _, _ in EXAMPLES])
def test_an_example_fits_the_schema(text: str) -> None:
    """Each example is valid by schema.json, and is not when a field too many stands behind it."""
    row = json.loads(text)
    cls = FROM_CLIENT.get(row[0]) or FROM_SERVER[row[0]]
    direction = "client_to_server" if row[0] in FROM_CLIENT else "server_to_client"
    validator = Draft202012Validator({**SCHEMA[direction][name_of(cls)], "$defs": SCHEMA["$defs"]})

    assert validator.is_valid(row)
    assert not validator.is_valid([*row, *[None] * 20])


def described(node: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield where in the schema something is that a client meets, and the words for it."""
    for name, frame in [*node["client_to_server"].items(), *node["server_to_client"].items()]:
        yield name, frame["description"]
        yield from ((f"{name}.{item['title']}", item["description"]) for item in frame["prefixItems"])
    for name, kind in node["$defs"].items():
        yield name, kind["description"]
        yield from ((f"{name}.{item['title']}", item["description"]) for item in kind.get("prefixItems", ()))
        yield from (
            (f"{name}.{option}", of["description"]) for option, of in kind.get("properties", {}).items()
        )
        yield from ((f"{name}.{word}", kind["meanings"][word]) for word in kind.get("enum", ()))


def test_the_schema_has_words_for_everything() -> None:
    """Every message, field, option and word of a closed list is described in schema.json."""
    told = dict(described(SCHEMA))

    assert [path for path, words in told.items() if len(words) < 4] == []
    assert {"hello", "hello.version", "Options.turn", "CallOut.shout", "SeatState.stuck"} <= told.keys()


@for_each("name", ["docs/wire.md", "docs/messages.md", "protocol/schema.json", "protocol/games.json"])
def test_the_documents_speak_no_python(name: str) -> None:
    """What clients in any language read has no words of Python, of its docstrings, or of our sources."""
    text = (FOLDER.parent / name).read_text(encoding="utf-8")

    words = re.compile(r"(?<!-)\bNone\b|:class:|(?<!`)``(?!`)|\(A\d+")
    assert [line for line in text.splitlines() if words.search(line)] == []


def test_the_faces_of_the_example_are_those_that_are_told() -> None:
    """Four faces a digit, the lowest first and in the lowest bit."""
    found = re.search(r"`([0-9a-f]+)` are the aces, (\d+), (\d+), (\d+) and (\d+)\.", DOCUMENT)
    assert found is not None
    digits, *told = found.groups()
    faces = [
        4 * place + bit for place, digit in enumerate(digits) for bit in range(4) if int(digit, 16) >> bit & 1
    ]
    assert [0, 13, 26, 39] == faces == [int(face) for face in told]


def test_every_option_is_explained() -> None:
    """Each option, and each word that it may be, stands in the document's section on options."""
    section = DOCUMENT.partition("## Options\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    kinds = re.findall(r"#/\$defs/(\w+)", json.dumps(SCHEMA["$defs"]["Options"]))
    words = {word for kind in kinds for word in SCHEMA["$defs"][kind]["enum"]}

    assert list(Options.model_fields) == rows
    assert words <= set(re.findall(r"`(\w+)`", section))


def test_every_word_of_the_games_is_explained() -> None:
    """Every field of games.json, and every word that a field chooses from, is explained in the document."""
    explained = set(re.findall(r"`([a-z_]+)`", DOCUMENT))
    games = GAMES_LISTED.values()
    fields = {field for game in games for field in game}
    fields |= {field for game in games for row in [*game["groups"], *game["deal"]] for field in row}
    fields |= {field for game in games for field in [*game["scoring"], *game["options"]]}
    words = {game[field] for game in games for field in ("racing", "deals", "goal")}
    words |= {game["arrange"]["rule"] for game in games if game["arrange"]}

    assert fields | words <= explained
    assert {*map(str, Kind), *map(str, Shows), *map(str, Geometry)} <= explained


@for_each("game", GAMES.values(), ids=lambda game: game.name)
def test_piles_are_numbered_as_told(game: Game) -> None:
    """With the document's rule and games.json alone the piles of any table get the numbers that they have."""
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
    """Every refusal's reason and every close code has its line in the document's tables."""
    explained = set(re.findall(r"^\| `?([a-z_]+|\d{4})`? \|", DOCUMENT, re.MULTILINE))

    assert {str(reason) for reason in Reason} | {str(int(code)) for code in CloseCode} <= explained
