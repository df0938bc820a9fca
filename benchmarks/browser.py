"""What the browser's table costs: bytes, time until a seat, the page's thread, what its loads cost a match.

python benchmarks/browser.py [--seconds 10]
"""

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from playwright.async_api import Browser, CDPSession, Page
from tests.support.browsers import ENDS, Phone, chromium, phone
from tests.support.processes import server_process
from tests.support.servers import Peer

from benchmarks.page_loads import start_loading
from benchmarks.percentiles import percentiles
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.wire.messages import client as cl

LINKS: Final = {"LAN": (0.0, 0.0), "4G (60 ms, 9 Mbit/s)": (60.0, 9e6), "100 ms, 400 kbit/s": (100.0, 4e5)}
"""Latencies in milliseconds, and bits a second; 0 for no limit."""
THROTTLES: Final = (1, 6)
BOTS: Final = 7
PAINT_MS: Final = 500
PHONES: Final = 50
TURNS: Final = 250
TURN_SECONDS: Final = 0.04
EMPTY: Final = b"<!doctype html><meta name=viewport content=width=device-width><title>Empty</title><p>Empty"

WATCH_TAPS: Final = """() => {
  window.taps = [];
  window.long = 0;
  const count = (list) => { window.long += list.getEntries().length; };
  new PerformanceObserver(count).observe({ entryTypes: ["longtask"] });
  addEventListener("pointerup", (event) => {
    requestAnimationFrame(() => setTimeout(() => window.taps.push(performance.now() - event.timeStamp)));
  }, true);
}"""
LOADED: Final = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return {
    requests: all.length,
    bytes: all.reduce((sum, each) => sum + each.transferSize, 0),
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  };
}"""


class Taps(NamedTuple):
    """What playing costs a page: milliseconds from a tap to its picture, and the share of its thread."""

    p50: float
    p95: float
    thread: float
    long_tasks: int


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


async def _link(page: Page, latency_ms: float, bits: float) -> CDPSession:
    session = await page.context.new_cdp_session(page)
    await session.send("Network.enable")
    limits = {
        "offline": False,
        "latency": latency_ms,
        "downloadThroughput": bits / 8 or -1,
        "uploadThroughput": -1,
    }
    await session.send("Network.emulateNetworkConditions", limits)
    return session


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


async def _tap_for(player: Phone, session: CDPSession, seconds: float) -> Taps:
    """Tap own piles, or anywhere on an empty page, for a while."""
    page = player.page
    await page.evaluate(WATCH_TAPS)
    before, began = await _busy(session), time.perf_counter()
    while time.perf_counter() - began < seconds:
        ends = await page.evaluate(ENDS) or [[180, 280]]
        for x, y in ends:
            await page.touchscreen.tap(x, y)
            await asyncio.sleep(TURN_SECONDS)
    thread = (await _busy(session) - before) / (time.perf_counter() - began)
    figures = percentiles(await page.evaluate("window.taps"))
    return Taps(figures["p50"], figures["p95"], thread, await page.evaluate("window.long"))


async def _busy(session: CDPSession) -> float:
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


async def _feel(browser: Browser, url: str, throttle: int, seconds: float, *, is_table: bool) -> Taps:
    async with phone(browser, url) if is_table else _bare(browser, url) as player:
        session = await player.page.context.new_cdp_session(player.page)
        await session.send("Performance.enable", {"timeDomain": "threadTicks"})
        if is_table:
            await player.create("Mia")
            for _ in range(BOTS):
                await player.page.tap(".add-bot")
            await player.page.tap(".deal")
            await player.page.locator(".stuck:enabled").wait_for()
        await session.send("Emulation.setCPUThrottlingRate", {"rate": throttle})
        return await _tap_for(player, session, seconds)


@asynccontextmanager
async def _bare(browser: Browser, url: str) -> AsyncIterator[Phone]:
    context = await browser.new_context(viewport={"width": 360, "height": 560}, has_touch=True)
    try:
        player = Phone(await context.new_page())
        await player.page.goto(url)
        yield player
    finally:
        await context.close()


async def _turns(url: str, phones: int) -> list[float]:
    """Turn a stock many times while phones load the page; return how long each took, in milliseconds."""
    took: list[float] = []
    async with Peer.hosting(url, countdown_ms=0) as ann:
        await ann.ask(cl.Start)
        while ann.view.hand is None or ann.view.phase != "playing":
            await ann.hear()
        rules, board = ann.view.hand.rules, ann.view.hand.board
        loading = await start_loading(url, phones) if phones else None
        for _ in range(TURNS):
            turn = rules.stock_play(board, 0) or Play(0, 1, 1)
            began = time.perf_counter()
            await ann.ask(cl.PlayCards, **turn._asdict(), seen=ann.view.seq)
            took.append((time.perf_counter() - began) * 1_000)
            await asyncio.sleep(TURN_SECONDS)
        if loading is not None:
            await loading.wait()
    return sorted(took)


async def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print tables in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each page is tapped")
    seconds = parser.parse_args(arguments).seconds
    fast = ("--limit", "tables_per_minute=6000", "--limit", "units_per_address=100000")
    async with server_process(*fast) as (_, url), chromium() as browser, _empty() as empty:
        origin = url.replace("ws://", "http://").removesuffix("/v1")
        async with Peer.hosting(url) as host:
            _say("| link | loaded | requests | first paint | empty page | seat |\n|---|---|---|---|---|---|")
            for name in LINKS:
                _say(await _load(browser, name, origin, host.code, empty))
        _say("\n| page | processor | tap to picture p50 | p95 | main thread | tasks above 50 ms |")
        _say("|---|---|---|---|---|---|")
        for throttle in THROTTLES:
            for name, where in (("empty", empty), ("table, 7 bots", origin)):
                taps = await _feel(browser, where, throttle, seconds, is_table=where is origin)
                slow = "as it is" if throttle == 1 else f"{throttle} times slower"
                figures = f"{taps.p50:.0f} ms | {taps.p95:.0f} ms | {taps.thread:.0%} | {taps.long_tasks}"
                _say(f"| {name} | {slow} | {figures} |")
        _say("\n| phones that load the page meanwhile | play to event p50 | p99 |\n|---|---|---|")
        for phones in (0, PHONES):
            took = percentiles(await _turns(url, phones))
            _say(f"| {phones} | {took['p50']:.2f} ms | {took['p99']:.2f} ms |")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
