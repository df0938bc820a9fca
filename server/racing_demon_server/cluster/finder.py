"""Finds tables by their codes, however many clients ask: with one question at a time to the database."""

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
    """Asks for all codes together that came during the question before.

    Args:
        worker: asks the database.

    """

    def __init__(self, worker: _Worker) -> None:
        self._worker = worker
        self._waiting: dict[str, list[Found]] = {}
        self._is_asking = False

    def find(self, code: str, found: Found) -> None:
        """Find an open table; call back with where it is, with ``None`` if there is none, or the error."""
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
