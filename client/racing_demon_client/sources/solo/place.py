"""A place at a solo table, with the same interface as any other."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

from racing_demon_client.net.table_source import TableSource
from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused

from .statistics import Score, note, scores
from .table import SoloTable

MOST_UP: Final = 1_000


class SoloClient(TableSource):
    """A client without a server: its own table carries out commands at once.

    Attributes:
        table: the table.
        day: the date of a daily deal; ``None`` for any other.
        before: the game's statistics before this deal was counted.

    Args:
        table: the first deal.
        clock: returns milliseconds on a monotonic clock.
        path: the file with the statistics.
        day: the date of a daily deal.

    """

    def __init__(
        self, table: SoloTable, clock: Callable[[], int], path: Path, *, day: dt.date | None = None
    ) -> None:
        super().__init__()
        self.table = table
        self.day = day
        self.code = table.view.code
        self._clock = clock
        self._path = path
        self._begun_at = clock()
        self._won_ms: int | None = None
        self._is_noted = False
        self.before = Score()
        self._coming: asyncio.Queue[Message | None] = asyncio.Queue()
        self._show()

    @property
    def view(self) -> TableState:
        """The table."""
        return self.table.view

    @property
    def online(self) -> bool:
        """Always true: there is no connection to lose."""
        return True

    @property
    def elapsed_ms(self) -> int:
        """The time since the deal, or the length of a won game."""
        return self._clock() - self._begun_at if self._won_ms is None else self._won_ms

    @property
    def score(self) -> Score:
        """The statistics of this game."""
        return scores(self._path).get(self.table.rules.game.name, Score())

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yield the table's messages until the player leaves."""
        while (message := await self._coming.get()) is not None:
            yield message

    # Sending.

    async def send(self, command: cl.Command) -> None:
        """Carry out a command."""
        self.post(command)

    def post(self, command: cl.Command) -> None:
        """Carry out a command; ignore those that address other people."""
        if isinstance(command, cl.PlayCards):
            play = Play(command.source, command.count, command.destination, command.depth)
            try:
                self.make(play, command.counter)
            except IllegalPlay as error:
                self._put(Refused(counter=command.counter, reason=error.reason, text=error.text))
        elif isinstance(command, cl.Start | cl.Ready) and self.table.is_over:
            self.restart()
        elif not isinstance(command, cl.Leave):
            self._refuse(command, "Nobody else is here to know that.")

    async def ping(self, stamp: int) -> None:
        """Do nothing: there is no server."""

    async def close(self) -> None:
        """Close the table; an unfinished deal counts as lost."""
        self._give_up()
        self._put(None)

    def make(self, play: Play, counter: int = 0) -> list[Event]:
        """Make a play and return its events.

        Raises:
            IllegalPlay: the play is illegal.

        """
        events: list[Event] = [*self.table.play(counter, play)]
        if self.table.is_won:
            self._won_ms = self.elapsed_ms
            self._count(won=True)
            events += self.table.finish(self._won_ms)
        self._tell(*events)
        return events

    # Operations of a solo table only.

    def undo(self) -> bool:
        """Undo the last play; return whether there was one."""
        return self._went(self.table.undo())

    def redo(self) -> bool:
        """Redo the last undone play; return whether there was one."""
        went = self._went(self.table.redo())
        if went and self.table.is_won:
            self._won_ms = self.elapsed_ms
            self._tell(*self.table.finish(self._won_ms))
        return went

    def restart(self) -> bool:
        """Start the same deal again; return whether anything had been played."""
        return self._went(self.table.plays > 0 and self.table.go_to(0))

    def deal(self, seed: bytes) -> None:
        """Start a new deal."""
        self._give_up()
        view = self.view
        self.table = SoloTable(view.options, seed, view.seats[view.hand_seats[0]].name)
        self.day = None
        self._begun_at, self._won_ms, self._is_noted = self._clock(), None, False
        self._show()

    def bring_up(self) -> int:
        """Play every card to the foundations that can go there; return the number of plays."""
        table, count = self.table, 0
        while count < MOST_UP and table.view.in_hand:
            play = next((play for play in self._ups() if play.source in self._sources()), None)
            if play is None:
                break
            self.post(self.play_command(play))
            count += 1
        return count

    def ended(self) -> SoloTable:
        """Return the table with its hand ended, as it stands if it was unfinished."""
        if not self.table.is_over:
            self.table.finish(self.elapsed_ms)
        return self.table

    # Steps.

    def _ups(self) -> list[Play]:
        rules, board = self.table.rules, self.table.board
        plays = (play for seat in rules.layout.seats for play in rules.legal_plays(board, seat))
        return [play for play in plays if play.destination in rules.layout.foundations]

    def _sources(self) -> set[int]:
        """Return the piles that cards go up from, without those that would only be turned back and forth."""
        piles = self.table.board.piles
        return {pile.number for pile in piles if pile.kind not in {Kind.FOUNDATION, Kind.STOCK}}

    def _refuse(self, command: cl.Command, text: str) -> None:
        self._put(Refused(counter=command.counter, reason=Reason.ILLEGAL, text=text))

    def _give_up(self) -> None:
        """Count an unfinished deal as lost."""
        if self.table.plays or self.table.undone:
            self._count(won=False)

    def _count(self, *, won: bool) -> None:
        """Count a deal, once."""
        if not self._is_noted:
            self._is_noted = True
            self.before = self.score
            game = self.table.rules.game.name
            note(self._path, game, won=won, elapsed_ms=self.elapsed_ms, day=self.day)

    def _went(self, moved: bool) -> bool:
        if moved:
            if self._won_ms is not None:  # the clock resumes where it stopped
                self._begun_at, self._won_ms = self._clock() - self._won_ms, None
            self._show()
        return moved

    def _show(self) -> None:
        """Send a new snapshot: the table changed other than by a play."""
        self._tell(self.view.snapshot(self.elapsed_ms))

    def _tell(self, *messages: Message) -> None:
        """Queue messages for the seat whose turn it is."""
        self.seat = self.table.seat
        self._put(*messages)

    def _put(self, *messages: Message | None) -> None:
        for message in messages:
            self._coming.put_nowait(message)
