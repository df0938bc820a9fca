"""Dialogs under keys that come faster than the screens change."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import product

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from racing_demon_client.errors import crash_message
from racing_demon_client.sources.opened_table import (
    HostTable,
    JoinedTable,
    LoneTable,
    OpenedTable,
    PracticeTable,
    ReplayedTable,
    WatchedTable,
)
from racing_demon_client.sources.tables import alone
from racing_demon_client.terminal.screens.dialogs import ChatScreen, HelpScreen, QuestionScreen
from racing_demon_client.terminal.screens.table import CanvasScreen, TableScreen
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.effort import usually
from tests.support.screens import deal, hosting, sitting, until_ended, wait
from tests.support.terminal import Player


@asynccontextmanager
async def at_a_table(*, is_alone: bool) -> AsyncIterator[Player]:
    """Play a hand of solitaire, or one against a bot."""
    if is_alone:
        async with sitting(alone("Ann", Options(game="toad")), "alone") as player:
            await wait(player.pilot, lambda: player.phase is Phase.PLAYING)
            yield player
    else:
        async with hosting() as player:
            await deal(player)
            yield player


async def rush(pilot: Pilot[None], keys: Sequence[str]) -> None:
    """Press keys so fast that the screen which is seen now has them all before it sees to the first."""
    screen = pilot.app.screen
    for key in keys:
        screen.post_message(events.Key(key, key if len(key) == 1 else None))
    await pilot.pause()
    await pilot.pause()


def stack(player: Player) -> list[type]:
    """Return what lies on one another, but for the ground."""
    return [type(screen) for screen in player.app.screen_stack[1:]]


@pytest.mark.long
@for_each("is_alone", usually(1, [True, False]))
async def test_keys_in_a_rush_leave_one_picture(is_alone: bool) -> None:
    """Whatever two keys come at once, over one picture lies at most one dialog."""
    keys = ("?", "f7" if is_alone else "f8", "escape")
    async with at_a_table(is_alone=is_alone) as player:
        for opener, (first, second) in product(("", "?"), product(keys, keys)):
            if opener:
                await player.pilot.press(opener)
            await rush(player.pilot, (first, second))
            below, *above = player.app.screen_stack[1:]
            assert isinstance(below, CanvasScreen), (opener, first, second)
            assert all(isinstance(screen, ModalScreen) for screen in above)
            assert len(above) <= 1
            player.app.route()
            if isinstance(player.app.screen, ChatScreen):
                await player.pilot.press("escape")
            await wait(player.pilot, lambda: stack(player) == [TableScreen])


@pytest.mark.long
async def test_a_key_that_is_held() -> None:
    """A key that repeats while the help opens and closes does to each screen what it does there."""
    async with at_a_table(is_alone=False) as player:
        await rush(player.pilot, ["?"] * 19)
        await wait(player.pilot, lambda: stack(player) == [TableScreen, HelpScreen])
        await rush(player.pilot, ["?"] * 19)
        await wait(player.pilot, lambda: stack(player) == [TableScreen])


async def test_what_is_typed_ahead_is_said() -> None:
    """Letters that come before there is a line to write into are written there, and play no card."""
    async with at_a_table(is_alone=False) as player:
        await rush(player.pilot, "/ab")
        await wait(player.pilot, lambda: stack(player) == [TableScreen, ChatScreen])
        await wait(player.pilot, lambda: player.app.screen.query_one(Input).value == "ab")
        assert not player.session.client.waiting


@pytest.mark.long
async def test_leaving_asks_over_another_dialog() -> None:
    """Leaving asks over whatever is open, and staying leads back to it."""
    async with at_a_table(is_alone=False) as player:
        await player.pilot.press("/", "h", "i", "ctrl+c")
        assert [TableScreen, ChatScreen, QuestionScreen] == stack(player)
        await player.pilot.press("n")
        await wait(player.pilot, lambda: stack(player) == [TableScreen, ChatScreen])


async def test_a_fault_is_remembered() -> None:
    """A program that ends by a fault knows it, though the table is left in good order then."""

    def fail() -> None:
        raise ZeroDivisionError

    with suppress(ZeroDivisionError):
        async with at_a_table(is_alone=True) as player:
            player.app.call_later(fail)
            await until_ended(player.app)
    assert player.app.is_faulty


@for_each(
    ("kind", "ends_with_us", "meaning"),
    [
        (LoneTable, False, "Your deal is lost"),
        (PracticeTable, False, "It was your own table, and it ended too"),
        (HostTable, True, "Your table stays open"),
        (HostTable, False, "you keep your seat"),
        (WatchedTable, False, "watch it again"),
        (JoinedTable, False, "you keep your seat"),
        (ReplayedTable, False, "The record has not changed"),
    ],
)
def test_a_fault_tells_what_it_means(kind: type[OpenedTable], ends_with_us: bool, meaning: str) -> None:
    """Whoever is told of a fault is told what it means for the table that was played at."""
    opened = kind(alone("Ann", Options(game="toad")), ends_with_us=ends_with_us)
    assert meaning in crash_message(opened.after_crash())
    assert "If you were at somebody else's table" in crash_message()
