"""What a queue does where spectators see things later, and with what is due at its end."""

import json

from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from racing_demon_server.mqtt.publish_queue import PublishQueue
from racing_demon_server.mqtt.topics import Topics
from tests.support.cases import for_each
from tests.support.publish_queue_harness import TABLE, QueueHarness
from tests.support.tables import MS, SECOND


def test_what_waits_in_line_does_not_bring_a_closed_table_back() -> None:
    """The state and the snapshot whose delay is not over go with their table."""
    harness = QueueHarness(watch_delay_ms=3_000)
    harness.join()
    harness.sent()
    harness.queue.close(harness.feed)
    harness.now += 4 * SECOND
    kept = {message.topic: message.payload for message in harness.sent() if message.retain}
    assert kept == {TABLE: b"", f"{TABLE}/state": b"", f"{TABLE}/snapshot": b""}


def test_what_waits_in_line_is_not_seen_once_nobody_may_look_on() -> None:
    """The snapshot whose delay is not over goes with the last one, and does not bring it back."""
    harness = QueueHarness(watch_delay_ms=3_000)
    harness.join("Zebulon")
    harness.sent()
    harness.now += SECOND
    harness.obey(cl.SetOptions, options=Options(spectators=False))
    harness.now += 4 * SECOND
    kept = {message.topic: message.payload for message in harness.sent() if message.retain}
    assert kept[f"{TABLE}/snapshot"] == b""


def test_a_delayed_table_is_seen_later() -> None:
    """Where spectators see things later, so does the broker: events, states and snapshots."""
    harness = QueueHarness(watch_delay_ms=3_000)
    harness.join()
    assert harness.topics() == [""]
    harness.now += 2_999 * MS
    assert harness.topics() == []
    harness.now += MS
    assert set(harness.topics()) == {"/events", "/snapshot", "/state"}


def test_a_record_tells_how_far_a_match_is_with_the_delay() -> None:
    """Who sits there, and whether others can join, is told at once; phase, hand and totals are not."""
    harness = QueueHarness(game="classic", hands=1, countdown_ms=0, reserve_card=-2, watch_delay_ms=3_000)
    harness.join()
    harness.play_out()
    assert progress_told(harness) == [(1, "lobby", 0, [0])]
    harness.now += 2_999 * MS
    assert progress_told(harness) == []
    harness.now += MS
    assert progress_told(harness)[-1:] == [(1, "over", 1, [-26])]


def test_a_table_that_comes_back_tells_no_more_of_its_match_than_spectators_see() -> None:
    """What was played just before a restart comes with the delay; until then the old record stays."""
    before = QueueHarness(hands=1, countdown_ms=0, watch_delay_ms=3_000)
    before.join()
    before.play_out()
    queue = before.queue = PublishQueue(Topics("a1"), homeassistant=False)
    queue.open(before.feed, before.now)
    before.obey(
        cl.SetOptions, options=Options(hands=1, countdown_ms=0, watch_delay_ms=3_000, late_join=False)
    )
    queue.restart(before.now)
    assert progress_told(before) == []
    before.now += 3 * SECOND
    assert progress_told(before)[-1:] == [(1, "over", 1, list(scoring.totals(before.table.view).values()))]


def progress_told(harness: QueueHarness) -> list[tuple[int, str, int, list[int]]]:
    """Return seats, phase, hand and totals of the records that are due now."""
    found = [json.loads(each.payload) for each in harness.sent() if each.topic == TABLE]
    return [
        (each["taken"], each["phase"], each["hand"], [player["total"] for player in each["players"]])
        for each in found
    ]


@for_each("delay_ms", [0, 1_000])
def test_a_delay_that_gets_shorter_lets_nothing_overtake(delay_ms: int) -> None:
    """What happens after the host lowers the delay, or takes it away, comes behind all that waits it out."""
    harness = QueueHarness(watch_delay_ms=30_000)
    harness.join()
    harness.now += SECOND
    harness.obey(cl.SetOptions, options=Options(watch_delay_ms=delay_ms))
    harness.now += SECOND
    harness.obey(cl.AddBot)
    assert harness.numbers() == []
    harness.now = 31 * SECOND
    assert harness.numbers() == [1, 2, 3, 4, 5]


def test_a_delayed_tables_results_are_not_dropped_with_its_events() -> None:
    """However many events fill the line, the results come, in their order and after the delay."""
    harness = QueueHarness(max_waiting=10, hands=1, countdown_ms=0, watch_delay_ms=3_000)
    harness.join()
    harness.play_out()
    for _ in range(100):
        harness.blink()
    assert not {"/hands", "/matches"} & set(harness.topics())
    harness.now += 3 * SECOND
    topics = harness.topics()
    assert [topic for topic in topics if topic in {"/hands", "/matches"}] == ["/hands", "/matches"]


def test_a_delay_that_is_taken_away_lets_no_result_overtake() -> None:
    """A hand's result that waits for the broker comes before that of the next one, which need not wait."""
    harness = QueueHarness(hands=1, countdown_ms=0, watch_delay_ms=3_000)
    harness.join()
    harness.play_out()
    harness.obey(cl.SetOptions, options=Options(hands=1, countdown_ms=0, watch_delay_ms=0))
    harness.now += 3 * SECOND
    harness.play_out()
    sent = [message for message in harness.sent() if message.topic == f"{TABLE}/hands"]
    assert [json.loads(message.payload)["hand_id"] for message in sent] == ["BCDF/1/1", "BCDF/2/1"]


def test_at_the_end_results_wait_no_longer() -> None:
    """A server that stops tells the results whose delay is not over, and nothing else that waits one out."""
    harness = QueueHarness(hands=1, countdown_ms=0, watch_delay_ms=3_000)
    harness.join()
    harness.sent()
    harness.play_out()
    harness.queue.finish()
    told = harness.sent()
    assert [message.topic.rpartition("/")[2] for message in told if message.topic != TABLE] == [
        "hands",
        "matches",
    ]
    assert {(1, False)} == {(message.qos, message.retain) for message in told if message.topic != TABLE}
