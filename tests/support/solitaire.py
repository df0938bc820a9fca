"""Tables of one's own to test with: deals of any game, played on at random, and a desk at them."""

import random
from collections.abc import Iterator
from pathlib import Path

from racing_demon_client.settings import PlayerSettings
from racing_demon_client.sources.opened_table import LoneTable
from racing_demon_client.sources.solo import SoloClient
from racing_demon_client.sources.solo_table import SoloTable
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.drawing.scene import Scene
from racing_demon_client.terminal.drawing.table import draw_table
from racing_demon_client.terminal.sessions import SoloSession
from racing_demon_client.terminal.style import UNICODE, Glyphs, choose
from racing_demon_client.terminal.view_model import ViewModel
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.wire.options import Options

NOWHERE = Path("/nonexistent/solo.json")
"""Where no statistics can be kept: nothing happens then."""


def table_of(game: str, number: int = 1) -> SoloTable:
    """Return a fresh deal of a game; each number has its own."""
    return SoloTable(Options(game=game), bytes([number]) * 32, "Ann")


def moments(game: str, number: int, plays: int, step: int) -> Iterator[SoloTable]:
    """Yield a table as it was dealt, and again after every so many random plays."""
    table, rng = table_of(game, number), random.Random(f"{game}/{number}")
    for played in range(plays + 1):
        if played % step == 0:
            yield table
        legal = list(dict.fromkeys(table.rules.legal_plays(table.board, table.seat)))
        if played == plays or not legal or table.is_over:
            return
        table.play(played + 1, rng.choice(legal))


class Alone:
    """Somebody at a table of their own, on a clock that stands still until it is told to move.

    Attributes:
        client: the place at the table.
        session: the stay there.
        now: the time, in milliseconds.

    """

    def __init__(self, table: SoloTable, path: Path = NOWHERE) -> None:
        self.now = 0
        self.client = SoloClient(table, lambda: self.now, path)
        self.session = SoloSession(LoneTable(self.client), ViewModel(self.client), PlayerSettings(), None)

    @property
    def table(self) -> SoloTable:
        """The table."""
        return self.client.table

    @property
    def model(self) -> ViewModel:
        """The desk."""
        return self.session.model

    def press(self, key: str) -> Play | None:
        """Press a key, and return the play that comes of it; it is not made yet."""
        action = self.session.keymap.action(key)
        hands = self.model.selection
        return hands.use_cursor(self.now) if action == "enter" else hands.press(action or "", self.now)

    def scene(self) -> Scene:
        """Return what is to be drawn."""
        keymap = self.session.keymap
        return self.model.scene(self.now, keymap.labels, keymap.footer())

    def draw(self, size: tuple[int, int], glyphs: Glyphs = UNICODE) -> Canvas:
        """Return the picture on a terminal of a size."""
        return draw_table(self.scene(), size, choose("auto", *size), glyphs)
