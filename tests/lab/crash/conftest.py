"""The database of the results."""

from tests.system.conftest import database, server

__all__ = ["database", "server"]
