"""The observer that publishes all tables to a broker: it queues what has changed, and one task sends it."""

import asyncio
import contextlib
import logging
import os
import random
import secrets
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from racing_demon_protocol.discovery.broker_address import BrokerAddress, parse_broker
from racing_demon_protocol.wire.messages import Event
from racing_demon_server.network_interfaces import REFRESH_SECONDS
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.room import Clock
from racing_demon_server.wakeup import seconds_until

from .broker_connection import OFFLINE, ONLINE, BrokerConnection, BrokerGone, connected
from .publish_queue import PublishQueue
from .topics import Topics

FIRST_PAUSE: Final = 0.2
MAX_PAUSE: Final = 2.5
"""The longest pause between attempts: the directory is up to date within five seconds of the broker's
return."""
STEADY_SECONDS: Final = 10.0
"""After a connection of this many seconds, pauses start short again."""
BATCH: Final = 8
"""Messages sent in one batch; the loop runs between two batches."""
GOODBYE_SECONDS: Final = 3.0

log = logging.getLogger("racing_demon_server")


class Publisher(Observer):
    """Publishes all tables of a server.

    Attributes:
        online: whether the broker is connected.
        queue: the waiting messages.

    Args:
        address: the broker's address.
        topics: the node's topics.
        clock: the server's clock.
        homeassistant: whether to describe the tables to Home Assistant.

    """

    names_tables: ClassVar[bool] = True

    def __init__(self, address: BrokerAddress, topics: Topics, clock: Clock, *, homeassistant: bool) -> None:
        self.online = False
        self._address = address
        self._topics = topics
        self._clock = clock
        self.queue = PublishQueue(topics, homeassistant=homeassistant)
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._refreshing: asyncio.Task[None]
        self._stopping = False
        self._has_reported = False
        self._has_failed = False

    # On the play path.

    def opened(self, table: CommittedTable) -> None:
        """Queue what is published of a new table."""
        self._guard(lambda: self.queue.open(table, self._clock()))

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Queue what events change."""
        self._guard(lambda: self.queue.add(table, events, self._clock()))

    def closed(self, table: CommittedTable) -> None:
        """Queue the removal of a table that was closed."""
        self._guard(lambda: self.queue.close(table))

    def _guard(self, step: Callable[[], None]) -> None:
        """Run a step, and log its first failure, which must not disturb play."""
        try:
            step()
        except Exception:
            if not self._has_failed:
                self._has_failed = True
                log.exception("a table could not be published; this is not told again")
        self._news.set()

    # In its own task.

    def start(self, find_urls: Callable[[], Sequence[str]]) -> None:
        """Start publishing. ``find_urls`` returns the addresses at which players join, which may change."""
        self.queue.urls = tuple(find_urls())
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._run(), name="publisher")
        self._refreshing = loop.create_task(self._refresh_addresses(find_urls), name="publisher's addresses")

    async def _refresh_addresses(self, find_urls: Callable[[], Sequence[str]]) -> None:
        """Publish the tables' addresses again whenever they change."""
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            urls = tuple(find_urls())
            if urls != self.queue.urls:
                self.queue.move(urls, self._clock())
                self._news.set()

    async def stop(self) -> None:
        """Publish that the server ends, if the broker is connected, and stop."""
        if self._task is None:
            return
        self._stopping = True
        self._refreshing.cancel()
        self.queue.finish()
        self._news.set()
        if self.online:
            await asyncio.wait([self._task], timeout=GOODBYE_SECONDS)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        """Connect to the broker again and again, forever."""
        pause, loop = FIRST_PAUSE, asyncio.get_running_loop()
        while not self._stopping:
            try:
                async with connected(self._address, self._topics) as link:
                    since = loop.time()
                    await self._serve(link)
            except (BrokerGone, OSError, TimeoutError) as error:
                self._report_outage(str(error) or "it does not answer")
            except Exception:
                # No bug, ours or the library's, may end publishing.
                self._report_outage("something unforeseen happened", exc_info=True)
            finally:
                was_steady = self.online and loop.time() - since > STEADY_SECONDS
                self.online = False
            if self._stopping:
                return
            pause = FIRST_PAUSE if was_steady else pause
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - not to come all at once
            pause = min(MAX_PAUSE, pause * 2)

    def _report_outage(self, why: str, *, exc_info: bool | None = None) -> None:
        if not self._has_reported and not self._stopping:
            self._has_reported = True
            text = "the broker at %s cannot be reached (%s); tables go on, and it is tried again"
            log.warning(text, self._address, why, exc_info=exc_info)

    async def _serve(self, link: BrokerConnection) -> None:
        """Publish everything: first the present state, then changes.

        Raises:
            BrokerGone: the connection is lost.

        """
        await link.publish_status(ONLINE)
        self.queue.restart(self._clock())
        self.online = True
        if self._has_reported:
            self._has_reported = False
            log.warning("the broker at %s is back", self._address)
        listening = asyncio.create_task(link.listen(self._tidy))
        listening.add_done_callback(lambda _: self._news.set())
        try:
            await self._pump(link, listening)
            await link.publish_status(OFFLINE)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    def _tidy(self, topic: str) -> None:
        self.queue.tidy(topic)
        self._news.set()

    async def _pump(self, link: BrokerConnection, listening: "asyncio.Task[None]") -> None:
        """Send due messages until the connection is lost or, when stopping, none is left."""
        while True:
            self._news.clear()
            if listening.done():
                listening.result()
            batch = self.queue.pop_due(self._clock(), BATCH)
            try:
                await link.send(batch)
            except BaseException:
                self.queue.give_back(batch)
                raise
            wait_us = self.queue.wait_us(self._clock())
            if self._stopping and wait_us != 0:
                return
            await self._sleep(wait_us)

    async def _sleep(self, wait_us: int | None) -> None:
        """Wait for news or a number of microseconds; yields to the loop even for 0."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if wait_us is None else seconds_until(wait_us)):
                await self._news.wait()


def publisher_of(settings: ServerSettings, clock: Clock) -> Publisher:
    """Return the publisher for the settings' broker.

    Raises:
        ValueError: the broker's address or the node's name is invalid.

    """
    address = parse_broker(settings.mqtt_url, os.environ)
    node = settings.node or secrets.token_hex(6)
    if not settings.node:
        text = (
            "the broker knows this server by a random name, by another one after each start; --node gives one"
        )
        log.warning(text, extra={"node": node})
    topics = Topics(node)
    return Publisher(address, topics, clock, homeassistant=settings.homeassistant)
