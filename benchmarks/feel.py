"""How a browser's table feels while others play fast: taps, long tasks, the page's thread, pictures a second.

python -m benchmarks.feel [--seats 4 8] [--slower 1 6] [--plays 16] [--seconds 15] [--television]

A phone's page is tapped, and players with scripts fill up to a number of plays a second, at times that nobody
can foresee. An empty page is tapped in the same way. Chromium itself slows the page's thread down. A tap's
time is that of the Event Timing API, which counts until the next picture is shown, in steps of 8 ms; times
below 16 ms count as 16. Tasks and the longest of them are told twice: by the clock, and by the processor's
time for them. Where other programs are busy, the second is the one to go by. Nothing else runs in the page
but what notes the taps' times.

Pictures a second are counted on a desktop and on a television, whose pages ask for every one of them in turn.
Those that a screen of 60 a second had to leave out are dropped.

On a television all seats are the scripts'. The work for a picture is what the tasks of the page's thread took
of the processor since the picture before: scripts, styles, layout. What draws and composes its points is told
beside it, for each second: without a graphics card that is software on other threads, and it decides how many
pictures such a machine shows.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, NamedTuple

from playwright.async_api import Browser, Page
from tests.support.browsers import chromium
from tests.support.processes import server_process
from tests.support.servers import Peer, end_tasks

from benchmarks.percentiles import percentiles
from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Played, Signalled
from racing_demon_server.bots.bot import Bot
from racing_demon_server.bots.levels import LEVELS

PHONE: Final = {"width": 390, "height": 844}
PIXELS: Final = 3
DESKTOP: Final = {"width": 1280, "height": 800}
TELEVISION: Final = {"width": 1920, "height": 1080}
PICTURE_MS: Final = 1000 / 60
TAPS: Final = 3.0
"""Taps a second, of one player with two thumbs."""
HAND_MS: Final = 600_000
SETTLE_MS: Final = 1_000
FAST_MS: Final = 16.0
LONG_MS: Final = 50.0
TRACED: Final = ["toplevel"]
"""Tasks alone: whatever else is traced takes a quarter of the page's thread, and is felt."""
TASK: Final = "ThreadControllerImpl::RunTask"
PICTURE: Final = "BeginMainFrame"
"""Is in the name of what a task runs that begins a picture."""
PAGES_THREAD: Final = "CrRendererMain"
NOWHERE: Final = [[195, 420]]
TOPS: Final = """() => [...document.querySelectorAll("#table .slot:not(.foundation)")].map((slot) => {
  const { left, top, width } = slot.getBoundingClientRect();
  return [left + width / 2, top + 8];
})"""
"""Where the player's piles begin: while a hand is played they grow, and do not move."""

WATCH: Final = """() => {
  window.taps = new Map();
  new PerformanceObserver((list) => {
    for (const { interactionId: tap, duration } of list.getEntries()) {
      if (tap) window.taps.set(tap, Math.max(duration, window.taps.get(tap) ?? 0));
    }
  }).observe({ type: "event", durationThreshold: 16 });
}"""


COUNT: Final = """(seconds) => new Promise((done) => {
  const shown = [];
  const note = (now) => {
    shown.push(now);
    if (now < shown[0] + seconds * 1000) requestAnimationFrame(note);
    else done(shown);
  };
  requestAnimationFrame(note);
})"""


class Felt(NamedTuple):
    """How a page felt; all times in milliseconds.

    Attributes:
        taps: the time from each tap to its picture.
        tasks: what each task of the page's thread took, by the clock.
        work: the same, by the time that the processor gave to it.
        seconds: how long it was tapped.
        plays: how many plays the table saw in a second.

    """

    taps: Sequence[float]
    tasks: Sequence[float]
    work: Sequence[float]
    seconds: float
    plays: float


class Drawn(NamedTuple):
    """What a page that is watched draws.

    Attributes:
        plays: how many plays the table saw in a second.
        waits: the milliseconds between pictures while it asks for every one.
        works: the work of the page's thread for each picture that it drew by itself, in milliseconds.
        beside: the work of all other threads in a second, in milliseconds.

    """

    plays: float
    waits: Sequence[float]
    works: Sequence[float]
    beside: float


class Trial(NamedTuple):
    """What is tried.

    Attributes:
        seats: how many seats the table has; 0 for an empty page.
        slower: how much slower the processor is.
        pace: plays a second.
        seconds: how long.
        watches: whether the page has no seat.

    """

    seats: int
    slower: float
    pace: float
    seconds: float
    watches: bool = False


class Crowd:
    """Players with scripts, who play at a pace that is set for all of them together.

    Attributes:
        plays: how many plays the table has seen.
        began: whether the signal was given.
        peers: the players.

    """

    def __init__(self, host: Peer, pace: float) -> None:
        self.plays = 0
        self.began = asyncio.Event()
        self.peers: list[Peer] = []
        self._host = host
        self._pace = pace
        self._others = 0
        self._chance = random.Random(1)  # noqa: S311 - no secret, and the same each time
        self._bots: list[Bot] = []

    def seat(self, peer: Peer) -> None:
        """Add a player."""
        self.peers.append(peer)
        self._bots.append(Bot(peer.place.seat or 0, LEVELS[BotLevel.EXPERT], self._chance, peer.counter))

    async def follow(self) -> None:
        """Keep the mirror, and count the plays."""
        while True:
            message = await self._host.hear()
            if isinstance(message, Signalled):
                self.began.set()
            elif isinstance(message, Played):
                self.plays += 1
                self._others += all(bot.seat != message.seat for bot in self._bots)

    async def play(self) -> None:
        """Play in turns; where the page has played, one play is left out."""
        for number in itertools.count():
            await asyncio.sleep(self._chance.expovariate(self._pace))
            if self._others:
                self._others -= 1
                continue
            at = number % len(self.peers)
            command = self._command(self._bots[at])
            if command is not None:
                await self.peers[at].say(command)

    def _command(self, bot: Bot) -> cl.Command | None:
        view = self._host.view
        command, _ = bot.observe(view).finish()
        if not isinstance(command, cl.Stuck) or view.hand is None:
            return command
        turn = view.hand.rules.stock_play(view.hand.board, bot.seat)
        return None if turn is None else cl.PlayCards.of(turn, counter=command.counter, seen=view.seq)


async def _drain(peer: Peer) -> None:
    while True:
        await peer.frame()


async def _sit_down(page: Page, link: str) -> None:
    await page.goto(link)
    await page.locator("#start.is-ready").wait_for()
    await page.fill("#name", "Mia")
    await page.press("#name", "Enter")
    await page.locator("#lobby:visible").wait_for()


@asynccontextmanager
async def _crowd(url: str, trial: Trial, page: Page) -> AsyncIterator[Crowd]:
    """Seat the others at a table, and the page too if it does not only watch; let them play."""
    async with AsyncExitStack() as stack:
        options: dict[str, Any] = {"hands": 100, "time_limit_ms": HAND_MS}
        host = await stack.enter_async_context(Peer.hosting(url, seated=False, **options))
        crowd = Crowd(host, trial.pace)
        tasks = [asyncio.create_task(crowd.follow())]
        try:
            link = f"{_origin(url)}/{host.code}"
            if trial.watches:
                await page.goto(f"{link}?tv")
            else:
                await _sit_down(page, link)
            for number in range(1 if trial.watches else 2, trial.seats + 1):
                join = cl.Join(code=host.code, name=f"Player {number}")
                peer = await stack.enter_async_context(Peer.entered(url, join))
                crowd.seat(peer)
            for peer in crowd.peers:  # once all sit: as soon as all are ready, the cards are dealt
                await peer.ask(cl.Ready, ready=True)
                tasks.append(asyncio.create_task(_drain(peer)))
            if trial.watches:
                await page.locator(".chip canvas").first.wait_for()
                await crowd.began.wait()
            else:
                await page.tap(".ready")
                await page.locator(".stuck:enabled").wait_for()
            tasks.append(asyncio.create_task(crowd.play()))
            yield crowd
        finally:
            await end_tasks(tasks)


class Table(NamedTuple):
    """Who else plays at a page's table, and where its own piles are."""

    crowd: Crowd | None
    points: Sequence[Sequence[float]]

    @property
    def plays(self) -> int:
        """How many plays the table has seen."""
        return self.crowd.plays if self.crowd else 0


@asynccontextmanager
async def _page(browser: Browser, url: str, trial: Trial, **screen: Any) -> AsyncIterator[tuple[Page, Table]]:
    """Open a page on a device, at a table with others or empty."""
    context = await browser.new_context(has_touch=True, **screen)
    try:
        page = await context.new_page()
        async with AsyncExitStack() as stack:
            crowd = None
            if trial.seats:
                crowd = await stack.enter_async_context(_crowd(url, trial, page))
            else:
                await page.set_content("<title>Empty</title><p>Empty")
            session = await context.new_cdp_session(page)
            await session.send("Emulation.setCPUThrottlingRate", {"rate": trial.slower})
            points = await page.evaluate(TOPS) or NOWHERE
            await page.wait_for_timeout(SETTLE_MS)
            yield page, Table(crowd, points)
    finally:
        await context.close()


async def _tap(page: Page, points: Sequence[Sequence[float]], seconds: float) -> int:
    """Tap these points in turns; return how often."""
    began = time.perf_counter()
    for number in itertools.count():
        await page.touchscreen.tap(*points[number % len(points)])
        left = began + (number + 1) / TAPS - time.perf_counter()
        await asyncio.sleep(max(0.0, left))
        if time.perf_counter() - began > seconds:
            return number + 1
    raise AssertionError


async def _feel(browser: Browser, url: str, trial: Trial) -> Felt:
    """Tap a phone."""
    phone = {"viewport": PHONE, "device_scale_factor": PIXELS, "is_mobile": True}
    async with _page(browser, url, trial, **phone) as (page, table):
        await page.evaluate(WATCH)
        await browser.start_tracing(page=page, categories=TRACED)
        began, before = time.perf_counter(), table.plays
        tapped = await _tap(page, table.points, trial.seconds)
        took = time.perf_counter() - began
        plays = (table.plays - before) / took
        trace = await browser.stop_tracing()
        seen = [float(each) for each in await page.evaluate("[...window.taps.values()]")]
    tasks = [task for task in _tasks(json.loads(trace)["traceEvents"]) if task.is_pages]
    taps = seen + [FAST_MS] * (tapped - len(seen))
    return Felt(taps, [task.took for task in tasks], [task.work for task in tasks], took, plays)


async def _count(browser: Browser, url: str, trial: Trial) -> tuple[float, list[float]]:
    """Tap on a desktop; return the plays a second, and the time between pictures in milliseconds."""
    async with _page(browser, url, trial, viewport=DESKTOP) as (page, table):
        before = table.plays
        tapping = asyncio.create_task(_tap(page, table.points, trial.seconds))
        shown = await page.evaluate(COUNT, trial.seconds)
        plays = (table.plays - before) / trial.seconds
        await tapping
    return plays, [later - now for now, later in itertools.pairwise(shown)]


async def _draw(browser: Browser, url: str, trial: Trial) -> Drawn:
    """Watch on a television."""
    async with _page(browser, url, trial, viewport=TELEVISION) as (page, table):
        waits = itertools.pairwise(await page.evaluate(COUNT, trial.seconds))
        await browser.start_tracing(page=page, categories=TRACED)
        before = table.plays
        await asyncio.sleep(trial.seconds)
        plays = (table.plays - before) / trial.seconds
        tasks = _tasks(json.loads(await browser.stop_tracing())["traceEvents"])
    works, beside = [0.0], sum(each.work for each in tasks if not each.is_pages)
    for task in sorted((task for task in tasks if task.is_pages), key=lambda task: task.began):
        if PICTURE in task.runs:
            works.append(0.0)
        works[-1] += task.work
    return Drawn(plays, [later - now for now, later in waits], works[1:], beside / trial.seconds)


class Task(NamedTuple):
    """A task of a thread; its times in milliseconds.

    Attributes:
        began: when it began.
        took: how long it took by the clock.
        work: the same, by the time that the processor gave to it.
        runs: what it runs.
        is_pages: whether it is the page's thread that runs it.

    """

    began: float
    took: float
    work: float
    runs: str
    is_pages: bool


def _tasks(events: list[dict[str, Any]]) -> list[Task]:
    """Return the tasks of all threads; the page's thread is the busiest of a renderer."""
    named = (each for each in events if each["name"] == "thread_name")
    threads = {(each["pid"], each["tid"]) for each in named if each["args"]["name"] == PAGES_THREAD}
    ran = [each for each in events if each["name"] == TASK and "dur" in each]
    work: dict[tuple[int, int], float] = dict.fromkeys(threads, 0)
    for each in ran:
        if (each["pid"], each["tid"]) in threads:
            work[each["pid"], each["tid"]] += each.get("tdur", 0)
    pages = max(work, key=work.__getitem__)
    return [
        Task(
            each["ts"] / 1e3,
            each["dur"] / 1e3,
            each.get("tdur", 0) / 1e3,
            str(each["args"].get("src_func", "")),
            (each["pid"], each["tid"]) == pages,
        )
        for each in ran
    ]


def _origin(url: str) -> str:
    return url.replace("ws://", "http://").removesuffix("/v1")


async def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=15.0, help="how long each page is tapped")
    parser.add_argument("--seats", type=int, nargs="+", default=[4, 8], help="how many seats the tables have")
    parser.add_argument(
        "--slower", type=float, nargs="+", default=[1, 6], help="how much slower the processor is"
    )
    parser.add_argument("--television", action="store_true", help="measure a television alone")
    parser.add_argument("--plays", type=float, default=16.0, help="plays a second at the table")
    asked = parser.parse_args(arguments)
    fast = ("--limit", "units_per_address=100000", "--limit", "tables_per_minute=6000")
    async with server_process(*fast) as (_, url), chromium() as browser:
        if not asked.television:
            await _tell_taps(browser, url, asked)
        _say("| television | processor | plays/s | pictures/s | dropped | work p50 | p95 | most | beside |")
        _say("|---|---|---|---|---|---|---|---|---|")
        for slower in asked.slower:
            for seats in (0, *asked.seats):
                trial = Trial(seats, slower, asked.plays, asked.seconds, watches=True)
                _say(_television_row(_name(seats), slower, await _draw(browser, url, trial)))
    _say(f"load of the machine: {os.getloadavg()[0]:.1f}")


async def _tell_taps(browser: Browser, url: str, asked: argparse.Namespace) -> None:
    _say("| page | processor | plays/s | tap p50 | p95 | most | thread | tasks over 50 ms | longest |")
    _say("|---|---|---|---|---|---|---|---|---|")
    for slower in asked.slower:
        for seats in (0, *asked.seats):
            felt = await _feel(browser, url, Trial(seats, slower, asked.plays, asked.seconds))
            _say(_row(_name(seats), slower, felt))
    _say("\n| desktop | plays/s | pictures/s | dropped | longest wait |")
    _say("|---|---|---|---|---|")
    for seats in (0, *asked.seats):
        plays, waits = await _count(browser, url, Trial(seats, 1, asked.plays, asked.seconds))
        _say(_desktop_row(_name(seats), plays, waits))
    _say("")


def _row(page: str, slower: float, felt: Felt) -> str:
    taps = percentiles(felt.taps)
    long = [sum(each > LONG_MS for each in some) for some in (felt.tasks, felt.work)]
    return (
        f"| {page} | {slower:g} | {felt.plays:.1f} | {taps['p50']:.0f} ms | {taps['p95']:.0f} ms "
        f"| {max(felt.taps):.0f} ms | {sum(felt.work) / felt.seconds / 10:.0f} % "
        f"| {long[0]}, {long[1]} | {max(felt.tasks, default=0):.0f}, {max(felt.work, default=0):.0f} ms |"
    )


def _desktop_row(page: str, plays: float, waits: Sequence[float]) -> str:
    return f"| {page} | {plays:.1f} | {_pictures(waits)} | {max(waits):.0f} ms |"


def _television_row(page: str, slower: float, drawn: Drawn) -> str:
    works = percentiles(drawn.works or [0.0])
    return (
        f"| {page} | {slower:g} | {drawn.plays:.1f} | {_pictures(drawn.waits)} | {works['p50']:.1f} ms "
        f"| {works['p95']:.1f} ms | {max(drawn.works, default=0):.1f} ms | {drawn.beside:.0f} ms/s |"
    )


def _pictures(waits: Sequence[float]) -> str:
    dropped = sum(max(0, round(wait / PICTURE_MS) - 1) for wait in waits)
    return f"{1000 * len(waits) / sum(waits):.1f} | {dropped} of {dropped + len(waits)}"


def _name(seats: int) -> str:
    return f"{seats} seats" if seats else "empty"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
