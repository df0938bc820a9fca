"""Events that wait for delayed spectators: as bytes, bounded for each table and for the server.

If a queue grows too long, a snapshot of the table replaces it. The snapshot waits its time like any event,
so spectators skip what happened between, and see nothing too early.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from racing_demon_protocol.wire.codec import Encoding
from racing_demon_server.frames import Packed
from racing_demon_server.match.hand_clock import HandClock

from .turns import Turns

OVERHEAD: Final = 200
"""Bytes that an entry takes beside its message."""


@dataclass(slots=True)
class Later:
    """An event or a snapshot that is shown later.

    Attributes:
        due: when it may be shown, in microseconds.
        at: when it happened.
        seq: the number of the event, or of the last event in the snapshot.
        packed: the encoded message.
        hand_clock: the clock of the hand, for a snapshot; ``None`` for an event.

    """

    due: int
    at: int
    seq: int
    packed: bytes
    hand_clock: HandClock | None = None

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.packed) + OVERHEAD

    def framed(self, encoding: Encoding) -> bytes:
        """Return the message as a WebSocket frame."""
        return Packed(self.packed).framed(encoding)


class Backlog:
    """All queues of one server.

    Attributes:
        size: the bytes that wait in all of them.
        turns: the order in which galleries send what is due.

    Args:
        most_of_table: most bytes in one queue.
        most: most bytes in all queues.

    """

    def __init__(self, most_of_table: int, most: int) -> None:
        self.size = 0
        self.turns = Turns()
        self._most_of_table = most_of_table
        self._most = most
        self._queues: set[Queue] = set()

    def note(self, queue: "Queue", change: int) -> None:
        """Count bytes that were added to a queue, or removed."""
        self.size += change
        if queue.size:
            self._queues.add(queue)
        else:
            self._queues.discard(queue)

    def make_room(self, queue: "Queue") -> None:
        """Shorten a queue that has grown too long, and the longest one if all together are too long."""
        if queue.size > self._most_of_table:
            queue.shorten()
        while self.size > self._most and max(self._queues, key=lambda each: each.size).shorten():
            pass


class Queue:
    """The events that wait for the spectators of one table, in order.

    Attributes:
        size: the bytes that it takes.

    Args:
        backlog: all queues of the server.
        snapshot: returns a snapshot of the table, due when an event of now would be.

    """

    def __init__(self, backlog: Backlog, snapshot: Callable[[], Later]) -> None:
        self.size = 0
        self._backlog = backlog
        self._snapshot = snapshot
        self._waiting: deque[Later] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def first(self) -> Later:
        """The next entry. The queue must not be empty."""
        return self._waiting[0]

    def append(self, later: Later) -> None:
        """Add an entry. This may replace earlier ones by a snapshot."""
        self._waiting.append(later)
        self._grow(later.size)
        self._backlog.make_room(self)

    def take_due(self, now: int, most: int) -> list[Later]:
        """Remove and return the entries that are due, up to a number, in order."""
        due: list[Later] = []
        while self._waiting and self._waiting[0].due <= now and len(due) < most:
            due.append(self._waiting.popleft())
        self._grow(-sum(each.size for each in due))
        return due

    def shorten(self) -> bool:
        """Replace the queue by a snapshot. Return whether it is shorter now.

        A snapshot at the head stays, so that spectators see one from time to time however often this
        happens.
        """
        before, snapshot = self.size, self._snapshot()
        kept = [each for each in (self.first, snapshot) if each.hand_clock is not None]
        self._waiting = deque(kept)
        self._grow(sum(each.size for each in kept) - before)
        return self.size < before

    def clear(self) -> None:
        """Empty the queue."""
        self._waiting.clear()
        self._grow(-self.size)

    def _grow(self, change: int) -> None:
        self.size += change
        self._backlog.note(self, change)
