"""The processes of one server. A table's code says which of them has it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code is a word; no digits, so that none looks like a letter."""
MAX_PROCESSES: Final = len(CODE_LETTERS)
"""The most processes: each needs a letter for the codes of its tables."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shards:
    """The processes of one server, seen from one of them.

    Attributes:
        number: its own number, from 1.
        ports: the port of each, in their order.
        strays: tables that were opened when the server had another number of processes, with the number of
            the process that has them.

    """

    number: int = 1
    ports: tuple[int, ...] = (0,)
    strays: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_alone(self) -> bool:
        """Whether the server has one process only."""
        return len(self.ports) == 1

    def has(self, code: str) -> bool:
        """Return whether a table of this code belongs to this process."""
        return self._owner(code) == self.number

    def port(self, code: str) -> int:
        """Return the port of a table's process."""
        return self.ports[self._owner(code) - 1]

    def _owner(self, code: str) -> int:
        return self.strays.get(code) or owner(code, len(self.ports))


ALONE: Final = Shards()


def owner(code: str, processes: int) -> int:
    """Return the number of a code's process, which the first letter says."""
    return CODE_LETTERS.find(code[:1] or " ") % processes + 1
