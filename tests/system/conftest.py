"""What only some machines have, and the database that several files of tests use."""

import shutil
from collections.abc import Iterator

import pytest

from tests.support.postgres import Postgres, postgres

collect_ignore = [] if shutil.which("node") else ["test_foreign.py"]


def pytest_report_header() -> str | None:
    """Say what is left out."""
    return "no Node.js here: tests/system/test_foreign.py is not collected" if collect_ignore else None


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """Run a primary with a synchronous standby, once for all tests of a worker."""
    with postgres() as server:
        yield server


@pytest.fixture
def database(server: Postgres) -> str:
    """Return the URL of an empty database."""
    return server.url(server.new_database())
