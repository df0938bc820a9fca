"""A client from before extensions: it takes no frame that the schema of its time does not have."""

import json
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

from racing_demon_protocol.wire.messages import Message
from tests.support.servers import Peer

SCHEMA: Final = Path(__file__).parent.parent / "fixtures" / "schema_before_extensions.json"
SOFTWARE: Final = "old-client races"
"""What it says of itself."""


def _validators() -> dict[int, Draft202012Validator]:
    """Return what validates each of a server's messages, by number."""
    schema: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return {
        frame["prefixItems"][0]["const"]: Draft202012Validator({**frame, "$defs": schema["$defs"]})
        for frame in schema["server_to_client"].values()
    }


class OldClient(Peer):
    """A peer that fails on anything that a client from before extensions does not know.

    It has the JSON encoding, and says hello with ``SOFTWARE``.
    """

    _VALIDATORS: Final = _validators()

    async def greet(self, software: str = SOFTWARE, heartbeat_ms: int = 0) -> None:
        """Hear the versions and say hello, without what is younger."""
        await super().greet(SOFTWARE)

    def apply(self, frame: bytes | str) -> Message:
        """Validate a frame against the old schema, and let the mirror follow it."""
        row = json.loads(frame)
        self._VALIDATORS[row[0]].validate(row)
        return super().apply(frame)
