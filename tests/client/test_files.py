"""Small files of the player's."""

from pathlib import Path

from racing_demon_client.files import open_for_append
from tests.support.cases import for_each


@for_each(
    ("before", "after"),
    [(None, b"new"), (b"", b"new"), (b"old\n", b"old\nnew"), (b"half a line", b"half a line\nnew")],
    ids=["no file", "an empty one", "a whole line", "half a line"],
)
def test_lines_are_written_behind_those_that_are_there(
    before: bytes | None, after: bytes, tmp_path: Path
) -> None:
    """Nothing is overwritten, and a line that was cut off gets its end first."""
    path = tmp_path / "match.jsonl"
    if before is not None:
        path.write_bytes(before)
    with open_for_append(str(path)) as file:
        file.write(b"new")
    assert after == path.read_bytes()
