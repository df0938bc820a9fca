"""Observers of tables, for tests."""

from collections.abc import Sequence

from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_server.tables.committed import CommittedTable

__all__ = ["IgnoringObserver"]


class IgnoringObserver:
    """Takes no notice of anything. Tests override what they want to know of."""

    def opened(self, table: CommittedTable) -> None:
        """Ignore it."""

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Ignore them."""

    def carried_out(self, table: CommittedTable, took_us: Sequence[int]) -> None:
        """Ignore them."""

    def answered(
        self, table: CommittedTable, command: Command, reply: Accepted | Refused, took_us: int
    ) -> None:
        """Ignore it."""

    def closed(self, table: CommittedTable) -> None:
        """Ignore it."""
