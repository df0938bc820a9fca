"""A page that comes through a tunnel, and what the page in the room shows of it."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.support.browsers import chromium, phone
from tests.support.tunnels import make_certificate
from tests.system.test_tunnel import hosting, open_link, serving

TRUSTING = "--ignore-certificate-errors"
"""The certificate is the test's own."""


@pytest.mark.long
async def test_a_guest_plays_over_the_internet(tmp_path: Path) -> None:
    """The invitation stays behind #, also after reloading; no address that reaches a server has its word."""
    certificate = make_certificate(tmp_path)
    async with serving(certificate) as (_, port, ann), chromium(TRUSTING) as browser:
        link = await open_link(port, ann.code)
        word = link.partition("#")[2]
        async with phone(browser, link, ignore_https_errors=True) as ben:
            asked: list[str] = []
            ben.page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
            await ben.join("Ben")
            assert ben.page.url == link
            await ben.page.reload()
            await ben.see("#lobby")
            assert ben.page.url == link
            await ben.page.get_by_role("button", name="Invite").first.tap()
            await expect(ben.page.locator("#sheet .address")).to_have_text([link])
            await expect(ben.page.locator("#sheet img")).to_be_hidden()
            assert not [url for url in asked if word in url]
            assert ben.complaints == []
        async with phone(browser, f"http://127.0.0.1:{port}/{ann.code}") as cat:
            await cat.join("Cat")
            await cat.page.get_by_role("button", name="Invite").first.tap()
            await expect(cat.page.locator("#sheet h3")).to_have_text(["In this room", "Over the internet"])
            await expect(cat.page.locator("#sheet .address").last).to_have_text(link)
            await expect(cat.page.locator("#sheet img.qr").last).to_have_js_property("complete", True)


@pytest.mark.long
async def test_who_watches_over_the_internet_returns(tmp_path: Path) -> None:
    """A spectator has no token, and comes back by the invitation."""
    certificate = make_certificate(tmp_path)
    async with serving(certificate) as (_, port, ann), chromium(TRUSTING) as browser:
        link = await open_link(port, ann.code)
        async with phone(browser, link, ignore_https_errors=True) as eve:
            await eve.page.tap("#watch")
            await eve.see("#lobby, #table")
            await eve.page.reload()
            await eve.see("#lobby, #table")
            await eve.page.context.set_offline(True)
            await eve.page.context.set_offline(False)
            await expect(eve.page.locator("body")).to_have_attribute("data-connection", "open")
            assert eve.page.url == link


@pytest.mark.long
async def test_a_table_that_is_gone_is_not_sought_without_a_word(tmp_path: Path) -> None:
    """Its host has ended it, and the tunnel with it: a guest who wants to return is told so."""
    certificate = make_certificate(tmp_path)
    async with hosting(certificate, tmp_path) as (host, _), chromium(TRUSTING) as browser:
        link = (await host.line(r"^  racing-demon join (https://\S+)$"))[1]
        async with phone(browser, link, ignore_https_errors=True) as ben:
            await ben.join("Ben")
            await ben.page.wait_for_load_state("networkidle")  # what the page loads later is here
            host.type("leave", "leave")
            await expect(ben.page.locator("#problem")).to_have_text("The host has ended the table.")
            await host.end()
            await ben.page.tap("#join")
            await expect(ben.page.locator("#offline")).to_contain_text("The host may have ended the table")
