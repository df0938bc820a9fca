"""Every game at a browser's table: dealt, tapped, and scored, with nothing on the page gone wrong."""

from typing import Final

from playwright.async_api import Browser

from racing_demon_protocol.games import GAMES
from racing_demon_protocol.reasons import Phase, Reason
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.browsers import phone
from tests.support.crashes import until
from tests.support.effort import amount, more_when_long
from tests.support.servers import serving

TRIED: Final = amount(6, len(GAMES))
PICK: Final = '.option:has(span:text-is("Game")) select'
ROUNDS: Final = 3


@more_when_long
async def test_games_are_played_by_single_taps(browser: Browser) -> None:
    """A tap plays a pile's best card, also where only the server knows the rules; the page stays whole."""
    step = -(-len(GAMES) // TRIED)
    async with serving(bot_speed=50.0) as served:
        async with phone(browser, served.origin) as player:
            room = served.registry.room(await player.create("Ann"))
            hands = player.page.locator('.option:has(span:text-is("Hands")) select')
            await hands.select_option(label="1")
            for name in sorted(GAMES)[::step]:
                view = room.table.view
                await player.page.select_option(PICK, name)
                await until(lambda name=name: name == room.table.view.options.game)  # type: ignore[misc]
                if GAMES[name].least_seats > len(view.seats):
                    await player.page.tap(".add-bot")
                player.heard.clear()
                await player.page.tap(".deal")
                await player.page.locator(".stuck:enabled").wait_for()
                rules, board = room.table.view.rules, room.table.view.board
                assert rules is not None
                assert board is not None
                can_play = any(rules.legal_plays(board, 0))  # some deals are dead from the first
                for _ in range(ROUNDS):
                    if room.table.view.phase is not Phase.PLAYING:
                        break
                    await player.tap_piles()
                await player.finish()
                assert not can_play or any(isinstance(each, Played) for each in player.heard), name
                assert [] == player.complaints, name
                wrong = {each.reason for each in player.heard if isinstance(each, Refused)}
                assert not wrong - {Reason.ILLEGAL, Reason.TOO_FAST, Reason.HAND_OVER}, (name, wrong)
