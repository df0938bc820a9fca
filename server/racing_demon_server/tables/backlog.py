"""What waits for spectators who see a table later: as bytes, and bounded for each table and for the server.

Where too much waits, it is replaced by a snapshot of the table as it is now. That waits its time like any
event, so spectators miss what happened between, and see nothing too early.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from racing_demon_protocol.wire.codec import Encoding
from racing_demon_server.frames import Packed
from racing_demon_server.match.hand_clock import HandClock

from .turns import Turns

__all__ = ["Backlog", "Later", "Queue"]

OVERHEAD: Final = 200
"""Bytes that whatever waits takes beside its own."""


class Later:
    """An event or a snapshot that is shown later.

    Attributes:
        due: when it may be shown, in microseconds.
        at: when it happened.
        seq: the number of the event, or of the last one that is in the snapshot.
        packed: the message as it is on the wire.
        hand_clock: of a snapshot, what the time of the hand is told by; ``None`` for an event.

    """

    __slots__ = ("at", "due", "hand_clock", "packed", "seq")

    def __init__(
        self, due: int, at: int, seq: int, packed: bytes, hand_clock: HandClock | None = None
    ) -> None:
        self.due = due
        self.at = at
        self.seq = seq
        self.packed = packed
        self.hand_clock = hand_clock

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return len(self.packed) + OVERHEAD

    def framed(self, encoding: Encoding) -> bytes:
        """Return the message as the bytes that go through a socket."""
        return Packed(self.packed).framed(encoding)


class Backlog:
    """All queues of one server.

    Attributes:
        size: how many bytes wait in all of them.
        turns: whose turn it is to pass on what is due.

    Args:
        most_of_table: how many bytes may wait in one.
        most: how many may wait in all together.

    """

    def __init__(self, most_of_table: int, most: int) -> None:
        self.size = 0
        self.turns = Turns()
        self._most_of_table = most_of_table
        self._most = most
        self._queues: set[Queue] = set()

    def note(self, queue: "Queue", change: int) -> None:
        """Count bytes that came to a queue, or went."""
        self.size += change
        if queue.size:
            self._queues.add(queue)
        else:
            self._queues.discard(queue)

    def make_room(self, queue: "Queue") -> None:
        """Shorten a queue that has grown too long; and where all together are too long, the longest."""
        if queue.size > self._most_of_table:
            queue.shorten()
        while self.size > self._most and max(self._queues, key=lambda each: each.size).shorten():
            pass


class Queue:
    """What waits for the spectators of one table, in the order in which it happened.

    Attributes:
        size: how many bytes it takes.

    Args:
        backlog: all queues of the server.
        snapshot: returns the table as it is now, to be shown when what happens now may be.

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
        """What is shown next. Something must wait."""
        return self._waiting[0]

    def append(self, later: Later) -> None:
        """Let something wait; what waits already may be replaced for that."""
        self._waiting.append(later)
        self._grow(later.size)
        self._backlog.make_room(self)

    def take_due(self, now: int, most: int) -> list[Later]:
        """Take what may be shown now, but not more than so much; nothing overtakes what was before it."""
        due: list[Later] = []
        while self._waiting and self._waiting[0].due <= now and len(due) < most:
            due.append(self._waiting.popleft())
        self._grow(-sum(each.size for each in due))
        return due

    def shorten(self) -> bool:
        """Replace what waits by a snapshot; tell whether it is shorter now.

        A snapshot that is the next to be shown stays, so that spectators see one now and then, however
        often this is done.
        """
        before, snapshot = self.size, self._snapshot()
        kept = [each for each in (self.first, snapshot) if each.hand_clock is not None]
        self._waiting = deque(kept)
        self._grow(sum(each.size for each in kept) - before)
        return self.size < before

    def clear(self) -> None:
        """Let nothing wait any more."""
        self._waiting.clear()
        self._grow(-self.size)

    def _grow(self, change: int) -> None:
        self.size += change
        self._backlog.note(self, change)
