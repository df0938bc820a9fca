"""A rehearsed evening: at every pause all screens show what the server's table is."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.lab.evening.rehearsal import evening_at, rehearse

pytestmark = pytest.mark.asyncio(loop_scope="session")  # the loop on which Chromium lives


@pytest.mark.long
@pytest.mark.timeout(1200)
async def test_all_screens_show_the_table_at_every_pause_of_an_evening(
    tmp_path: Path, browser: Browser
) -> None:
    """Phones, a television, a laptop, terminals, bots; one reloads, one is cut off, the host comes back."""
    async with evening_at(browser, tmp_path, takes_pictures=False) as evening:
        await rehearse(evening)
    assert not evening.differences, "\n".join(evening.differences)
