"""The lesson on a terminal's screen, also for whoever comes in the middle of a hand to a table."""

import os

import pytest
from benchmarks.pty_program import children_of, end_all

from racing_demon_client.net.client import Client
from racing_demon_client.settings import PlayerSettings
from racing_demon_client.shared.lesson import KINDS
from racing_demon_client.sources.opened_table import LessonTable
from racing_demon_client.sources.tables import learn
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.screens.dialogs import QuestionScreen
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from tests.support.screens import shows, sitting, until_ended, wait
from tests.support.servers import Peer, serving
from tests.support.terminal import Player

LATE = 1
"""The seat after the host's."""
KILLED_AT = "run"
"""In which step the lesson's server is killed."""


@pytest.mark.long
@pytest.mark.parametrize("game", ["racing-demon", "classic"])
async def test_the_first_hand_is_learned_on_the_screen(game: str) -> None:
    """Each step says its rule, and the end what the hand scores; the lesson outlives its server.

    Nothing is offered at the end for which somebody else would have to be there.
    """
    before = set(children_of(os.getpid()))
    async with learn("Ann", game) as opened:
        app = TerminalApp(opened, PlayerSettings(sound=False), Appearance())
        async with app.run_test(size=(80, 24)) as pilot:
            player, lesson = Player(app, pilot), opened.lesson
            assert lesson is not None
            await shows(player, "The middle is for both of you;")
            for at, kind in enumerate(KINDS):
                await _until_asked(player, at)
                if kind == KILLED_AT:
                    end_all(set(children_of(os.getpid())) - before)
                    await shows(player, "the hand resumes")
                if kind == "stuck":
                    await shows(player, "Not stuck yet: a card can go up.")
                    await _play_what_is_shown(player)
                    await shows(player, "ends. Press v.")
                    await pilot.press(player.session.keymap.labels["stuck"])
                elif kind != "lost":  # then the teacher is faster
                    await _play_what_is_shown(player)
            await shows(player, "That is the whole game. Enter: back.")
            assert "Most points win." in player.text
            assert "add a bot" not in player.text
            await pilot.press("enter")
            await until_ended(app)


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


async def _until_asked(player: Player, at: int) -> None:
    """Wait until the lesson has come to a step, and the teacher has played."""
    lesson = player.session.opened.lesson
    assert lesson is not None
    await wait(player.pilot, lambda: lesson.progress.at == at and not lesson.progress.script)


async def _play_what_is_shown(player: Player) -> None:
    lesson, board = player.session.opened.lesson, player.session.client.view.board
    assert lesson is not None
    assert board is not None
    await wait(player.pilot, lambda: lesson.progress.target is not None)
    assert lesson.progress.target is not None
    await player.pilot.press(*player.keys_for(lesson.progress.target, board))
