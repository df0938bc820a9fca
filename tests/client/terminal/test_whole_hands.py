"""Whole hands in the real application, against a real server process."""

import pytest

from racing_demon_client.terminal.screens.table import TableScreen, TallyScreen
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.terminal import Player, practising, until

QUICK = Options(hands=2, countdown_ms=100, tally_ms=600_000)


async def begin(player: Player) -> None:
    """Deal, and wait for the signal."""
    await player.pilot.press("enter")
    await until(player, Phase.PLAYING)
    assert isinstance(player.app.screen, TableScreen)


async def end(player: Player) -> None:
    """Check that the tally is shown, as the server counted it."""
    await until(player, Phase.TALLY, Phase.OVER)
    while not isinstance(player.app.screen, TallyScreen) or "Checked: " not in player.text:
        await player.pilot.pause(0.05)
    view = player.session.client.view
    points = dict(zip(view.hand_seats, view.results[-1].points, strict=True))
    assert f"{points[0]}" in next(line for line in player.text.splitlines() if " you " in line)
    assert "Checked: the server alone shuffled" in player.text


@pytest.mark.long
@for_each("game", ["racing-demon", "classic"])
async def test_a_hand_by_keyboard(game: str) -> None:
    """A whole hand can be played with keys alone; then the tally is shown and the deal is checked."""
    async with practising(QUICK.model_copy(update={"game": game})) as player:
        await begin(player)
        made = 0
        while player.phase is Phase.PLAYING:
            hands = player.session.model.selection
            play = player.next_play()
            if play is None:
                await player.pilot.press("v")
                await player.pilot.pause(0.05)
            else:
                await player.pilot.press(*player.keys_for(play, hands.board()))
                made += 1
        assert made > 5
        await end(player)


@pytest.mark.long
@for_each("size", [(120, 40)])
async def test_a_hand_by_mouse(size: tuple[int, int]) -> None:
    """A whole hand can be played with the mouse alone: clicks, drags, right clicks and double clicks."""
    async with practising(QUICK, size=size) as player:
        await player.pilot.click(offset=(4, 15))
        await begin(player)
        made = 0
        while player.phase is Phase.PLAYING:
            board = player.session.model.selection.board()
            play = player.next_play()
            if play is None:
                await player.pilot.press("v")
                await player.pilot.pause(0.05)
                continue
            kind = board.piles[play.destination].kind
            source = player.spot(play.source)
            if Kind.STOCK in {kind, board.piles[play.source].kind}:
                layout = player.session.client.view.hand.rules.layout  # type: ignore[union-attr]
                await player.pilot.click(offset=player.spot(layout.stock[0]))
            elif kind is Kind.FOUNDATION and made % 2:
                await player.pilot.click(offset=source, button=3)
            elif kind is Kind.FOUNDATION:
                await player.pilot.click(offset=source, times=2)
            elif board.cards[play.source][-1] == UNKNOWN:
                await player.pilot.pause()
            else:
                await drag(player, play.source, len(board.cards[play.source]) - play.count, play.destination)
            made += 1
        assert made > 5
        await end(player)


async def drag(player: Player, source: int, index: int, destination: int) -> None:
    """Drag a card, and those upon it, to another pile."""
    board = player.session.model.selection.board()
    column = board.piles[source].kind is Kind.TABLEAU
    start = player.card_spot(source, index) if column else player.spot(source)
    target = player.spot(destination)
    await player.pilot.mouse_down(offset=start)
    await player.pilot.hover(offset=target)
    await player.pilot.mouse_up(offset=target)
