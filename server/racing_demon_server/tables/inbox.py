"""The inbox of a table: commands that were read and not judged yet, in the order of judging.

The order is that of arrival, with one exception. When several commands wait, the first of each connection
comes first, then the second of each, and so on, so that a busy connection does not overtake an earlier
play of a quiet one.
"""

from collections import defaultdict, deque
from typing import NamedTuple

from racing_demon_protocol.wire.messages.client import Command
from racing_demon_server.frames import Listener
from racing_demon_server.match.seat_tokens import Actor


class Waiting(NamedTuple):
    """A command that waits to be judged.

    Attributes:
        sender: the connection that it came from.
        actor: the connection's actor.
        command: the command.
        arrived: when its bytes were read, in microseconds.

    """

    sender: Listener
    actor: Actor
    command: Command
    arrived: int


class Inbox:
    """The commands that wait at one table, in rounds."""

    def __init__(self) -> None:
        self._rounds: list[deque[Waiting]] = []
        self._sent: defaultdict[Listener, int] = defaultdict(int)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, waiting: Waiting) -> None:
        """Add a command, which arrived no earlier than those that wait."""
        number = self._sent[waiting.sender]
        self._sent[waiting.sender] = number + 1
        if number == len(self._rounds):
            self._rounds.append(deque())
        self._rounds[number].append(waiting)
        self._count += 1

    def take(self, before: int | None = None) -> Waiting | None:
        """Remove and return the next command that arrived before a moment; ``None`` if there is none."""
        for waiting in self._rounds:
            if waiting and (before is None or waiting[0].arrived < before):
                self._count -= 1
                taken = waiting.popleft()
                if not self._count:
                    self.clear()
                return taken
        return None

    def clear(self) -> None:
        """Empty the inbox."""
        self._rounds.clear()
        self._sent.clear()
        self._count = 0
