"""A walk past all screens of an evening, for tests that look at each."""

from collections.abc import AsyncIterator
from typing import Final

from tests.support.browsers import Phone

HASTY: Final = ("--bot-speed=100", "--standings=open", "--list-tables")
"""How a server is started at which the walk takes seconds."""
NEWEST_MATCH: Final = "JSON.parse(localStorage.getItem('racing-demon.matches'))?.at(-1)?.link"
LONG_NAME: Final = "Maximiliane"


async def screens(player: Phone, origin: str) -> AsyncIterator[str]:
    """Go from screen to screen of a match of two hands, and say which one is shown."""
    page = player.page
    yield "first screen"
    await player.create(LONG_NAME)
    await page.tap(".add-bot")
    await page.locator("#lobby .game:not(:empty)").wait_for()
    yield "lobby"
    await player.show_rules()
    yield "options"
    row = page.locator('.option:has(span:text-is("Hands in a match")) select')
    await row.select_option(label="2")
    await page.tap(".all-options")
    for name, opener in (("menu", "#lobby-menu"), ("invitation", "#lobby .share")):
        await page.tap(opener)
        await page.locator("#sheet-items > *").first.wait_for()
        yield name
        await page.tap("#sheet-close")
    await page.tap("#lobby-menu")
    await page.tap("text=Your name and color")
    await page.locator(".appearance").wait_for()
    yield "name and color"
    await page.tap("#sheet-close")
    await player.deal()
    await player.until_playing()
    yield "table"
    for name, opener in (("menu at the table", "#table .menu"), ("reactions", "#table .speech")):
        await page.tap(opener)
        await page.locator("#sheet-items > *").first.wait_for()
        yield name
        await page.tap("#sheet-close")
    for name in ("table as text", ""):  # the switch is pressed again in the end
        await page.tap("#table .menu")
        await page.tap("text=Show the table as text")
        await page.tap("#sheet-close")
        if name:
            yield name
    await player.finish()
    yield "tally"
    await page.tap(".deal:visible, .ready:visible")
    await player.see("#table")
    await player.finish()
    await player.see("#lobby.over")  # on a low screen without the cards
    yield "end of the match"
    await page.tap("text=Watch the match again")
    await player.see(".replay")
    yield "replay"
    await page.wait_for_function(f"() => {NEWEST_MATCH}")
    link = await page.evaluate(NEWEST_MATCH)
    for name, path in (("standings", "scores"), ("match", f"match/{link}"), ("you", "you")):
        await page.goto(f"{origin}/{path}")
        await page.locator("#page h1").wait_for()
        await page.wait_for_load_state("networkidle")
        yield name
