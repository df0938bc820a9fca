"""Sends notices of matches: an observer queues them, one task writes them to a file, another sends them."""

import asyncio
import json
import logging
import random
import sqlite3
import ssl
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar, Final, TypeVar

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.sqlite.database import webhook_of
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.disclosure import is_open
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer

from .delivery import NoAnswer, post
from .endpoint import Endpoint, read_secret, signature
from .notices import NOTICED, START, Notice, notices_of, step_of
from .queue_file import MAX_TABLES, MAX_WAITING, QueuedNotice, QueueFile, TableStep

FIRST_PAUSE: Final = 0.5
MAX_PAUSE: Final = 60.0
"""The longest pause between attempts, in seconds."""
REFUSED_MS: Final = 300_000
"""How long a refused notice waits until it is sent again."""
GOODBYE_SECONDS: Final = 3.0
"""How long a stopping server goes on sending, if the receiver accepts notices."""
WRITE_SECONDS: Final = 1.0
"""The pause after a failure to write the queue."""
TEMPORARY: Final = frozenset({408, 425, 429})
"""The statuses after which the same notice may be accepted later."""

_Value = TypeVar("_Value")

log = logging.getLogger("racing_demon_server")


class WebhookSender(Observer):
    """Sends notices of the matches of all tables of a server.

    Attributes:
        dropped: how many notices were dropped since the start, because they were too old or too many.
        is_well: whether the receiver has taken the last one that was sent.

    Args:
        endpoint: the receiver.
        secret: signs the requests.
        queue: the notices that wait; closed with the sender.
        has_names: whether players are named.

    """

    names_tables: ClassVar[bool] = True

    def __init__(self, endpoint: Endpoint, secret: bytes, queue: QueueFile, *, has_names: bool) -> None:
        self.dropped = 0
        self.is_well = True
        self._endpoint = endpoint
        self._secret = secret
        self._queue = queue
        self._has_names = has_names
        self._tls = ssl.create_default_context() if endpoint.is_tls else None
        self._tables: set[CommittedTable] = set()
        self._last_steps = dict(queue.last_steps())
        self._waiting = len(queue)
        self._fresh: list[TableStep] = []
        self._has_fresh = asyncio.Event()
        self._has_waiting = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "webhook")
        self._writing: asyncio.Task[None] | None = None
        self._sending: asyncio.Task[None] | None = None
        self._is_stopping = False
        self._cannot_write = False
        self._has_failed = False

    def __len__(self) -> int:
        """Return the number of notices that wait."""
        return self._waiting + sum(len(each.notices) for each in self._fresh)

    # On the play path.

    def opened(self, table: CommittedTable) -> None:
        """Follow a new table, or queue what was missed of one that comes back."""
        self._guard(table, partial(self._open, table))

    def listed(self, table: CommittedTable) -> None:
        """Follow a table from now on: what it played in no list is told to nobody."""
        self._guard(table, partial(self._open, table, from_now=True))

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Queue the notices of events."""
        self._guard(table, partial(self._apply, table, events))

    def closed(self, table: CommittedTable) -> None:
        """Forget a table, but not its last step: it may come back."""
        self._tables.discard(table)

    def _guard(self, table: CommittedTable, step: Callable[[], None]) -> None:
        """Do a step. After a failure, which must not disturb play, the table has no more notices."""
        try:
            step()
        except Exception:
            self._tables.discard(table)
            if not self._has_failed:
                self._has_failed = True
                log.exception("a webhook could not be told of a table; this is not told again")

    def _open(self, table: CommittedTable, *, from_now: bool = False) -> None:
        self._tables.add(table)
        view = table.settled
        if from_now:
            self._enqueue(TableStep(view.code, step_of(view)))
        elif view.seq:
            self._queue_notices(view, (), delay_ms=0)
        else:
            self._enqueue(TableStep(view.code, START))

    def _apply(self, table: CommittedTable, events: Sequence[Event]) -> None:
        if table in self._tables and not NOTICED.isdisjoint(map(type, events)):
            self._queue_notices(table.settled, events, delay_ms=-(-table.hold_us() // 1_000))

    def _queue_notices(self, view: TableState, events: Sequence[Event], *, delay_ms: int) -> None:
        """Queue the notices of events. What happens while nobody may watch has none."""
        last, now = self._last_steps.get(view.code, START), step_of(view)
        notices: Sequence[Notice] = ()
        if is_open(view):
            notices = tuple(notices_of(view, events, last, has_names=self._has_names))
        if now > last or notices:
            made_ms = _now_ms()
            bodies = [(notice.id, _body(notice, made_ms)) for notice in notices]
            self._enqueue(TableStep(view.code, max(now, last), bodies, made_ms, made_ms + delay_ms))

    def _enqueue(self, step: TableStep) -> None:
        self._last_steps.pop(step.code, None)
        self._last_steps[step.code] = step.step
        if len(self._last_steps) > MAX_TABLES:
            del self._last_steps[next(iter(self._last_steps))]
        self._fresh.append(step)
        if len(self._fresh) > MAX_WAITING:  # nothing could be written for long
            self.dropped += len(self._fresh.pop(0).notices)
        self._has_fresh.set()

    # In tasks of its own.

    def start(self) -> None:
        """Begin to write and to send."""
        self._writing = asyncio.create_task(self._write_forever(), name="webhook's queue")
        self._sending = asyncio.create_task(self._send_forever(), name="webhook")

    async def stop(self) -> None:
        """Write what is left, send it if the receiver accepts it, and stop."""
        self._is_stopping = True
        self._has_fresh.set()
        tasks = [task for task in (self._writing, self._sending) if task is not None]
        if tasks:
            await asyncio.wait(tasks[:1])
            self._has_waiting.set()
            await asyncio.wait(tasks, timeout=GOODBYE_SECONDS if self.is_well else 0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._run(self._queue.close)
        self._thread.shutdown()

    async def _run(self, work: Callable[[], _Value]) -> _Value:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _write_forever(self) -> None:
        """Write new steps as soon as they happen."""
        while not self._is_stopping:
            await self._has_fresh.wait()
            self._has_fresh.clear()
            await self._write()

    async def _write(self) -> None:
        batch, self._fresh = self._fresh, []
        if not batch:
            return
        count = sum(len(each.notices) for each in batch)
        self._waiting += count
        try:
            dropped = await self._run(partial(self._queue.add, batch, _now_ms()))
        except sqlite3.Error as error:
            self._waiting -= count
            self._fresh = (batch + self._fresh)[-MAX_WAITING:]
            if not self._cannot_write:
                self._cannot_write = True
                log.error("the webhook's queue cannot be written", extra={"why": str(error)})
            asyncio.get_running_loop().call_later(WRITE_SECONDS, self._has_fresh.set)
            return
        self._cannot_write = False
        self._waiting -= dropped
        self.dropped += dropped
        self._has_waiting.set()

    async def _send_forever(self) -> None:
        """Send what waits, one after the other, forever; when stopping, until nothing is due or accepted."""
        pause = FIRST_PAUSE
        while True:
            self._has_waiting.clear()
            try:
                next_one = await self._run(partial(self._queue.first, _now_ms()))
                if next_one is None:
                    if self._is_stopping:
                        return
                    await self._wait_until_due()
                    continue
                why = await self._send(next_one)
            except Exception as error:
                # No bug, and no full disk, may end the sending.
                why = f"something unforeseen happened: {error!r}"
            if not why:
                pause = FIRST_PAUSE
                self._report_return()
                continue
            self._report_outage(why)
            if self._is_stopping:
                return
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - not to come all at once
            pause = min(MAX_PAUSE, pause * 2)

    async def _wait_until_due(self) -> None:
        due_ms = await self._run(self._queue.next_due_ms)
        with suppress(TimeoutError):
            async with asyncio.timeout(None if due_ms is None else max(0, due_ms - _now_ms()) / 1_000):
                await self._has_waiting.wait()

    async def _send(self, notice: QueuedNotice) -> str:
        """Send a notice. Return why it was not accepted; empty if it was."""
        at = time.time_ns() // 1_000_000_000
        headers = {
            "webhook-id": notice.id,
            "webhook-timestamp": str(at),
            "webhook-signature": signature(self._secret, notice.id, at, notice.body),
        }
        try:
            status = await post(self._endpoint, headers, notice.body, self._tls)
        except NoAnswer as error:
            return str(error)
        if 200 <= status < 300:
            await self._run(partial(self._queue.remove, notice.number))
            self._waiting -= 1
            return ""
        if 300 <= status < 400:
            return f"it answers {status}, and redirects are not followed"
        if 400 <= status < 500 and status not in TEMPORARY:
            await self._run(partial(self._queue.postpone, notice.number, _now_ms() + REFUSED_MS))
        return f"it answers {status}"

    def _report_outage(self, why: str) -> None:
        if self.is_well:
            self.is_well = False
            text = "the webhook's receiver at %s takes nothing (%s); matches go on, and it is tried again"
            log.warning(text, self._endpoint.authority, why)

    def _report_return(self) -> None:
        if not self.is_well:
            self.is_well = True
            log.warning("the webhook's receiver at %s takes notices again", self._endpoint.authority)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _body(notice: Notice, made_ms: int) -> bytes:
    """Return the body of a request: JSON, ASCII only."""
    at = datetime.fromtimestamp(made_ms / 1_000, UTC).isoformat(timespec="milliseconds")
    value = {"type": notice.type, "timestamp": at.replace("+00:00", "Z"), "data": notice.data}
    return json.dumps(value, separators=(",", ":")).encode()


def senders(settings: ServerSettings) -> list[WebhookSender]:
    """Return the senders of the settings: one or none.

    Raises:
        JournalUnusable: the queue's file, or the secret's, cannot be used.

    """
    if not settings.webhook_url or settings.webhook_secret is None:
        return []
    try:
        secret = read_secret(settings.webhook_secret)
    except ValueError as error:
        raise JournalUnusable(str(error)) from None
    queue = QueueFile(None if settings.journal is None else webhook_of(settings.journal))
    endpoint = Endpoint.parse(settings.webhook_url)
    return [WebhookSender(endpoint, secret, queue, has_names=settings.webhook_names)]
