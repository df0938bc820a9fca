"""What people put into the field for the table: codes and links, as others show and send them."""

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.wire.messages import client as cl
from tests.support.browsers import phone
from tests.support.servers import Peer, serving

PASTE = (
    "text => { document.getElementById('code').focus(); document.execCommand('insertText', false, text); }"
)


@pytest.mark.long
async def test_a_code_is_found_in_what_is_pasted(browser: Browser) -> None:
    """Whatever stands around it, one tap joins."""
    async with serving() as served, Peer.hosting(served.url) as host:
        async with phone(browser, served.origin) as guest:
            await guest.page.fill("#name", "Ben")
            await guest.page.evaluate(PASTE, f"Come: {served.origin}/{host.code.lower()}!")
            await guest.page.tap("#join")
            await guest.see("#lobby")
            assert host.code == await guest.code()


@pytest.mark.long
async def test_a_link_to_another_server_leads_there(browser: Browser) -> None:
    """The page of the server that has the table is opened, with its code filled in."""
    async with serving() as served, serving() as other, Peer.hosting(other.url) as host:
        async with phone(browser, served.origin) as guest:
            await guest.page.fill("#name", "Ben")
            await guest.page.evaluate(PASTE, f"{other.origin}/{host.code}")
            await guest.page.tap("#join")
            await guest.page.wait_for_url(f"{other.origin}/{host.code}")
            await guest.page.wait_for_selector("#start.is-ready", state="attached")
            await guest.join("Ben")


@pytest.mark.long
async def test_a_pasted_link_brings_its_seat(browser: Browser) -> None:
    """Whoever pastes the link to their seat goes on there, and the address does not keep the token."""
    async with serving() as served, Peer.hosting(served.url) as host:
        async with Peer.entered(served.url, cl.Join(code=host.code, name="Ben")) as ben:
            link = f"{served.origin}/{host.code}#seat={ben.token}"
        async with phone(browser, served.origin) as guest:
            await guest.page.evaluate(PASTE, link)
            await guest.page.tap("#join")
            await guest.see("#lobby")
            assert guest.page.url == f"{served.origin}/{host.code}"
            await expect(guest.page.locator(".players")).to_contain_text("Ben")


@pytest.mark.long
@pytest.mark.parametrize("ending", [".", ",", "/", "%20"])
async def test_what_follows_a_link_in_a_sentence_does_no_harm(browser: Browser, ending: str) -> None:
    """Programs that make links of addresses often take the full stop for a part of them."""
    async with serving() as served, Peer.hosting(served.url) as host:
        async with phone(browser, f"{served.origin}/{host.code}{ending}") as guest:
            await guest.join("Ben")
            assert host.code == await guest.code()
