"""A place at one's own table, which is a table like any other to the screens and the plain text."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

from racing_demon_client.net.guest import Guest
from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused

from .statistics import Score, note, scores
from .table import SoloTable

__all__ = ["SoloClient"]

MOST_UP: Final = 1_000


class SoloClient(Guest):
    """A client without a server: what it is told is carried out on its own table, and answered at once.

    Attributes:
        table: the table.
        day: the day whose deal this is; ``None`` for any other.
        before: what was known of the game before this deal was noted.

    Args:
        table: the deal to begin with.
        clock: tells milliseconds that only rise.
        path: where the statistics are kept.
        day: the day whose deal it is.

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
    def view(self) -> TableView:
        """The table."""
        return self.table.view

    @property
    def online(self) -> bool:
        """There is no connection that could break."""
        return True

    @property
    def elapsed_ms(self) -> int:
        """The time since the deal, or that of the whole game once it is won."""
        return self._clock() - self._begun_at if self._won_ms is None else self._won_ms

    @property
    def score(self) -> Score:
        """What is known of this game."""
        return scores(self._path).get(self.table.rules.game.name, Score())

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yield what happens at the table until it is left."""
        while (message := await self._coming.get()) is not None:
            yield message

    # Speaking.

    async def send(self, command: cl.Command) -> None:
        """Carry a command out."""
        self.post(command)

    def post(self, command: cl.Command) -> None:
        """Carry a command out; those that speak to others mean nothing here."""
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
        """Ask nobody."""

    async def close(self) -> None:
        """Leave the table; a deal that was begun and not won counts as lost."""
        self._give_up()
        self._put(None)

    async def leave(self) -> None:
        """Leave the table."""
        await self.close()

    def make(self, play: Play, counter: int = 0) -> list[Event]:
        """Make a play, and return what happened.

        Raises:
            IllegalPlay: the rules do not allow it.

        """
        events: list[Event] = [*self.table.play(counter, play)]
        if self.table.is_won:
            self._won_ms = self.elapsed_ms
            self._count(won=True)
            events += self.table.finish(self._won_ms)
        self._tell(*events)
        return events

    # What only a table of one's own can do.

    def undo(self) -> bool:
        """Take the last play back; tell whether there was one."""
        return self._went(self.table.undo())

    def redo(self) -> bool:
        """Make the play again that was taken back last; tell whether there was one."""
        went = self._went(self.table.redo())
        if went and self.table.is_won:
            self._won_ms = self.elapsed_ms
            self._tell(*self.table.finish(self._won_ms))
        return went

    def restart(self) -> bool:
        """Lay the same deal again; tell whether anything was played."""
        return self._went(self.table.plays > 0 and self.table.go_to(0))

    def deal(self, seed: bytes) -> None:
        """Deal other cards."""
        self._give_up()
        view = self.view
        self.table = SoloTable(view.options, seed, view.seats[view.hand_seats[0]].name)
        self.day = None
        self._begun_at, self._won_ms, self._is_noted = self._clock(), None, False
        self._show()

    def bring_up(self) -> int:
        """Play up all that may go up, as long as it goes; return how many plays that were."""
        table, count = self.table, 0
        while count < MOST_UP and table.view.in_hand:
            play = next((play for play in self._ups() if play.source in self._sources()), None)
            if play is None:
                break
            self.post(self.play_command(play))
            count += 1
        return count

    def ended(self) -> SoloTable:
        """Return the table, once its hand has an end: as it lies, if there was none."""
        if not self.table.is_over:
            self.table.finish(self.elapsed_ms)
        return self.table

    # Step by step.

    def _ups(self) -> list[Play]:
        rules, board = self.table.rules, self.table.board
        plays = (play for seat in rules.layout.seats for play in rules.legal_plays(board, seat))
        return [play for play in plays if play.destination in rules.layout.foundations]

    def _sources(self) -> set[int]:
        """Return the piles that cards go up from: not those that would only be turned back and forth."""
        piles = self.table.board.piles
        return {pile.number for pile in piles if pile.kind not in {Kind.FOUNDATION, Kind.STOCK}}

    def _refuse(self, command: cl.Command, text: str) -> None:
        self._put(Refused(counter=command.counter, reason=Reason.ILLEGAL, text=text))

    def _give_up(self) -> None:
        """Count a deal as lost that was begun and not won."""
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
            if self._won_ms is not None:  # the clock goes on where it stopped
                self._begun_at, self._won_ms = self._clock() - self._won_ms, None
            self._show()
        return moved

    def _show(self) -> None:
        """Show the table anew: what lies there came about otherwise than by playing on."""
        self._tell(self.view.snapshot(self.elapsed_ms))

    def _tell(self, *messages: Message) -> None:
        """Show what happened, to whoever is to play now."""
        self.seat = self.table.seat
        self._put(*messages)

    def _put(self, *messages: Message | None) -> None:
        for message in messages:
            self._coming.put_nowait(message)
