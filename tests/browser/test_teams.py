"""Teams with real clients: eight players in four pairs, at a terminal, on phones and on the television."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser

from racing_demon_client.cli.record_commands import as_table
from racing_demon_client.net.client import Client
from racing_demon_protocol.constants import TEAM_LETTERS
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.records.format import Record, TimedMessage
from racing_demon_protocol.records.ratings import ratings
from racing_demon_protocol.records.standings import select_matches, standings
from racing_demon_protocol.records.summary import summarize
from racing_demon_protocol.table.scoring import team_totals, teams_of
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.browsers import LASTING, SMALL_PHONE, TALL_PHONE, TELEVISION, Phone, phone
from tests.support.guests import Guest
from tests.support.restartable_server import wait_until
from tests.support.screens import shows, sitting, wait
from tests.support.servers import serving
from tests.support.terminal import Player

TEXT_SCREEN: Final = (80, 24)
FITS: Final = "() => document.documentElement.scrollWidth <= innerWidth"
IS_SEEN: Final = "(row) => row.getBoundingClientRect().bottom <= innerHeight"
MARKS: Final = """(selector) => [...document.querySelectorAll(selector)].map((name) =>
  [name.textContent, name.dataset.team])"""
TEAMS: Final = """() => [...document.querySelectorAll(".tally tr.team")].map((row) =>
  [row.querySelector(".who").textContent, Number(row.querySelector(".total").textContent)])"""


class FourPairs:
    """A table of eight in four teams: Ann at a terminal, Bea and Cyn on phones, Don, and four bots.

    Attributes:
        host: Ann's client.
        ann: her terminal.
        pages: the phones of Bea and Cyn, and the television.
        don: Don.

    """

    def __init__(self, host: Client, ann: Player, pages: list[Phone], don: Guest) -> None:
        self.host = host
        self.ann = ann
        self.pages = pages
        self.don = don

    @classmethod
    @asynccontextmanager
    async def seated(cls, browser: Browser, options: Options) -> AsyncIterator["FourPairs"]:
        """Seat all of them."""
        async with AsyncExitStack() as stack:
            served = await stack.enter_async_context(serving(bot_speed=50.0, seed=LASTING))
            host = await Client.create(served.url, "Ann", options)
            link = f"{served.origin}/{host.code}"
            ann = await stack.enter_async_context(sitting(host, "hosted", size=TEXT_SCREEN))
            bea = await stack.enter_async_context(phone(browser, link, **TALL_PHONE))
            await bea.join("Bea")
            cyn = await stack.enter_async_context(phone(browser, link, **SMALL_PHONE))
            await cyn.join("Cyn")
            don = await Client.join(served.url, host.code, "Don")
            guest = await stack.enter_async_context(Guest.seated(don))
            screen = await stack.enter_async_context(phone(browser, f"{link}?tv", **TELEVISION))
            for _ in range(4):
                await host.send(cl.AddBot(counter=host.next_counter(), level="easy"))
            await wait(ann.pilot, lambda: len(host.view.seats) == 8)
            yield cls(host, ann, [bea, cyn, screen], guest)

    @property
    def letters(self) -> dict[str, str]:
        """The letter of each player's team, by names."""
        return {state.name: TEAM_LETTERS[state.team or 0] for state in self.host.view.seats.values()}

    async def see(self, selector: str, letters: dict[str, str]) -> None:
        """Wait until all pages show the letter of each player's team, within their width."""
        for page in self.pages:
            await page.until(partial(self._shows, page, selector, letters))
            await page.page.wait_for_function(FITS)
            assert not page.complaints

    @staticmethod
    async def _shows(page: Phone, selector: str, letters: dict[str, str]) -> bool:
        return dict(await page.page.evaluate(MARKS, selector)) == letters

    async def keep(self, folder: Path, what: str) -> None:
        """Keep pictures of all screens, to be looked at."""
        for name, page in zip(("phone", "small-phone", "television"), self.pages, strict=True):
            await page.page.screenshot(path=folder / f"{what}-{name}.png")
        (folder / f"{what}.txt").write_text(self.ann.text, encoding="utf-8")


@pytest.mark.long
async def test_four_pairs(browser: Browser, tmp_path: Path) -> None:
    """All see who plays for which team, and what each team has."""
    options = Options(teams=4, hands=1, countdown_ms=0, tally_ms=600_000, time_limit_ms=12_000)
    async with FourPairs.seated(browser, options) as table:
        host, ann, (bea, cyn, _) = table.host, table.ann, table.pages

        # Cyn chooses another team, and the host puts a bot into the one that Cyn has left.
        await cyn.page.get_by_role("button", name="Teams").tap()
        await cyn.page.get_by_label("Cyn").select_option("Team B")
        await wait(ann.pilot, lambda: host.view.seats[2].team == 1)
        assert await cyn.page.locator("label.option select").count() == 1, "the host chooses for others"
        await cyn.page.screenshot(path=tmp_path / "choice.png")
        await cyn.page.keyboard.press("Escape")
        await ann.pilot.press("f8", *["down"] * 5)
        (tmp_path / "players.svg").write_text(ann.app.export_screenshot(), encoding="utf-8")
        await ann.pilot.press("t")
        await wait(ann.pilot, lambda: host.view.seats[5].team == 2)
        letters = table.letters
        assert sorted(letters.values()) == [*"AABBCCDD"]
        await table.see("#lobby .player .name", letters)
        for name, letter in letters.items():
            await shows(ann, f"{letter} {name}")
        await table.keep(tmp_path, "lobby")

        await host.send(cl.Start(counter=host.next_counter()))
        await wait(ann.pilot, lambda: host.view.in_hand)
        await shows(ann, "B Bea")
        await bea.see("#table")
        others = {name: letter for name, letter in letters.items() if name != "Bea"}
        assert dict(await bea.page.evaluate(MARKS, "#table .chip .name")) == others
        await table.keep(tmp_path, "table")

        await wait(ann.pilot, lambda: host.view.phase is Phase.OVER)
        await table.see(".tally tr:not(.team) bdi", letters)
        await table.keep(tmp_path, "tally")
        rows = table.pages[-1].page.locator(".tally tr")
        assert await rows.last.evaluate(IS_SEEN)
        await _compare_tallies(table)
        await wait_until(lambda: table.don.client.view.phase is Phase.OVER)
        _count(table.don, tmp_path / "standings.txt")


async def _compare_tallies(table: FourPairs) -> None:
    """Compare the teams' totals on all screens with the server's."""
    view = table.host.view
    totals = {f"Team {TEAM_LETTERS[team]}": total for team, total in team_totals(view).items()}
    best = [f"Team {TEAM_LETTERS[team]}" for team in sorted({teams_of(view)[seat] for seat in view.winners})]
    assert max(totals.values()) > 0
    assert best == sorted(name for name, total in totals.items() if total == max(totals.values()))
    for page in table.pages:
        assert dict(await page.page.evaluate(TEAMS)) == totals
        await page.page.locator(".headline", has_text=best[0]).wait_for()
    for name, total in totals.items():
        text = f"team {name[-1]}"
        await shows(table.ann, text)
        row = next(line for line in table.ann.text.splitlines() if line.strip().startswith(f"{text} "))
        assert str(total) in row.split()


def _count(guest: Guest, path: Path) -> None:
    """Count what a player has recorded: teams have rows in the standings, and are rated."""
    record = Record(
        entries=[TimedMessage(each) for each in guest.messages if isinstance(each, Event | Snapshot)]
    )
    matches = select_matches(summarize([record], verified=True))
    table, rated = standings(matches), ratings(matches)
    view = guest.client.view
    assert sorted(row.points for row in table.teams) == sorted(team_totals(view).values())
    assert [[rated[key].matches for key in row.players] for row in table.teams] == [[1, 1]] * 4
    path.write_text("\n".join(as_table(table, rated)), encoding="utf-8")
