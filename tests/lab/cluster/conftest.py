"""The database of the system's tests."""

from tests.system.conftest import database, server

__all__ = ["database", "server"]
