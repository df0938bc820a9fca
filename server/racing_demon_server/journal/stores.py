"""Chooses the store of a journal by its name: the path of a file."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from racing_demon_server.durability import Durability

from .interface import JournalReader, Store
from .sqlite.database import journals_of, reading
from .sqlite.store import SqliteStore

__all__ = ["JournalPart", "open_store", "parts_of"]


class JournalPart:
    """One journal of a server, which has one for each of its processes.

    Attributes:
        prefix: the prefix of its matches' names among those of the server.

    """

    def __init__(self, prefix: str, path: Path) -> None:
        self.prefix = prefix
        self._path = path

    def opened(self, *, write: bool = False) -> AbstractContextManager[JournalReader]:
        """Open it for reading, or for corrections as well.

        Raises:
            JournalUnusable: it cannot be opened, or turns out to be damaged.

        """
        return reading(self._path, write=write)


def open_store(journal: Path, durability: Durability) -> Store:
    """Open a journal for a server.

    Raises:
        JournalUnusable: it cannot be used.

    """
    return SqliteStore(journal, durability)


def parts_of(journal: Path) -> Iterator[JournalPart]:
    """Yield the journals of a server."""
    for prefix, path in journals_of(journal):
        yield JournalPart(prefix, path)
