"""Observers of all tables of a server: metrics, a broker, the announcer."""

import logging
from collections.abc import Callable, Sequence
from typing import ClassVar, ParamSpec

from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.server import Accepted, Refused

from .feed import CommittedTable

Facts = ParamSpec("Facts")

log = logging.getLogger("racing_demon_server")


def tell(method: Callable[Facts, None], *facts: Facts.args, **named: Facts.kwargs) -> None:
    """Tell an observer something. Its mistakes are neither the table's nor those of other observers."""
    try:
        method(*facts, **named)
    except Exception:
        log.exception("an observer could not be told of a table")


class Observer:
    """Called synchronously when something happens: methods must be quick.

    An observer overrides the methods that it needs. What they raise is logged, and the table goes on.

    Attributes:
        names_tables: whether it tells others about tables; then it is told nothing of unlisted ones.

    """

    names_tables: ClassVar[bool] = False

    def opened(self, table: CommittedTable) -> None:
        """Observe a table that was opened."""

    def listed(self, table: CommittedTable) -> None:
        """Observe a table that was in no list until now, perhaps in the middle of a match."""
        self.opened(table)

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Observe events that were broadcast at a table, in order."""

    def carried_out(self, table: CommittedTable, took_us: Sequence[int]) -> None:
        """Observe plays whose events were sent, with their latencies in microseconds."""

    def answered(
        self, table: CommittedTable, command: Command, reply: Accepted | Refused, took_us: int
    ) -> None:
        """Observe any other answer, with its latency in microseconds."""

    def closed(self, table: CommittedTable) -> None:
        """Observe a table that was closed."""
