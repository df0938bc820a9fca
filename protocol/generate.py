"""Write what clients in other languages need: the schema, games and moves, and parts of the manuals.

The schema and the document's sections come from the messages and options, the games from their declarations.
The browser table's messages and games are written here, too, and the server's letters that look alike.

python protocol/generate.py [--check]
"""

import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from descriptions import beside, kinds_of, meanings, plain, wire_name, words_of
from examples import EXAMPLES, ONE_HAND
from game_list import games
from look_alikes import look_alikes
from move_list import moves
from racing_demon_client.shared.option_text import TEXTS, values_text
from racing_demon_protocol.enums import BotLevel, CloseCode
from racing_demon_protocol.wire import capabilities
from racing_demon_protocol.wire.codec import MAX_CLIENT_FRAME, MAX_SERVER_FRAME, VERSION, Encoding, encode
from racing_demon_protocol.wire.messages import FROM_CLIENT, FROM_SERVER, Event, Message, name_of
from racing_demon_protocol.wire.messages.base import WireModel
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.options import CHANGES_MOVES, LATER, NEUTRAL, Options
from racing_demon_protocol.wire.presets import PRESETS
from racing_demon_server.bots.levels import STEPS
from web_data import (
    FROM_MENUS,
    FROM_PLAYERS,
    constants,
    goals,
    guides,
    lessons,
    options,
    other_games,
    presets,
    requests,
    texts,
    usual_game,
)

FOLDER = Path(__file__).parent
DOCUMENT = FOLDER.parent / "docs" / "wire.md"
LISTED = FOLDER.parent / "docs" / "messages.md"
HOSTING = FOLDER.parent / "docs" / "host.md"
SERVING = FOLDER.parent / "docs" / "server.md"
PAGE = FOLDER.parent / "client" / "racing_demon_web"
SERVER = FOLDER.parent / "server" / "racing_demon_server"
END = "<!-- end of generated -->\n"
HAND, OPTIONS = "<!-- generated: one hand -->\n", "<!-- generated: options -->\n"
EXTENSIONS_LISTED = "<!-- generated: extensions -->\n"
MESSAGES, PRESETS_LISTED = "<!-- generated: messages -->\n", "<!-- generated: presets -->\n"
HOUSE_RULES_LISTED, LEVELS_LISTED = "<!-- generated: house rules -->\n", "<!-- generated: levels -->\n"
HEX_WIDTH = 96
ROWS: Final = tuple(cls for cls in WireModel.__subclasses__() if cls is not Message)
"""Rows nested in messages."""

MODELS: Final = {
    wire_name(cls.__name__): cls for cls in (*FROM_CLIENT.values(), *FROM_SERVER.values(), *ROWS)
}


def _word_lists(model: type[BaseModel]) -> dict[str, type[StrEnum]]:
    """Return the closed lists of words of a model's fields, by the fields' names."""
    return {
        name: kind
        for name, field in model.model_fields.items()
        for kind in kinds_of(field.annotation)
        if isinstance(kind, type) and issubclass(kind, StrEnum)
    }


WORD_LISTS: Final = {
    kind.__name__: kind
    for lists in (_word_lists(Options), *map(_word_lists, MODELS.values()))
    for kind in lists.values()
}
"""The closed lists of words for options and fields, by their names."""


def schema() -> str:
    """Return the JSON schema of every frame, in both directions."""
    definitions: dict[str, Any] = {}
    whole = {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "The wire of Racing Demon",
        "version": VERSION,
        "subprotocols": [encoding.value for encoding in Encoding],
        "limits": {"client_frame_bytes": MAX_CLIENT_FRAME, "server_frame_bytes": MAX_SERVER_FRAME},
        "close_codes": {code.name.lower(): code.value for code in CloseCode},
        "client_to_server": _frames(FROM_CLIENT, definitions),
        "server_to_client": _frames(FROM_SERVER, definitions),
        "$defs": definitions,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def document() -> str:
    """Return the wire document with its generated parts updated."""
    text = DOCUMENT.read_text(encoding="utf-8")
    text = _with_part(text, OPTIONS, "\n".join(_options()))
    text = _with_part(text, EXTENSIONS_LISTED, "\n".join(_extensions()))
    hand = "\n".join(str(encode(event, Encoding.JSON)) for event in ONE_HAND)
    return _with_part(text, HAND, f"\n```\n{hand}\n```\n")


def listed() -> str:
    """Return the document of all messages with its generated part updated."""
    return _with_part(LISTED.read_text(encoding="utf-8"), MESSAGES, "\n".join(_described()))


def hosting() -> str:
    """Return the manual of hosts with its tables of bots, presets and house rules updated."""
    text = HOSTING.read_text(encoding="utf-8")
    rows = [f"| `{level}` | `{key}` | {beside(BotLevel)[level]} |" for key, level in enumerate(BotLevel)]
    text = _with_part(text, LEVELS_LISTED, _table("level | key | how it plays", rows))
    rows = [f"| `{preset.name}` | {preset.text} | {preset.source} |" for preset in PRESETS.values()]
    text = _with_part(text, PRESETS_LISTED, _table("preset | what it is | source", rows))
    house_rules = [name for name in TEXTS if name in LATER and name not in NEUTRAL]
    rows = [f"| `{name}` | {values_text(name)} | {TEXTS[name].meaning} |" for name in house_rules]
    return _with_part(text, HOUSE_RULES_LISTED, _table("option | values | what it decides", rows))


def serving() -> str:
    """Return the manual of servers with its table of bots updated."""
    rows = []
    for name, level in STEPS.items():
        least = f", never less than {level.least_ms / 1_000:g} s" if level.least_ms else ""
        play, turn = f"{level.play_ms / 1_000:g} s{least}", f"{level.turn_ms / 1_000:g} s"
        ahead = "yes" if level.looks_ahead else "no"
        rows.append(f"| {name} | {play} | {turn} | {100 * level.overlooks:g} % | {ahead} |")
    head = "level | median time for a play | to turn the stock | overlooks a play"
    table = _table(f"{head} | sees plays behind a neutral move", rows)
    return _with_part(SERVING.read_text(encoding="utf-8"), LEVELS_LISTED, table)


def _table(head: str, rows: Sequence[str]) -> str:
    return "\n".join([f"\n| {head} |", f"|{'---|' * (head.count('|') + 1)}", *rows, ""])


def _with_part(text: str, begin: str, part: str) -> str:
    """Return a text with the part between two marks replaced."""
    head, _, rest = text.partition(begin)
    return head + begin + part + "\n" + END + rest.partition(END)[2]


# The schema.


def _frames(messages: dict[int, type[Message]], definitions: dict[str, Any]) -> dict[str, Any]:
    frames = {}
    for tag, cls in sorted(messages.items()):
        row = cls.model_json_schema()
        for name, definition in row.pop("$defs", {}).items():
            definitions[name] = _worded(definition, name)
        name = name_of(cls)
        items = _worded(row, name)["prefixItems"]
        row["prefixItems"] = [{"const": tag, "title": "message", "description": f"Names `{name}`."}, *items]
        row["minItems"] += 1
        frames[name] = row
    return frames


def _worded(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the schema of a message, row, options or closed list, with descriptions."""
    row["description"] = plain(row["description"])
    if name == Options.__name__:
        for option, described in row["properties"].items():
            described["description"] = beside(Options)[option]
    elif "enum" in row:
        row["meanings"] = {word: beside(WORD_LISTS[name])[word] for word in row["enum"]}
    else:
        for item in row["prefixItems"]:
            item["description"] = meanings(MODELS[wire_name(name)])[item["title"]]
    return row


# The sections of docs/wire.md and docs/messages.md.


def _options() -> Iterator[str]:
    yield "\n| option | values | default | meaning |\n|---|---|---|---|"
    for name, described in Options.model_json_schema()["properties"].items():
        values = " or ".join(_values(kind) for kind in described.get("anyOf", [described]))
        default = json.dumps(described["default"])
        more = " Changes the [moves](#moves)." if name in CHANGES_MOVES else ""
        yield f"| `{name}` | {values} | `{default}` | {beside(Options)[name]}{more} |"
    yield ""
    for option, kind in _word_lists(Options).items():
        yield f"- `{option}`"
        yield from (_wrapped(f"`{word}`: {beside(kind)[word]}", "  - ") for word in kind)


def _extensions() -> Iterator[str]:
    yield "\n| word | what it covers |\n|---|---|"
    texts = words_of(capabilities)
    yield from (f"| `{word}` | {' '.join(texts[word].split())} |" for word in capabilities.EXTENSIONS)
    yield ""


def _values(kind: dict[str, Any]) -> str:
    """Return an option's values."""
    if "$ref" in kind:
        return ", ".join(f"`{word}`" for word in WORD_LISTS[kind["$ref"].rpartition("/")[2]])
    if "minimum" in kind:
        return f"{kind['minimum']} to {kind['maximum']}"
    return {"boolean": "true, false", "null": "null", "string": "a name in games.json"}[kind["type"]]


def _described() -> Iterator[str]:
    direction = None
    for message in EXAMPLES:
        cls = type(message)
        own = "From the client" if cls.TAG in FROM_CLIENT else "From the server"
        if own != direction:
            direction = own
            yield f"\n## {direction}\n"
        fields = ", ".join(cls.model_fields)
        required = sum(of.is_required() for of in cls.model_fields.values())
        optional = len(cls.model_fields) - required
        note = f" (the last {optional} may be left out)" if optional else ""
        yield f"### {cls.TAG} · {name_of(message)}\n"
        yield f"{_wrapped(plain(cls.__doc__ or ''))}\n"
        yield f"{_wrapped(f'`[{cls.TAG}, {fields}]`{note}')}\n"
        if words := "\n".join(_fields(cls)):
            yield f"{words}\n"
        text, data = encode(message, Encoding.JSON), encode(message)
        assert isinstance(text, str)
        assert isinstance(data, bytes)
        digits = textwrap.fill(data.hex(" "), HEX_WIDTH)
        yield f"```\n{_broken(text)}\n{digits}  ({len(data)} bytes)\n```\n"
    yield "\n## Rows\n"
    for row in ROWS:
        name = wire_name(row.__name__)
        yield f"### {name}\n"
        yield f"{_wrapped(plain(row.__doc__ or ''))}\n"
        yield f"`[{', '.join(row.model_fields)}]`\n"
        yield "\n".join(_wrapped(f"`{of}`: {text}", "- ") for of, text in meanings(row).items()) + "\n"


def _fields(cls: type[Message]) -> Iterator[str]:
    """Yield the meaning of each field, without those common to all messages."""
    common = {meanings(Command)["counter"], meanings(Event)["seq"]}
    yield from (
        _wrapped(f"`{name}`: {text}", "- ") for name, text in meanings(cls).items() if text not in common
    )


def _wrapped(text: str, bullet: str = "") -> str:
    """Return paragraphs, or the one of a list's item, in lines of at most 100 characters."""
    return "\n\n".join(
        textwrap.fill(
            paragraph,
            100,
            initial_indent=bullet,
            subsequent_indent=" " * len(bullet),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for paragraph in text.split("\n\n")
    )


def _broken(text: str) -> str:
    """Return JSON in lines of at most 100 characters, broken after commas and nowhere else."""
    return textwrap.fill(text.replace(',"', ', "'), 100, break_on_hyphens=False).replace(', "', ',"')


def _files() -> dict[Path, str]:
    return {
        FOLDER / "schema.json": schema(),
        FOLDER / "games.json": games(),
        FOLDER / "moves.json": moves(),
        DOCUMENT: document(),
        LISTED: listed(),
        HOSTING: hosting(),
        SERVING: serving(),
        PAGE / "rules" / "games.js": usual_game(),
        PAGE / "rules" / "games_later.js": other_games(),
        PAGE / "texts.json": texts(),
        PAGE / "screens" / "guide_data.js": guides(),
        PAGE / "table" / "goal_data.js": goals(),
        PAGE / "table" / "lesson_data.js": lessons(),
        PAGE / "wire" / "protocol.js": constants(),
        PAGE / "wire" / "requests_of_menus.js": requests(FROM_MENUS),
        PAGE / "wire" / "requests_of_players.js": requests(FROM_PLAYERS),
        PAGE / "wire" / "options.js": options(),
        PAGE / "wire" / "presets.js": presets(),
        SERVER / "match" / "look_alikes.py": look_alikes(),
    }


def main() -> int:
    """Write the files, or with ``--check`` compare them; return the exit code."""
    stale = 0
    for path, text in _files().items():
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.stderr.write(f"{path.name} is not what the sources say: run `make schema-write`\n")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
