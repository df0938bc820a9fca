"""Whoever follows all tables of a server, beside those who sit or watch there: metrics, a broker."""

from typing import Protocol

from racing_demon_protocol.messages.client import Command
from racing_demon_protocol.messages.events import Event
from racing_demon_protocol.messages.server import Accepted, Refused

from .shown import Shown

__all__ = ["Observer"]


class Observer(Protocol):
    """Is told what happens, in the call in which it happens: it must be quick, and never raise."""

    def opened(self, table: Shown) -> None:
        """Note that a table was opened."""

    def published(self, table: Shown, event: Event) -> None:
        """Note an event that was sent to everybody at a table."""

    def answered(
        self, table: Shown, command: Command, reply: Accepted | Refused | None, took_us: int
    ) -> None:
        """Note the answer, so many microseconds after a command came; ``None``: its event is the answer."""

    def closed(self, table: Shown) -> None:
        """Note that a table was closed."""
