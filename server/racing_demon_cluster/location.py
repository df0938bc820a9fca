"""The location of another server's table."""

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple


class Location(NamedTuple):
    """Where another server has a table.

    Attributes:
        host: where players reach that server.
        port: the same.
        inside: where other servers reach it.
        when_fenced: registers a callback for when that server is fenced; returns a function that cancels it.

    """

    host: str
    port: int
    inside: tuple[str, int]
    when_fenced: Callable[[Callable[[], None]], Callable[[], None]] = lambda _: lambda: None


class SearchResult(Enum):
    """The other results of a search for a table."""

    HERE = auto()
    NOWHERE = auto()
    UNKNOWN = auto()
    BUSY = auto()


Found = Callable[[Location | SearchResult], None]
"""Called once with the result of a search."""
