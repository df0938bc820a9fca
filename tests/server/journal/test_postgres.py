"""The journal in PostgreSQL: durable on two hosts, behind a fence, and never told what is not certain."""

from collections.abc import Iterator

import pytest

from racing_demon_server.journal.operations import Change, Operation
from racing_demon_server.journal.postgres.store import PostgresStore
from tests.support.postgres import Postgres, postgres

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def servers() -> Iterator[Postgres]:
    """Run a primary and a standby for all tests of this file that break neither."""
    with postgres() as running:
        yield running


@pytest.fixture
def url(servers: Postgres) -> str:
    """Return an empty database."""
    return servers.url(servers.new_database())


def event(number: int, frame: bytes = b"frame", table_id: int = 1) -> Change:
    """Return what writes an event."""
    return Operation.ADD_EVENT, (table_id, number, 3, number, number, frame)


def numbers(store: PostgresStore) -> list[int]:
    """Return the numbers of the events that are there."""
    with store.reading() as reader:
        return [row[0] for row in reader.events(1, 1, 1_000)]


def test_what_is_committed_is_there(url: str) -> None:
    """Events can be read when they are written, in their order, on the standby too."""
    store = PostgresStore(url, "n1", [KEY])
    store.commit([event(1), event(2)])
    store.commit([event(3)])
    assert numbers(store) == [1, 2, 3]
    store.close()
