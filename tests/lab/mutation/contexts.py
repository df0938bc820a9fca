"""A plugin for pytest: coverage.py notes which test runs which line."""

import coverage
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let what runs from now on count for a test."""
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(item.nodeid)
