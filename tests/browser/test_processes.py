"""A page at a server of several processes, whose tables have ports of their own."""

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.wire.messages.server import Elsewhere
from tests.support.browsers import phone
from tests.support.effort import usually
from tests.support.processes import MAX_TRIES, server_process


@pytest.mark.long
@pytest.mark.parametrize("base", usually(1, ["/games/cards", ""]))
async def test_a_page_follows_to_the_process_of_its_table(browser: Browser, base: str) -> None:
    """It was opened at the port of all, also below a path, and is led to another port."""
    options = ("--processes", "2", "--base-path", base)
    async with server_process(*options) as (_, url):
        origin = url.replace("ws:", "http:").removesuffix("/v1")
        async with phone(browser, origin) as ann:
            code = await ann.create("Ann")
            for _ in range(MAX_TRIES):
                async with phone(browser, f"{origin}/{code}") as guest:
                    await guest.page.tap("#watch")
                    await guest.see("#lobby")
                    assert guest.complaints == []
                    if any(isinstance(each, Elsewhere) for each in guest.heard):
                        return
    pytest.fail("no page came to another process")
