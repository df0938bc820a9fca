"""One Chromium for all tests of a worker, and the loop that it lives on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.support.browsers import chromium


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is here on the loop of the session."""
    for item in items:
        if item.path.parent == Path(__file__).parent and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Start Chromium once; each test opens contexts of its own."""
    async with chromium() as started:
        yield started
