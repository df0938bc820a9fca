"""What waits for a broker is bounded, and what is dropped is counted."""

import pytest

from racing_demon_server.mqtt import publish_queue
from racing_demon_server.mqtt.publish_queue import PublishQueue
from racing_demon_server.mqtt.topics import Topics
from tests.support.virtual_rooms import now, open_room, virtual

TOPICS = Topics("hall")


@virtual
async def test_what_is_built_counts_with_what_is_sent() -> None:
    """A call that may return one message builds no second one."""
    queue = PublishQueue(TOPICS, homeassistant=True)
    queue.open(open_room().shown, now())
    assert [TOPICS.table("test")] == [message.topic for message in queue.pop_due(now(), 1)]


@virtual
async def test_tables_that_come_and_go_leave_the_last_one_due() -> None:
    """However many were opened while the broker was away, the one that is open is published."""
    queue, table = PublishQueue(TOPICS, homeassistant=False), open_room().shown
    for _ in range(400):
        queue.open(table, now())
        queue.close(table)
    queue.open(table, now())
    told = {message.topic: message.payload for _ in range(4) for message in queue.pop_due(now(), 10_000)}
    assert all(told[topic] for topic in TOPICS.retained("test"))


@virtual
async def test_a_removal_that_is_dropped_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them once."""
    monkeypatch.setattr(publish_queue, "MAX_RESULTS", 1)

    queue, table = PublishQueue(TOPICS, homeassistant=False), open_room().shown
    queue.open(table, now())
    queue.close(table)
    assert (1, len(list(TOPICS.retained("test"))) - 1) == (len(queue), queue.dropped)
