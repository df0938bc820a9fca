"""Where tables are that this node does not have."""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple, Protocol


class Location(NamedTuple):
    """Where another node has a table.

    Attributes:
        host: where players reach that node.
        port: the same.
        inside: where other nodes reach it.
        when_fenced: lets a function be called when that node is fenced; returns what cancels that.

    """

    host: str
    port: int
    inside: tuple[str, int]
    when_fenced: Callable[[Callable[[], None]], Callable[[], None]] = lambda _: lambda: None


class Whereabouts(Enum):
    """What else a search for a table comes to."""

    HERE = auto()
    NOWHERE = auto()
    UNKNOWN = auto()
    BUSY = auto()


class Locator(Protocol):
    """Knows the tables of other servers."""

    @property
    def listed(self) -> Sequence[dict[str, Any]]:
        """What browsers list of them."""

    @property
    def takes_tables(self) -> bool:
        """Whether tables may be opened here."""

    def locate(self, code: str, found: Callable[[Location | Whereabouts], None]) -> None:
        """Search for a table, and call back once."""
