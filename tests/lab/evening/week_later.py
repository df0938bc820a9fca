"""An evening at one host's table, and the next one a week later, with new phones and odd browsers.

``python -m tests.lab.evening.week_later FOLDER`` plays both. In the first one the host practises while
hosting, somebody plays alone on the host's server, somebody's browser stores nothing, and Ann takes another
name. In the second one the host's terminal knows who was there, Ann is offered under her new name, an icon on
a home screen opens, and Dan has a new phone. A picture of every step goes into ``FOLDER``, for the eye.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

from playwright.async_api import Browser, expect

from tests.lab.evening.club import Club, compare, pictures_folder
from tests.lab.evening.program import Program
from tests.support.browsers import SMALL_PHONE, TALL_PHONE, Phone, chromium, phone
from tests.support.ports import free_port
from tests.support.processes import CLIENT

ADDRESS: Final = "127.0.0.1"
STORES_NOTHING: Final = "Storage.prototype.setItem = () => { throw new Error('QuotaExceededError'); }"
PRACTICE: Final = ("play", "--name", "Eve", "--hands", "1", "--option", "countdown_ms=0")
EXPECTED: Final = [{"Eve": 1, "Ann": 1, "Dan": 1}, {"Eve": 2, "Annabel": 2, "Dan": 2}]
"""The matches of each person after each evening: Bea, whose browser stores nothing, is a guest."""


class Weeks:
    """Both evenings, and the phones that come to them.

    Args:
        browser: where pages are opened.
        data: the folder of the host's journals and settings.
        pictures: where pictures go.

    """

    def __init__(self, browser: Browser, data: Path, pictures: Path, stack: AsyncExitStack) -> None:
        self._browser = browser
        self._data = data
        self._pictures = pictures
        self._stack = stack
        self._port = free_port()
        self._origin = f"http://{ADDRESS}:{self._port}"
        self._ann: Phone
        self._icon = ""

    def _evening(self) -> Club:
        return Club(self._browser, self._data, self._pictures, ADDRESS)

    async def _phone(self, path: str, script: str = "", **settings: Any) -> Phone:
        made = await self._stack.enter_async_context(
            phone(self._browser, f"{self._origin}/{path}", **settings)
        )
        if script:
            await made.page.add_init_script(script)
            await made.page.reload()
            await made.page.wait_for_selector("#start.is-ready", state="attached")
        return made

    async def first(self) -> Mapping[str, int]:
        """Play the first evening, and return the standings."""
        async with AsyncExitStack() as programs, self._evening() as club:
            practice = await programs.enter_async_context(Program.running(self._data, *PRACTICE))
            await practice.shows("Stuck|stuck|stock")
            await club.open_table(self._port)
            (self._pictures / "00-practice.txt").write_text(practice.text, "utf-8")
            await self._second_host()
            self._ann = await self._phone(club.code, **TALL_PHONE)
            dan = await self._phone(club.code, **SMALL_PHONE)
            bea = await self._phone(club.code, STORES_NOTHING, **SMALL_PHONE)
            await self._play_alone(club)
            for name, device in (("Ann", self._ann), ("Dan", dan), ("Bea", bea)):
                await device.join(name)
            await club.look("lobby", ann=self._ann, dan=dan, bea=bea)
            await self._reload(bea)
            await club.look("reloaded", bea=bea)
            await self._open_icon(club)
            await club.play(self._ann, dan, bea)
            await club.look("tally", ann=self._ann, dan=dan, bea=bea)
            found = await club.standings(self._ann)
            await club.look("standings", ann=self._ann)
            await self._rename(club)
            await self._you(club, "you-stores-nothing", bea)
            await club.host.leave()
            practice.type("\x03")
        assert (self._data / "practice.sqlite").exists()
        return found

    async def _told(self, step: str, *arguments: str) -> tuple[int, str]:
        """Run a client to its end; keep what it says, and return it with its exit code."""
        folders = {f"RACING_DEMON_{kind}": str(self._data) for kind in ("CONFIG", "STATE", "DATA")}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", CLIENT, *arguments),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=os.environ | folders,
        )
        said, _ = await process.communicate()
        (self._pictures / f"{step}.txt").write_bytes(said)
        assert process.returncode is not None
        return process.returncode, said.decode()

    async def _second_host(self) -> None:
        """Try to host another table in another terminal: no other file is taken without a word."""
        code, said = await self._told("00-second-host", "host", "--name", "Eve", "--port", str(free_port()))
        assert code, said
        assert "is still open here" in said, said
        assert not list(self._data.glob("journal-2*"))

    async def _play_alone(self, club: Club) -> None:
        """Play alone on the host's server: nobody else is shown that table."""
        alone = await self._phone("", **SMALL_PHONE)
        await alone.page.tap("#play-now")
        await alone.until_playing()
        other = await self._phone("", **SMALL_PHONE)
        await club.look("first-screen-while-somebody-plays-alone", other=other, alone=alone)
        assert await alone.code() not in await other.page.locator("#start").inner_text()
        assert not await other.page.input_value("#code")

    async def _reload(self, bea: Phone) -> None:
        await bea.page.reload()
        await bea.see("#lobby")
        await expect(bea.page.locator("#lobby .ready")).to_be_visible()

    async def _open_icon(self, club: Club) -> None:
        """Open an icon of the table as an iPhone does: with a storage of its own."""
        href = await self._ann.page.evaluate("document.querySelector('link[rel=manifest]').href")
        told = json.loads(await asyncio.to_thread(lambda: urlopen(href).read()))  # noqa: S310
        self._icon = told["start_url"]
        app = await self._phone(self._icon.removeprefix("/"), **TALL_PHONE)
        await expect(app.page.locator("#name")).to_have_value("Ann")
        await expect(app.page.locator("#code")).to_have_value(club.code)
        await club.look("icon", app=app)

    async def _rename(self, club: Club) -> None:
        """Let Ann take another name."""
        await self._you(club, "you", self._ann)
        await self._ann.page.locator('#page input[aria-label="Name of Ann"]').fill("Annabel")
        await self._ann.page.locator("#page button", has_text="Change the name").tap()
        await expect(self._ann.page.locator('#page input[aria-label="Name of Annabel"]')).to_be_visible()
        await club.look("you-renamed", ann=self._ann)

    async def _you(self, club: Club, step: str, device: Phone) -> None:
        await device.page.goto(f"{self._origin}/you")
        await device.page.locator("#page h1").wait_for()
        await club.look(step, who=device)

    async def later(self) -> Mapping[str, int]:
        """Play the evening a week later, and return the standings."""
        async with self._evening() as club:
            await club.open_table(self._port)
            await club.host.shows("players|people")
            await club.look("a-week-later")
            ann = self._ann
            await ann.open(f"{club.origin}/{club.code}")
            await club.look("ann-is-offered", ann=ann)
            await ann.open(f"{club.origin}{self._icon}")
            await club.look("icon-of-last-week", ann=ann)
            await ann.page.tap("#join")
            await expect(ann.page.locator("#play-now")).to_be_visible()
            await club.look("icon-of-last-week-pressed", ann=ann)
            await ann.open(f"{club.origin}/{club.code}")
            await ann.join("Annabel")
            dan = await self._phone(club.code, **TALL_PHONE)
            await club.look("dans-new-phone", dan=dan)
            await self._recognize(club, dan)
            bea = await self._phone(club.code, STORES_NOTHING, **SMALL_PHONE)
            await bea.join("Bea")
            await club.look("lobby-again", ann=ann, dan=dan, bea=bea)
            await club.play(ann, dan, bea)
            await club.look("tally-again", ann=ann, dan=dan, bea=bea)
            found = await club.standings(ann)
            await club.look("standings-again", ann=ann)
            await self._you(club, "you-on-trial", dan)
            await ann.page.goto(f"{club.origin}/matches")
            await club.look("matches", ann=ann)
            await club.host.leave()
        code, said = await self._told("99-scores", "scores")
        assert code == 0, said
        for name in ("Annabel", "Dan", "Eve"):
            assert re.search(rf"\b{name}\b", said), said
        return found

    async def _recognize(self, club: Club, dan: Phone) -> None:
        """Let the host give Dan's new phone a code, which asks whether it is Dan's."""
        club.host.type("p")
        await club.host.shows(r"Dan +last here")
        await club.look("people-of-last-week")
        listed = [line for line in club.host.text.splitlines() if "last here" in line]
        row = next(number for number, line in enumerate(listed) if "Dan" in line)
        club.host.type("\x1b[B" * row + "\r")
        code = (await club.host.shows(r"/you(?s:.*)\b([A-Z]{6})\b"))[1]
        await club.look("code-for-dan")
        await dan.page.goto(f"{club.origin}/you#{code},Dan,{club.code}")
        await expect(dan.page.locator("#page")).to_contain_text("Are you Dan?")
        await club.look("are-you-dan", dan=dan)
        await dan.page.locator("#page button", has_text="Yes, I am Dan").tap()
        await dan.page.wait_for_url(f"{club.origin}/{club.code}")
        club.host.type("\x1b")  # the code ends with its dialog
        await dan.page.wait_for_selector("#start.is-ready", state="attached")
        await expect(dan.page.locator("#name")).to_have_value("Dan")
        await dan.join("Dan")


async def main() -> None:
    """Play both evenings, and compare the standings."""
    folder = pictures_folder(__doc__)
    with tempfile.TemporaryDirectory() as data:
        async with chromium() as browser, AsyncExitStack() as stack:
            weeks = Weeks(browser, Path(data), folder, stack)
            for number, evening in enumerate((weeks.first, weeks.later)):
                compare(number + 1, await evening(), EXPECTED[number])


if __name__ == "__main__":
    asyncio.run(main())
