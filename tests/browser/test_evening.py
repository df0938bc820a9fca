"""Whole matches with phones, terminals, a bot and a big screen at one table: all see the same."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final

from playwright.async_api import Browser

from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.records.match_file import read_messages
from racing_demon_protocol.records.record import verify
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.server import Refused, Snapshot
from tests.browser.test_phones import TELEVISION, tops_of
from tests.support.browsers import Phone, phone
from tests.support.crashes import until
from tests.support.effort import amount, more_when_long
from tests.support.processes import CLIENT, Running, started

PHONES: Final = amount(3, 5)
HANDS: Final = amount(1, 2)
HOST: Final = ("host", "--port", "0", "--no-announce", "--name", "Ann", "--bots", "1", "--level", "easy")
MATCH: Final = {"countdown_ms": 0, "tally_ms": 600_000, "time_limit_ms": amount(4_000, 15_000), "turn": 1}
OPTIONS: Final = tuple(f"--option={name}={value}" for name, value in MATCH.items())


@more_when_long
async def test_an_evening_with_phones_and_terminals_has_one_tally(tmp_path: Path, browser: Browser) -> None:
    """After each hand all screens show the host's board and points, and no phone played a wrong card."""
    record = tmp_path / "evening.jsonl"
    async with AsyncExitStack() as stack:
        table = (*HOST, "--hands", str(HANDS), "--record", str(record), *OPTIONS)
        host = await stack.enter_async_context(started(CLIENT, *table))
        found = await host.line(r"^  racing-demon join http://[^:]+:(\d+)/([A-Z]{4})$")
        link = f"http://127.0.0.1:{found[1]}/{found[2]}"
        guest = await stack.enter_async_context(started(CLIENT, "join", link, "--name", "Ben"))
        await guest.line("^Press Enter when you are ready")
        phones = [await stack.enter_async_context(phone(browser, link)) for _ in range(PHONES)]
        for number, player in enumerate(phones, 1):
            await player.join(f"Phone {number}")
        screen = await stack.enter_async_context(phone(browser, f"{link}?tv", **TELEVISION))
        for hand in range(1, HANDS + 1):
            await _play((host, guest), phones)
            view = await _view_after(hand, record)
            for page in (*phones, screen):
                await _until_shown(page, view)
        host.hang_up()
        await host.end()
        assert HANDS == verify(_messages(record)).hands
        for page in (*phones, screen):
            assert [] == page.complaints
            assert [] == [
                each for each in page.heard if isinstance(each, Refused) and each.reason is Reason.ILLEGAL
            ]


async def _play(terminals: Sequence[Running], phones: Sequence[Phone]) -> None:
    """Play a hand to its end: phones by taps, terminals by turning their stocks."""
    for player in phones:
        await player.page.tap(".ready")
    for terminal in terminals:
        terminal.type("")
    playing = [asyncio.create_task(player.keep_tapping()) for player in phones]
    try:
        for terminal in terminals:
            await terminal.line("^play!$")
            terminal.type(*"tttttttt")
        for terminal in terminals:
            await terminal.line(r"^hand \d+ is over")
    finally:
        for task in playing:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*playing)


def _messages(record: Path) -> list[Message]:
    """Return the whole lines of a record that is still written."""
    lines = record.read_text("utf-8").rpartition("\n")[0].split("\n")
    return [*read_messages(lines)]


def _view(record: Path) -> TableView:
    """Return the table as a record that is still written has it."""
    first, *events = _messages(record)
    assert isinstance(first, Snapshot)
    view = TableView.from_snapshot(first)
    for event in events:
        if isinstance(event, Event):
            view.apply(event)
    return view


async def _view_after(hand: int, record: Path) -> TableView:
    """Wait until a record has so many hands, and return the table."""
    await until(lambda: hand == len(_view(record).results))
    return _view(record)


async def _until_shown(page: Phone, view: TableView) -> None:
    """Wait until a page shows the foundations and the tally of a table."""
    points = {view.player(seat): total for seat, total in scoring.totals(view).items()}

    async def is_shown() -> bool:
        return (await page.tops(), await page.points()) == (tops_of(view.board), points)

    await page.until(is_shown)
