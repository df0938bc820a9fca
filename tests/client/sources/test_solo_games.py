"""Whole games played alone in the real application, by random keys."""

import asyncio
import random

import pytest

from racing_demon_client.settings import PlayerSettings
from racing_demon_client.sources.opened_table import LoneTable
from racing_demon_client.sources.solo import SoloClient, load_scores, statistics_path
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.screens.table import TableScreen
from racing_demon_protocol.records.verify import verify
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long, usually
from tests.support.servers import PATIENCE
from tests.support.solitaire import table_of

GAMES = ("little-lots", "demon-b", "clock", "sultan", "flower-garden")
KEYS = amount(40, 120)


@pytest.fixture(autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test settings and statistics of its own."""
    monkeypatch.setenv("RACING_DEMON_CONFIG", str(tmp_path_factory.mktemp("config")))
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path_factory.mktemp("state")))


@more_when_long
@for_each("game", usually(2, GAMES))
async def test_a_whole_game_by_keys(game: str) -> None:
    """Any keys, in any order: the table stays sound, its record is right, the deal is counted once."""
    rng = random.Random(game)
    before = _deals_played()
    ticks = iter(range(0, 10**9, 50))
    client = SoloClient(table_of(game), lambda: next(ticks), statistics_path())
    app = TerminalApp(LoneTable(client), PlayerSettings(sound=False), Appearance())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.session is not None
        for _ in range(KEYS):
            if not isinstance(app.screen, TableScreen):
                await pilot.press("z")
                continue
            keys = list(app.screen.keymap.labels.values())
            known = [key for key in keys if len(key) == 1 and key.isalnum()]
            await pilot.press(
                rng.choice([*known, "space", "space", "comma", "enter", "right", "up", "f6", "f7"])
            )
        await pilot.pause()
        plays = client.table.plays + client.table.undone
        assert verify(list(client.ended().log())).hands == 1
        await client.leave()
        async with asyncio.timeout(PATIENCE):
            while app.is_running:  # noqa: ASYNC110  # it has no event for its end
                await asyncio.sleep(0.01)
    assert _deals_played() == before + (1 if plays else 0)


def _deals_played() -> int:
    return sum(score.played for score in load_scores(statistics_path()).values())


async def test_a_win_is_told_and_can_be_taken_back() -> None:
    """A trick that goes by one key: it is won, counted, compared; and after an undo it goes on."""
    ticks = iter(range(0, 10**9, 50))
    client = SoloClient(table_of("a-spell"), lambda: next(ticks), statistics_path())
    app = TerminalApp(LoneTable(client), PlayerSettings(sound=False), Appearance())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for _ in range(200):
            if client.table.is_over:
                break
            await pilot.press("space")
        await pilot.pause()
        assert client.table.is_won
        assert isinstance(app.screen, TableScreen)
        assert app.session is not None
        assert "Won in" in app.session.model.prompt(0, {})[0]
        known = load_scores(statistics_path())["a-spell"]
        assert (known.played, known.won, known.streak) == (1, 1, 1)
        await pilot.press("comma")
        assert not client.table.is_over
        await pilot.press("full_stop")
        assert client.table.is_won
        await client.leave()
    assert load_scores(statistics_path())["a-spell"].played == 1


@pytest.mark.long
async def test_a_loss_is_told_until_a_key_is_pressed() -> None:
    """When nothing leads on, what the game came to lies over the cards; the next key takes it away."""
    ticks = iter(range(0, 10**9, 50))
    client = SoloClient(table_of("clock"), lambda: next(ticks), statistics_path())
    app = TerminalApp(LoneTable(client), PlayerSettings(sound=False), Appearance())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.session is not None
        while any(True for _ in client.table.rules.legal_plays(client.table.board, 0)):
            await pilot.press("space")
        assert not client.table.is_won
        model = app.session.model
        async with asyncio.timeout(PATIENCE):
            while not model.notice:  # the search takes what time it needs
                await pilot.pause(0.01)
        reached = client.table.rules.progress(client.table.board, 0)
        assert f"No play is left that helps: {reached} of 52 done." == model.notice[0]
        assert f"{client.table.plays} plays in " in model.notice[1]
        await pilot.press("left")
        assert not model.notice
        await client.leave()
