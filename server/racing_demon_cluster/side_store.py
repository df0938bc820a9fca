"""What servers of a cluster keep in the database besides tables, each of them behind its fence."""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, Final

import psycopg

from racing_demon_cluster.postgres.connection import Database, numbered
from racing_demon_server.journal.interface import Fenced, JournalUnusable, SqlStore, UnstorableValue

from .statements import connect_as

FENCED: Final = "RD001"
"""The error of the database's function ``fence``."""
INTERRUPT_SECONDS: Final = 2.0
AT_ONCE: Final = 50
"""Rows that are read at a time."""


class SideStore(SqlStore):
    """A connection for results or players, which is opened when it is needed, and again after it was lost.

    Args:
        url: the database.
        node: the number of this incarnation, which writes nothing after it was fenced.
        lock: what two servers may not write at the same time, as a number.
        waits: whether the standby has what was written; what it may lose is made from the journal again.

    """

    def __init__(self, url: str, node: int, lock: int, *, waits: bool) -> None:
        self._url = url
        self._node = node
        self._lock = lock
        self._waits = waits
        self._db: Database | None = None
        self._names = count()

    def tidy(self) -> None:
        """Do nothing: the database's own vacuum removes what was deleted."""

    def rows(self, sql: str, *values: object) -> Sequence[Sequence[Any]]:
        """Carry out a statement, with parameters like ``?1``, and return the rows that it finds.

        Raises:
            JournalUnusable: the database cannot be used now.
            UnstorableValue: it cannot hold one of the values.

        """
        with self._telling_errors() as db:
            cursor = db.execute(numbered(sql), values)
            return cursor.fetchall() if cursor.description else ()

    def stream(self, sql: str, *values: object) -> Iterator[Sequence[Any]]:
        """Yield the rows that a query finds, a few at a time.

        Raises:
            JournalUnusable: the database cannot be used now.
            UnstorableValue: it cannot hold one of the values.

        """
        with (
            self._telling_errors() as db,
            db.transaction(),
            psycopg.RawServerCursor(db, f"rows_{next(self._names)}") as cursor,
        ):
            cursor.itersize = AT_ONCE
            yield from cursor.execute(numbered(sql), values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything inside the context, or nothing; no other server writes the same meanwhile.

        So numbers of rows rise in the order in which others see the rows.

        Raises:
            Fenced: this incarnation may never write again.
            JournalUnusable: the database cannot be used now.
            UnstorableValue: it cannot hold one of the values.

        """
        with self._telling_errors() as db, db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(5252, $1)", (self._lock,))
            db.execute("SELECT fence($1)", (self._node,))
            if not self._waits:
                db.execute("SET LOCAL synchronous_commit = off")
            yield

    def interrupt(self) -> None:
        """End what another thread waits for, such as for a standby that is missing, or a silent database."""
        if (db := self._db) is None:
            return
        try:
            db.cancel_safe(timeout=INTERRUPT_SECONDS)
        except psycopg.Error:
            # The request has no answer, either: what waits is to see the end of its connection.
            with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(db.fileno())) as wire:
                wire.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        if self._db is not None:
            self._db.close()
        self._db = None

    @contextmanager
    def _telling_errors(self) -> Iterator[Database]:
        if self._db is None:
            self._db = connect_as(self._node, self._url)
        try:
            yield self._db
        except psycopg.DataError as error:  # the caller's fault: the connection is as good as before
            raise UnstorableValue(_first_line(error)) from None
        except psycopg.Error as error:
            self.close()
            text = _first_line(error)
            if error.sqlstate == FENCED:
                raise Fenced(text) from None
            raise JournalUnusable(f"The database cannot be used: {text}.") from None


def _first_line(error: psycopg.Error) -> str:
    """Return what the database says, without the statement."""
    return str(error).strip().partition("\n")[0]
