"""However many clients look for tables, the database is asked one question at a time."""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
import pytest

from racing_demon_cluster.database_thread import DatabaseThread
from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.statements import TableOwner
from racing_demon_cluster.table_lookup import MAX_CODES, MAX_WAITING, TableLookup
from tests.support.postgres import Postgres


class Held(DatabaseThread):
    """A worker that answers when the test says so.

    Attributes:
        asked: the codes of each question.

    """

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self._then: Callable[[Any], None] = lambda _: None

    def do(self, job: Any, then: Callable[[Any], None]) -> None:
        """Note a question."""
        self.asked.append(job.keywords["codes"])
        self._then = then

    def answer(self, located: Any) -> None:
        """Answer the newest question."""
        self._then(located)


def where(number: int) -> TableOwner:
    """Return where a table is."""
    return TableOwner(number, 1, "ws://n1", "n1:5252", fenced=False)


def test_all_codes_that_wait_are_one_question() -> None:
    """What comes during a question is asked together afterwards, each code once."""
    worker = Held()
    heard: list[object] = []
    finder = TableLookup(worker)
    for client, code in enumerate(("BCDF", "GHJK", "GHJK", "LMNP")):
        finder.find(code, lambda found, client=client: heard.append((client, found)))  # type: ignore[misc]
    worker.answer({"BCDF": where(1)})
    assert worker.asked == [["BCDF"], ["GHJK", "LMNP"]]
    worker.answer({"GHJK": where(2)})
    assert heard == [(0, where(1)), (1, where(2)), (2, where(2)), (3, None)]
    finder.find("BCDF", lambda found: heard.append((4, found)))
    assert worker.asked[2:] == [["BCDF"]]


def test_an_error_is_everybodys_answer() -> None:
    """If the database cannot be asked, all who wait for the question hear that."""
    worker, error = Held(), ConnectionError()
    heard: list[object] = []
    finder = TableLookup(worker)
    finder.find("BCDF", heard.append)
    worker.answer(error)
    assert heard == [error]


def test_a_code_that_no_database_can_hold_fails_nobody_elses() -> None:
    """Of a question that has such a code each is asked alone, before others; that one is no table's."""
    worker = Held()
    heard: dict[str, object] = {}
    finder = TableLookup(worker)
    for code in ("first", "BCDF", "A\0", "GHJK"):
        finder.find(code, partial(heard.__setitem__, code))
    worker.answer({})
    worker.answer(psycopg.DataError())
    finder.find("LMNP", partial(heard.__setitem__, "LMNP"))
    for located in ({"BCDF": where(1)}, psycopg.DataError(), {"GHJK": where(2)}, {}):
        worker.answer(located)
    assert worker.asked == [["first"], ["BCDF", "A\0", "GHJK"], ["BCDF"], ["A\0"], ["GHJK"], ["LMNP"]]
    assert heard == {"first": None, "BCDF": where(1), "A\0": None, "GHJK": where(2), "LMNP": None}


async def test_a_lookup_survives_what_no_database_can_hold(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """A text with a NUL is no table's, and costs no connection."""
    with contextlib.closing(DatabaseThread(servers.url(name), opened("n1").node, "locator")) as thread:
        finder = TableLookup(thread)

        async def connection() -> object:
            found = asyncio.get_running_loop().create_future()
            thread.do(lambda db: db.info.backend_pid, found.set_result)
            return await found

        before = await connection()
        found = asyncio.get_running_loop().create_future()
        assert finder.find("A\0", found.set_result)
        assert await found is None
        assert await connection() == before


def test_one_question_has_so_many_codes() -> None:
    """The others wait for the next one, the oldest first."""
    worker = Held()
    heard: list[object] = []
    finder = TableLookup(worker)
    codes = [f"{number:06}" for number in range(1, 2 * MAX_CODES)]
    for code in ("first", *codes):
        assert finder.find(code, heard.append)
    for _ in range(3):
        worker.answer({})
    assert worker.asked == [["first"], codes[:MAX_CODES], codes[MAX_CODES:]]
    assert len(heard) == 2 * MAX_CODES


@pytest.mark.long
def test_so_many_searches_wait_and_no_more() -> None:
    """Those of the running question count, too; each that is answered makes room for another."""
    worker = Held()
    heard: list[object] = []
    finder = TableLookup(worker)
    assert all(finder.find(code, heard.append) for code in ["BCDF", "GHJK"] * (MAX_WAITING // 2))
    assert not finder.find("BCDF", heard.append)
    worker.answer({})
    assert heard == [None]
    assert finder.find("LMNP", heard.append)
    assert not finder.find("LMNP", heard.append)
