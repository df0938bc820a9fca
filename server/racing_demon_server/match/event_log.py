"""A table's log: what everybody may see of it, and the events that led there."""

from collections.abc import Iterable
from typing import Any

from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages.events import Event

__all__ = ["EventLog"]


class EventLog:
    """Writes events, and applies each to the view at once.

    Attributes:
        view: what everybody may see.

    """

    def __init__(self, view: TableView) -> None:
        self.view = view
        self._fresh: list[Event] = []

    def emit(self, cls: type[Event], **fields: Any) -> None:
        """Write the next event."""
        event = cls(seq=self.view.seq + 1, **fields)
        self.view.apply(event)
        self._fresh.append(event)

    def add(self, events: Iterable[Event]) -> None:
        """Write events that the view has followed already."""
        self._fresh += events

    def take(self) -> list[Event]:
        """Return the events that nobody has taken yet."""
        fresh, self._fresh = self._fresh, []
        return fresh
