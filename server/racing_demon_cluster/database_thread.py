"""A thread that runs tasks at the database one by one, over its own connection."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import psycopg

from racing_demon_cluster.postgres.connection import Database
from racing_demon_server.journal.interface import JournalUnusable

from .statements import connect_as

T = TypeVar("T")

log = logging.getLogger("racing_demon_server")


class DatabaseThread:
    """Runs tasks at the database, and calls back on the loop.

    Args:
        url: the database.
        node: the number of the server.
        name: the thread's name.

    """

    def __init__(self, url: str, node: int, name: str) -> None:
        self._url = url
        self._node = node
        self._loop = asyncio.get_running_loop()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._db: Database | None = None
        self._is_closed = False

    def do(self, job: Callable[[Database], T], then: Callable[[T | Exception], None]) -> None:
        """Run a task in the thread, and then pass its result to a callback on the loop."""
        with contextlib.suppress(RuntimeError):  # all ends
            self._pool.submit(self._do, job, then)

    def _do(self, job: Callable[[Database], T], then: Callable[[T | Exception], None]) -> None:
        result: T | Exception
        if self._is_closed:
            return
        try:
            self._db = self._db or connect_as(self._node, self._url)
            result = job(self._db)
        except psycopg.DataError as error:  # the caller's fault: the connection is as good as before
            result = error
        except Exception as error:
            result = error
            if not isinstance(error, psycopg.Error | JournalUnusable):
                log.exception("something could not be done at the database")
            if self._db is not None:
                self._db.close()
                self._db = None
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(then, result)

    def close(self) -> None:
        """Drop the waiting tasks, and close the connection after the running one."""
        self._is_closed = True
        self._pool.submit(self._hang_up)
        self._pool.shutdown(wait=False)

    def _hang_up(self) -> None:
        if self._db is not None:
            self._db.close()
