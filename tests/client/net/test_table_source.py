"""The interface that all sources of a table share."""

import inspect
from typing import Final

import pytest

from racing_demon_client.net.connection import Client
from racing_demon_client.net.table_source import TableSource
from racing_demon_client.sources.broker import BrokerSource
from racing_demon_client.sources.replay import Replay
from racing_demon_client.sources.solo import SoloClient

SOURCES: Final[tuple[type[TableSource], ...]] = (Client, BrokerSource, Replay, SoloClient)


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_has_the_methods_of_the_interface(source: type[TableSource]) -> None:
    """Each method takes the same arguments as that of the interface."""
    methods = inspect.getmembers(TableSource, inspect.isfunction)
    for name, method in [(name, method) for name, method in methods if not name.startswith("_")]:
        assert [*inspect.signature(method).parameters] == [
            *inspect.signature(getattr(source, name)).parameters
        ], name
