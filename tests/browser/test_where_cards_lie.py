"""Where cards lie on screens, in every hand of a match and in the next match: where the server has them."""

from contextlib import AsyncExitStack
from itertools import cycle, islice
from typing import Any, Final

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, suit
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from tests.browser.test_phones import words
from tests.browser.test_taps import END_OF
from tests.support.browsers import Phone, phone
from tests.support.effort import usually
from tests.support.relay import Relay
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving

HANDS: Final = 2
MATCHES: Final = 2
CARDS: Final = 9
"""So many cards are on the foundations when a hand is looked at."""
PLAYS: Final = 60
RACING_ACES: Final = bytes(31) + b"\x18"
"""In this deal each of two seats has an ace that can be played at once, of different suits."""
OPTIONS: Final[dict[str, Any]] = {"hands": HANDS, "turn": 1, "tally_ms": 600_000}
BIG: Final = {"viewport": {"width": 1920, "height": 1080}, "has_touch": False, "is_mobile": False}
FELT: Final = """() => {
  const middle = (made) => {
    const box = made.getBoundingClientRect();
    return {x: box.x + box.width / 2, y: box.y + box.height / 2};
  };
  const names = {A: "ace", J: "jack", Q: "queen", K: "king"};
  const suits = ["spades", "hearts", "clubs", "diamonds"];
  const cards = [...document.querySelectorAll("#table .felt .card")].map((made) => {
    const rank = made.querySelector(".index")?.firstChild.nodeValue;
    const suit = [0, 1, 2, 3].find((each) => made.classList.contains(`s${each}`));
    const face = rank ? `${names[rank] ?? rank} of ${suits[suit]}` : "";
    return {...middle(made), z: Number(made.style.zIndex), face};
  });
  return [...document.querySelectorAll("#table .felt .slot")].map((slot) => {
    const {left, right, top, bottom} = slot.getBoundingClientRect();
    const here = cards.filter(({x, y}) => x > left && x < right && y > top && y < bottom);
    const face = here.sort((a, b) => b.z - a.z)[0]?.face ?? null;
    const isUp = slot.classList.contains("foundation");
    return {pile: Number(slot.dataset.pile), x: left, y: top, face, isUp};
  });
}"""


@pytest.mark.long
@pytest.mark.parametrize("seats", usually(1, [2, 6]))
async def test_screens_show_every_hand_as_the_server_has_it(browser: Browser, seats: int) -> None:
    """Each pile shows its top card; the foundations lie in a row for each suit. So it is in each hand."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(seed=bytes(32), commands_per_second=1e3))
        host = await stack.enter_async_context(Peer.hosting(served.url, seated=False, **OPTIONS))
        view = served.registry.room(host.code).table.view
        link = f"{served.origin}/{host.code}"
        player = await stack.enter_async_context(phone(browser, link))
        await player.join("Ann")
        screen = await stack.enter_async_context(phone(browser, f"{link}?tv", **BIG))
        joins = [cl.Join(code=host.code, name=f"Peer {number}") for number in range(1, seats)]
        peers = [await stack.enter_async_context(Peer.entered(served.url, join)) for join in joins]
        for number in range(HANDS * MATCHES):
            await host.ask(cl.Start, seen=view.seq)
            await wait_until(lambda: view.phase is Phase.PLAYING)
            await _play(peers, view)
            assert view.board is not None
            for each in (player, screen):
                await _until_equal(each, view.board, seats, f"hand {number + 1}")
            for peer in peers:
                await peer.ask(cl.Stuck, seen=view.seq)
            await player.page.tap(".stuck:enabled")
            await wait_until(lambda: view.phase in {Phase.TALLY, Phase.OVER})
            await player.see("#lobby")


@pytest.mark.long
async def test_the_loser_of_a_race_for_a_foundation_sees_the_winner_s_row(browser: Browser) -> None:
    """An ace in the air that lost its race leaves the pile to another suit, which moves to its own row."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(seed=RACING_ACES))
        host = await stack.enter_async_context(Peer.hosting(served.url, seated=False, turn=1))
        view = served.registry.room(host.code).table.view
        relay = await stack.enter_async_context(Relay.before(served.url))
        origin = relay.url.replace("ws:", "http:").removesuffix("/v1")
        ann = await stack.enter_async_context(phone(browser, f"{origin}/{host.code}"))
        await ann.join("Ann")
        ben = await stack.enter_async_context(Peer.entered(served.url, cl.Join(code=host.code, name="Ben")))
        await host.ask(cl.Start)
        await wait_until(lambda: view.phase is Phase.PLAYING)
        await ann.until_playing()
        assert view.hand is not None
        board, own, other = view.hand.board, _ace(view, 0), _ace(view, 1)
        lost, won = board.cards[own.source][-1], board.cards[other.source][-1]
        assert suit(lost) != suit(won)
        relay.hold()
        await ben.ask(cl.PlayCards, source=other.source, count=1, destination=own.destination, seen=view.seq)
        await ann.page.touchscreen.tap(*await ann.page.evaluate(END_OF, own.source))
        await ann.until(lambda: _shows(ann, own.destination, words(lost)))
        relay.release()
        await ann.until(lambda: _shows(ann, own.destination, words(won)))
        await _until_equal(ann, board, 2, "the only hand")


def _ace(view: TableState, seat: int) -> Play:
    """Return a seat's first play to a foundation."""
    assert view.hand is not None
    piles = view.hand.board.piles
    plays = view.hand.rules.legal_plays(view.hand.board, seat)
    return next(play for play in plays if piles[play.destination].kind is Kind.FOUNDATION)


async def _shows(player: Phone, pile: int, face: str) -> bool:
    """Tell whether a screen shows a face on a pile."""
    piles = await player.page.evaluate(FELT)
    return any(each["pile"] == pile and each["face"] == face for each in piles)


async def _play(peers: list[Peer], view: TableState) -> None:
    """Play what goes up, or turn cards, until enough are on the foundations, or for a while."""
    for peer in islice(cycle(peers), PLAYS):
        assert view.hand is not None
        if _out(view.hand.board) >= CARDS:
            return
        assert peer.place.seat is not None
        piles, seat = view.hand.board.piles, peer.place.seat
        plays = [
            play
            for play in view.hand.rules.legal_plays(view.hand.board, seat)
            if play.source != play.destination
        ]
        ups = [play for play in plays if piles[play.destination].kind is Kind.FOUNDATION]
        turns = [play for play in plays if Kind.STOCK in {piles[end].kind for end in play[:3:2]}]
        source, count, destination, *_ = (ups or turns)[0]
        await peer.ask(cl.PlayCards, source=source, count=count, destination=destination, seen=view.seq)


def _out(board: Board | None) -> int:
    if board is None:
        return 0
    piles = [pile for pile in board.piles if pile.kind is Kind.FOUNDATION]
    return sum(len(board.cards[pile.number]) for pile in piles)


async def _until_equal(player: Phone, board: Board, seats: int, what: str) -> None:
    """Wait until a screen shows each pile's top card, and fail if a foundation lies in another suit's row."""
    felt: list[dict[str, Any]] = []

    async def is_equal() -> bool:
        felt[:] = await player.page.evaluate(FELT)
        return bool(felt) and all(_face(board, each["pile"]) == each["face"] for each in felt)

    await player.until(is_equal)
    grid = sorted((each for each in felt if each["isUp"]), key=lambda each: (each["y"], each["x"]))
    assert 4 * seats == len(grid)
    rows = {place: board.cards[each["pile"]] for place, each in enumerate(grid)}
    wrong = [words(cards[-1]) for place, cards in rows.items() if cards and suit(cards[-1]) != place // seats]
    assert wrong == [], f"in another suit's row in {what}"


def _face(board: Board, pile: int) -> str | None:
    cards = board.cards[pile]
    if not cards:
        return None
    return "" if cards[-1] == UNKNOWN else words(cards[-1])
