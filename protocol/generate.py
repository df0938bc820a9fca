"""Writes what follows from the messages: ``schema.json``, and the message section of this folder's README.

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


def main() -> int:
    """Write the files, or with ``--check`` compare them; return the exit code."""
    stale = 0
    for path, text in ((FOLDER / "schema.json", schema()), (FOLDER / "README.md", readme())):
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.stderr.write(f"{path.name} is not what the messages say: run `make schema-write`\n")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
