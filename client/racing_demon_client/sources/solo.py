"""Solo games: a client whose table is in this process, the statistics, and results in sentences.

The table has the same rules, dealer and events as a server's.
"""

import asyncio
import contextlib
import datetime as dt
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from racing_demon_client.files import read_entries, replace_file, state_folder
from racing_demon_client.net.table_client import TableClient
from racing_demon_client.shared.message_text import duration
from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused

from .solo_table import SoloTable

MAX_STATISTICS_BYTES: Final = 1024 * 1024
MAX_GAMES: Final = 500
MAX_DAYS: Final = 400
MAX_ELAPSED_MS: Final = 100 * 24 * 3_600_000

Count = Annotated[int, Field(strict=True, ge=0, le=10**9)]
Milliseconds = Annotated[int, Field(strict=True, ge=0, le=MAX_ELAPSED_MS)]
Name = Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[a-z0-9-]+$")]


class Score(BaseModel):
    """The statistics of one game."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    played: Count = 0
    """Deals with at least one play."""
    won: Count = 0
    streak: Count = 0
    """The current streak of won deals."""
    longest: Count = 0
    """The longest streak."""
    best_ms: Milliseconds | None = None
    """The fastest win."""
    days: dict[dt.date, Milliseconds] = {}
    """The best times of daily deals."""

    def with_deal(self, won: bool, elapsed_ms: int, day: dt.date | None) -> "Score":
        """Return the statistics with one more deal.

        Args:
            won: whether it was won.
            elapsed_ms: how long it took.
            day: the date of a daily deal.

        """
        elapsed_ms = min(elapsed_ms, MAX_ELAPSED_MS)
        streak = self.streak + 1 if won else 0
        best, days = self.best_ms, dict(self.days)
        if won:
            best = elapsed_ms if best is None else min(best, elapsed_ms)
            if day is not None:
                days[day] = min(elapsed_ms, days.get(day, elapsed_ms))
        return Score(
            played=self.played + 1,
            won=self.won + won,
            streak=streak,
            longest=max(self.longest, streak),
            best_ms=best,
            days=dict(sorted(days.items())[-MAX_DAYS:]),
        )


class GameStatistics(BaseModel):
    """One game's line in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: Name
    score: Score


def statistics_path() -> Path:
    """Return the path of the file, next to the recent tables."""
    return state_folder() / "solo.json"


def load_scores(path: Path) -> Mapping[str, Score]:
    """Return the statistics of each game, without invalid entries."""
    scores: dict[str, Score] = {}
    for raw in read_entries(path, MAX_STATISTICS_BYTES)[:MAX_GAMES]:
        with contextlib.suppress(ValidationError):
            entry = GameStatistics.model_validate_json(json.dumps(raw))
            scores.setdefault(entry.game, entry.score)
    return scores


def count_deal(path: Path, game: str, *, won: bool, elapsed_ms: int, day: dt.date | None = None) -> Score:
    """Count a deal, and return its game's statistics."""
    scores = dict(load_scores(path))
    score = scores.pop(game, Score()).with_deal(won, elapsed_ms, day)
    entries = [GameStatistics(game=name, score=each) for name, each in [(game, score), *scores.items()]]
    data = json.dumps([entry.model_dump(mode="json") for entry in entries[:MAX_GAMES]], indent=1)
    # A full disk or a read-only home must not end the game.
    with contextlib.suppress(OSError):
        replace_file(path, data.encode())
    return score


MAX_PLAYS_UP: Final = 1_000


class SoloClient(TableClient):
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
        self._is_counted = False
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
        return load_scores(self._path).get(self.table.rules.game.name, Score())

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
            play = command.play
            try:
                self.make(play, command.counter)
            except IllegalPlay as error:
                self._put(Refused(counter=command.counter, reason=error.reason, text=error.text))
        elif isinstance(command, cl.ShiftStock):
            try:
                self.shift()
            except IllegalPlay as error:
                self._refuse(command, error.text)
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
        self._send(*events)
        return events

    def shift(self) -> list[Event]:
        """Move the stock's top card to its bottom, and return the events.

        Raises:
            IllegalPlay: that is not allowed.

        """
        event = self.table.shift()
        self._send(event)
        return [event]

    # Operations of a solo table only.

    def undo(self) -> bool:
        """Undo the last play; return whether there was one."""
        return self._show_if(self.table.undo())

    def redo(self) -> bool:
        """Redo the last undone play; return whether there was one."""
        went = self._show_if(self.table.redo())
        if went and self.table.is_won:
            self._won_ms = self.elapsed_ms
            self._send(*self.table.finish(self._won_ms))
        return went

    def restart(self) -> bool:
        """Start the same deal again; return whether anything had been played."""
        return self._show_if(self.table.plays > 0 and self.table.go_to(0))

    def deal(self, seed: bytes) -> None:
        """Start a new deal."""
        self._give_up()
        view = self.view
        self.table = SoloTable(view.options, seed, view.seats[view.hand_seats[0]].name)
        self.day = None
        self._begun_at, self._won_ms, self._is_counted = self._clock(), None, False
        self._show()

    def play_all_up(self) -> int:
        """Play every card to the foundations that can go there; return the number of plays."""
        table, count = self.table, 0
        while count < MAX_PLAYS_UP and table.view.in_hand:
            play = next((play for play in self._plays_up() if play.source in self._sources()), None)
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

    def _plays_up(self) -> list[Play]:
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
        if not self._is_counted:
            self._is_counted = True
            self.before = self.score
            game = self.table.rules.game.name
            count_deal(self._path, game, won=won, elapsed_ms=self.elapsed_ms, day=self.day)

    def _show_if(self, moved: bool) -> bool:
        if moved:
            if self._won_ms is not None:  # the clock resumes where it stopped
                self._begun_at, self._won_ms = self._clock() - self._won_ms, None
            self._show()
        return moved

    def _show(self) -> None:
        """Send a new snapshot: the table changed other than by a play."""
        self._send(self.view.snapshot(self.elapsed_ms))

    def _send(self, *messages: Message) -> None:
        """Queue messages for the seat whose turn it is."""
        self.seat = self.table.seat
        self._put(*messages)

    def _put(self, *messages: Message | None) -> None:
        for message in messages:
            self._coming.put_nowait(message)


def win_text(client: SoloClient) -> str:
    """Return how long a win took, compared with earlier ones."""
    took, before = client.elapsed_ms, client.before
    text = f"Won in {duration(took)}"
    yesterday = None if client.day is None else before.days.get(client.day - dt.timedelta(days=1))
    if yesterday is not None:
        text += f" (the day before: {duration(yesterday)})"
    if before.best_ms is None:
        return f"{text}: your first win."
    if took < before.best_ms:
        return f"{text}: your best time."
    return f"{text}; your best is {duration(before.best_ms)}."


def progress_text(table_: SoloTable) -> str:
    """Return the player's progress, such as ``49 of 52 done``."""
    seat = table_.view.hand_seats[0]
    return f"{table_.rules.progress(table_.board, seat)} of {table_.rules.goal(seat)} done"


def loss_text(client: SoloClient) -> str:
    """Return that no further play is possible, and the game's result."""
    return f"No play is left that helps: {progress_text(client.table)}."


def score_lines(known: Mapping[str, Score]) -> Iterator[str]:
    """Yield the statistics of all games as a table, the most played first."""
    if not known:
        yield "You have not played alone yet. racing-demon games lists the games."
        return
    yield f"{'game':22} {'played':>6} {'won':>5} {'':>5} {'in a row':>8} {'most':>5} {'best':>7}"
    for game, score in sorted(known.items(), key=lambda each: -each[1].played):
        share = f"{100 * score.won // max(1, score.played)} %"
        best = "-" if score.best_ms is None else duration(score.best_ms)
        counts = f"{game:22} {score.played:>6} {score.won:>5} {share:>5}"
        yield f"{counts} {score.streak:>8} {score.longest:>5} {best:>7}"
