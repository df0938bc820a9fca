"""The points of the hand that is played, on every kind of screen: one's own, and everybody's."""

from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Final

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted
from tests.support.browsers import LASTING, Phone, phone
from tests.support.effort import usually
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving

BOTS: Final = 2
ORDINALS: Final = {1: "1st", 2: "2nd", 3: "3rd"}
SCREENS: Final[dict[str, dict[str, Any]]] = {
    "phone": {"viewport": {"width": 320, "height": 568}},
    "landscape": {"viewport": {"width": 568, "height": 320}},
    "laptop": {"viewport": {"width": 1280, "height": 800}, "is_mobile": False},
}
TELEVISION: Final[dict[str, Any]] = {
    "viewport": {"width": 1920, "height": 1080},
    "has_touch": False,
    "is_mobile": False,
}
SEEN_STATES: Final = """() => [...document.querySelectorAll("#table .chip .state")].map((state) => {
  const box = state.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(state);
  const words = range.getBoundingClientRect();
  return words.top >= box.bottom - 2 || words.width === 0 ? "" : state.textContent;
})"""
CHIPS: Final = """() => [...document.querySelectorAll("#table .chip")].map((chip) =>
  [".name", ".out", ".heap"].map((each) => chip.querySelector(each).textContent))"""


@pytest.mark.long
@pytest.mark.parametrize("game", usually(1, ["classic", "racing-demon"]))
async def test_each_screen_tells_the_points_of_the_hand(browser: Browser, game: str) -> None:
    """Players read their own points and place, and those of the others with what is left in their heaps."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(bot_speed=20.0, seed=LASTING))
        options: dict[str, Any] = {"game": game, "countdown_ms": 500, "turn": 1}
        host = await stack.enter_async_context(Peer.hosting(served.url, seated=False, **options))
        view = served.registry.room(host.code).table.view
        link = f"{served.origin}/{host.code}"
        players = [await stack.enter_async_context(phone(browser, link, **each)) for each in SCREENS.values()]
        for name, player in zip(SCREENS, players, strict=True):
            await player.join(name)
        for _ in range(BOTS):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start, seen=view.seq)
        await wait_until(lambda: view.phase is Phase.PLAYING and len({*scoring.points(view).values()}) > 1)
        assert isinstance(await host.ask(cl.Pause, paused=True, seen=view.seq), Accepted)
        for seat, player in enumerate(players):
            own = player.page.locator("#table .standing", has_text=_standing(view, seat))
            await own.wait_for()
            box = await own.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] < SCREENS[view.player(seat)]["viewport"]["width"]
            await _until_others_are_shown(player, view, seat)
        await players[0].page.tap("#table .menu")
        await players[0].page.get_by_role("button", name="Show the table as text").tap()
        await players[0].page.locator("#table .text li", has_text=_standing(view, 0)).wait_for()


@pytest.mark.long
@pytest.mark.parametrize("game", ["travellers", "clock"])
async def test_who_plays_alone_reads_the_points(browser: Browser, game: str) -> None:
    """Whatever a game counts, the strip tells it while the hand goes on."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(seed=bytes(32)))
        host = await stack.enter_async_context(
            Peer.hosting(served.url, seated=False, game=game, countdown_ms=0)
        )
        view = served.registry.room(host.code).table.view
        player = await stack.enter_async_context(phone(browser, f"{served.origin}/{host.code}"))
        await player.join("Ann")
        await host.ask(cl.Start, seen=view.seq)
        await wait_until(lambda: view.phase is Phase.PLAYING)
        await player.page.locator("#table .standing", has_text=f"you {scoring.points(view)[0]}").wait_for()
        while not scoring.points(view)[0]:
            await player.tap_piles()
        await player.until(lambda: _reads(player, f"you {scoring.points(view)[0]}"))


@pytest.mark.long
async def test_who_plays_a_game_whose_steps_count_is_told_when(browser: Browser) -> None:
    """No page can tell how many steps of a trick were made; the tally does."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(seed=bytes(32)))
        host = await stack.enter_async_context(
            Peer.hosting(served.url, seated=False, game="a-spell", countdown_ms=0)
        )
        player = await stack.enter_async_context(phone(browser, f"{served.origin}/{host.code}"))
        await player.join("Ann")
        await host.ask(cl.Start)
        await player.until(lambda: _reads(player, "points at the end"))


@pytest.mark.long
async def test_a_chip_says_bot_whole_or_not_at_all(browser: Browser) -> None:
    """Where five have to fit beside heaps and points, no letter of it is left; a big screen says it."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving())
        host = await stack.enter_async_context(
            Peer.hosting(served.url, seated=False, game="classic", hands=1, time_limit_ms=5_000)
        )
        view = served.registry.room(host.code).table.view
        link = f"{served.origin}/{host.code}"
        small = await stack.enter_async_context(phone(browser, link, **SCREENS["phone"]))
        await small.join("Ann")
        big = await stack.enter_async_context(phone(browser, f"{link}?tv", **TELEVISION))
        for _ in range(5):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start, seen=view.seq)
        await wait_until(lambda: view.phase is Phase.PLAYING)
        assert isinstance(await host.ask(cl.Pause, paused=True, seen=view.seq), Accepted)
        for player, seen in ((small, ["", "", "", "", ""]), (big, ["", "bot", "bot", "bot", "bot", "bot"])):
            await player.see("#table")
            await player.until(partial(_says, player, SEEN_STATES, seen))
        await host.ask(cl.Pause, paused=False, seen=view.seq)
        await big.see("#lobby.tallied")
        assert await big.page.get_by_role("button", name="Watch the match again").count() == 0


async def _says(player: Phone, script: str, expected: list[str]) -> bool:
    """Tell whether a script finds in a page what is expected."""
    return bool(await player.page.evaluate(script) == expected)


async def _reads(player: Phone, text: str) -> bool:
    """Tell whether the strip says this."""
    return bool(await player.page.locator("#table .standing").inner_text() == text)


async def _until_others_are_shown(player: Phone, view: TableState, seat: int) -> None:
    others = [_chip(view, other) for other in view.seats if other != seat]

    async def is_shown() -> bool:
        return bool(await player.page.evaluate(CHIPS) == others)

    await player.until(is_shown)


def _standing(view: TableState, seat: int) -> str:
    points = scoring.points(view)
    place = 1 + sum(other > points[seat] for other in points.values())
    if len(set(points.values())) == 1:
        return f"you {points[seat]}"
    return f"you {points[seat]}, {ORDINALS.get(place, f'{place}th')} of {len(points)}"


def _chip(view: TableState, seat: int) -> list[str]:
    assert view.hand is not None
    heap = [
        len(view.hand.board.cards[pile]) for pile in view.hand.rules.layout.seat_piles(seat, Kind.RESERVE)
    ]
    return [view.player(seat), str(scoring.points(view)[seat]), "".join(map(str, heap))]
