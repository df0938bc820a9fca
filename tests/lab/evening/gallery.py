"""All screens, at all sizes, dark and light, as they were before and as they are now, on one page.

``python -m tests.lab.evening.gallery FOLDER`` draws the screens of this tree, and writes the page
``FOLDER/index.html``. ``--before`` names pictures that were drawn earlier, or an earlier tree, whose
screens are drawn first; they stand to the left of today's. ``--only`` draws a part.
"""

import argparse
import asyncio
import contextlib
import fcntl
import html
import os
import re
import signal
import struct
import sys
import tempfile
import termios
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.pty_program import PtyProgram, Terminals
from playwright.async_api import Browser, Error, Page

from tests.lab.evening.painted import PaintedScreen
from tests.support.browsers import TALL_PHONE, TELEVISION, UNFOLD, Phone, chromium, phone
from tests.support.processes import CLIENT, SERVER, started
from tests.support.servers import deadline, end_tasks

PAGES: Final = ((280, 653), (320, 568), (390, 844), (1366, 768), (1920, 1080))
TELEVISIONS: Final = ((1366, 768), (1920, 1080))
TERMINALS: Final = ((80, 23), (80, 24), (120, 40))
THEMES: Final = ("dark", "light")
PACKAGES: Final = ("client", "protocol", "server")
SETTLE_MS: Final = 700
"""How long a screen has to draw itself anew, and to end what moves."""
QUICK_MS: Final = 20_000
"""How long a screen may not be there; then it is missing: an earlier tree has none."""
FORM_END: Final = "╰" + "─" * 50
CALM: Final = ("--bot-speed", "0.7")
HASTY: Final = ("--bot-speed", "30")
STUCK: Final = "document.querySelector('#table .stuck:enabled')?.click()"
NEWEST_MATCH: Final = "JSON.parse(localStorage.getItem('racing-demon.matches'))?.at(-1)?.link"
PUBLIC: Final = "ws://192.168.1.5:5252"
"""What others are told as the server's address: a page of this machine alone invites nobody."""
CHAT: Final = "Good evening!"


class Gallery:
    """Pictures of screens in a folder, and which of them there should be.

    Args:
        browser: where pages are opened.
        folder: where pictures go.
        only: what the names of the screens must match that are drawn.

    """

    def __init__(self, browser: Browser, folder: Path, only: str) -> None:
        self.browser = browser
        self.missing: list[str] = []
        self._folder = folder
        self._only = re.compile(only)
        folder.mkdir(parents=True, exist_ok=True)

    @asynccontextmanager
    async def screen(self, name: str) -> AsyncIterator[None]:
        """Go to a screen, and draw it; it is noted if it is not there."""
        try:
            yield
        except (Error, AssertionError, TimeoutError) as error:
            self.missing.append(name)
            sys.stdout.write(f"{name} is missing: {str(error)[:800]}\n")

    async def pages(self, name: str, page: Page, sizes: tuple[tuple[int, int], ...] = PAGES) -> None:
        """Draw a page in all sizes and themes, and give it back its size."""
        if not self._only.search(name):
            return
        before = page.viewport_size
        for width, height in sizes:
            await page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                await page.emulate_media(color_scheme=theme)
                await page.wait_for_timeout(SETTLE_MS)
                path = self._folder / f"{name}.{width}.{theme}.jpg"
                await page.screenshot(path=path, type="jpeg", quality=72)
        if before is not None:
            await page.set_viewport_size(before)
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()

    async def terminals(self, name: str, desks: "dict[str, Desk]") -> None:
        """Draw what terminals show, in all sizes; a light one and a dark one are there for it."""
        if not self._only.search(name):
            return
        paper = await self.browser.new_page(viewport={"width": 1100, "height": 900})
        for size in TERMINALS:
            for theme, desk in desks.items():
                await desk.resize(size)
                await paper.set_content(
                    f"<style>pre{{font:14px/17px monospace;display:inline-block;"
                    f"margin:0}}</style>{desk.screen.html(theme)}"
                )
                path = self._folder / f"{name}.{size[0]}x{size[1]}.{theme}.jpg"
                await paper.locator("pre").screenshot(path=path, type="jpeg", quality=72)
        await paper.close()
        for desk in desks.values():
            await desk.resize(TERMINALS[1])
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()


class Desk:
    """A client in a terminal that is resized."""

    def __init__(self, program: PtyProgram) -> None:
        self._program = program
        self.screen: PaintedScreen

    @classmethod
    @asynccontextmanager
    async def set_up(
        cls, terminals: Terminals, theme: str, tree: Path, *arguments: str
    ) -> AsyncIterator["Desk"]:
        """Start a client of a tree."""
        with tempfile.TemporaryDirectory() as home:
            (Path(home) / "settings.toml").write_text(f'palette = "{theme}"\n', "utf-8")
            folders = {f"RACING_DEMON_{kind}": home for kind in ("CONFIG", "STATE", "DATA")}
            env = {key: text for key, text in os.environ.items() if not key.startswith("LC_")}
            env |= {"LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
            env |= {**folders, "PYTHONPATH": path_of(tree)}
            command = [sys.executable, "-m", CLIENT, *arguments]
            with PtyProgram(theme, command, TERMINALS[1], env) as program:
                desk = cls(program)
                desk.screen = program.screen = PaintedScreen(*TERMINALS[1])
                terminals.add(program.fd, program.read)
                try:
                    yield desk
                finally:
                    terminals.forget(program.fd)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._program.fd, keys.encode())

    async def see(self, text: str) -> None:
        """Wait until it shows something."""
        async with deadline(lambda: f"no {text!r} on\n{self.screen.text}", QUICK_MS / 1000):
            while text not in self.screen.text:  # noqa: ASYNC110 - it is another process
                await asyncio.sleep(0.05)

    def _is_whole(self) -> bool:
        """Return whether it ends with a line, with one above an empty row, or with the frame of a form."""
        text = self.screen.text
        return bool("".join(text.split("\n")[-2:]).strip()) or FORM_END in text

    async def resize(self, size: tuple[int, int]) -> None:
        """Give the terminal another size, and wait until it has drawn itself anew."""
        columns, rows = size
        self.screen = self._program.screen = PaintedScreen(columns, rows)
        fcntl.ioctl(self._program.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self._program.pid, signal.SIGWINCH)
        async with deadline(lambda: f"half of it:\n{self.screen.text}", QUICK_MS / 1000):
            while not self._is_whole():  # noqa: ASYNC110 - it is another process
                await asyncio.sleep(0.05)
        await asyncio.sleep(2 * SETTLE_MS / 1000)


def path_of(tree: Path) -> str:
    """Return where Python finds the packages of a tree."""
    return os.pathsep.join(str(tree / package) for package in PACKAGES)


@asynccontextmanager
async def server_of(tree: Path, *more: str) -> AsyncIterator[str]:
    """Start a server of a tree that keeps its results, and give its address."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ("--host", "127.0.0.1", "--port", "0", "--list-tables", "--standings", "open")
        reached = ("--public-url", PUBLIC)
        journal = ("--journal", f"{folder}/journal.sqlite")
        env = {"PYTHONPATH": path_of(tree)}
        async with started(SERVER, *arguments, *reached, *journal, *more, env=env, cwd=folder) as server:
            found = await server.line(r"listening on (\S+)")
            yield found[1].replace("ws://", "http://").removesuffix("/v1")


@asynccontextmanager
async def read_terminals() -> AsyncIterator[Terminals]:
    """Have what terminals get read as it comes."""

    async def read(terminals: Terminals) -> None:
        while True:
            terminals.drain(0.005)
            await asyncio.sleep(0.02)

    with Terminals() as terminals:
        task = asyncio.create_task(read(terminals))
        try:
            yield terminals
        finally:
            await end_tasks([task])


class Evening:
    """A server of a tree, and those who came to it."""

    def __init__(self, gallery: Gallery, tree: Path, origin: str, stack: AsyncExitStack) -> None:
        self._gallery = gallery
        self._tree = tree
        self.origin = origin
        self._stack = stack

    async def phone(self, path: str = "", **settings: Any) -> Phone:
        """Open a page on a device of its own."""
        opened = await self._stack.enter_async_context(
            phone(self._gallery.browser, f"{self.origin}/{path}", **{**TALL_PHONE, **settings})
        )
        opened.page.set_default_timeout(QUICK_MS)
        return opened

    async def desks(self, *arguments: str) -> dict[str, Desk]:
        """Start two terminals: a dark one and a light one."""
        terminals = await self._stack.enter_async_context(read_terminals())
        named = {"dark": "Dan", "light": "Dora"}
        return {
            theme: await self._stack.enter_async_context(
                Desk.set_up(
                    terminals,
                    theme,
                    self._tree,
                    *(text.format(origin=self.origin, name=named[theme]) for text in arguments),
                )
            )
            for theme in THEMES
        }

    async def add_bots(self, host: Phone, number: int) -> None:
        """Let a host add bots, one after another."""
        for _ in range(number):
            before = await host.page.locator("#lobby .player").count()
            await host.page.tap(".add-bot")
            await host.page.locator("#lobby .player").nth(before).wait_for(timeout=QUICK_MS)

    async def change(self, host: Phone, label: str, value: str) -> None:
        """Let a host change a rule in the list of options."""
        row = host.page.locator(f'.option:has(span:text-is("{label}")) :is(select, input)')
        if await row.get_attribute("type") == "checkbox":
            await row.check()
        else:  # as in earlier trees
            await row.select_option(value)


async def calm(gallery: Gallery, evening: Evening) -> None:
    """Draw what is there before a hand and in the middle of it."""
    mia = await evening.phone()
    await mia.create("Mia")
    await evening.add_bots(mia, 2)
    ann = await evening.phone()
    async with gallery.screen("01-first-screen"):
        await ann.page.locator("#tables button").first.wait_for()
        await gallery.pages("01-first-screen", ann.page)
    code = await ann.create("Ann")
    television = await evening.phone(f"{code}?tv", **TELEVISION)
    async with gallery.screen("02-before-joining"):
        ben = await evening.phone(code)
        await gallery.pages("02-before-joining", ben.page)
        await ben.join("Ben")
    desks = await evening.desks("join", f"{{origin}}/{code}", "--name", "{name}")
    async with gallery.screen("terminals"):
        for desk in desks.values():
            await desk.see("Ann")
    await evening.add_bots(ann, 1)
    async with gallery.screen("04-options"):
        await ann.page.tap(".all-options")
        await ann.page.locator(".option").first.wait_for()
        await gallery.pages("04-options", ann.page)
        await ann.page.evaluate(UNFOLD)
        await evening.change(ann, "Hints", "yes")
        await ann.page.tap(".all-options")
    await ben.page.tap(".ready")
    async with gallery.screen("chat in the lobby"):
        await ben.page.fill(".say input", CHAT, timeout=3_000)
        await ben.page.press(".say input", "Enter")
    async with gallery.screen("03-lobby"):
        await gallery.pages("03-lobby", ann.page)
        await gallery.pages("21-television-lobby", television.page, TELEVISIONS)
        await gallery.terminals("31-terminal-lobby", desks)
    async with gallery.screen("17-name-and-color"):
        await ann.page.tap("#lobby-menu")
        await ann.page.tap("text=Your name and color", timeout=3_000)
        await gallery.pages("17-name-and-color", ann.page)
    await ann.page.keyboard.press("Escape")
    await _hosts(gallery, evening)
    for desk in desks.values():
        desk.type("\r")
    await ann.page.tap(".deal")
    await ann.until_playing()
    for _ in range(3):
        await asyncio.gather(ann.tap_piles(), ben.tap_piles())
    async with gallery.screen("05-table"):
        await gallery.pages("05-table", ann.page)
        await gallery.pages("22-television-table", television.page, TELEVISIONS)
        await gallery.terminals("33-terminal-table", desks)
    await _menus(gallery, ann, desks)
    await _eight(gallery, evening, mia)
    await _lesson(gallery, evening)


async def _menus(gallery: Gallery, ann: Phone, desks: dict[str, Desk]) -> None:
    """Draw what opens above the table."""
    async with gallery.screen("06-menu"):
        await ann.page.tap("#table .menu")
        await gallery.pages("06-menu", ann.page)
        await ann.page.keyboard.press("Escape")
    async with gallery.screen("07-reactions"):
        await ann.page.tap("#table .speech")
        await gallery.pages("07-reactions", ann.page)
        await ann.page.keyboard.press("Escape")
    async with gallery.screen("34-terminal-menu"):
        for desk in desks.values():
            desk.type("\x1b[19~")  # F8
        await gallery.terminals("34-terminal-menu", desks)


async def _hosts(gallery: Gallery, evening: Evening) -> None:
    """Draw the first screen and a host's options in terminals of their own."""
    async with gallery.screen("30-terminal-first-screen"):
        desks = await evening.desks()
        for desk in desks.values():
            await desk.see("Play now")
        await gallery.terminals("30-terminal-first-screen", desks)
    async with gallery.screen("32-terminal-options"):
        desks = await evening.desks("host", "--name", "{name}", "--port", "0", "--no-announce")
        for desk in desks.values():
            await desk.see("QR")
            desk.type("o")
        await gallery.terminals("32-terminal-options", desks)


async def _eight(gallery: Gallery, evening: Evening, mia: Phone) -> None:
    """Draw a table of eight, of a game with a reserve."""
    code = await mia.code()
    television = await evening.phone(f"{code}?tv", **TELEVISION)
    await mia.show_rules()
    await mia.page.locator(".options select:has(option[value='nerts'])").select_option("nerts")
    await mia.page.tap(".all-options")
    await evening.add_bots(mia, 5)
    await mia.page.tap(".deal")
    await mia.until_playing()
    await mia.tap_piles()
    await mia.page.wait_for_timeout(8_000)
    async with gallery.screen("08-table-of-eight"):
        await gallery.pages("08-table-of-eight", mia.page)
        await gallery.pages("23-television-eight", television.page, TELEVISIONS)


async def _lesson(gallery: Gallery, evening: Evening) -> None:
    async with gallery.screen("15-lesson"):
        guest = await evening.phone()
        await guest.page.tap("#learn", timeout=3_000)
        await guest.page.locator("#table .from").wait_for()
        await gallery.pages("15-lesson", guest.page)


async def hasty(gallery: Gallery, evening: Evening) -> None:
    """Draw what is there after a hand, after a match, and later."""
    cleo = await evening.phone()
    code = await cleo.create("Cleo")
    television = await evening.phone(f"{code}?tv", **TELEVISION)
    await evening.add_bots(cleo, 3)
    await cleo.show_rules()
    await evening.change(cleo, "Hands in a match", "2")
    await cleo.page.tap(".all-options")
    desks = await evening.desks("watch", f"{{origin}}/{code}")
    await cleo.page.tap(".deal")
    await finish_hand(cleo)
    async with gallery.screen("09-tally"):
        await gallery.pages("09-tally", cleo.page)
        await gallery.pages("24-television-tally", television.page, TELEVISIONS)
        await gallery.terminals("35-terminal-tally", desks)
    await cleo.page.tap(".ready")
    await cleo.page.locator("#table").wait_for()
    await finish_hand(cleo)
    async with gallery.screen("10-finish"):
        await gallery.pages("10-finish", cleo.page)
        await gallery.pages("25-television-finish", television.page, TELEVISIONS)
        await gallery.terminals("36-terminal-finish", desks)
    async with gallery.screen("11-replay"):
        await cleo.page.tap("text=Watch the match again")
        await cleo.see(".replay")
        await cleo.page.wait_for_timeout(4_000)
        await gallery.pages("11-replay", cleo.page)
    link = await cleo.page.evaluate(NEWEST_MATCH)
    for name, path in (("12-standings", "scores"), ("13-match", f"match/{link}"), ("14-you", "you")):
        async with gallery.screen(name):
            await cleo.page.goto(f"{evening.origin}/{path}")
            await cleo.page.locator("#page h1").wait_for()
            await cleo.page.wait_for_timeout(2_000)
            await gallery.pages(name, cleo.page)
        if path == "scores":
            async with gallery.screen("16-tonight"):
                await cleo.page.tap(".segments button")
                await gallery.pages("16-tonight", cleo.page)


async def finish_hand(player: Phone) -> None:
    """Say that there is nothing left to play until the tally is there."""
    async with asyncio.timeout(180):
        while not await player.page.locator(".tally tbody tr").first.is_visible():
            await player.page.evaluate(STUCK)
            await asyncio.sleep(0.2)
    await player.page.wait_for_timeout(2_500)  # what was in the hand is told last


async def draw(tree: Path, folder: Path, only: str) -> list[str]:
    """Draw the screens of a tree, and return the names of those that it does not have."""
    async with chromium() as browser:
        gallery = Gallery(browser, folder, only)
        parts: tuple[tuple[tuple[str, ...], Callable[..., Coroutine[Any, Any, None]]], ...] = (
            (CALM, calm),
            (HASTY, hasty),
        )
        for speed, part in parts:
            async with AsyncExitStack() as stack:
                origin = await stack.enter_async_context(server_of(tree, *speed))
                with contextlib.suppress(asyncio.CancelledError):
                    async with gallery.screen(part.__name__):
                        await part(gallery, Evening(gallery, tree, origin, stack))
    return gallery.missing


PAGE: Final = """<!doctype html><meta charset="utf-8"><title>All screens</title>
<style>body{font:14px sans-serif;margin:16px;background:#777}h2{margin:24px 0 4px}
div{display:flex;flex-wrap:wrap;gap:20px;align-items:start}figure{margin:0}
figure span{display:flex;gap:4px;align-items:start}img{max-height:520px;max-width:720px}</style>
"""


def index(folder: Path, before: Path | None) -> str:
    """Return the page with all pictures: what was before stands to the left of what is now."""
    stems = {path.name for each in (folder, before) if each is not None for path in each.glob("*.jpg")}
    rows: dict[str, list[str]] = {}
    for name in sorted(stems, key=lambda name: (name.split(".")[0], len(name.split(".")[1]), name)):
        pictures = "".join(
            f'<img src="{os.path.relpath(each / name, folder)}" alt="" loading="lazy">'
            if (each / name).exists()
            else "<i>none</i>"
            for each in (before, folder)
            if each is not None
        )
        screen, size, theme, _ = name.split(".")
        caption = html.escape(f"{size}, {theme}")
        rows.setdefault(screen, []).append(
            f"<figure><span>{pictures}</span><figcaption>{caption}</figcaption></figure>"
        )
    return PAGE + "\n".join(f"<h2>{name}</h2><div>{''.join(each)}</div>" for name, each in rows.items())


async def main(folder: Path, before: Path | None, only: str) -> int:
    """Draw all, write the page, and return the exit code."""
    if before is not None and (before / "pyproject.toml").exists():
        tree, before = before, folder / "before"
        await draw(tree.resolve(), before, only)
    missing = await draw(Path(__file__).parents[3], folder, only)
    (folder / "index.html").write_text(index(folder, before), "utf-8")
    sys.stdout.write(f"{folder / 'index.html'}\n")
    return int(bool(missing))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the page and its pictures go")
    parser.add_argument("--before", type=Path, help="a folder of earlier pictures, or an earlier tree")
    parser.add_argument("--only", default="", help="an expression that the names of screens match")
    given = parser.parse_args()
    sys.exit(asyncio.run(main(given.folder, given.before, given.only)))
