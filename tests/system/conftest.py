"""The database that several files of tests use."""

from collections.abc import Iterator

import pytest

from tests.support.postgres import Postgres, postgres


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """Run a primary with a synchronous standby, once for all tests of a worker."""
    with postgres() as server:
        yield server


@pytest.fixture
def database(server: Postgres) -> str:
    """Return the URL of an empty database."""
    return server.url(server.new_database())
