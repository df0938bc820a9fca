"""The processes of one server, and which of them has which table: its code tells, nobody has to be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["ALONE", "CODE_LETTERS", "MOST_PROCESSES", "Shards", "owner"]

CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code is a word; no digits, so that none looks like a letter."""
MOST_PROCESSES: Final = len(CODE_LETTERS)
"""Each needs a letter that its tables' codes begin with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shards:
    """The processes of one server, as one of them sees them.

    Attributes:
        number: its own number, from 1.
        ports: the port of each, in their order.
        strays: tables that are with another process than their code tells, and its number: those that were
            opened when the server had more processes, or fewer.

    """

    number: int = 1
    ports: tuple[int, ...] = (0,)
    strays: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_alone(self) -> bool:
        """Whether one process is all of the server."""
        return len(self.ports) == 1

    def has(self, code: str) -> bool:
        """Tell whether a table of this code would be this process's."""
        return self._owner(code) == self.number

    def port(self, code: str) -> int:
        """Return where a table of this code would be."""
        return self.ports[self._owner(code) - 1]

    def _owner(self, code: str) -> int:
        return self.strays.get(code) or owner(code, len(self.ports))


ALONE: Final = Shards()


def owner(code: str, processes: int) -> int:
    """Return the number of the process whose tables have such codes: their first letter tells."""
    return CODE_LETTERS.find(code[:1] or " ") % processes + 1
