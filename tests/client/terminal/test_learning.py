"""Somebody who comes in the middle of a hand to a terminal's table learns the game until the next deal."""

import pytest

from racing_demon_client.net.client import Client
from racing_demon_client.sources.opened_table import LessonTable
from racing_demon_client.terminal.screens.dialogs import QuestionScreen
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from tests.support.screens import shows, sitting, wait
from tests.support.servers import Peer, serving
from tests.support.terminal import Player

LATE = 1
"""The seat after the host's."""


@pytest.mark.long
async def test_a_late_guest_learns_until_the_next_deal() -> None:
    """The lesson goes on at its step when it is taken up; who learns is ready, and nobody waits for them."""
    async with serving() as served, Peer.hosting(served.url, tally_ms=600_000) as host:
        table = served.registry.room(host.code).table
        await host.ask(cl.Start, seen=table.view.seq)
        guest = await Client.join(served.url, host.code, "Ben")
        async with sitting(guest, "joined", size=(80, 24)) as player:
            await shows(player, "You play from the next deal. n: learn while you wait.")
            await player.pilot.press("n")
            await shows(player, "1/8 Aces start the middle.")
            await _play_what_is_shown(player)
            await shows(player, "2/8 Same suit, one higher.")
            await player.pilot.press("ctrl+c")
            await wait(player.pilot, lambda: isinstance(player.app.screen, QuestionScreen))
            await player.pilot.press("y")
            await shows(player, "You play from the next deal.")
            await player.pilot.press("n")
            await shows(player, "2/8 Same suit, one higher.")
            await host.ask(cl.Stuck)
            await wait(player.pilot, lambda: table.view.phase is Phase.TALLY and table.view.seats[LATE].ready)
            assert isinstance(player.session.opened, LessonTable)
            await host.ask(cl.Ready)
            await wait(player.pilot, lambda: player.session.client is guest and player.phase is Phase.PLAYING)
            assert LATE in guest.view.hand_seats
            await shows(player, "you are back at your table")


async def _play_what_is_shown(player: Player) -> None:
    lesson, board = player.session.opened.lesson, player.session.client.view.board
    assert lesson is not None
    assert board is not None
    await wait(player.pilot, lambda: lesson.progress.target is not None)
    assert lesson.progress.target is not None
    await player.pilot.press(*player.keys_for(lesson.progress.target, board))
