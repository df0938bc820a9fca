"""What is to be sent, in which order and how often; without a broker, a loop or a clock."""

import json

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.wire.codec import decode_server, encode
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.table import Table
from racing_demon_server.mqtt.payloads import record
from racing_demon_server.mqtt.publish_queue import Outgoing
from tests.support.cases import for_each
from tests.support.publish_queue_harness import TABLE, QueueHarness
from tests.support.tables import MS, SECOND, commit, feed_of


def test_a_new_table_is_told_with_all_its_parts() -> None:
    """Record, state and snapshot are kept by the broker; the record is certain to arrive."""
    sent = QueueHarness().sent()
    assert [(message.topic, message.qos) for message in sent] == [
        (TABLE, 1),
        (f"{TABLE}/state", 0),
        (f"{TABLE}/snapshot", 0),
    ]
    assert all(message.retain for message in sent)


def test_events_are_the_wires_own_bytes() -> None:
    """An event has the same bytes on its topic as in a frame."""
    harness = QueueHarness()
    harness.sent()
    events = harness.join()
    sent = [message.payload for message in harness.sent() if message.topic.endswith("/events")]
    assert sent == [encode(event) for event in events]


def test_changes_are_gathered() -> None:
    """However much happens, record and state are told at most four times a second."""
    harness = QueueHarness()
    harness.sent()
    seen = []
    for number in range(8):
        harness.join(f"P{number}")
        harness.now += 50 * MS
        seen += harness.topics()
    assert (seen.count(""), seen.count("/state"), seen.count("/events")) == (1, 1, 10)


def test_what_has_not_changed_is_not_repeated() -> None:
    """A chat changes neither record nor state."""
    harness = QueueHarness()
    harness.join()
    harness.sent()
    harness.now += SECOND
    harness.obey(cl.Say, text="hello")
    assert harness.topics() == ["/events"]


def test_a_snapshot_stands_between_the_events_before_and_after_it() -> None:
    """Whoever follows from a snapshot on misses no event, and sees none twice."""
    harness = QueueHarness()
    harness.join()
    harness.now += 6 * SECOND
    stream = harness.sent()
    harness.join("Bob")
    stream += harness.sent()
    numbers = [
        (type(message).__name__, message.seq)
        for sent in stream
        if sent.topic.endswith(("/events", "/snapshot"))
        and isinstance(message := decode_server(sent.payload), Snapshot | Event)
    ]
    assert numbers == [("Joined", 1), ("Hosted", 2), ("Prepared", 3), ("Snapshot", 3), ("Joined", 4)]


def test_a_full_line_loses_its_oldest_and_counts_them() -> None:
    """The line stays short however long nobody takes anything, and a snapshot follows what was lost."""
    harness = QueueHarness(max_waiting=10)
    harness.join()
    harness.sent()
    for _ in range(1_000):
        harness.blink()
    assert (len(harness.queue), harness.queue.dropped) == (10, 990)
    harness.now += 6 * SECOND
    topics = harness.topics()
    assert topics.count("/events") == 9  # the snapshot pushed one more out
    assert topics[-1] == "/snapshot"


def test_what_another_table_pushed_out_is_made_good() -> None:
    """Whoever follows a table of which everything was lost has a snapshot, though nothing happens there."""
    harness = QueueHarness(max_waiting=10, watch_delay_ms=3_000)
    harness.join()
    harness.sent()
    other = Table("CDFG", harness.table.view.options, hand_seeds(bytes(32)))
    feed = feed_of(other, lambda: harness.now)
    harness.queue.open(feed, harness.now)
    _, events = other.join("Bob", b"Bob", harness.now)
    for _ in range(7):
        events += other.connect(0, connected=not other.view.seats[0].connected, at=harness.now)
    commit(feed, events, harness.now)
    harness.queue.add(feed, events, harness.now)
    assert harness.queue.dropped == 5  # three events, the state and the snapshot
    seen = []
    for _ in range(2):
        harness.now += 6 * SECOND
        seen += harness.topics()
    assert (seen.count("/events"), seen.count("/state"), seen.count("/snapshot")) == (0, 1, 1)


def test_overflowing_while_snapshots_are_made_ends() -> None:
    """A line that is full of snapshots does not ask for more of them without end."""
    harness = QueueHarness(max_waiting=1)
    assert len(harness.sent()) <= 3


def test_a_closed_table_is_removed_and_nothing_of_it_comes_after() -> None:
    """What the broker kept of a table is removed, and no late snapshot brings it back."""
    harness = QueueHarness(homeassistant=True)
    harness.join()
    harness.queue.pop_due(0, 1)
    harness.queue.close(harness.feed)
    sent = [message for message in harness.sent() if message.retain]
    removed = {message.topic for message in sent if not message.payload}
    configs = {
        f"homeassistant/sensor/rd_a1/{name}/config"
        for name in ("bcdf", "bcdf_leader", "bcdf_points", "bcdf_players")
    }
    assert removed == {TABLE, f"{TABLE}/state", f"{TABLE}/snapshot", *configs}
    assert all(not message.payload for message in sent)


def test_a_table_that_was_never_opened_or_is_closed_twice_is_no_trouble() -> None:
    """There is nothing to remove, and nothing of it is told."""
    harness = QueueHarness()
    stranger = feed_of(Table("DFGH", Options(), hand_seeds(bytes(32))), lambda: 0)
    harness.sent()
    harness.queue.close(stranger)
    harness.queue.close(harness.feed)
    removed = harness.sent()
    harness.queue.close(harness.feed)
    harness.join()
    assert harness.sent() == []
    assert len(removed) == 3


def test_a_restart_tells_everything_again() -> None:
    """A broker that comes back knows nothing, and hears all of it."""
    harness = QueueHarness()
    harness.sent()
    harness.queue.restart(harness.now)
    assert harness.topics() == ["", "/state", "/snapshot"]


def test_only_tables_that_are_gone_are_tidied_away() -> None:
    """A kept message of a table that is here stays; one of a table that is not goes."""
    harness = QueueHarness()
    harness.sent()
    harness.queue.tidy(TABLE)
    harness.queue.tidy("rd/pub/a1/tables/xyz/state")
    harness.queue.tidy("rd/pub/other/tables/xyz")
    assert harness.sent() == [Outgoing("rd/pub/a1/tables/xyz/state", b"", 1, retain=True)]


def test_results_and_removals_wait_for_the_broker() -> None:
    """What may not have arrived is sent again in its order, but for events: these are counted."""
    harness = QueueHarness()
    batch = [
        Outgoing("hands", b"1", 1),
        Outgoing("gone", b"", 1, retain=True),
        Outgoing("record", b"3", 1, retain=True),
        Outgoing("events", b"4"),
        Outgoing("events", b"5"),
    ]
    harness.sent()
    harness.queue.give_back(batch)
    assert harness.queue.pop_due(0, 9) == batch[:2]
    assert harness.queue.dropped == 2


def test_it_is_known_how_long_nothing_is_due() -> None:
    """Not at all while something is overdue, and for ever where nothing waits."""
    harness = QueueHarness()
    assert 0 == harness.queue.wait_us(harness.now) == harness.queue.wait_us(1)
    harness.sent()
    assert harness.queue.wait_us(harness.now) is None
    harness.obey(cl.Ready, ready=True)
    harness.join()
    harness.sent()
    assert harness.queue.wait_us(harness.now) == 250 * MS
    assert harness.queue.wait_us(harness.now + 200 * MS) == 50 * MS


def test_a_new_hand_is_shown_at_once() -> None:
    """Whoever follows by snapshots need not wait five seconds for the new cards; they show its time, too."""
    harness = QueueHarness(countdown_ms=0)
    harness.join()
    harness.sent()
    harness.now += SECOND
    harness.obey(cl.Start)
    assert "/snapshot" in harness.topics()
    harness.tell(*harness.table.run_until(harness.now))
    harness.now += 7 * SECOND
    (told,) = [message.payload for message in harness.sent() if message.topic.endswith("/snapshot")]
    snapshot = decode_server(told)
    assert isinstance(snapshot, Snapshot)
    assert snapshot.elapsed_ms == 7_000


def test_a_line_that_overflows_after_a_restart_is_no_trouble() -> None:
    """What is pushed out then is nothing that the new broker was told of."""
    harness = QueueHarness(max_waiting=2, watch_delay_ms=3_000)
    harness.sent()
    harness.queue.restart(harness.now)
    harness.join()
    assert (len(harness.queue), harness.queue.dropped) == (2, 3)


def test_the_demons_description_is_told_once() -> None:
    """However often the broker comes back before it was sent; it is kept, and certain to arrive."""
    harness = QueueHarness(homeassistant=True)
    for _ in range(3):
        harness.queue.restart(harness.now)
    (told,) = [message for message in harness.sent() if message.topic.endswith("demon/config")]
    assert Outgoing("homeassistant/event/rd_a1/demon/config", told.payload, 1, retain=True) == told


@for_each("kind", ["results", "events"])
def test_a_call_takes_no_more_than_it_asks_for(kind: str) -> None:
    """Neither of results nor of events; the rest is there for the next call, in its order."""
    harness = QueueHarness()
    harness.sent()
    if kind == "results":
        harness.queue.give_back([Outgoing("hands", bytes([number]), 1) for number in range(5)])
    else:
        harness.join()
        harness.blink()
        harness.blink()
    batches = [harness.queue.pop_due(harness.now, 2) for _ in range(3)]
    assert [len(batch) for batch in batches] == [2, 2, 1]
    payloads = [message.payload for batch in batches for message in batch]
    if kind == "results":
        assert [bytes([number]) for number in range(5)] == payloads
    else:
        assert [getattr(decode_server(payload), "seq", None) for payload in payloads] == [1, 2, 3, 4, 5]


def test_what_is_built_shares_a_call_with_the_results_before_it() -> None:
    """Of two messages that are asked for a result is one, and the record the other."""
    harness = QueueHarness()
    result = Outgoing("hands", b"1", 1)
    harness.queue.give_back([result])
    assert [result.topic, TABLE] == [message.topic for message in harness.queue.pop_due(harness.now, 2)]


def test_nobody_looks_on_at_a_table_without_spectators() -> None:
    """Of a table that wants no spectators the broker learns neither names nor cards nor scores."""
    harness = QueueHarness(spectators=False)
    harness.join("Zebulon")
    harness.now += SECOND
    sent = harness.sent()
    assert {message.topic.removeprefix(TABLE) for message in sent if message.payload} == {"", "/state"}
    assert not any(b"Zebulon" in message.payload for message in sent)


def test_nobody_looks_on_at_a_locked_table() -> None:
    """A table with a passphrase is listed as such, and not shown."""
    harness = QueueHarness(locked=True)
    harness.join("Zebulon")
    harness.now += SECOND
    sent = harness.sent()
    record = json.loads(next(message.payload for message in sent if message.topic == TABLE))
    assert (record["locked"], record["taken"], record["players"]) == (True, 1, [])
    assert not any(b"Zebulon" in message.payload for message in sent)


def test_a_game_for_two_has_no_more_free_seats_than_two() -> None:
    """What the directory tells is what may be taken: as many as the game has, and the table."""
    harness = QueueHarness(game="sympathy")
    free = []
    for name in ("Ann", "Ben"):
        free.append(json.loads(record(harness.table.view, "a1", ()))["free"])
        harness.join(name)
    assert [*free, json.loads(record(harness.table.view, "a1", ()))["free"]] == [2, 1, 0]
