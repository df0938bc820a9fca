"""A table's log of events, and the public view that follows from it."""

from collections.abc import Iterable
from typing import Any

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.events import Event


class EventLog:
    """Appends events, and applies each to the view at once.

    Attributes:
        view: the public state of the table.

    """

    def __init__(self, view: TableState) -> None:
        self.view = view
        self._fresh: list[Event] = []

    def emit(self, cls: type[Event], **fields: Any) -> None:
        """Append the next event."""
        event = cls(seq=self.view.seq + 1, **fields)
        self.view.apply(event)
        self._fresh.append(event)

    def add(self, events: Iterable[Event]) -> None:
        """Append events that were already applied to the view."""
        self._fresh += events

    def drain(self) -> list[Event]:
        """Return and forget the new events."""
        fresh, self._fresh = self._fresh, []
        return fresh
