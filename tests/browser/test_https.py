"""What a page may do that came over https: be installed, keep the screen on, and start without a network."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.support.browsers import chromium, phone
from tests.support.servers import serving
from tests.system.test_deploy import proxied

TRUSTING: Final = "--ignore-certificate-errors"
"""The certificate is the test's own."""
COUNT_LOCKS: Final = """
  window.locks = 0;
  navigator.wakeLock.request = async () => { window.locks += 1; return { released: false, release() {} }; };
"""
READY: Final = "async () => (await navigator.serviceWorker.ready).active.scriptURL"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
async def test_a_page_over_https_is_installed_and_keeps_the_screen_on(tmp_path: Path) -> None:
    """Behind the proxy of ``deploy/`` there are a manifest without errors, a worker and a wake lock."""
    async with serving() as served, proxied(tmp_path, served.port) as address, chromium(TRUSTING) as browser:
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
            await page.tap(".deal")
            await page.locator(".stuck:enabled").wait_for()
            assert await page.evaluate("locks") > 0
            assert [] == player.complaints
            await page.context.set_offline(True)
            await page.goto(url)
            await page.wait_for_selector("#start.is-ready", state="attached")
