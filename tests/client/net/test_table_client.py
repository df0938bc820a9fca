"""The interface that all sources of a table share."""

import inspect
from typing import Final

from racing_demon_client.net.client import Client
from racing_demon_client.net.table_client import TableClient
from racing_demon_client.sources.broker import BrokerClient
from racing_demon_client.sources.replay import ReplayClient
from racing_demon_client.sources.solo import SoloClient
from tests.support.cases import for_each

SOURCES: Final[tuple[type[TableClient], ...]] = (Client, BrokerClient, ReplayClient, SoloClient)


@for_each("source", SOURCES)
def test_every_source_has_the_methods_of_the_interface(source: type[TableClient]) -> None:
    """Each method takes the same arguments as that of the interface."""
    methods = inspect.getmembers(TableClient, inspect.isfunction)
    for name, method in [(name, method) for name, method in methods if not name.startswith("_")]:
        assert [*inspect.signature(method).parameters] == [
            *inspect.signature(getattr(source, name)).parameters
        ], name
