"""Databases of their own, with a standby, and the stores that servers open there."""

import contextlib
from collections.abc import Callable, Iterator

import pytest

from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.settings import ClusterSettings
from tests.support.postgres import KEY, Postgres, postgres


@pytest.fixture(scope="session")
def servers() -> Iterator[Postgres]:
    """Run a primary and a standby for all tests, which find an empty database there."""
    with postgres() as running:
        yield running


@pytest.fixture
def name(servers: Postgres) -> str:
    """Return the name of an empty database."""
    return servers.emptied_database()


@pytest.fixture
def opened(servers: Postgres, name: str) -> Iterator[Callable[..., PostgresStore]]:
    """Return what opens its store, as a server of some name, URL and key does."""
    with contextlib.ExitStack() as stack:

        def open_store(node: str = "n1", key: bytes = KEY, *, url: str = "") -> PostgresStore:
            store = PostgresStore(ClusterSettings(database=url or servers.url(name), keys=(key,)), node)
            stack.callback(store.close)
            return store

        yield open_store
