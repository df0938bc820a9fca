"""A thread that does one thing after the other at the database, with a connection of its own."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import psycopg

from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.postgres.connection import Database, connect

from .statements import name_connection

__all__ = ["Worker"]

T = TypeVar("T")

log = logging.getLogger("racing_demon_server")


class Worker:
    """Does things at the database, and calls back on the loop.

    Args:
        url: where the database is.
        node: the number of the server.
        name: what the thread is called.

    """

    def __init__(self, url: str, node: int, name: str) -> None:
        self._url = url
        self._node = node
        self._loop = asyncio.get_running_loop()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._db: Database | None = None

    def do(self, job: Callable[[Database], T], then: Callable[[T | Exception], None]) -> None:
        """Do something in the thread, then something with what comes of it on the loop."""
        with contextlib.suppress(RuntimeError):  # all ends
            self._pool.submit(self._do, job, then)

    def _do(self, job: Callable[[Database], T], then: Callable[[T | Exception], None]) -> None:
        result: T | Exception
        try:
            self._db = self._db or self._connect()
            result = job(self._db)
        except Exception as error:
            result = error
            if not isinstance(error, psycopg.Error | JournalUnusable):
                log.exception("something could not be done at the database")
            if self._db is not None:
                self._db.close()
                self._db = None
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(then, result)

    def _connect(self) -> Database:
        db = connect(self._url)
        name_connection(db, self._node)
        return db

    def close(self) -> None:
        """Do nothing more that has not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)
