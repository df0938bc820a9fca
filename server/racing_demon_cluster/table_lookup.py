"""Finds tables of other servers by their codes: where they are, and who owns them."""

from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

import psycopg

from .database_thread import DatabaseThread
from .statements import TableOwner, locate

MAX_CODES: Final = 256
"""The most codes in one query; a takeover of 500 tables takes two."""
MAX_WAITING: Final = 4_000
"""The most waiting searches: as many as there can be connections."""

OwnerCallback = Callable[[TableOwner | Exception | None], None]
Located = dict[str, TableOwner]


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


SearchCallback = Callable[[Location | SearchResult], None]
"""Called once with the result of a search."""


class TableLookup:
    """Collects the codes that arrive during a query, and looks all of them up with the next one.

    So only one query at a time runs at the database, however many clients search. If it cannot hold a code
    of a query, each of these is looked up alone, so that one client's does not fail the others'.

    Args:
        thread: queries the database.

    """

    def __init__(self, thread: DatabaseThread) -> None:
        self._thread = thread
        self._waiting: dict[str, list[OwnerCallback]] = {}
        self._alone: deque[tuple[str, list[OwnerCallback]]] = deque()
        self._searches = 0
        self._is_asking = False

    def find(self, code: str, callback: OwnerCallback) -> bool:
        """Find an open table; call back with its owner, ``None`` if there is none, or the error.

        Returns:
            Whether there was room for the search; if not, nobody is called back.

        """
        if self._searches >= MAX_WAITING:
            return False
        self._searches += 1
        self._waiting.setdefault(code, []).append(callback)
        if not self._is_asking:
            self._ask()
        return True

    def _ask(self) -> None:
        self._is_asking = True
        if self._alone:
            asked = dict([self._alone.popleft()])
        else:
            asked = {code: self._waiting.pop(code) for code in list(islice(self._waiting, MAX_CODES))}
        codes = list(asked)
        self._thread.do(partial(locate, codes=codes), partial(self._answer, asked))

    def _answer(self, asked: dict[str, list[OwnerCallback]], located: Located | Exception) -> None:
        self._is_asking = False
        if isinstance(located, psycopg.DataError):
            if len(asked) > 1:
                self._alone.extend(asked.items())
                asked = {}
            located = {}  # no table can have such a code
        self._searches -= sum(map(len, asked.values()))
        if self._alone or self._waiting:
            self._ask()
        for code, waiting in asked.items():
            for callback in waiting:
                callback(located if isinstance(located, Exception) else located.get(code))
