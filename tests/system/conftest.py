"""What several files of tests use: a database, and a deal on a terminal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres import Postgres, postgres
from tests.system.test_mouse import Mouse, mouse


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker run all tests that want a database: it is started once."""
    for item in items:
        if isinstance(item, pytest.Function) and "server" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("database"))


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """Run a primary with a synchronous standby, once for all tests of a worker."""
    with postgres() as server:
        yield server


@pytest.fixture
def database(server: Postgres) -> str:
    """Return the URL of an empty database."""
    return server.url(server.new_database())


@pytest.fixture
def solo(tmp_path: Path) -> Iterator[Mouse]:
    """Lay one deal out that is always the same, turning cards one by one."""
    with mouse(tmp_path, "solo", "racing-demon", "--seed", "11", "--option", "turn=1") as found:
        found.until("stock ▒24")
        yield found
