"""Two evenings of a club at one host's table, whose address has changed in between.

``python -m tests.lab.evening.club FOLDER`` plays them: a terminal that hosts, two phones, a tablet that two
people share, a laptop and a television that watch, and two bots. On the second evening the browsers know
nothing any more, as another address is another server to them, and one phone is cleared. The standings must
have each person once. A picture of every step goes into ``FOLDER``.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, Self

from playwright.async_api import Browser, expect

from tests.browser.test_results import leave
from tests.lab.evening.program import WAIT_SECONDS, Program
from tests.support.browsers import SMALL_PHONE, TALL_PHONE, TELEVISION, Phone, chromium, phone
from tests.support.ports import free_port
from tests.support.processes import SERVER

FIRST_ADDRESS: Final = "127.0.0.1"
SECOND_ADDRESS: Final = "127.0.0.2"
LAPTOP: Final[dict[str, Any]] = {
    "viewport": {"width": 1280, "height": 800},
    "has_touch": False,
    "is_mobile": False,
}
TABLET: Final[dict[str, Any]] = {"viewport": {"width": 820, "height": 1180}}
OPTIONS: Final = ("time_limit_ms=15000", "countdown_ms=500", "tally_ms=600000")
"""A hand that ends by itself: nobody's luck decides how long the evening is."""
SETTLE_SECONDS: Final = 0.5
"""A picture is taken so long after what it waited for, when the rest of the screen is drawn, too."""
EXPECTED: Final = [
    {"Eve": 2, "Ann": 2, "Ben": 2, "Cyn": 1, "Dan": 1},
    {"Eve": 4, "Ann": 4, "Ben": 4, "Cyn": 2, "Dan": 2},
]
"""The matches of each person after the first evening and after the second."""


class Club:
    """The host's terminal, and the pages at the table.

    Args:
        browser: where pages are opened.
        data: the folder of the host's journal and settings, the same on both evenings.
        pictures: where pictures go.
        address: how pages reach the host this evening.

    """

    def __init__(self, browser: Browser, data: Path, pictures: Path, address: str) -> None:
        self._browser = browser
        self._data = data
        self._pictures = pictures
        self._address = address
        self._stack = AsyncExitStack()
        self._steps = len(list(pictures.glob("*.txt")))
        self.host: Program
        self.origin = ""
        self.code = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def open_table(self, port: int | None = None) -> None:
        """Host a table in a terminal of 80 columns, with two bots."""
        arguments = ["host", "--name", "Eve", "--bots", "2", "--hands", "1", "--no-announce"]
        arguments += ["--port", str(port or free_port())]
        arguments += [part for option in OPTIONS for part in ("--option", option)]
        self.host = await self._stack.enter_async_context(Program.running(self._data, *arguments))
        found = await self.host.shows(r"http://[^:]+:(\d+)/([A-Z]{4})")
        self.origin, self.code = f"http://{self._address}:{found[1]}", found[2]

    async def device(self, view: str = "", **settings: Any) -> Phone:
        """Open the table's page on a device that has never been here."""
        return await self._stack.enter_async_context(
            phone(self._browser, f"{self.origin}/{self.code}{view}", **settings)
        )

    async def look(self, step: str, **devices: Phone) -> None:
        """Keep what all screens show after a step."""
        self._steps += 1
        await asyncio.sleep(SETTLE_SECONDS)
        stem = f"{self._steps:02d}-{step}"
        (self._pictures / f"{stem}.txt").write_text(self.host.text, "utf-8")
        for name, device in devices.items():
            await device.page.screenshot(path=self._pictures / f"{stem}-{name}.png")

    async def play(self, *players: Phone) -> None:
        """Let all be ready, and play one hand until its time is up and the tally shows."""
        for player in players:
            await player.page.tap(".ready")
        await self.host.shows("ready")
        self.host.type("\r")
        for player in players:
            await player.until_playing()
        async with asyncio.TaskGroup() as group:
            for player in players:
                group.create_task(player.page.locator(".tally:visible").wait_for(timeout=WAIT_SECONDS * 1000))

    async def recognize(self, name: str, device: Phone) -> None:
        """Ask the host for somebody's code, take it, and be at the table."""
        self.host.type("p")
        await self.host.shows(rf"{name} +last here")
        listed = re.findall(r"(\w+) +last here", self.host.text)
        self.host.type("\x1b[B" * listed.index(name) + "\r")
        code = (await self.host.shows(rf"A new phone of {name}(?s:.*)/you(?s:.*)\b([A-Z]{{6}})\b"))[1]
        await device.page.goto(f"{self.origin}/you#{code},{name},{self.code}")
        await device.page.locator("#page button", has_text=f"Yes, I am {name}").tap()
        await device.page.wait_for_url(f"{self.origin}/{self.code}")
        self.host.type("\x1b")  # the code ends with its dialog
        await device.page.wait_for_selector("#start.is-ready", state="attached")
        await expect(device.page.locator("#name")).to_have_value(name)
        await device.join(name)

    async def trust(self, name: str) -> None:
        """Let the operator trust somebody's new phone: until then it sees what a guest sees."""
        listed = await self._operate("--json")
        (player,) = [each["id"] for each in map(json.loads, listed) if each["name"] == name]
        for device in map(json.loads, await self._operate(player, "--json")):
            if not device["trusted"]:
                await self._operate(player, "--trust", str(device["device"]))

    async def _operate(self, *arguments: str) -> list[str]:
        """Run the operator's command for players, and return the lines that it prints."""
        journal = f"--journal={self._data / 'journal.sqlite'}"
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", SERVER, "players", *arguments, journal), stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
        assert process.returncode == 0, said
        return said.decode().splitlines()

    async def standings(self, device: Phone) -> Mapping[str, int]:
        """Return how many matches each person has, as a page of standings shows them."""
        await device.page.goto(f"{self.origin}/scores")
        await expect(device.page.locator("#page .standings a").first).to_be_visible()
        rows = await device.page.evaluate(
            """() => [...document.querySelectorAll("#page .standings tr:has(a)")].map((row) =>
              [row.querySelector("a").textContent, row.cells[1].textContent])"""
        )
        found = Counter({name: int(matches.split("/")[1]) for name, matches in rows})
        assert len(found) == len(rows), f"somebody stands there twice: {rows}"
        return found


async def join_beside(device: Phone, name: str) -> None:
    """Sit down as somebody new on a device that another one has used, which is asked about."""
    await device.page.fill("#name", name)
    await device.page.tap("#join")
    await device.page.get_by_role("button", name=f"{name} is somebody new").tap()
    await device.see("#lobby, #table")


async def evening(club: Club, *, is_first: bool) -> Mapping[str, int]:
    """Play a match with Cyn at the tablet, and one with Dan; return the standings."""
    await club.open_table()
    ann, ben = await club.device(**TALL_PHONE), await club.device(**SMALL_PHONE)
    tablet, laptop = await club.device(**TABLET), await club.device(**LAPTOP)
    television = await club.device("?tv", **TELEVISION)
    everybody = {"ann": ann, "ben": ben, "tablet": tablet, "laptop": laptop, "television": television}
    await club.look("door", **everybody)
    if not is_first:  # between matches the terminal shows the tally, and no invitations
        await club.recognize("Dan", tablet)
        await leave(tablet)
    for name, device in (("Ann", ann), ("Ben", ben), ("Cyn", tablet)):
        await (device.join(name) if is_first else club.recognize(name, device))
    await laptop.page.click("#watch")
    await club.look("lobby", **everybody)
    await club.play(ann, ben, tablet)
    await club.look("tally", **everybody)
    await leave(tablet)
    await tablet.open(f"{club.origin}/{club.code}")
    await (join_beside(tablet, "Dan") if is_first else tablet.join("Dan"))
    await club.look("lobby-again", **everybody)
    await club.play(ann, ben, tablet)
    await club.look("tally-again", **everybody)
    if not is_first:
        await club.trust("Ann")
    found = await club.standings(ann)
    await club.look("standings", ann=ann)
    await club.host.leave()
    return found


def pictures_folder(doc: str | None) -> Path:
    """Return the folder that the command line names for the pictures; it is there."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compare(number: int, found: Mapping[str, int], expected: Mapping[str, int]) -> None:
    """Say how many matches each has after an evening, and check it."""
    sys.stdout.write(f"evening {number}: {dict(found)}\n")
    assert found == expected, f"not {expected}"


async def main() -> None:
    """Play both evenings, and compare the standings."""
    folder = pictures_folder(__doc__)
    with tempfile.TemporaryDirectory() as data:
        async with chromium() as browser:
            for number, address in enumerate((FIRST_ADDRESS, SECOND_ADDRESS)):
                async with Club(browser, Path(data), folder, address) as club:
                    found = await evening(club, is_first=number == 0)
                compare(number + 1, found, EXPECTED[number])


if __name__ == "__main__":
    asyncio.run(main())
