"""Whoever follows all tables of a server, beside those who sit or watch there: metrics, a broker."""

from collections.abc import Sequence
from typing import Protocol

from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.server import Accepted, Refused

from .committed import CommittedTable

__all__ = ["Observer"]


class Observer(Protocol):
    """Is told what happens, in the call in which it happens: it must be quick, and never raise."""

    def opened(self, table: CommittedTable) -> None:
        """Note that a table was opened."""

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Note events that were sent to everybody at a table, in their order."""

    def carried_out(self, table: CommittedTable, took_us: Sequence[int]) -> None:
        """Note plays whose events, their answers, were sent so many microseconds after they came."""

    def answered(
        self, table: CommittedTable, command: Command, reply: Accepted | Refused, took_us: int
    ) -> None:
        """Note any other answer, so many microseconds after a command came."""

    def closed(self, table: CommittedTable) -> None:
        """Note that a table was closed."""
