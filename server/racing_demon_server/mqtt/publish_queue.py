"""The queue of what is published: in which order, and how often. It is pure: times are arguments.

Three kinds of messages wait here. Retained ones (records, states) are built when they are due, so they are
never stale and never lost, however long the broker is away. Results are few, and wait in a queue of their
own. Events, and the snapshots between them, share one bounded queue: when it is full the oldest are
dropped and counted, and subscribers continue from the next snapshot. Delayed messages of a table stay in it
until they are due, and no message of that table overtakes them.
"""

import heapq
from collections import deque
from collections.abc import Sequence
from enum import IntEnum
from itertools import count
from typing import Final, NamedTuple

from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.mqtt import payloads
from racing_demon_server.tables.disclosure import is_open
from racing_demon_server.tables.feed import CommittedTable

from .topics import Sensor, Topics

MAX_WAITING: Final = 5_000
"""The most events, snapshots and similar messages that wait."""
MAX_RESULTS: Final = 4_000
"""The most results, and removals of tables, that wait."""
MAX_PROGRESS: Final = 64
"""The most steps of a table's match that wait for its record; the oldest are left out."""
AT_ONCE: Final = 0
"""The due time of messages without a delay."""


class Outgoing(NamedTuple):
    """One message for the broker. A retained empty one removes what is retained on its topic."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False


class Topic(IntEnum):
    """A retained message that is built when its table has changed."""

    RECORD = 0
    STATE = 1
    SNAPSHOT = 2
    PHASE = 3
    LEADER = 4
    POINTS = 5
    PLAYERS = 6


SENSORS: Final = {Topic[sensor.name]: sensor for sensor in Sensor}
"""The descriptions of a table for Home Assistant."""
INTERVAL_US: Final = {
    Topic.RECORD: 250_000,
    Topic.STATE: 250_000,
    Topic.SNAPSHOT: 5_000_000,
    **dict.fromkeys(SENSORS, 5_000_000),
}
"""The shortest time between two messages of a kind, in microseconds."""


class _Waiting(NamedTuple):
    """An entry of a queue. ``code`` names the table of an event or snapshot."""

    due: int
    number: int
    what: Outgoing | Event
    code: str = ""


class PublishQueue:
    """All messages that wait for the broker.

    Attributes:
        urls: where the tables can be joined.
        dropped: the number of messages dropped since the start.

    Args:
        topics: the node's topics.
        homeassistant: whether to describe the tables to Home Assistant.
        max_waiting: how many events may wait.

    """

    def __init__(self, topics: Topics, *, homeassistant: bool, max_waiting: int = MAX_WAITING) -> None:
        self.urls: Sequence[str] = ()
        self.dropped = 0
        self._topics = topics
        self._homeassistant = homeassistant
        self._max_waiting = max_waiting
        self._numbers = count()
        self._codes: dict[CommittedTable, str] = {}
        self._tables: dict[str, CommittedTable] = {}
        self._due: list[tuple[int, str, Topic]] = []
        self._marked: dict[tuple[str, Topic], int] = {}
        self._built_at: dict[tuple[str, Topic], int] = {}
        self._retained_there: dict[str, bytes] = {}
        self._progress: dict[str, deque[tuple[int, payloads.ShownProgress]]] = {}
        self._results: list[_Waiting] = []
        self._line: list[_Waiting] = []

    def __len__(self) -> int:
        """Return the number of queued messages, without those that are built when due."""
        return len(self._results) + len(self._line)

    # Events of the tables.

    def open(self, table: CommittedTable, now: int) -> None:
        """Add a new table."""
        code = self._codes[table] = table.settled.code
        self._tables[code] = table
        # What a table that comes back has played just now may not be shown yet.
        due = now + (table.hold_us() if table.settled.seq else 0)
        self._progress[code] = deque([(due, payloads.ShownProgress.of(table.settled))])
        self._mark_all_changed(code, now)

    def close(self, table: CommittedTable) -> None:
        """Remove a table's retained messages."""
        code = self._codes.pop(table, None)
        if code is None or self._tables[code] is not table:  # opened again, restored
            return
        del self._tables[code], self._progress[code]
        self._due = [entry for entry in self._due if entry[1] != code]
        heapq.heapify(self._due)
        for part in Topic:
            self._marked.pop((code, part), None)
            self._built_at.pop((code, part), None)
        for topic in self._topics.retained(code):
            self._withdraw(topic)
            self._remove(topic)
        if self._homeassistant:
            for sensor in Sensor:
                self._remove(self._topics.sensor_config(code, sensor))

    def add(self, table: CommittedTable, events: Sequence[Event], now: int) -> None:
        """Add a table's next events; it is as it is after them."""
        code = self._codes.get(table)
        if code is None:
            return
        state = table.settled
        if is_open(state):
            for event in events:
                self._enqueue(code, event, now)
                self._add_results(code, payloads.results(state, event), now)
        if not all(isinstance(event, ev.Played | ev.Said) for event in events):
            self._note_progress(code, payloads.ShownProgress.of(state), now)
            self._mark_changed(code, Topic.RECORD, now)
        self._mark_changed(code, Topic.STATE, now)
        is_dealt = any(isinstance(event, ev.Dealt) for event in events)
        self._mark_changed(code, Topic.SNAPSHOT, now, at_once=is_dealt)

    def _note_progress(self, code: str, progress: payloads.ShownProgress, now: int) -> None:
        """Note how far a table's match is, for when spectators see it."""
        steps = self._progress[code]
        if steps[-1][1] != progress:
            steps.append((now + self._tables[code].hold_us(), progress))
        if len(steps) > MAX_PROGRESS:
            del steps[1]  # the first one is shown

    def _shown_progress(self, code: str, now: int) -> payloads.ShownProgress | None:
        """Return how far spectators see a table's match; ``None`` if they see nothing of it yet."""
        steps = self._progress[code]
        while len(steps) > 1 and steps[1][0] <= now:
            steps.popleft()
        waiting = next((due for due, _ in steps if due > now), None)
        if waiting is not None:
            self._mark_changed(code, Topic.RECORD, waiting)
        due, progress = steps[0]
        return progress if due <= now else None

    def _add_results(self, code: str, results: Sequence[payloads.Result], now: int) -> None:
        for kind, payload in results:
            if kind != "demon":
                self._enqueue(code, Outgoing(self._topics.table(code, kind), payload, 1), now)
            elif self._homeassistant:
                self._enqueue(code, Outgoing(self._topics.demon, payload), now)

    # Retained messages.

    def restart(self, now: int) -> None:
        """Start over with a broker that may have forgotten everything."""
        self._retained_there.clear()
        if self._homeassistant:
            config = Outgoing(self._topics.demon_config, payloads.demon_config(self._topics), 1, retain=True)
            if not any(waiting.what == config for waiting in self._results):
                self._queue_result(config)
        for code in self._tables:
            self._mark_all_changed(code, now)

    def move(self, urls: Sequence[str], now: int) -> None:
        """Publish the tables with other addresses."""
        self.urls = urls
        for code in self._tables:
            self._mark_changed(code, Topic.RECORD, now, at_once=True)

    def tidy(self, topic: str) -> None:
        """Remove a retained message of an unknown table."""
        code = self._topics.code_of(topic)
        if code is not None and code not in self._tables:
            self._remove(topic)

    # Messages to send.

    def pop_due(self, now: int, most: int) -> list[Outgoing]:
        """Return the next messages that are due, up to a number.

        Each call builds at most that many, so the result can be empty while more remain to be built.
        """
        batch: list[Outgoing] = []
        while self._results and self._results[0].due <= now and len(batch) < most:
            batch.append(self._finished(heapq.heappop(self._results)))
        left = most - len(batch)
        while self._due and self._due[0][0] <= now and left:
            left -= 1
            due, code, part = heapq.heappop(self._due)
            if self._marked.get((code, part)) == due:
                batch += self._build(code, part, now)
        while self._line and self._line[0].due <= now and len(batch) < most:
            batch.append(self._finished(heapq.heappop(self._line)))
        return batch

    def finish(self) -> None:
        """Make results due at once, because the server stops and nobody plays."""
        self._results = [waiting._replace(due=AT_ONCE) for waiting in self._results]
        heapq.heapify(self._results)

    def give_back(self, batch: Sequence[Outgoing]) -> None:
        """Put back messages that may not have been sent."""
        for message in reversed(batch):
            if message.qos and not (message.retain and message.payload):
                first = -next(self._numbers)  # they were first, and are first again
                heapq.heappush(self._results, _Waiting(AT_ONCE, first, message))
            elif not message.retain:
                self.dropped += 1

    def wait_us(self, now: int) -> int | None:
        """Return the microseconds until something is due; ``None`` if nothing waits."""
        first = [heap[0][0] for heap in (self._results, self._due, self._line) if heap]
        return max(0, min(first) - now) if first else None

    # Internals.

    def _mark_all_changed(self, code: str, now: int) -> None:
        for part in Topic:
            if part not in SENSORS or self._homeassistant:
                self._mark_changed(code, part, now, at_once=True)

    def _mark_changed(self, code: str, part: Topic, now: int, *, at_once: bool = False) -> None:
        """Mark a retained message as changed. It is built when its interval has passed."""
        key = code, part
        built_at = self._built_at.get(key)
        due = now if at_once or built_at is None else max(now, built_at + INTERVAL_US[part])
        known = self._marked.get(key)
        if known is None or due < known:
            self._marked[key] = due
            heapq.heappush(self._due, (due, code, part))

    def _build(self, code: str, part: Topic, now: int) -> list[Outgoing]:
        """Build a retained message; return it unless it repeats the last one or was queued."""
        del self._marked[code, part]
        self._built_at[code, part] = now
        topic, payload = self._part(code, part, now)
        if payload is None or self._retained_there.get(topic) == payload:
            return []
        self._retained_there[topic] = payload
        if not payload:
            self._withdraw(topic)
        lines_up = part in {Topic.STATE, Topic.SNAPSHOT} and payload
        message = Outgoing(topic, payload, 0 if lines_up else 1, retain=True)
        if not lines_up:
            return [message]
        self._enqueue(code, message, now)
        return []

    def _part(self, code: str, part: Topic, now: int) -> tuple[str, bytes | None]:
        """Return the topic and payload of a retained message; ``None`` if what is there stays for now."""
        table, topics = self._tables[code], self._topics
        match part:
            case Topic.RECORD:
                progress = self._shown_progress(code, now)
                if progress is None:
                    return topics.table(code), None
                return topics.table(code), payloads.record(table.settled, topics.node, self.urls, progress)
            case Topic.STATE:
                return topics.table(code, "state"), payloads.state(table.view)
        if part in SENSORS:
            sensor = SENSORS[part]
            return topics.sensor_config(code, sensor), payloads.table_config(topics, code, sensor)
        topic = topics.table(code, "snapshot")
        if not is_open(table.settled):
            return topic, b""  # removes the last one, because spectators are no longer allowed
        elapsed_ms = table.hand_clock.elapsed_ms(table.durable_time(now))
        return topic, pack(table.view.snapshot_for(None, elapsed_ms))

    def _enqueue(self, code: str, what: Outgoing | Event, now: int) -> None:
        """Put a message into a queue, with the table's delay."""
        due = now + self._tables[code].hold_us()
        if isinstance(what, Outgoing) and what.qos:
            self._queue_result(what, due)
            return
        heapq.heappush(self._line, _Waiting(due, next(self._numbers), what, code))
        if len(self._line) > self._max_waiting:
            oldest = heapq.heappop(self._line)
            self.dropped += 1
            if isinstance(oldest.what, Outgoing):
                self._retained_there.pop(oldest.what.topic, None)
            if oldest.code in self._tables:
                self._mark_changed(oldest.code, Topic.STATE, now)
                self._mark_changed(oldest.code, Topic.SNAPSHOT, now)

    def _withdraw(self, topic: str) -> None:
        """Remove queued messages that would be retained on a topic after its removal."""
        self._line = [
            waiting
            for waiting in self._line
            if not (isinstance(waiting.what, Outgoing) and waiting.what.topic == topic)
        ]
        heapq.heapify(self._line)

    def _finished(self, waiting: _Waiting) -> Outgoing:
        if isinstance(waiting.what, Outgoing):
            return waiting.what
        return Outgoing(self._topics.table(waiting.code, "events"), pack(waiting.what))

    def _queue_result(self, message: Outgoing, due: int = AT_ONCE) -> None:
        """Put a message into the short queue, which survives an absence of the broker."""
        heapq.heappush(self._results, _Waiting(due, next(self._numbers), message))
        if len(self._results) > MAX_RESULTS:
            heapq.heappop(self._results)
            self.dropped += 1

    def _remove(self, topic: str) -> None:
        self._retained_there.pop(topic, None)
        self._queue_result(Outgoing(topic, b"", 1, retain=True))
