"""A server below a path of another site, behind the proxies that ``docs/deploy.md`` shows, over https."""

import asyncio
import json
import os
import re
import shutil
import ssl
import sys
import urllib.request
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import expect

from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.messages.server import Elsewhere
from tests.support.browsers import chromium, phone
from tests.support.deployed import DEPLOY, certificates
from tests.support.ports import free_port, port_of
from tests.support.processes import MAX_TRIES, port_of_process, server_process, started
from tests.support.servers import PATIENCE, deadline
from tests.system.test_deploy import NGINX

BASE: Final = "/games/cards"
NAME: Final = "www.example.org"
"""The site's name for browsers; programs that ask nobody else call it localhost."""
FLAGS: Final = ("--ignore-certificate-errors", f"--host-resolver-rules=MAP {NAME} 127.0.0.1")
OTHER: Final = "another program"
"""What the site answers at all other paths."""
SITES: Final = {
    "nginx": """server {{
listen {host}:{front} ssl; server_name {name};
ssl_certificate {folder}/certs/broker.crt; ssl_certificate_key {folder}/certs/broker.key;
location / {{ return 200 "{other}"; }}
{block}
}}""",
    "caddyfile": """{{
admin off
auto_https disable_redirects
}}
https://{name}:{front}, https://localhost:{front} {{
bind {host}
tls {folder}/certs/broker.crt {folder}/certs/broker.key
{block}
respond "{other}"
}}""",
}
"""The sites into which the blocks of ``docs/deploy.md`` are put."""
SCOPE: Final = "async () => (await navigator.serviceWorker.ready).scope"
CACHES: Final = "async () => [...await caches.keys()].sort()"
PROXIES: Final = [
    pytest.param("nginx", marks=pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")),
    pytest.param(
        "caddyfile",
        marks=[pytest.mark.long, pytest.mark.skipif(shutil.which("caddy") is None, reason="needs caddy")],
    ),
]


@asynccontextmanager
async def proxied(kind: str, folder: Path, *ports: int, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """Run a proxy in front of a server's port, as the manual says, and give the address of its site.

    Several ports, that of all processes first, are behind the same ones of another host.
    """
    await certificates(folder, "localhost", NAME)
    front = free_port() if len(ports) == 1 else ports[0]
    (block,) = re.findall(rf"```{kind}\n(.*?)```", (DEPLOY.parent / "docs/deploy.md").read_text(), re.DOTALL)
    ways = dict(zip((front, *ports[1:]), ports, strict=True))
    site = "\n".join(
        SITES[kind].format(
            name=NAME,
            host=host,
            front=outer,
            folder=folder,
            other=OTHER,
            block=block.replace("127.0.0.1:5252", f"127.0.0.1:{inner}"),
        )
        for outer, inner in ways.items()
    )
    file = folder / "proxy.conf"
    if kind == "nginx":
        file.write_text(NGINX.format(folder=folder, site=site))
        command = ["nginx", "-e", "stderr", "-c", str(file)]
    else:
        file.write_text(site)
        command = ["caddy", "run", "--config", str(file), "--adapter", "caddyfile"]
    env = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=env)
    try:
        async with deadline(lambda: f"{command[0]} does not listen"):
            while not all([await can_connect(host, outer) for outer in ways]):
                assert process.returncode is None, await process.communicate()
                await asyncio.sleep(0.02)  # neither says when it listens
        yield f"https://{NAME}:{front}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def can_connect(host: str, port: int) -> bool:
    """Return whether somebody listens at a port."""
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True


@asynccontextmanager
async def site(kind: str, folder: Path) -> AsyncIterator[str]:
    """Run a server below a path of a site, and give the site's address."""
    options = (
        "--base-path",
        f"{BASE}/",
        "--name",
        NAME,
        "--name",
        "localhost",
        "--bot-speed=50",
        "--standings=open",
    )
    async with server_process("--journal", str(folder / "journal.sqlite"), *options) as (_, url):
        assert url.endswith(f"{BASE}/v1")
        async with proxied(kind, folder, port_of(url)) as address:
            yield address


def fetched(url: str, folder: Path) -> bytes:
    """Return the body at a URL."""
    trust = ssl.create_default_context(cafile=folder / "certs/ca.crt")
    with urllib.request.urlopen(url.replace(NAME, "localhost"), timeout=PATIENCE, context=trust) as response:  # noqa: S310 - our own
        return bytes(response.read())


@pytest.mark.long
@pytest.mark.parametrize("kind", PROXIES)
async def test_a_match_is_played_below_a_path(kind: str, tmp_path: Path) -> None:
    """A guest comes by the invitation, both play to the tally, and whatever the page shows is below."""
    async with site(kind, tmp_path) as address, chromium(*FLAGS) as browser:
        url = address + BASE
        async with (
            phone(browser, url, ignore_https_errors=True) as ann,
            phone(browser, url, ignore_https_errors=True) as ben,
        ):
            asked: list[str] = []
            for page in (ann.page, ben.page):
                page.on("request", lambda request: asked.append(request.url))
                page.on("websocket", lambda socket: asked.append(socket.url.replace("wss:", "https:")))
            assert ann.page.url == f"{url}/"
            code = await ann.create("Ann")
            await ann.page.get_by_role("button", name="Invite").first.tap()
            link = await ann.page.locator("#sheet .address").inner_text()
            assert link == ann.page.url == f"{url}/{code}"
            await ann.page.locator("#sheet img.qr").evaluate("async (image) => { await image.decode(); }")
            await ann.page.keyboard.press("Escape")
            await ben.open(link)
            await ben.join("Ben")
            await ann.show_rules()
            hands = ann.page.locator('.option:has(span:text-is("Hands in a match")) select')
            await hands.select_option(label="1")
            await ann.hide_rules()
            await ann.deal()
            await asyncio.gather(ann.finish(), ben.finish())
            await ann.page.locator(".after button", has_text="Results").tap()
            await ann.page.tap("#page .matches a")
            await expect(ann.page.locator("#page .tally tr")).to_have_count(3)
            shown = ann.page.url
            assert shown.startswith(f"{url}/match/")
            await ben.open(shown)
            await expect(ben.page.locator("#page .tally tr")).to_have_count(3)
            await ben.page.locator("#page nav a", has_text="Standings").tap()
            await expect(ben.page.locator("#page p", has_text="One match")).to_be_visible()
            assert ben.page.url == f"{url}/scores"
            assert [each for each in asked if not each.startswith(f"{url}/")] == []
            assert ann.complaints == ben.complaints == []
        standings = json.loads(await asyncio.to_thread(fetched, f"{url}/v1/standings", tmp_path))
        assert standings["matches"] == 1
        assert (await asyncio.to_thread(fetched, f"{address}/v1/standings", tmp_path)).decode() == OTHER
        assert b"<title>Racing Demon</title>" in await asyncio.to_thread(fetched, url, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("kind", PROXIES)
async def test_all_clients_take_a_link_below_a_path(kind: str, tmp_path: Path) -> None:
    """The terminal joins by it, and whoever pastes it on the page finds the table."""
    trusted = {"SSL_CERT_FILE": str(tmp_path / "certs/ca.crt")}
    async with site(kind, tmp_path) as address, chromium(*FLAGS) as browser:
        url = address + BASE
        async with (
            phone(browser, url, ignore_https_errors=True) as ann,
            phone(browser, url, ignore_https_errors=True) as eve,
        ):
            await ann.create("Ann")
            link = ann.page.url.replace(NAME, "localhost")
            async with started("racing_demon_client", "join", link, "--name", "Cat", env=trusted):
                await expect(ann.page.locator(".players")).to_contain_text("Cat")
            await eve.page.fill("#code", f"Come: {ann.page.url}!")
            await eve.page.tap("#watch")
            await eve.see("#lobby")
            assert eve.page.url == ann.page.url
            await eve.page.goto(url)
            await eve.page.fill("#code", f"{address}/other/BCDF")
            await eve.page.tap("#join")
            await expect(eve.page.locator("body")).to_have_text(OTHER)
            assert eve.page.url == f"{address}/other/BCDF"


@pytest.mark.long
@pytest.mark.parametrize("kind", PROXIES)
async def test_a_page_below_a_path_keeps_to_itself(kind: str, tmp_path: Path) -> None:
    """Its worker, its manifest, its files and its seats are its own, beside those of the site's others."""
    async with site(kind, tmp_path) as address, chromium(*FLAGS) as browser:
        url = address + BASE
        page = await (await browser.new_context(ignore_https_errors=True)).new_page()
        await page.goto(address)
        others = ["/games/web/0123456789abcdef", "/web/0123456789abcdef", "other"]
        old = f"{BASE}/web/0123456789abcdef"
        await page.evaluate("(names) => Promise.all(names.map((name) => caches.open(name)))", [*others, old])
        await page.evaluate("localStorage.setItem('racing-demon.settings', '{\"name\": \"Other\"}')")
        await page.goto(url)
        assert await page.evaluate(SCOPE) == f"{url}/"
        await page.wait_for_function(f"async () => !(await caches.keys()).includes('{old}')")
        kept = await page.evaluate(CACHES)
        assert {*others} < {*kept}
        assert [name for name in kept if name not in others and not name.startswith(f"{BASE}/web/")] == []
        session = await page.context.new_cdp_session(page)
        manifest = await session.send("Page.getAppManifest")
        assert (manifest["url"], manifest["errors"]) == (f"{url}/manifest.webmanifest", [])
        assert json.loads(manifest["data"])["start_url"] == f"{BASE}/"
        assert await page.input_value("#name") == ""
        await page.reload()  # its files go through the worker now
        await page.wait_for_selector("#start.is-ready", state="attached")
        await page.context.set_offline(True)
        await page.goto(f"{url}/BCDF")
        await page.wait_for_selector("#start.is-ready", state="attached")
        assert await page.input_value("#code") == "BCDF"


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("nginx") is None, reason="needs nginx, on Linux")
async def test_a_page_below_a_path_follows_to_the_process_of_its_table(tmp_path: Path) -> None:
    """The proxy has each process's port, as the manual says; the page's address stays that of all."""
    below = ("--processes", "2", "--base-path", BASE, "--name", NAME, "--name", "localhost")
    outside = "127.0.0.2"
    flags = ("--ignore-certificate-errors", f"--host-resolver-rules=MAP {NAME} {outside}")
    async with AsyncExitStack() as stack:
        _, url = await stack.enter_async_context(server_process(*below))
        ann = await stack.enter_async_context(await Client.create(url, "Ann"))
        own_port = await port_of_process(url, ann.code)
        way = proxied("nginx", tmp_path, port_of(url), own_port, host=outside)
        link = f"{await stack.enter_async_context(way)}{BASE}/{ann.code}"
        browser = await stack.enter_async_context(chromium(*flags))
        sockets: list[str] = []
        for _ in range(MAX_TRIES):
            async with phone(browser, link, ignore_https_errors=True) as guest:
                guest.page.on("websocket", lambda socket: sockets.append(socket.url))
                await guest.page.tap("#watch")
                await guest.see("#lobby")
                assert guest.page.url.partition("?")[0] == link
                assert guest.complaints == []
                if any(isinstance(each, Elsewhere) for each in guest.heard):
                    assert sockets[-1] == f"wss://{NAME}:{own_port}{BASE}/v1"
                    return
    pytest.fail(f"none of {MAX_TRIES} pages came to another process")
