"""Who uses a phone: remembered under any name, linked to another device, and forgotten again."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Devices
from tests.browser.test_access import violations
from tests.support.browsers import phone
from tests.support.effort import usually
from tests.support.people import SECRETS, enrolled, link_code, play_alone
from tests.support.restartable_server import RestartableServer, wait_until
from tests.support.results import get, origin_of, page_with
from tests.support.servers import NEWEST, Peer
from tests.support.whole_servers import operate

FAST: Final = ("--bot-speed=100", "--standings=open", "--until-table-ends=NONE")
"""A server of a host: it suggests to remember people."""


async def people(server: RestartableServer, matches: int) -> list[dict[str, Any]]:
    """Return the rows of people as soon as there are so many matches."""
    await page_with(server, "/v1/standings", lambda found: found["matches"] == matches)
    rows: list[dict[str, Any]] = json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]
    return rows


@pytest.mark.long
async def test_who_signs_in_at_a_proxy_is_shown_as_who_they_are(browser: Browser, tmp_path: Path) -> None:
    """The page has the name, changes it, leads to the results, and offers nothing that is for devices."""
    flags = (*FAST, "--identity-header=X-Remote-User", "--identity-proxy=127.0.0.1")
    own = {"X-Remote-User": "ann@example.org"}
    async with RestartableServer.started(tmp_path / "journal.sqlite", *flags) as server:
        async with Peer.connect(server.url, additional_headers=own) as peer:
            await peer.greet(NEWEST)
            await play_alone(peer, "Ann")
        await people(server, 1)
        async with phone(browser, f"{origin_of(server)}/you", extra_http_headers=own) as ann:
            await expect(ann.page.locator("#page p").first).to_have_text("You are Ann.")
            for selector in ("form", ".person"):
                await expect(ann.page.locator(f"#page {selector}")).to_have_count(0)
            assert await violations(ann) == []
            await ann.page.locator("#page input").fill("Annabel")
            await ann.page.locator("#page button", has_text="Change the name").tap()
            await expect(ann.page.locator("#toast")).to_have_text("You are Annabel now.")
            await expect(ann.page.locator("#page p").first).to_have_text("You are Annabel.")
            await ann.page.locator("#page a", has_text="Your matches and rating").tap()
            await expect(ann.page.locator("#page h1")).to_have_text("Annabel")
            assert ann.complaints == []


async def test_two_phones_are_one_person(browser: Browser, tmp_path: Path) -> None:
    """Ann plays on her phone and, after a code, on a cleared one: standings list her once."""
    async with RestartableServer.started(tmp_path / "journal.sqlite", *FAST) as server:
        origin = origin_of(server)
        async with phone(browser, origin) as first, phone(browser, origin) as second:
            await first.play_match("Ann")
            (row,) = await people(server, 1)
            assert (row["name"], bool(row["player"])) == ("Ann", True)
            await first.open(f"{origin}/you")
            await first.page.locator("#page button", has_text="Add another device").tap()
            await expect(first.page.locator("#page .proof")).to_contain_text("two minutes")
            assert await violations(first) == []
            said = str(await first.page.locator("#page .proof").inner_text())
            code = said.split("the name Ann and ")[1][:6]
            await second.open(f"{origin}/you")
            await second.page.locator('#page form input[aria-label="Your name"]').fill("Ann")
            await second.page.locator('#page form input[aria-label="Code"]').fill(code.lower())
            await second.page.locator("#page form button").tap()
            await second.page.locator("#page button", has_text="No").tap()
            await expect(second.page.locator("#page .person")).to_have_count(0)
            await second.page.locator('#page form input[aria-label="Your name"]').fill("Ann")
            await second.page.locator('#page form input[aria-label="Code"]').fill(code.lower())
            await second.page.locator("#page form button").tap()
            assert await violations(second) == []
            await second.page.locator("#page button", has_text="Yes, I am Ann").tap()
            await expect(second.page.locator("#page .person")).to_have_count(1)
            await second.open(origin)
            await second.play_match("Ann")
            (row,) = await people(server, 2)
            assert (row["name"], row["matches"]) == ("Ann", 2)
            await second.open(f"{origin}/scores")
            await expect(second.page.locator("#page .standings").first).to_contain_text("Ann (you)")
            await second.page.locator("#page .standings a", has_text="Ann").tap()
            await expect(second.page.locator("#page .matches").last.locator("li")).to_have_count(2)
            await expect(second.page.locator("#page .chart")).to_be_visible()
            assert await violations(second) == []
            await second.open(origin)
            await first.page.locator("#page .person button", has_text="Devices").tap()
            await first.page.locator("#page .person li button", has_text="trust it").tap()
            await expect(first.page.locator("#page .person li button")).to_have_count(1)
            await second.open(f"{origin}/you")
            await second.page.locator("#page button", has_text="Add another device").tap()
            await expect(second.page.locator("#page .proof")).to_contain_text("two minutes")
            await first.page.locator("#page .person li button", has_text="Not me").tap()
            await expect(first.page.locator("#page .person li")).to_have_count(1)
            assert first.complaints + second.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("away", usually(1, ["Escape", "✕", "Hide the code", "Standings", "another site"]))
async def test_a_code_ends_when_nobody_looks_at_it(browser: Browser, tmp_path: Path, away: str) -> None:
    """However its person leaves it, the code makes nobody Ann any more."""
    journal = tmp_path / "journal.sqlite"

    def codes() -> int:
        with closing(sqlite3.connect(journal.with_stem("journal-players"))) as players:
            return int(players.execute("SELECT count(*) FROM device_codes").fetchone()[0])

    async with RestartableServer.started(journal, *FAST) as server, phone(browser, origin_of(server)) as ann:
        await ann.play_match("Ann")
        await ann.open(f"{origin_of(server)}/you")
        await ann.page.locator("#page button", has_text="Add another device").tap()
        await expect(ann.page.locator("#page .proof")).to_contain_text("two minutes")
        assert codes() == 1
        if away == "another site":
            await ann.page.goto("about:blank")
        elif away == "Escape":
            await ann.page.keyboard.press("Escape")
            await expect(ann.page.locator("#page .proof")).to_have_text("This code no longer works.")
        else:
            await ann.page.locator("#page button, #page a", has_text=away).first.tap()
        await wait_until(lambda: codes() == 0)


DRAWN: Final = """async (link) => {
  const { src } = document.querySelector("script[type=module]");
  const { qrPicture } = await import(new URL("screens/qr.js", src));
  return qrPicture(link, "").querySelector("path").getAttribute("d");
}"""


@pytest.mark.long
async def test_a_scanned_code_fills_in_the_form(browser: Browser, tmp_path: Path) -> None:
    """The QR code brings name and code behind ``#``; they leave the address at once, and a question links."""
    async with RestartableServer.started(
        tmp_path / "journal.sqlite", *FAST, "--name=table.localhost"
    ) as server:
        origin = origin_of(server).replace("127.0.0.1", "table.localhost")
        small = {"width": 320, "height": 568}
        async with (
            phone(browser, origin, viewport=small) as first,
            phone(browser, origin, viewport=small) as second,
        ):
            await first.play_match("Zoë & Co, 1")
            await first.open(f"{origin}/you")
            await first.page.locator("#page button", has_text="Add another device").tap()
            shown = first.page.locator("#page .device-code path")
            await expect(shown).to_be_visible()
            said = str(await first.page.locator("#page .proof").inner_text())
            code = said.split("the name Zoë & Co, 1 and ")[1][:6]
            link = f"you#{code},Zo%C3%AB%20%26%20Co%2C%201"
            assert await shown.get_attribute("d") == await first.page.evaluate(DRAWN, f"{origin}/{link}")
            assert await violations(first) == []
            for player in (first, second):
                assert await player.page.evaluate("document.documentElement.scrollWidth") <= 320
            await second.open(f"{origin}/{link}")
            await expect(second.page.locator("#page")).to_contain_text("Are you Zoë & Co, 1?")
            assert second.page.url == f"{origin}/you"
            assert await violations(second) == []
            await second.page.locator("#page button", has_text="Yes").tap()
            await expect(second.page.locator("#page .person input")).to_have_value("Zoë & Co, 1")
            assert first.complaints + second.complaints == []


@pytest.mark.long
async def test_only_players_see_standings(browser: Browser, tmp_path: Path) -> None:
    """Where players see whom they have played with, a phone shows its player's, and a stranger's nothing."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST, "--standings=players") as server:
        origin = origin_of(server)
        async with phone(browser, origin) as own, phone(browser, origin) as strange:
            await own.play_match("Ann")
            await own.page.locator(".after button", has_text="Results").tap()
            await own.page.locator("#page .matches a").wait_for()  # its result is made after its end
            await own.open(f"{origin}/scores")
            await own.page.locator("#page .standings a", has_text="Ann").tap()
            await expect(own.page.locator("#page .matches").last.locator("li")).to_have_count(1)
            await strange.open(f"{origin}/scores")
            await expect(strange.page.locator("#page")).to_contain_text("shows no standings")


@pytest.mark.long
async def test_another_name_is_another_person(browser: Browser, tmp_path: Path) -> None:
    """A tablet that two people share knows both; who forbids it is a guest."""
    async with RestartableServer.started(tmp_path / "journal.sqlite", *FAST) as server:
        async with phone(browser, origin_of(server)) as tablet:
            await tablet.play_match("Ann")
            await people(server, 1)
            await tablet.open(origin_of(server))
            ben = tablet.page.get_by_role("button", name="Ben is somebody new")
            await asyncio.gather(tablet.play_match("Ben"), ben.tap())
            rows = await people(server, 2)
            assert len({row["player"] for row in rows}) == 2
            await tablet.open(f"{origin_of(server)}/you")
            await expect(tablet.page.locator("#page .person")).to_have_count(2)
            await tablet.page.locator("#page .choice input").tap()
            await tablet.open(origin_of(server))
            await tablet.play_match("Ann")
            rows = await people(server, 3)
            assert sorted((row["name"], bool(row["player"])) for row in rows) == [
                ("Ann", False),
                ("Ann", True),
                ("Ben", True),
            ]
            assert tablet.complaints == []


@pytest.mark.long
async def test_a_name_that_was_changed_stays_changed(browser: Browser, tmp_path: Path) -> None:
    """Ann is Annabel at every table, and offered as that; so is what the operator calls her."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST) as server:
        origin = origin_of(server)
        async with phone(browser, origin) as ann, Peer.hosting(server.url) as place:
            await ann.open(f"{origin}/{place.code}")
            await ann.join("Ann")
            await ann.open(f"{origin}/you")
            await ann.page.locator("#page .person input").fill("Anna  Bel")
            await ann.page.get_by_role("button", name="Change the name").tap()
            await expect(ann.page.locator("#page .person input")).to_have_value("Anna Bel")
            await expect(ann.page.locator("#name")).to_have_value("Anna Bel")
            for told in ("Anna Bel", "Anna II"):
                async with Peer.hosting(server.url) as other:
                    await ann.open(f"{origin}/{other.code}")
                    await expect(ann.page.locator("#name")).to_have_value("Anna Bel")
                    await ann.page.tap("#join")
                    await ann.see("#lobby")
                    await expect(ann.page.locator("#lobby .players bdi", has_text=told)).to_be_visible()
                    await expect(ann.page.locator("#name")).to_have_value(told)
                ((player, name),) = players(journal)
                assert name == told
                await operate(journal, "players", player, "--name", "Anna II")
            assert ann.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("typed", ["Ivy  Lee", " Ivy\u200b Lee", "Ｉvy Lee"])
async def test_a_name_that_the_server_cleans_is_one_players(
    browser: Browser, tmp_path: Path, typed: str
) -> None:
    """Whoever types it at every visit is one player, and it is shown as the server writes it."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST) as server:
        origin = origin_of(server)
        async with phone(browser, origin) as ivy:
            for _ in range(3):
                async with Peer.hosting(server.url) as place:
                    await ivy.open(f"{origin}/{place.code}")
                    await ivy.join(typed)
                    ((_, name),) = players(journal)
                    await expect(ivy.page.locator("#name")).to_have_value(name)
            assert ivy.complaints == []


@pytest.mark.long
async def test_another_name_may_be_anothers_or_the_own(browser: Browser, tmp_path: Path) -> None:
    """A tablet of two people asks about a third name; who looks at results is not chosen by that."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST, "--standings=players") as server:
        origin = origin_of(server)
        async with phone(browser, origin) as tablet:
            for name in ("Bea", "Ben", "Bella", "Cleo"):
                async with Peer.hosting(server.url) as place:
                    await tablet.open(f"{origin}/scores")
                    await tablet.open(f"{origin}/{place.code}")
                    await tablet.page.fill("#name", name)
                    await tablet.page.tap("#join")
                    if name == "Bella":
                        await expect(tablet.page.locator("#sheet-title")).to_have_text(
                            "Rename Ben, or somebody new?"
                        )
                        assert await violations(tablet) == []
                        await tablet.page.get_by_role("button", name="Rename Ben to Bella").tap()
                    elif name != "Bea":
                        await tablet.page.get_by_role("button", name=f"{name} is somebody new").tap()
                    await tablet.see("#lobby")
                    await expect(tablet.page.locator("#lobby .players bdi", has_text=name)).to_be_visible()
            assert sorted(name for _, name in players(journal)) == ["Bea", "Bella", "Cleo"]
            assert tablet.complaints == []


def players(journal: Path) -> list[tuple[str, str]]:
    """Return the ids and names of all players."""
    with closing(sqlite3.connect(journal.with_name("journal-players.sqlite"))) as file:
        return file.execute("SELECT id, name FROM players").fetchall()


@pytest.mark.long
async def test_a_person_is_forgotten_after_two_questions(browser: Browser, tmp_path: Path) -> None:
    """The page says what goes and what stays; one press forgets nobody, nor does a no."""
    async with RestartableServer.started(tmp_path / "journal.sqlite", *FAST) as server:
        origin = origin_of(server)
        async with phone(browser, origin) as ann:
            await ann.play_match("Ann")
            await people(server, 1)
            await ann.open(f"{origin}/you")
            person = ann.page.locator("#page .person")
            forget = person.locator("button", has_text="Forget me on this server")
            await forget.tap()
            await expect(person).to_contain_text("A former player")
            await person.locator("button", has_text="Go on").tap()
            await expect(person).to_contain_text("Nothing brings that back")
            assert await violations(ann) == []
            await person.locator("button", has_text="No, keep me").tap()
            assert [row["name"] for row in await people(server, 1)] == ["Ann"]
            await forget.tap()
            await person.locator("button", has_text="Go on").tap()
            await person.locator("button", has_text="Forget Ann for good").tap()
            await expect(person).to_have_count(0)
            assert [row["name"] for row in await people(server, 1)] == ["A former player"]
            assert ann.complaints == []


REFUSALS: Final = {
    "blocked": "Object.defineProperty(window, 'localStorage', {get() { throw new Error('SecurityError'); }})",
    "full": "Storage.prototype.setItem = () => { throw new Error('QuotaExceededError'); }",
    "silent": "Storage.prototype.setItem = () => undefined",
}
"""How browsers store nothing: cookies are blocked, there is no room, or an app's browser says nothing."""


@pytest.mark.long
@pytest.mark.parametrize("refusal", usually(1, REFUSALS.values()))
async def test_a_browser_that_stores_nothing_is_a_guest_with_a_seat(
    browser: Browser, tmp_path: Path, refusal: str
) -> None:
    """It says so, makes nobody a player, has its seat again after a reload, and takes no code of a device."""
    async with RestartableServer.started(tmp_path / "journal.sqlite", *FAST) as server:
        origin = origin_of(server)
        async with Peer.hosting(server.url) as place, phone(browser, origin) as bea:
            await bea.page.add_init_script(refusal)
            await bea.open(f"{origin}/{place.code}")
            await bea.join("Bea")
            await expect(bea.page.locator("#live")).to_contain_text("stores nothing")
            for _ in range(2):
                await bea.page.reload()
                await bea.see("#lobby")
            await expect(bea.page.locator("#lobby .ready")).to_be_visible()
            await expect(bea.page.locator("#lobby .player")).to_have_count(2)
            await bea.open(f"{origin}/you#BCDFGH,Bea")
            await expect(bea.page.locator("#page .choice input")).to_be_disabled()
            await expect(bea.page.locator("#page .choice input")).not_to_be_checked()
            await expect(bea.page.locator("#page")).to_contain_text("stores nothing")
            await expect(bea.page.locator("#page form")).to_have_count(0)
            assert bea.complaints == []
    with closing(sqlite3.connect(tmp_path / "journal-players.sqlite")) as players:
        assert players.execute("SELECT count(*) FROM players").fetchone() == (0,)


@pytest.mark.long
async def test_who_wants_to_be_remembered_says_who_that_is(browser: Browser, tmp_path: Path) -> None:
    """Without a name the page asks for one; one typed before is taken, and stays for the next table."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, *FAST) as server:
        origin = origin_of(server)
        async with phone(browser, origin) as ann, phone(browser, origin) as ben:
            await ann.open(f"{origin}/you")
            page = ann.page.locator("#page")
            await expect(page.locator("button", has_text="Remember me")).to_have_count(0)
            await page.locator(".choice input").tap()
            await page.locator('form input[aria-label="Your name"]').first.fill("Ann")
            assert await violations(ann) == []
            await page.locator("button", has_text="Remember me").tap()
            await expect(page.locator(".person input")).to_have_value("Ann")
            await ann.open(origin)
            await expect(ann.page.locator("#name")).to_have_value("Ann")
            await ben.open(origin)
            await ben.page.fill("#name", "Ben")
            await ben.page.tap("#standings")
            await ben.page.locator("#page nav a", has_text="You").tap()
            await ben.page.locator("#page .choice input").tap()
            await expect(ben.page.locator("#page .person input")).to_have_value("Ben")
            assert ann.complaints + ben.complaints == []
    assert sorted(name for _, name in players(journal)) == ["Ann", "Ben"]


@pytest.mark.long
async def test_an_invitation_of_a_lobby_leads_to_its_table(browser: Browser, tmp_path: Path) -> None:
    """A cleared phone becomes Ann's again, and is at the table; her own phone gets no second device."""
    async with RestartableServer.started(tmp_path / "journal.sqlite", *FAST) as server:
        origin = origin_of(server)
        async with Peer.hosting(server.url) as place, Peer.connect(server.url) as terminal:
            await enrolled(terminal, "Ann", SECRETS[0])
            code = await link_code(terminal)
            async with phone(browser, origin) as cleared:
                await cleared.open(f"{origin}/you#{code},Ann,{place.code}")
                await cleared.page.locator("#page button", has_text="Yes").tap()
                await cleared.page.wait_for_url(f"{origin}/{place.code}")
                added = await terminal.until(Devices)
                assert len(added.devices) == 2
                code = await link_code(terminal)
                await cleared.open(f"{origin}/you#{code},Ann,{place.code}")
                await cleared.page.wait_for_url(f"{origin}/{place.code}")
                await cleared.open(f"{origin}/you#{code},Ann")
                await expect(cleared.page.locator("#page .proof")).to_contain_text("already")
            await terminal.say(cl.ListDevices())
            assert len((await terminal.until(Devices)).devices) == 2


@pytest.mark.long
@pytest.mark.parametrize("name", ["<img src=x onerror=a()>", "../../you#BCDFGH,Ann", '"><svg onload=a()>'])
async def test_a_name_is_nothing_but_a_name(browser: Browser, tmp_path: Path, name: str) -> None:
    """Pages of a player whose name is markup or a path show it, and lead nowhere else."""
    async with RestartableServer.started(tmp_path / "journal.sqlite", *FAST) as server:
        origin = origin_of(server)
        async with phone(browser, origin) as player:
            await player.play_match(name)
            (row,) = await people(server, 1)
            for path in ("scores", f"player/{row['player']}", "you"):
                await player.open(f"{origin}/{path}")
                shown = player.page.locator("#page")
                if path == "you":
                    await expect(shown.locator(".person input")).to_have_value(name)
                else:
                    await expect(shown).to_contain_text(name)
                assert await shown.locator("[src=x], [onerror], [onload], bdi *").count() == 0
            await player.open(f"{origin}/scores")
            await player.page.locator("#page .standings a").first.tap()
            await player.page.wait_for_url(f"{origin}/player/{row['player']}")
            assert player.complaints == []
