"""What is kept of games played alone."""

import datetime as dt
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.sources.solo import MAX_STATISTICS_BYTES, Score, count_deal, load_scores
from tests.support.cases import for_each
from tests.support.effort import examples

DAY = dt.date(2026, 11, 1)


def test_deals_are_counted(tmp_path: Path) -> None:
    """Played, won, rows of wins, the best time, and that of a day."""
    path = tmp_path / "state" / "solo.json"
    count_deal(path, "clock", won=True, elapsed_ms=9_000)
    count_deal(path, "clock", won=True, elapsed_ms=7_000, day=DAY)
    count_deal(path, "clock", won=False, elapsed_ms=1_000)
    count_deal(path, "clock", won=True, elapsed_ms=8_000, day=DAY)
    count_deal(path, "fooliana", won=False, elapsed_ms=5)
    known = load_scores(path)
    assert known["clock"] == Score(played=4, won=3, streak=1, longest=2, best_ms=7_000, days={DAY: 7_000})
    assert known["fooliana"] == Score(played=1)


@for_each(
    "text",
    [
        "",
        "null",
        "{}",
        "[[[[",
        "[" * 100_000,
        '[{"game": "clock"}]',
        '[{"game": "\\u001b[2J", "score": {}}]',
        '[{"game": "clock", "score": {"played": -1}}]',
        '[{"game": "clock", "score": {"played": 1e400}}]',
        '[{"game": "clock", "score": {"played": true}}]',
        '[{"game": "clock", "score": {"days": {"2026-13-99": 5}}}]',
        '[{"game": "clock", "score": {"best_ms": 99999999999999999999}}]',
        '[{"game": "clock", "score": {}, "more": 1}]',
        '[NaN, Infinity, "x", 5]',
        "[" + '"' + "x" * MAX_STATISTICS_BYTES + '"]',
    ],
)
def test_hostile_files_are_passed_over(tmp_path: Path, text: str) -> None:
    """What we would not have written is not read, and is replaced by the next deal."""
    path = tmp_path / "solo.json"
    path.write_text(text)
    assert load_scores(path) == {}
    assert count_deal(path, "clock", won=True, elapsed_ms=3).played == 1
    assert {"clock"} == load_scores(path).keys()


@examples(100)
@given(st.binary(max_size=400))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """No content raises anything."""
    path = tmp_path_factory.mktemp("solo") / "solo.json"
    path.write_bytes(data)
    assert isinstance(load_scores(path), dict)


def test_one_bad_line_spoils_no_other(tmp_path: Path) -> None:
    """Entries stand for themselves."""
    path = tmp_path / "solo.json"
    count_deal(path, "clock", won=True, elapsed_ms=3)
    path.write_text(json.dumps([{"game": 5}, *json.loads(path.read_text()), None]))
    assert {"clock"} == load_scores(path).keys()


def test_a_place_that_cannot_be_written_ends_no_game(tmp_path: Path) -> None:
    """A folder where the file should be: the deal counts for now, and is forgotten."""
    path = tmp_path / "solo.json"
    path.mkdir()
    assert count_deal(path, "clock", won=True, elapsed_ms=3).won == 1
    assert load_scores(path) == {}
