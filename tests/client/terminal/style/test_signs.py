"""The signs of Textual's own widgets, in ASCII alone."""

from rich.cells import cell_len
from textual.app import App

from racing_demon_client.settings import PlayerSettings
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.screens.dialogs import QuestionScreen
from racing_demon_client.terminal.style.glyphs import ASCII
from racing_demon_client.terminal.style.look import Look
from racing_demon_client.terminal.style.signs import SIGNS
from tests.support.screens import field
from tests.support.stages import painted


def foreign(app: App[None]) -> set[str]:
    """Return the signs on the screen that are none of ASCII."""
    return {sign for row in painted(app).rows for sign in row if not sign.isascii()}


async def test_no_widget_draws_more_than_ascii() -> None:
    """Arrows, bullets, a list that is open with its bar, and a frame around a question are in ASCII."""
    app = TerminalApp(None, PlayerSettings(name="Ann", sound=False), Look(glyphs=ASCII))
    async with app.run_test(size=(80, 24)) as pilot:
        field(app, "passphrase").value = "secret"
        await pilot.pause()
        assert "******" in painted(app).text()
        app.screen.query_one("#game").focus()
        await pilot.press("enter")
        await pilot.pause()
        assert set() == foreign(app)
        await pilot.press("escape")
        app.push_screen(QuestionScreen("Leave?", "Leave", "Stay"))
        await pilot.pause()
        assert set() == foreign(app)


async def test_names_stay_as_they_are_written() -> None:
    """Letters beyond ASCII are no signs of ours; and where UTF-8 is shown nothing is replaced."""
    for look, arrow in ((Look(glyphs=ASCII), "v"), (Look(), "▼")):
        app = TerminalApp(None, PlayerSettings(name="Zoë", sound=False), look)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert "Zoë" in painted(app).text()
            assert any(row.rstrip().endswith(arrow) for row in painted(app).rows)


def test_every_sign_is_as_wide_as_before() -> None:
    """No line grows or shrinks by it."""
    for sign, other in SIGNS.items():
        assert (cell_len(chr(sign)), True) == (cell_len(other), other.isascii())
