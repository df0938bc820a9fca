"""Where a table is that this server does not have."""

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple


class Location(NamedTuple):
    """Where another server has a table.

    Attributes:
        host: where players reach that server.
        port: the same.
        inside: where other servers reach it.
        when_fenced: lets a function be called when that server is fenced; returns what cancels that.

    """

    host: str
    port: int
    inside: tuple[str, int]
    when_fenced: Callable[[Callable[[], None]], Callable[[], None]] = lambda _: lambda: None


class SearchResult(Enum):
    """What else a search for a table comes to."""

    HERE = auto()
    NOWHERE = auto()
    UNKNOWN = auto()
    BUSY = auto()


Found = Callable[[Location | SearchResult], None]
"""Is called once with the result of a search."""
