"""Finds tables by code. However many clients ask, one query at a time runs at the database."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from racing_demon_server.journal.postgres.connection import Database

from .statements import Whereabout, locate

__all__ = ["Finder"]

Found = Callable[[Whereabout | Exception | None], None]
Located = dict[str, Whereabout]


class _Worker(Protocol):
    def do(self, job: Callable[[Database], Located], then: Callable[[Located | Exception], None]) -> None: ...


class Finder:
    """Collects the codes that arrive during a query, and looks all of them up with the next one.

    Args:
        worker: queries the database.

    """

    def __init__(self, worker: _Worker) -> None:
        self._worker = worker
        self._waiting: dict[str, list[Found]] = {}
        self._is_asking = False

    def find(self, code: str, found: Found) -> None:
        """Find an open table; call back with its place, ``None`` if there is none, or the error."""
        self._waiting.setdefault(code, []).append(found)
        if not self._is_asking:
            self._ask()

    def _ask(self) -> None:
        self._is_asking = True
        asked, self._waiting = self._waiting, {}
        self._worker.do(partial(locate, codes=list(asked)), partial(self._answer, asked))

    def _answer(self, asked: dict[str, list[Found]], located: Located | Exception) -> None:
        self._is_asking = False
        if self._waiting:
            self._ask()
        for code, waiting in asked.items():
            for found in waiting:
                found(located if isinstance(located, Exception) else located.get(code))
