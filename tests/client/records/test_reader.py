"""What a source of records is: a file, or a match of the journal."""

from pathlib import Path

import pytest

from racing_demon_client.records.reader import is_file
from tests.support.cases import for_each


@for_each(
    ("source", "expected"),
    [
        ("all", False),
        ("3.1", False),
        ("2-3.1", False),
        ("12-345.67", False),
        ("match.jsonl", True),
        ("-", True),
        ("3", True),
        ("2-", True),
        ("1.2.3", True),
        ("٣.١", True),
    ],
)
def test_a_match_of_the_journal_is_told_from_a_file(source: str, expected: bool) -> None:
    """It is named by two numbers, before them that of the process that has kept it, if there are several."""
    assert expected is is_file(source)


def test_a_file_that_is_called_like_a_match_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies there is meant."""
    (tmp_path / "2-3.1").touch()
    monkeypatch.chdir(tmp_path)
    assert is_file("2-3.1")
