"""The queue of a webhook: what waits, how much, and how long."""

import sqlite3
from pathlib import Path

import pytest

from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.webhook.notices import Step
from racing_demon_server.webhook.queue_file import KEPT_MS, MAX_WAITING, QueueFile, TableStep


def step(number: int, at: int = 0, count: int = 1) -> TableStep:
    """Return a step of a table with some notices."""
    notices = [(f"A/1/{number}.{each}", b"{}") for each in range(count)]
    return TableStep("A", Step(1, number), notices, at, at)


def test_a_file_keeps_notices_with_how_far_their_table_is(tmp_path: Path) -> None:
    """Opened again it has both; a queue without a file has neither."""
    for path in (tmp_path / "queue.sqlite", None):
        queue = QueueFile(path)
        queue.add([step(1), step(2)], 0)
        queue.close()
        queue = QueueFile(path)
        waiting = queue.first(0)
        assert (len(queue), queue.last_steps()) == ((2, {"A": Step(1, 2)}) if path else (0, {}))
        assert (waiting and waiting.id) == ("A/1/1.0" if path else None)
        queue.close()


def test_the_oldest_are_dropped_from_a_full_queue() -> None:
    """It holds a fixed number, and counts those that it drops."""
    queue = QueueFile(None)
    assert queue.add([step(1, count=MAX_WAITING)], 0) == 0
    assert queue.add([step(2, count=3)], 0) == 3
    first = queue.first(0)
    assert first is not None
    assert (len(queue), first.id) == (MAX_WAITING, "A/1/1.3")


def test_a_notice_is_given_up_after_a_week() -> None:
    """Nobody needs the notice of a match from last week."""
    queue = QueueFile(None)
    queue.add([step(1, at=0)], 0)
    assert queue.add([step(2, at=KEPT_MS)], KEPT_MS) == 0
    assert queue.add([step(3, at=KEPT_MS + 1)], KEPT_MS + 1) == 1
    assert len(queue) == 2


def test_notices_wait_until_they_are_due() -> None:
    """One that was put off does not hold up those after it."""
    queue = QueueFile(None)
    queue.add([step(1), step(2)], 0)
    refused = queue.first(0)
    assert refused is not None
    queue.postpone(refused.number, 500)
    second = queue.first(0)
    assert second is not None
    queue.remove(second.number)
    assert (queue.first(499), queue.next_due_ms()) == (None, 500)
    assert queue.first(500) == refused


def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    """It is said what it is not."""
    path = tmp_path / "queue.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE mine (id)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(JournalUnusable, match="no file of webhook notices"):
        QueueFile(path)
    assert path.read_bytes() == before
