"""A server that keeps nothing: what happens is told at once."""

import pytest

from racing_demon_server.journal.null_journal import NullJournal
from tests.support.servers import logged_warnings


async def test_what_happens_is_told_at_once_and_in_order() -> None:
    """What is written while something is told is told after it."""
    journal, told = NullJournal(), list[int]()

    def tell_first() -> None:
        journal.write([], lambda: told.append(2))
        told.append(1)

    journal.write([], tell_first)
    assert told == [1, 2]
    journal.write([], lambda: told.append(3))
    assert told == [1, 2, 3]
    await journal.drained()
    journal.close()


def test_one_that_cannot_be_told_is_no_trouble_for_others(caplog: pytest.LogCaptureFixture) -> None:
    """A fault in what is called is logged; whoever comes behind it is told."""
    journal, told = NullJournal(), list[int]()
    journal.write([], lambda: told.append(1 // 0))
    journal.write([], lambda: told.append(2))
    assert told == [2]
    assert logged_warnings(caplog) == ["what has happened could not be told"]


def test_tables_are_numbered_and_nothing_is_read_back() -> None:
    """From 1 on; it keeps nothing, and never halts."""
    journal = NullJournal()
    assert [journal.new_number() for _ in range(3)] == [1, 2, 3]
    with journal.reading() as readers:
        assert not list(readers)
    assert (journal.is_durable, journal.is_halted) == (False, False)
