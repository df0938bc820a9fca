"""Phones at a table: they enter, play by taps, come back after a break, and trust no name."""

import asyncio
import re
from contextlib import AsyncExitStack, suppress
from typing import Final

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import rank, suit
from tests.support.browsers import LASTING, TELEVISION, Phone, phone
from tests.support.effort import usually
from tests.support.relay import Relay
from tests.support.restartable_server import wait_until
from tests.support.servers import Served, relaying, serving

PHONES: Final = 3
CARDS: Final = 6
PATIENCE: Final = 60.0
LOST: Final = re.compile(r"^(10|[2-9AJQK])[♠♥♣♦]: \w+ beat \w+ by [0-9.]+ m?s$")
RANKS: Final = {1: "ace", 11: "jack", 12: "queen", 13: "king"}
SUITS: Final = ("spades", "hearts", "clubs", "diamonds")


@pytest.mark.long
async def test_phones_play_by_taps_and_show_the_servers_board(browser: Browser) -> None:
    """Each plays with taps alone; all show the server's foundations, and nothing on any page went wrong."""
    async with serving(seed=LASTING) as served, AsyncExitStack() as stack:
        players = [await stack.enter_async_context(phone(browser, served.origin))]
        code = await players[0].create("Ann")
        for number in range(1, PHONES):
            players.append(await stack.enter_async_context(phone(browser, f"{served.origin}/{code}")))
            await players[-1].join(f"Player {number}")
        for player in players:
            await player.page.tap(".ready")
        playing = [asyncio.create_task(player.keep_tapping()) for player in players]
        try:
            await wait_until(lambda: _out(_board(served, code)) >= CARDS)
        finally:
            for task in playing:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*playing)
        for player in players:
            await _until_shown(player, served, code)
        assert [player.complaints for player in players] == [[]] * PHONES


async def test_a_phone_checks_the_deal_that_it_has_a_part_in(browser: Browser) -> None:
    """When a hand is over the page deals it again, from the server's secret and all contributions."""
    async with serving() as served, phone(browser, served.origin) as ann:
        code = await ann.create("Ann")
        async with phone(browser, f"{served.origin}/{code}") as ben:
            await ben.join("Ben")
            players = (ann, ben)
            for player in players:
                await player.page.tap(".ready")
            for player in players:
                await player.page.tap(".stuck:enabled")
            for player in players:
                told = player.page.locator(".proof", has_text="You and 1 other took part in this shuffle")
                await told.wait_for(state="attached")
                assert "match the shuffle" in (await told.text_content() or "")
                await player.page.locator("summary", has_text="Checked").wait_for()
                assert player.complaints == []


@pytest.mark.long
async def test_a_phone_that_hears_nothing_comes_back_to_its_seat(browser: Browser) -> None:
    """A phone's socket does not say that it is dead: the page finds out, and resumes with its token."""
    async with serving() as served, Relay.before(served.url) as relay:
        async with phone(browser, relay.url.replace("ws:", "http:").removesuffix("/v1")) as player:
            code = await player.create("Ann")
            relay.muffled = True
            await player.see("#offline")
            relay.cut()
            await player.page.locator("#offline").wait_for(state="hidden")
            await player.page.tap(".ready")
            view = served.registry.room(code).table.view
            await wait_until(lambda: view.seats[0].ready)


@pytest.mark.long
async def test_a_page_that_is_loaded_again_is_on_its_seat_at_once(browser: Browser) -> None:
    """The seat's token stays on the device: nobody is asked for a name again."""
    async with serving() as served, phone(browser, served.origin) as player:
        code = await player.create("Ann")
        await player.page.reload()
        await player.see("#lobby")
        await expect(player.page.locator(".player .state")).to_have_text("you, host")
        assert list(served.registry.room(code).table.view.seats) == [0]


@pytest.mark.long
async def test_a_name_of_markup_is_shown_as_it_is(browser: Browser) -> None:
    """Names are text: no element comes of one, and no script runs."""
    name = "<img src=x onerror=a()>"
    async with serving() as served, phone(browser, served.origin) as player:
        await player.create(name)
        assert name == await player.page.inner_text(".player .name")
        assert await player.page.locator(".player img").count() == 0
        assert player.complaints == []


@pytest.mark.long
async def test_names_and_chat_of_markup_are_text_on_every_screen(browser: Browser) -> None:
    """In the lobby, at the table, in the tally and on a big screen no element comes of them."""
    name, said = "<img src=x onerror=a()>", "<svg onload=a()><b>bold</b></svg>"
    async with serving() as served, phone(browser, served.origin) as ann:
        link = f"{served.origin}/{await ann.create(name)}"
        async with phone(browser, link) as ben, phone(browser, f"{link}?tv", **TELEVISION) as screen:
            await ben.join("<b>Ben</b>")
            pages = (ann, ben, screen)
            await screen.page.locator("#lobby:visible").wait_for()  # who comes later hears less
            await ben.page.fill("#lobby .chat input", said)
            await ben.page.press("#lobby .chat input", "Enter")
            for each in pages:
                await each.page.locator(".chatlog", has_text=said).wait_for(state="attached")
            for player in (ann, ben):
                await player.page.tap(".ready")
            await screen.page.locator("#table .chip .name", has_text=name).wait_for()
            for player in (ann, ben):
                await player.page.tap(".stuck:enabled")
            for each in pages:
                await each.page.locator(".tally bdi", has_text=name).wait_for()
                assert await each.page.locator("[src=x], [onerror], [onload], bdi *").count() == 0
                assert each.complaints == []


@pytest.mark.parametrize("at", usually(1, ["the server", "a relay"]))
async def test_a_big_screen_shows_a_table_to_those_around_it(browser: Browser, at: str) -> None:
    """At the server or at a relay, it takes no seat, needs no press, and shows every player and all cards."""
    async with (
        serving() as served,
        relaying(served.url) as relay,
        phone(browser, served.origin) as player,
    ):
        code = await player.create("Ann")
        await player.page.tap(".add-bot")
        await player.page.tap(".deal")
        await player.see("#table")
        origin = relay.origin if at == "a relay" else served.origin
        async with phone(browser, f"{origin}/{code}?tv", **TELEVISION) as screen:
            await screen.see("#table .chip")
            await expect(screen.page.locator("#table .chip .name")).to_have_text(["Ann", "Ada"])
            assert list(served.registry.room(code).table.view.seats) == [0, 1]
            await _until_shown(screen, served, code)
            assert screen.complaints == []


@pytest.mark.long
async def test_a_big_screen_tells_of_lost_races(browser: Browser) -> None:
    """In a line for each: the card, who won, who lost, and by how much; newest first, and few at a time."""
    async with serving(bot_speed=4.0, seed=LASTING) as served, phone(browser, served.origin) as player:
        link = f"{served.origin}/{await player.create('Ann')}"
        for _ in range(7):
            await player.page.tap(".add-bot")
        async with phone(browser, f"{link}?tv", **TELEVISION) as screen:
            await player.page.tap(".deal")
            lines = screen.page.locator("#table .ticker li")
            await lines.filter(has_text=LOST).first.wait_for()
            assert await lines.count() <= 6
            assert screen.complaints == []


def _board(served: Served, code: str) -> Board | None:
    return served.registry.room(code).table.view.board


def _foundations(board: Board | None) -> list[tuple[int, ...]]:
    if board is None:
        return []
    return [board.cards[number] for number, pile in enumerate(board.piles) if pile.kind is Kind.FOUNDATION]


def _out(board: Board | None) -> int:
    return sum(map(len, _foundations(board)))


async def _until_shown(player: Phone, served: Served, code: str) -> None:
    """Wait until a phone tells the tops of all foundations as the server has them."""

    async def is_shown() -> bool:
        return await player.tops() == tops_of(_board(served, code))

    await player.until(is_shown)


def tops_of(board: Board | None) -> list[str]:
    """Return in words the cards that lie on a board's foundations."""
    return sorted(words(pile[-1]) for pile in _foundations(board) if pile)


def words(card: int) -> str:
    """Return a card as a page reads it out."""
    return f"{RANKS.get(rank(card), rank(card))} of {SUITS[suit(card)]}"
