"""Keeps the results of a server: notices the ends of hands, and asks its threads for everything else."""

import asyncio
import logging
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from hmac import compare_digest
from operator import methodcaller
from typing import TYPE_CHECKING, Final, TypeVar

from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import Fenced, JournalUnusable
from racing_demon_server.match.seat_tokens import hash_token
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry

from .query import ALL, Filter, RecordGone, ResultsUnusable, StandingsQuery, Stopping, TooManyQuestions

if TYPE_CHECKING:  # the workers and what they need take a while to load: they open after the port
    from .maker import ResultsMaker
    from .notes import NotesInMaking
    from .records import RecordVersion
    from .store import Result
    from .worker import ResultsWorker

CORRECTIONS_SECONDS: Final = 5.0
"""The interval at which the keeper looks for corrections, which a command writes."""
PRUNE_SECONDS: Final = 6 * 3_600.0
"""The interval at which old events are deleted."""
AGAIN_SECONDS: Final = 20.0
"""How long what could not be written waits, and what another server may have left."""
CLOSED_SECONDS: Final = 0.1
"""The interval at which the keeper looks whether the journal has that a table is closed."""
OPEN_SECONDS: Final = 5.0
"""How long after the start the results are opened, unless somebody asks."""
MAX_WAITING: Final = 50
"""The most questions that wait for the thread."""
MAX_OF_ADDRESS: Final = 5
"""The most of one address, so that others are answered, too."""

Answer = TypeVar("Answer")
Worker = TypeVar("Worker")
OpenWorkers = Callable[[], "tuple[ResultsMaker, ResultsWorker]"]
"""Opens the results for the two threads: one that makes them, and one that answers."""
Charge = Callable[[float], None]
"""Charges seconds of the processor, once they are used."""

log = logging.getLogger("racing_demon_server")


class ResultsKeeper(Observer):
    """Keeps the results of the tables of one server, or of one of its processes.

    Attributes:
        access: who may see the standings.
        registry: the tables; set after they are opened, because they need their observers.

    Args:
        access: who may see the standings.
        open_workers: opens the results, in a thread.
        prune: deletes the events of old matches from the journal; ``None`` if they are kept.

    """

    registry: Registry | None = None
    is_unusable = False
    """Whether the results could not be opened, or not be read when they were last needed."""

    def __init__(
        self,
        access: StandingsAccess,
        open_workers: OpenWorkers,
        prune: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.access = access
        self._prune = prune
        self._open_workers = open_workers
        self._maker: ResultsMaker | None = None
        self._worker: ResultsWorker | None = None
        self._numbers: dict[CommittedTable, int] = {}
        self._due = set[int]()
        self._failed = set[int]()
        self._is_due = asyncio.Event()
        self._is_asked = asyncio.Event()
        self._waiting = Counter[str]()
        self._turns: dict[str, asyncio.Lock] = {}
        self._slice_turn = asyncio.Lock()
        self._is_warm = False
        self._making = ThreadPoolExecutor(1, "results")
        self._answering = ThreadPoolExecutor(1, "answers")
        self._opening: asyncio.Future[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._pruning: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Open the results, and make those that are missing."""
        self._opening = asyncio.ensure_future(self._open_later())
        self._tasks = [asyncio.create_task(work) for work in (self._make(), self._watch_corrections())]

    async def _open_later(self) -> None:
        """Open the results when somebody asks for them, or a little after the start.

        Loading what they need takes a while, and tables that come back from a restart go first.
        """
        with suppress(TimeoutError):
            await asyncio.wait_for(self._is_asked.wait(), OPEN_SECONDS)
        await asyncio.get_running_loop().run_in_executor(self._making, self._open)

    def _open(self) -> None:
        try:
            self._maker, self._worker = self._open_workers()
        except Exception as error:
            self.is_unusable = True
            log.error("no results are kept", extra={"why": str(error)})

    async def close(self) -> None:
        """Stop after the step that is being done."""
        tasks = [each for each in (self._opening, self._pruning, *self._tasks) if each is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for worker in (self._maker, self._worker):
            if worker is not None:
                worker.is_stopping = True
        for thread, close in ((self._making, self._close_maker), (self._answering, self._close_worker)):
            await asyncio.get_running_loop().run_in_executor(thread, close)
            thread.shutdown()

    def _close_maker(self) -> None:
        if self._maker is not None:
            self._maker.close()

    def _close_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()

    # What happens at the tables.

    def opened(self, table: CommittedTable) -> None:
        """Make the results that are missing of a table that another server had before."""
        if table.view.seq:
            self._update(table)

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Make the result of a hand that has ended."""
        if any(isinstance(event, ev.HandOver | ev.MatchOver) for event in events):
            self._update(table)

    def closed(self, table: CommittedTable) -> None:
        """Make the last result of a table that was closed."""
        number = self._numbers.pop(table, None)
        if number is not None:
            self._add_closed(number)

    def _add_closed(self, number: int) -> None:
        """Make the last result of a table as soon as the journal has that it is closed."""
        if self.registry is not None and number in self.registry.leaving:
            asyncio.get_running_loop().call_later(CLOSED_SECONDS, self._add_closed, number)
        else:
            self._add(number)

    def _update(self, table: CommittedTable) -> None:
        number = None if self.registry is None else self.registry.number_of(table.view.code)
        if number is not None:
            self._numbers[table] = number
            self._add(number)

    def _add(self, number: int) -> None:
        self._due.add(number)
        self._is_due.set()

    # Questions.

    def table_of(self, code: str, token: str) -> int | None:
        """Return the number of the open table at which a token has a seat; ``None`` if it has none."""
        if self.registry is None or not token or not self.registry.has_seat(code, hash_token(token)):
            return None
        return self.registry.number_of(code)

    def watched_table(self, code: str, commitment: str) -> int | None:
        """Return the number of an open table to whoever watches it as it happens.

        The commitment of its last hand shows that somebody does: a code alone may be guessed.
        """
        for table, number in self._numbers.items():
            view = table.settled
            if view.code == code and view.commitment is not None:
                is_shown = view.options.spectators and not table.hold_us()
                return number if is_shown and compare_digest(view.commitment, commitment) else None
        return None

    def is_of_table(self, result: "Result", number: int) -> bool:
        """Return whether a match was played at a table of this process."""
        return self._worker is not None and self._worker.is_of_table(result, number)

    async def ask(
        self,
        address: str,
        question: "Callable[[ResultsWorker], Answer]",
        may_ask: Callable[[], bool] = lambda: True,
        charge: Charge = lambda _: None,
        sums: Iterable[Filter] = (),
    ) -> Answer:
        """Return the thread's answer to a question from an address.

        The questions of an address are answered one by one, and those of others between them.

        Args:
            address: who asks.
            question: asks the worker, in the thread.
            may_ask: whether the address has paid for its earlier questions.
            charge: charges the address what the answer has cost.
            sums: which matches must be added up for it.

        Raises:
            TooManyQuestions: it has too many to answer, or too many of this address, or dear ones.
            ResultsUnusable: it has no results.

        """
        if self._waiting.total() >= MAX_WAITING or self._waiting[address] >= MAX_OF_ADDRESS:
            raise TooManyQuestions
        self._waiting[address] += 1
        self._is_asked.set()
        try:
            async with self._turns.setdefault(address, asyncio.Lock()):
                if not may_ask():
                    raise TooManyQuestions
                for only in dict.fromkeys(sums):
                    await self._add_up(only, charge)
                return await self._answer(partial(_charged, question, charge, asyncio.get_running_loop()))
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._turns[address]
            self._waiting += Counter[str]()  # without those that have none

    async def pieces(
        self, record: "RecordVersion", owed_us: Callable[[], int], charge: Charge
    ) -> AsyncIterator[bytes]:
        """Yield the pieces of a record; empty ones say that there is progress.

        All records and sums that are being made take turns, so that a question waits for one of them at most.

        Args:
            record: the record.
            owed_us: returns the microseconds until the reader has paid for the earlier pieces.
            charge: charges the reader what a piece has cost.

        Raises:
            RecordGone: it cannot be told to its end.
            ResultsUnusable: the results cannot be read.

        """
        make = partial(_charged, methodcaller("next_piece", record), charge, asyncio.get_running_loop())
        if record.maker is None:
            for packed in record.pieces:
                await asyncio.sleep(owed_us() / 1_000_000)  # others come first, however fast the reader is
                began = time.thread_time()
                piece = zlib.decompress(packed)
                charge(2 * (time.thread_time() - began))  # to send it costs about as much again
                yield piece
                if record.is_dropped:
                    break
        while record.maker is not None:
            await asyncio.sleep(owed_us() / 1_000_000)
            async with self._slice_turn:
                piece = await self._answer(make)
            yield piece
        if record.is_dropped:
            raise RecordGone

    async def make_notes(self, making: "NotesInMaking", owed_us: Callable[[], int], charge: Charge) -> None:
        """Make the notes of a match, in slices that take turns with records and sums.

        Args:
            making: the match.
            owed_us: returns the microseconds until the one who asks has paid for the earlier slices.
            charge: charges that one what a slice has cost.

        Raises:
            ResultsUnusable: the results cannot be read or written.

        """
        make = partial(_charged, methodcaller("make_notes", making), charge, asyncio.get_running_loop())
        is_more = True
        while is_more:
            await asyncio.sleep(owed_us() / 1_000_000)
            async with self._slice_turn:
                is_more = await self._answer(make)

    async def _add_up(self, only: Filter, charge: Charge = lambda _: None) -> None:
        """Add up the matches of a filter, in slices between which others are answered."""
        loop = asyncio.get_running_loop()
        # Mostly that is all: a match or two since somebody has last asked.
        sums = await self._answer(partial(_charged, methodcaller("add_to_sums", only), charge, loop))
        while sums is not None:
            async with self._slice_turn:
                add = methodcaller("add_to_sums", only, sums)
                sums = await self._answer(partial(_charged, add, charge, loop))

    async def _answer(self, question: "Callable[[ResultsWorker], Answer]") -> Answer:
        assert self._opening is not None
        await asyncio.shield(self._opening)
        return await self._run(self._answering, self._worker, question)

    async def _run(
        self, thread: ThreadPoolExecutor, worker: Worker | None, work: Callable[[Worker], Answer]
    ) -> Answer:
        if worker is None:
            raise ResultsUnusable
        try:
            answer = await asyncio.get_running_loop().run_in_executor(thread, work, worker)
        except JournalUnusable as error:
            self.is_unusable = True
            log.error("results cannot be used now", extra={"why": str(error)})
            raise ResultsUnusable from error
        self.is_unusable = False
        return answer

    # Making results.

    async def _make(self) -> None:
        """Make all results that are due, one table at a time: what has just ended, and then what is old."""
        old = await self._make_some(methodcaller("unfinished")) or []
        while True:
            if not old and not self._is_warm and self.access is not StandingsAccess.OFF:
                self._is_warm = True
                # Otherwise whoever asks first waits.
                ask = methodcaller("standings", StandingsQuery(), StandingsAccess.OPEN, "")
                await self._attempt(self._add_up(ALL))
                await self._attempt(self._answer(ask))
            if not old and self._prune is not None and self._pruning is None:
                self._pruning = asyncio.create_task(self._prune_again_and_again(self._prune))
            if not (self._due or old):
                old = await self._wait()
                continue
            number = self._due.pop() if self._due else old.pop(0)
            if not await self._make_some(methodcaller("update", number)):
                self._failed.add(number)

    async def _wait(self) -> list[int]:
        """Wait until something is due; return what is to be done again, or was left by another server."""
        is_shared = self._maker is not None and self._maker.is_shared
        try:
            async with asyncio.timeout(AGAIN_SECONDS if self._failed or is_shared else None):
                await self._is_due.wait()
        except TimeoutError:
            again, self._failed = sorted(self._failed), set()
            left = await self._make_some(methodcaller("unfinished")) if is_shared else None
            return [*again, *(left or ())]
        self._is_due.clear()
        return []

    @staticmethod
    async def _prune_again_and_again(prune: Callable[[], Awaitable[None]]) -> None:
        """Delete old events from time to time, once all old matches have their results."""
        while True:
            try:
                await prune()
            except OSError as error:
                log.error("old matches could not be pruned", extra={"why": str(error)})
            await asyncio.sleep(PRUNE_SECONDS)

    async def _watch_corrections(self) -> None:
        while True:
            await self._make_some(methodcaller("apply_corrections"))
            # Records that are kept name nobody who was forgotten.
            await self._attempt(self._answer(methodcaller("reload_names")))
            await asyncio.sleep(CORRECTIONS_SECONDS)

    async def _make_some(self, work: "Callable[[ResultsMaker], Answer]") -> Answer | None:
        """Do some work; return ``None`` if it fails, which is done again later."""
        assert self._opening is not None
        await asyncio.shield(self._opening)
        return await self._attempt(self._run(self._making, self._maker, work))

    @staticmethod
    async def _attempt(work: Awaitable[Answer]) -> Answer | None:
        """Wait for some work; return ``None`` if it fails."""
        try:
            return await work
        except (Stopping, ResultsUnusable, Fenced):
            return None
        except Exception:
            log.exception("results could not be written")
            return None


def _charged(
    question: "Callable[[ResultsWorker], Answer]",
    charge: Charge,
    loop: asyncio.AbstractEventLoop,
    worker: "ResultsWorker",
) -> Answer:
    """Ask a question, in the thread, and charge what it has cost, even if nobody waits for it any more."""
    began, shared = time.thread_time(), worker.shared_seconds
    try:
        return question(worker)
    finally:
        shared = worker.shared_seconds - shared
        loop.call_soon_threadsafe(charge, time.thread_time() - began - shared)
