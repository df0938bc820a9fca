"""What the first load of the browser's table costs: bytes, and the time until a seat.

python -m benchmarks.browser
"""

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from playwright.async_api import Browser, Page
from tests.support.browsers import chromium
from tests.support.processes import server_process
from tests.support.servers import Peer

LINKS: Final = {"LAN": (0.0, 0.0), "4G (60 ms, 9 Mbit/s)": (60.0, 9e6), "100 ms, 400 kbit/s": (100.0, 4e5)}
"""Latencies in milliseconds, and bits a second; 0 for no limit."""
PAINT_MS: Final = 500
EMPTY: Final = b"<!doctype html><meta name=viewport content=width=device-width><title>Empty</title><p>Empty"

LOADED: Final = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return {
    requests: all.length,
    bytes: all.reduce((sum, each) => sum + each.transferSize, 0),
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  };
}"""


@asynccontextmanager
async def _empty() -> AsyncIterator[str]:
    """Serve a page with nothing on it."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(EMPTY)}\r\n"
        writer.write(head.encode() + b"Connection: close\r\n\r\n" + EMPTY)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def _link(page: Page, latency_ms: float, bits: float) -> None:
    session = await page.context.new_cdp_session(page)
    await session.send("Network.enable")
    limits = {
        "offline": False,
        "latency": latency_ms,
        "downloadThroughput": bits / 8 or -1,
        "uploadThroughput": -1,
    }
    await session.send("Network.emulateNetworkConditions", limits)


async def _load(browser: Browser, name: str, url: str, code: str, empty: str) -> str:
    """Load the page over a link, sit down, and return a row of the table; an empty page beside it."""
    context = await browser.new_context(viewport={"width": 360, "height": 560}, has_touch=True)
    try:
        page = await context.new_page()
        await _link(page, *LINKS[name])
        await page.goto(empty)
        await page.wait_for_timeout(PAINT_MS)
        nothing = await page.evaluate(LOADED)
        await page.goto("about:blank")
        began = time.perf_counter()
        await page.goto(f"{url}/{code}", wait_until="commit")
        await page.locator("#start.is-ready").wait_for()
        await page.fill("#name", "Mia")
        await page.press("#name", "Enter")
        await page.locator("#lobby:visible").wait_for()
        seat = time.perf_counter() - began
        told = await page.evaluate(LOADED)
    finally:
        await context.close()
    kilobytes, requests = told["bytes"] / 1000, told["requests"]
    paints = f"{told['paint']:.0f} ms | {nothing['paint']:.0f} ms"
    return f"| {name} | {kilobytes:.1f} kB | {requests} | {paints} | {seat:.2f} s |"


async def main() -> None:
    """Measure, and print a table in Markdown."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    async with server_process() as (_, url), chromium() as browser, _empty() as empty:
        origin = url.replace("ws://", "http://").removesuffix("/v1")
        async with Peer.hosting(url) as host:
            _say("| link | loaded | requests | first paint | empty page | seat |\n|---|---|---|---|---|---|")
            for name in LINKS:
                _say(await _load(browser, name, origin, host.code, empty))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
