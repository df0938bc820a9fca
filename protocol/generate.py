"""Writes what clients in other languages need: ``schema.json``, ``games.json``, and a part of the README.

The schema and the README's message section follow from the messages, the games from their declarations.

python protocol/generate.py [--check]
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from examples import EXAMPLES
from racing_demon_protocol.codec import MAX_CLIENT_FRAME, MAX_SERVER_FRAME, VERSION, Encoding, encode
from racing_demon_protocol.declaration import Deals, Game, Heads, Owner
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.layout import Layout
from racing_demon_protocol.messages import FROM_CLIENT, FROM_SERVER, Message, name_of
from racing_demon_protocol.reasons import CloseCode

FOLDER = Path(__file__).parent
BEGIN, END = "<!-- generated: messages -->\n", "<!-- end of generated -->\n"
HEX_WIDTH = 64


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


def games() -> str:
    """Return the piles of every game, as JSON: what a client must know to number and to draw them."""
    return "{\n" + ",\n".join(_listed(game) for game in GAMES.values()) + "\n}\n"


def _listed(game: Game) -> str:
    """Return a game as JSON, one line a group."""
    told = _game(game)
    lines = [json.dumps(group, ensure_ascii=False) for group in told.pop("groups")]
    head = json.dumps(told, ensure_ascii=False).removesuffix("}")
    return f'"{game.name}": {head}, "groups": [\n ' + ",\n ".join(lines) + "\n]}"


def _game(game: Game) -> dict[str, Any]:
    layout = Layout(game, (0,))
    dealt = dict.fromkeys(range(len(layout.piles)), 0)
    for pile, cards in layout.unknown_deal(0):
        dealt[pile] += len(cards)
    groups = [(group, [pile for pile in layout.piles if pile.group == group.name]) for group in game.groups]
    return {
        "title": game.title,
        "racing": game.racing,
        "deals": game.deals,
        "packs": game.packs,
        "ranks": list(game.ranks),
        "groups": [
            {
                "name": group.name,
                "kind": group.kind,
                "owner": group.owner if game.deals is Deals.OWN else Owner.PLAYER,
                "piles": len(piles),
                "dealt": [dealt[pile.number] for pile in piles],
                "shows": piles[0].shows,
                "view": piles[0].view,
                "gathers": piles[0].gathers,
                "counts": piles[0].counts,
                "under": group.of if isinstance(group, Heads) else group.name if group.under else None,
                "geometry": group.geometry,
                "rows": list(group.rows),
            }
            for group, piles in groups
        ],
    }


def readme() -> str:
    """Return this folder's README with its message section made anew."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    return head + BEGIN + "\n".join(_described()) + "\n" + END + tail


def _frames(messages: dict[int, type[Message]], definitions: dict[str, Any]) -> dict[str, Any]:
    frames = {}
    for tag, cls in sorted(messages.items()):
        row = cls.model_json_schema()
        definitions.update(row.pop("$defs", {}))
        row["prefixItems"] = [{"const": tag, "title": "message"}, *row["prefixItems"]]
        row["minItems"] += 1
        frames[name_of(cls)] = row
    return frames


def _described() -> Iterator[str]:
    direction = None
    for message in EXAMPLES:
        cls = type(message)
        towards = "From the client" if cls.TAG in FROM_CLIENT else "From the server"
        if towards != direction:
            direction = towards
            yield f"\n### {direction}\n"
        fields = ", ".join(cls.model_fields)
        required = sum(field.is_required() for field in cls.model_fields.values())
        optional = len(cls.model_fields) - required
        note = f" (the last {optional} may be left out)" if optional else ""
        yield f"#### {cls.TAG} · {name_of(message)}\n"
        yield (
            f"{(cls.__doc__ or '').strip()}\n".replace("\n    ", "\n")
            .replace("``", "`")
            .replace(":class:`", "`")
            .replace("~.server.", "")
        )
        yield f"`[{cls.TAG}, {fields}]`{note}\n"
        text, data = encode(message, Encoding.JSON), encode(message)
        assert isinstance(text, str)
        assert isinstance(data, bytes)
        yield f"```\n{text}\n{_hex(data)}\n```\n"


def _hex(data: bytes) -> str:
    text = data.hex(" ")
    size = f"  ({len(data)} bytes)"
    rows = [text[start : start + 3 * HEX_WIDTH // 2] for start in range(0, len(text), 3 * HEX_WIDTH // 2)]
    return "\n".join(row.strip() for row in rows) + size


def _files() -> dict[Path, str]:
    return {
        FOLDER / "schema.json": schema(),
        FOLDER / "games.json": games(),
        FOLDER / "README.md": readme(),
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
