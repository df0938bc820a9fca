from pathlib import Path

from racing_demon_protocol.constants import (
    MAX_CHAT_LENGTH,
    MAX_NAME_LENGTH,
    MAX_REPORT_LENGTH,
    WEBSOCKET_PATH,
)
from racing_demon_protocol.wire.codec import CLIENT_LIMITS
from tests.support.cases import for_each

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = (DOCS / "wire.md").read_text(encoding="utf-8")
MANUAL = (DOCS / "operate.md").read_text(encoding="utf-8")


@for_each(
    "sentence",
    [
        f"keeps at most {MAX_NAME_LENGTH} characters",
        f"`say` takes up to {MAX_CHAT_LENGTH} characters",
        f"`{WEBSOCKET_PATH}`",
        f"arrays have at most {CLIENT_LIMITS['max_array_len']} elements, maps {CLIENT_LIMITS['max_map_len']} "
        f"entries, strings {CLIENT_LIMITS['max_str_len']:,} bytes",
    ],
)
def test_the_wire_document_states_the_limits(sentence: str) -> None:
    """What docs/wire.md says in prose is what the programs hold to."""
    assert sentence in DOCUMENT


def test_the_manual_states_the_length_of_reports() -> None:
    """It says how much a player can report."""
    assert f"report has up to {MAX_REPORT_LENGTH} characters" in " ".join(MANUAL.split())
