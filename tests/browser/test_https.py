"""What a page may do that came over https: be installed, keep the screen on, and start without a network."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.support.browsers import LASTING, chromium, phone
from tests.support.servers import serving
from tests.system.test_deploy import proxied

TRUSTING: Final = "--ignore-certificate-errors"
"""The certificate is the test's own."""
COUNT_LOCKS: Final = """
  window.locks = 0;
  navigator.wakeLock.request = async () => { window.locks += 1; return { released: false, release() {} }; };
"""
HTML: Final = "text/html"
LOGIN: Final = "<html>Please log in to the Wi-Fi</html>"
READY: Final = "async () => (await navigator.serviceWorker.ready).active.scriptURL"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
async def test_a_page_over_https_is_installed_and_keeps_the_screen_on(tmp_path: Path) -> None:
    """Behind the proxy of ``deploy/`` there are a manifest without errors, a worker and a wake lock."""
    async with (
        serving(seed=LASTING) as served,
        proxied(tmp_path, served.port) as address,
        chromium(TRUSTING) as browser,
    ):
        url = f"https://{address}"
        async with phone(browser, url, ignore_https_errors=True) as player:
            page = player.page
            await page.add_init_script(COUNT_LOCKS)
            assert f"{url}/sw.js" == await page.evaluate(READY)
            session = await page.context.new_cdp_session(page)
            manifest = await session.send("Page.getAppManifest")
            assert (f"{url}/manifest.webmanifest", []) == (manifest["url"], manifest["errors"])
            await page.reload()  # all its files go through the worker now
            await page.wait_for_selector("#start.is-ready", state="attached")
            await player.create("Ann")
            await player.deal()
            await page.locator(".stuck:enabled").wait_for()
            await page.wait_for_function("() => locks > 0")
            assert player.complaints == []
            await page.context.set_offline(True)
            await page.goto(url)
            await page.wait_for_selector("#start.is-ready", state="attached")


@pytest.mark.long
@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
@pytest.mark.parametrize("path", ["/tables.json", "/qr/BCDF.svg", "/healthz", "/sw.js"])
async def test_no_other_answer_is_kept_as_the_page(path: str, tmp_path: Path) -> None:
    """Whatever somebody has looked at on this server, without a network there is the table's first screen."""
    async with serving() as served, proxied(tmp_path, served.port) as address, chromium(TRUSTING) as browser:
        url = f"https://{address}"
        async with phone(browser, url, ignore_https_errors=True) as player:
            await player.page.evaluate(READY)
            for visited in (f"{url}/BCDF", f"{url}{path}"):  # all files of the page go through the worker
                await player.page.goto(visited)
            await player.page.context.set_offline(True)
            await player.open(f"{url}/BCDF")
            assert await player.page.input_value("#code") == "BCDF"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
async def test_a_login_page_is_not_kept_as_a_file(tmp_path: Path) -> None:
    """What a network has said in a file's place once is forgotten when the file can be had."""
    async with serving() as served, proxied(tmp_path, served.port) as address, chromium(TRUSTING) as browser:
        url = f"https://{address}"
        async with phone(browser, url, ignore_https_errors=True) as player:
            page = player.page
            await page.evaluate(READY)
            await page.context.route(
                "**/games.js", lambda route: route.fulfill(body=LOGIN, content_type=HTML)
            )
            await page.goto(url)
            await page.locator("text=Please log in").wait_for(state="hidden")
            await page.context.unroute_all()
            await player.open(url)
            assert await page.locator("#create").is_visible()
