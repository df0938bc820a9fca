"""The processes of one server, and which of them has which table: its code says so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code is a word; no digits, so that none looks like a letter."""
MAX_PROCESSES: Final = len(CODE_LETTERS)
"""Each process needs a letter for the codes of its tables."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shards:
    """The processes of one server, seen from one of them.

    Attributes:
        number: its own number, from 1.
        ports: the port of each, in their order.
        strays: tables that are not where their code says, with the number of their process: they were
            opened when the server had another number of processes.

    """

    number: int = 1
    ports: tuple[int, ...] = (0,)
    strays: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_alone(self) -> bool:
        """Whether the server has one process only."""
        return len(self.ports) == 1

    def has(self, code: str) -> bool:
        """Tell whether a table of this code belongs to this process."""
        return self._owner(code) == self.number

    def port(self, code: str) -> int:
        """Return the port of a table's process."""
        return self.ports[self._owner(code) - 1]

    def _owner(self, code: str) -> int:
        return self.strays.get(code) or owner(code, len(self.ports))


ALONE: Final = Shards()


def owner(code: str, processes: int) -> int:
    """Return the number of a code's process: its first letter says it."""
    return CODE_LETTERS.find(code[:1] or " ") % processes + 1
