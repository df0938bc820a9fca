"""Pages of results on a phone: standings, the matches of a device, a match, its replay and its proof."""

import re
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page, expect

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Signalled
from racing_demon_protocol.wire.messages.handicap import MAX_HANDICAP_POINTS
from racing_demon_protocol.wire.messages.server import Identified
from racing_demon_protocol.wire.options import Options
from tests.browser.test_access import violations
from tests.support.browsers import SMALL_PHONE, TALL_PHONE, phone
from tests.support.journals import play_match
from tests.support.people import SECRETS, enrolled, play_alone
from tests.support.restartable_server import RestartableServer
from tests.support.results import origin_of, page_with, results_of
from tests.support.servers import Peer

MAX_STOPS: Final = 60
FOCUSED: Final = (
    "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()"
)
PLACE: Final = "Number(document.querySelector('.replay input').value)"
FAST: Final = ("--bot-speed=100", "--standings=open", "--list-tables")


@pytest.mark.long
async def test_a_match_is_found_again_after_it_is_left(browser: Browser, tmp_path: Path) -> None:
    """A player goes from the tally to a match, watches it again, comes back, and reads of the evening."""
    journal = tmp_path / "journal.sqlite"
    async with (
        RestartableServer.started(journal, *FAST) as server,
        phone(browser, origin_of(server)) as player,
    ):
        await player.play_match("Ann")
        code = await player.code()
        await player.page.locator(".after button", has_text="Results").tap()
        await player.page.tap("#page .matches a")
        await expect(player.page.locator("#page .tally tr")).to_have_count(3)
        await player.page.locator("#page button", has_text="Watch the match").tap()
        await player.see(".replay")
        await player.page.go_back()
        await player.see("#page .hands")
        await player.page.tap("#page header button")
        await player.see("#lobby .tally")
        assert player.page.url.endswith(f"/{code}")
        await player.open(f"{origin_of(server)}/you")
        await expect(player.page.locator("#page .self")).to_contain_text("1 match on this device")
        await expect(player.page.locator("#page .matches li")).to_contain_text("1 match, ")
        assert player.complaints == []


@pytest.mark.long
async def test_a_casual_match_says_that_it_does_not_count(browser: Browser, tmp_path: Path) -> None:
    """Its page and the list of matches say so; the standings are empty, and guests see it in the lobby."""
    journal = tmp_path / "journal.sqlite"
    async with (
        RestartableServer.started(journal, *FAST) as server,
        phone(browser, origin_of(server)) as player,
    ):
        await player.play_match("Ann", casual=True)
        async with phone(browser, f"{origin_of(server)}/{await player.code()}") as guest:
            await guest.join("Ben")
            await expect(guest.page.locator("#lobby .terms")).to_contain_text("in no standings")
        page = player.page
        await page.locator(".after button", has_text="Results").tap()
        await expect(page.locator("#page .matches a")).to_contain_text("casual: in no standings")
        await page.tap("#page .matches a")
        await expect(page.locator("#page p").first).to_contain_text("casual: in no standings")
        await page.locator("#page nav a", has_text="Standings").tap()
        await expect(page.locator("#page p", has_text="No match")).to_contain_text("1 casual not counted")
        await expect(page.locator("#page .standings")).to_have_count(0)  # not of this device either
        assert player.complaints == []


async def test_a_link_shows_a_match(browser: Browser, tmp_path: Path) -> None:
    """Whoever has a match's link sees its tally, watches it hand by hand, and verifies it."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST) as server:
        await play_match(server.url, bots=4, hands=2)
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 1)
        ((_, link),) = results_of(journal)
        async with phone(browser, f"{origin_of(server)}/match/{link}") as guest:
            page = guest.page
            await expect(page.locator("#page .tally tr")).to_have_count(5)
            await expect(page.locator("#page .hands li")).to_have_count(2)
            assert await violations(guest) == []
            await page.locator("#page .more summary").tap()
            await page.locator("#page button", has_text="Verify").tap()
            await expect(page.locator("#page .proof")).to_contain_text("Hand 2: ")
            await expect(page.locator("#page .proof")).to_contain_text("match the shuffle")
            await page.locator("#page .hands button").nth(1).tap()
            await guest.see(".replay")
            await expect(page.locator('.replay button[aria-label="Pause"]')).to_be_visible()
            await page.locator('.replay button[aria-label="One step back"]').tap()  # which stops it
            await expect(page.locator(".replay button")).to_have_text(["◂", "▶", "▸", "Race", "×4", "✕"])
            place = page.locator(".replay input")
            await place.fill("5")  # it may have come to its end, from where no step goes on
            before = int(await place.input_value())
            await page.locator('.replay button[aria-label="One step on"]').tap()
            await page.wait_for_function(f"() => {PLACE} > {before}")
            await page.locator('.replay button[aria-label="One step back"]').tap()
            await page.wait_for_function(f"() => {PLACE} <= {before}")
            await page.locator('.replay button[aria-label="Close the replay"]').tap()
            await guest.see("#page .hands")
            await page.locator("#page nav a", has_text="Standings").tap()
            await expect(page.locator("#page p", has_text="One match")).to_be_visible()
            await page.locator("#page label", has_text="People only").tap()
            await expect(page.locator("#page .standings tr")).to_have_count(5)
            await page.locator(".segments button", has_text="Tonight").tap()
            await expect(page.locator("#page .standings th").last).to_have_text("Races won")
            legend = page.locator("#page .legend")
            await expect(legend).to_have_text(re.compile("^ *Won: [^:]* Races won: [^:]*$"))
            await page.locator(".segments button", has_text="All").tap()
            await expect(legend).to_contain_text("Rating: ")
            assert guest.complaints == []


async def test_names_are_only_names(browser: Browser, tmp_path: Path) -> None:
    """Players called like what every object has, and like a picture, are shown so, and break no page."""
    journal, names = tmp_path / "journal.sqlite", ["__proto__", "constructor", "<img src=x onerror=a()>"]
    options = Options(hands=1, countdown_ms=0)
    async with RestartableServer.started(journal, *FAST) as server, AsyncExitStack() as stack:
        host = await stack.enter_async_context(
            Peer.entered(server.url, cl.Create(name=names[0], options=options))
        )
        peers = [host]
        for name in names[1:]:
            joining = Peer.entered(server.url, cl.Join(code=host.code, name=name))
            peers.append(await stack.enter_async_context(joining))
        await host.ask(cl.Say, text="<img src=x onerror=a()>")
        await host.ask(cl.Start)
        for peer in peers:
            await peer.until(Signalled)
            await peer.ask(cl.Stuck)
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 1)
        ((_, link),) = results_of(journal)
        async with phone(browser, f"{origin_of(server)}/match/{link}") as guest:
            page = guest.page
            await expect(page.locator("#page .tally tr bdi")).to_have_count(3)
            assert sorted(await page.locator("#page .tally tr bdi").all_inner_texts()) == sorted(names)
            await page.locator("#page .more summary").tap()
            await page.locator("#page button", has_text="Verify").tap()
            await expect(page.locator("#page .proof")).to_contain_text("match the shuffle")
            await page.locator("#page button", has_text="Watch the match").tap()
            await guest.see(".replay")
            await page.locator('.replay button[aria-label="Close the replay"]').tap()
            await page.locator("#page nav a", has_text="Standings").tap()
            await expect(page.locator("#page .standings tr")).to_have_count(4)
            assert await page.locator("img[src='x']").count() == 0
            assert guest.complaints == []


@pytest.mark.long
async def test_a_rematch_has_the_same_options(browser: Browser, tmp_path: Path) -> None:
    """From the page of a match of one hand, two presses open another table for one hand, by keys alone."""
    async with (
        RestartableServer.started(tmp_path / "journal.sqlite", *FAST) as server,
        phone(browser, origin_of(server), viewport={"width": 320, "height": 568}) as player,
    ):
        page = player.page
        await player.play_match("Ann")
        code = await player.code()
        await page.locator(".after button", has_text="Results").press("Enter")
        await page.locator("#page .matches a").press("Enter")
        await page.locator("#page button", has_text="Rematch").press("Enter")
        same = page.locator("#sheet .preset.primary")
        await expect(same).to_have_text("The same againWith the options of the match that you came from.")
        assert await violations(player) == []
        await same.press("Enter")
        await player.see("#lobby .add-bot")
        assert await player.code() != code
        await page.locator(".all-options").press("Enter")
        await page.locator(".options summary", has_text="Match").press("Enter")
        hands = page.locator('.option:has(span:text-is("Hands in a match")) select')
        await expect(hands.locator("option:checked")).to_have_text("1")
        assert player.complaints == []


def has_matches(number: int, found: dict[str, Any]) -> bool:
    """Return whether the standings have so many matches."""
    return bool(found["matches"] == number)


async def played_alone(server: RestartableServer, ahead: int = 0) -> Identified:
    """Let Ann play a match, perhaps some points ahead, and wait until it is in the standings."""
    async with Peer.connect(server.url) as peer:
        known = await enrolled(peer, "Ann", SECRETS[0])
        await play_alone(peer, "Ann", ahead=ahead)
    await page_with(server, "/v1/standings", partial(has_matches, 1))
    return known


@pytest.mark.long
@pytest.mark.parametrize("size", [SMALL_PHONE["viewport"], TALL_PHONE["viewport"]], ids=["small", "tall"])
async def test_every_page_is_for_everybody(browser: Browser, tmp_path: Path, size: dict[str, int]) -> None:
    """Axe finds nothing on the first screen and on any page of results, and none is wider than the phone."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST) as server:
        known = await played_alone(server)
        ((_, link),) = results_of(journal)
        paths = "/", "/you", "/scores", f"/player/{known.player}", "/matches", f"/match/{link}"
        async with phone(browser, origin_of(server), viewport=size) as guest:
            for path in paths:
                await guest.open(f"{origin_of(server)}{path}")
                await guest.see("#play-now" if path == "/" else "#page h1")
                await guest.page.wait_for_load_state("networkidle")
                assert await violations(guest) == [], path
                assert await guest.page.evaluate("document.documentElement.scrollWidth") <= size["width"], (
                    path
                )
            assert guest.complaints == []


@pytest.mark.long
async def test_a_player_has_best_moments(browser: Browser, tmp_path: Path) -> None:
    """The page of a player shows them in words, each with its match."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST) as server:
        known = await played_alone(server, ahead=MAX_HANDICAP_POINTS)  # more than a bot can win
        found = await page_with(server, f"/v1/players/{known.player}", lambda page: bool(page["matches"]))
        (win, streak) = found["moments"]
        assert (win["moment"], streak["moment"]) == ("win", "streak")
        async with phone(browser, f"{origin_of(server)}/player/{known.player}") as guest:
            lists = guest.page.locator("#page ul.matches")
            await expect(lists).to_have_count(2)
            texts = [f"Biggest win: {win['value']} ahead", "Longest streak: 1 won in a row"]
            await expect(lists.first.locator("li")).to_contain_text(texts)


@pytest.mark.long
async def test_pages_need_no_pointer(browser: Browser, tmp_path: Path) -> None:
    """With the tabulator and Enter somebody goes from the first screen to a player's page, and back."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST) as server:
        await played_alone(server)
        async with phone(browser, origin_of(server), has_touch=False, is_mobile=False) as guest:
            page = guest.page
            await press_on(page, "Results")
            await guest.see("#page .standings")
            await press_on(page, "Ann")
            await expect(page.locator("#page h1")).to_have_text("Ann")
            await page.go_back()
            await guest.see("#page .standings")
            await press_on(page, "Close")
            await guest.see("#play-now")
            assert guest.complaints == []


async def press_on(page: Page, name: str) -> None:
    """Go to a control by the tabulator alone, and press Enter."""
    reached = []
    for _ in range(MAX_STOPS):
        await page.keyboard.press("Tab")
        text = await page.evaluate(FOCUSED)
        if text == name:
            await page.keyboard.press("Enter")
            return
        reached.append(text)
    pytest.fail(f"the tabulator does not lead to {name}, but to {reached}")
