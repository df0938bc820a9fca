"""A queue with one table, in a time that moves when it is told to."""

from typing import Any, Final

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.table import Table
from racing_demon_server.mqtt.publish_queue import Outgoing, PublishQueue
from racing_demon_server.mqtt.topics import Topics
from tests.support.tables import commit, feed_of

TABLE: Final = "rd/pub/a1/tables/bcdf"
"""The topic of its record."""


class QueueHarness:
    """A queue with one table, and a clock that moves when it is told to."""

    def __init__(
        self, max_waiting: int = 5_000, *, homeassistant: bool = False, locked: bool = False, **options: Any
    ) -> None:
        self.now = self._counter = 0
        self.table = Table("BCDF", Options(**options), hand_seeds(bytes(32)), locked=locked)
        self.feed = feed_of(self.table, lambda: self.now)
        self.queue = PublishQueue(Topics("a1"), homeassistant=homeassistant, max_waiting=max_waiting)
        self.queue.open(self.feed, 0)

    def join(self, name: str = "Ann") -> list[Event]:
        """Seat somebody."""
        _, events = self.table.join(name, name.encode(), self.now)
        self.tell(*events)
        return events

    def blink(self) -> None:
        """Let the first player's connection come or go."""
        connected = not self.table.view.seats[0].connected
        self.tell(*self.table.connect(0, connected=connected, at=self.now))

    def tell(self, *events: Event) -> None:
        """Let events be noted."""
        if events:
            commit(self.feed, events, self.now)
            self.queue.add(self.feed, events, self.now)

    def obey(self, kind: type[Command], **fields: Any) -> None:
        """Let the first player's command be carried out."""
        self._counter += 1
        command = kind(counter=self._counter, **fields)
        self.tell(*self.table.handle_command(0, command, self.now).events)

    def play_out(self) -> None:
        """Let a hand, which is the whole match, begin, and end as nobody can go on."""
        self.obey(cl.Start)
        self.tell(*self.table.run_until(self.now))
        self.obey(cl.Stuck)

    def numbers(self) -> list[int]:
        """Return the numbers of all events that are due now."""
        events = (message.payload for message in self.sent() if message.topic.endswith("/events"))
        return [event.seq for event in map(decode_server, events) if isinstance(event, Event)]

    def sent(self, most: int = 1_000) -> list[Outgoing]:
        """Return all that is due now."""
        sent: list[Outgoing] = []
        while (batch := self.queue.pop_due(self.now, most)) or self.queue.wait_us(self.now) == 0:
            sent += batch
        return sent

    def topics(self) -> list[str]:
        """Return the last parts of the topics of all that is due now."""
        return [message.topic.removeprefix(TABLE) for message in self.sent()]
