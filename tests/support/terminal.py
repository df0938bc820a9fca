"""A player at the terminal table: finds plays by the rules, and makes them with keys or the pointer alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from textual.pilot import Pilot

from racing_demon_client.settings import PlayerSettings
from racing_demon_client.sources.tables import Bots, practice
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.screens.table import CanvasScreen, TableScreen
from racing_demon_client.terminal.sessions import TableSession
from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.options import Options

PATIENCE = 60.0


@dataclass
class Player:
    """Whoever sits before the application."""

    app: TerminalApp
    pilot: Pilot[None]
    fruitless: int = 0

    @property
    def session(self) -> TableSession:
        """The stay at the table."""
        assert self.app.session is not None
        return self.app.session

    @property
    def phase(self) -> Phase:
        """What the table is doing."""
        return self.session.client.view.phase

    @property
    def text(self) -> str:
        """What is to be read on the screen, if it is a picture."""
        screen = self.app.screen
        assert isinstance(screen, CanvasScreen)
        return screen.canvas.text

    def next_play(self) -> Play | None:
        """Return the play that a sensible player makes now; ``None``: there is none but turning on."""
        client = self.session.client
        board = self.session.model.selection.board()
        seat = client.seat
        assert client.view.hand is not None
        assert seat is not None
        rules = client.view.hand.rules
        plays = list(rules.legal_plays(board, seat))
        useful = [play for play in plays if board.is_progress(play)]
        up = [play for play in useful if board.piles[play.destination].kind is Kind.FOUNDATION]
        if useful:
            self.fruitless = 0
            return (up or useful)[0]
        self.fruitless += 1
        turn = rules.stock_play(board, seat)
        return turn if turn is not None and self.fruitless < 40 else None

    def key_of(self, pile: int) -> str:
        """Return the key that picks a pile up."""
        client, labels = self.session.client, self.session.keymap.labels
        assert client.view.hand is not None
        layout, seat = client.view.hand.rules.layout, client.seat
        assert seat is not None
        if pile == layout.waste[seat]:
            return labels["waste"]
        if pile in layout.seat_piles(seat, Kind.RESERVE):
            return labels["reserve"]
        return labels[f"column-{layout.seat_piles(seat, Kind.TABLEAU).index(pile) + 1}"]

    def keys_for(self, play: Play, board: Board) -> list[str]:
        """Return the keys that make a play."""
        kinds = {pile.number: pile.kind for pile in board.piles}
        if Kind.STOCK in {kinds[play.source], kinds[play.destination]}:
            return ["space"]
        if kinds[play.destination] is Kind.FOUNDATION:
            labels = self.session.keymap.labels
            action = next(a for a, label in labels.items() if label == self.key_of(play.source))
            return [labels[f"{action}-up"]]
        return [self.key_of(play.source), self.key_of(play.destination)]

    def spot(self, pile: int) -> tuple[int, int]:
        """Return a cell where a pile's top card, or the pile, is drawn."""
        screen = self.app.screen
        assert isinstance(screen, TableScreen)
        cells = [
            (x, y)
            for y in range(screen.size.height)
            for x in range(screen.size.width)
            if (hit := screen.canvas.hit(x, y)) is not None and hit.pile == pile
        ]
        return cells[-1] if cells else (0, 0)

    def card_spot(self, pile: int, index: int) -> tuple[int, int]:
        """Return a cell where a card of a column is drawn."""
        screen = self.app.screen
        assert isinstance(screen, TableScreen)
        return next(
            (x, y)
            for y in range(screen.size.height)
            for x in range(screen.size.width)
            if (hit := screen.canvas.hit(x, y)) is not None and (hit.pile, hit.index) == (pile, index)
        )


async def until(player: Player, *phases: Phase) -> None:
    """Wait until the table does one of some things."""
    async with asyncio.timeout(PATIENCE):
        while player.phase not in phases:
            await player.pilot.pause()
            await asyncio.sleep(0.01)


@asynccontextmanager
async def practising(
    options: Options, *, size: tuple[int, int] = (80, 24), bots: int = 1, speed: float = 30.0, seed: int = 7
) -> AsyncIterator[Player]:
    """Sit down against bots on a server of one's own, a process, with the real application."""
    opening = practice("Ann", options, Bots(bots, "easy", speed), seed=bytes([seed] * 32))
    async with opening as opened:
        app = TerminalApp(opened, PlayerSettings(sound=False), Appearance())
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Player(app, pilot)
