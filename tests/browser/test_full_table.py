"""A table whose eight seats are phones: they play whole hands by their own taps, and all show the same."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, Final

import pytest

from racing_demon_protocol.engine.board import Board, Kind, Pile
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_server.tables.room import Room
from tests.browser.test_phones import tops_of, words
from tests.support.browsers import Phone, chromium, phone
from tests.support.servers import PATIENCE, Peer, serving, timeout

PHONES: Final = 8
HANDS: Final = 2
HAND_SECONDS: Final = 150.0
IN_VAIN: Final = 3
"""After so many rounds of taps in which no card got ahead, a player says that they are stuck."""
OPTIONS: Final[dict[str, Any]] = {"hands": HANDS, "turn": 1, "tally_ms": 600_000, "time_limit_ms": 40_000}
OWN: Final = """() => [...document.querySelectorAll("#table .slot:not(.foundation)")].map((slot) =>
  [Number(slot.dataset.pile), slot.getAttribute("aria-label")])"""
KINDS: Final = {Kind.TABLEAU: "Column", Kind.STOCK: "Stock", Kind.WASTE: "Waste", Kind.RESERVE: "Reserve"}


@pytest.mark.long
async def test_eight_phones_play_a_match_and_show_one_board() -> None:
    """After each hand every phone shows the server's piles and tally, and no tap was refused as illegal."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(units_per_address=1e6, commands_per_second=1e3))
        host = await stack.enter_async_context(Peer.hosting(served.url, seated=False, **OPTIONS))
        room = served.registry.room(host.code)
        browser = await stack.enter_async_context(chromium())
        link = f"{served.origin}/{host.code}"
        players = [await stack.enter_async_context(phone(browser, link)) for _ in range(PHONES)]
        for number, player in enumerate(players, 1):
            await player.join(f"Phone {number}")
        for hand in range(1, HANDS + 1):
            await _play(players, room)
            assert hand == len(room.table.view.results)
            await asyncio.gather(*(_until_equal(each, seat, room) for seat, each in enumerate(players)))
        assert room.table.view.phase is Phase.OVER
        for player in players:
            assert player.complaints == []
            assert Reason.ILLEGAL not in {each.reason for each in player.heard if isinstance(each, Refused)}


async def _play(players: list[Phone], room: Room) -> None:
    for player in players:
        await player.page.tap(".ready")
    await timeout(HAND_SECONDS, asyncio.gather(*(_play_hand(player, room) for player in players)))


async def _play_hand(player: Phone, room: Room) -> None:
    """Tap the player's piles until the hand is over; say "stuck" where that has led to nothing."""
    await player.until_playing()
    in_vain = 0
    while not await player.page.locator(".tally:visible").count():
        before = len(player.heard)
        await player.tap_piles()
        in_vain = 0 if _is_ahead(player, before, room) else in_vain + 1
        if in_vain >= IN_VAIN:
            await player.page.evaluate("document.querySelector('.stuck:enabled')?.click()")


def _is_ahead(player: Phone, before: int, room: Room) -> bool:
    board = room.table.view.board
    plays = [each for each in player.heard[before:] if isinstance(each, Played)]
    return board is not None and any(board.piles[each.destination].kind is Kind.FOUNDATION for each in plays)


async def _until_equal(player: Phone, seat: int, room: Room) -> None:
    """Wait until a phone shows all that the server has: foundations, its own piles, and the tally."""
    view = room.table.view
    points = {view.player(each): total for each, total in scoring.totals(view).items()}
    assert view.board is not None
    piles = {pile.number: label(view.board, pile) for pile in view.board.piles if pile.seat == seat}
    shown: tuple[object, ...] = ()
    async with asyncio.timeout(PATIENCE):
        while shown != (tops_of(view.board), piles, points):
            own = dict(await player.page.evaluate(OWN))
            shown = await player.tops(), own, await player.points()


def label(board: Board, pile: Pile) -> str:
    """Return what a page tells those of a pile who cannot see it."""
    cards = board.cards[pile.number]
    twins = [each for each in board.piles if (each.group, each.seat) == (pile.group, pile.seat)]
    name = f"{KINDS[pile.kind]} {pile.index + 1}" if len(twins) > 1 else KINDS[pile.kind]
    faces = [card for card in cards if card != UNKNOWN]
    hidden = f", {len(cards) - len(faces)} hidden" if len(faces) < len(cards) else ""
    if not cards:
        return f"{name}: empty"
    if not faces:
        return f"{name}: {len(cards)} face down"
    run = f"{words(faces[0])} down to " if pile.kind is Kind.TABLEAU and len(faces) > 1 else ""
    return f"{name}: {run}{words(faces[-1])}{hidden}"
