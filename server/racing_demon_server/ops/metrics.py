"""Metrics in plain numbers, updated by an observer and formatted when Prometheus asks.

No label names a table or a player, so the number of series is constant.
"""

import asyncio
import importlib
import time
from collections import Counter as Tally
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.wire.messages.client import PLAYS, Command
from racing_demon_protocol.wire.messages.events import Event, HandOver, Played
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.room import Clock

from .histogram import Histogram
from .upkeep import Upkeep

US: Final = 1_000_000
"""Microseconds in a second; Prometheus counts in seconds."""

PLAY_BOUNDS: Final = (50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3)
WRITE_BOUNDS: Final = (100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.5, 2.0)
LATE_BOUNDS: Final = (1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.2, 0.5, 1.0, 2.0)
LAG_BOUNDS: Final = (1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.2, 0.5, 1.0)
LAG_EVERY: Final = 0.25
"""Seconds between two measurements of the loop's lag."""

SEATS: Final = ("person", "away", "bot")
"""Kinds of seats: connected, disconnected, bot."""
NO_LIMITS: Final[Mapping[str, int]] = {}
LACKABLE: Final = ("players", "results", "clock")
"""What tables go on without, where it cannot be used."""
PLAYERS: Final = ("person", "bot", "table")
"""Who makes a play: a player, a bot, or the game itself."""
RESULTS: Final = ("accepted", "refused")

PLAY_TEXT: Final = "From the arrival of a play to its answer, which for an accepted one is its broadcast."
LAG_TEXT: Final = "How late the server's loop was for an appointment with itself."
WRITE_TEXT: Final = "From what happened to its being certain, and told: the longest of each transaction."


class OutgoingQueue(Protocol):
    """A queue of what is published.

    Attributes:
        dropped: the number of messages dropped since the start.

    """

    dropped: int

    def __len__(self) -> int: ...


class Broker(Protocol):
    """What is published to a broker, and whether that is connected."""

    @property
    def queue(self) -> OutgoingQueue:
        """What waits for it."""

    @property
    def online(self) -> bool:
        """Whether it is connected."""


class Webhook(OutgoingQueue, Protocol):
    """The notices for a webhook's receiver, and whether that takes them."""

    @property
    def is_well(self) -> bool:
        """Whether the receiver has taken the last one that was sent."""


class BesideTables(NamedTuple):
    """What is measured besides tables.

    Attributes:
        brokers: those that the server publishes to.
        webhooks: the notices for each.
        lacks: returns what should be there and cannot be used.
        upkeep: what the operator has to see to; ``None`` if there are no files.

    """

    brokers: Sequence[Broker] = ()
    webhooks: Sequence[Webhook] = ()
    lacks: Callable[[], Sequence[str]] = tuple
    upkeep: Upkeep | None = None


class Metrics(Observer):
    """Counts what happens at all tables, and formats the counts. It is an observer.

    Args:
        limits: how many of what there may be.

    """

    def __init__(self, limits: Mapping[str, int] = NO_LIMITS) -> None:
        self._limits = limits
        self._tables: set[CommittedTable] = set()
        self._opened = self._unwritten = self._write_errors = 0
        self._plays = dict.fromkeys(PLAYERS, 0)
        self._refusals = {reason.value: 0 for reason in Reason}
        self._hands = {reason.value: 0 for reason in EndReason}
        self._cuts: Tally[str] = Tally()
        self._play = {result: Histogram(PLAY_BOUNDS) for result in RESULTS}
        self._late = Histogram(LATE_BOUNDS)
        self._lag = Histogram(LAG_BOUNDS)
        self._write = Histogram(WRITE_BOUNDS)

    # As an observer, on the play path.

    def opened(self, table: CommittedTable) -> None:
        """Count an opened table."""
        self._tables.add(table)
        self._opened += 1

    def closed(self, table: CommittedTable) -> None:
        """Count a closed table."""
        self._tables.discard(table)

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Count plays and hands."""
        seats = table.settled.seats
        for event in events:
            if type(event) is Played:
                seat = seats.get(event.seat)  # the rest of the batch was applied already: nobody may be left
                by = "table" if not event.counter else "bot" if seat is not None and seat.bot else "person"
                self._plays[by] += 1
            elif isinstance(event, HandOver):
                self._hands[event.reason] += 1

    def carried_out(self, table: CommittedTable, took_us: Sequence[int]) -> None:
        """Record the latencies of plays, in microseconds."""
        accepted = self._play["accepted"]
        for each in took_us:
            accepted.observe(each / US)

    def answered(
        self, table: CommittedTable, command: Command, reply: Accepted | Refused, took_us: int
    ) -> None:
        """Count refusals and races, and record the latencies of plays, in microseconds."""
        refused = reply if isinstance(reply, Refused) else None
        if isinstance(command, PLAYS):
            self._play["accepted" if refused is None else "refused"].observe(took_us / US)
        if refused is not None:
            self.refused(refused.reason)
            if refused.reason is Reason.BEATEN:
                self._late.observe(refused.late_us / US)

    # As the journal's meter.

    def written(self, seconds: float) -> None:
        """Record the time from a transaction's first entry until it was written."""
        self._write.observe(seconds)

    def failed(self) -> None:
        """Count a failed write."""
        self._write_errors += 1

    def waiting(self, entries: int) -> None:
        """Record how many entries wait to be written."""
        self._unwritten = entries

    # Beside the tables.

    def cut(self, why: str) -> None:
        """Count a connection that the server closed, by reason."""
        self._cuts[why] += 1

    def refused(self, reason: Reason) -> None:
        """Count a refusal."""
        self._refusals[reason] += 1

    async def measure_lag(self, clock: Clock) -> None:
        """Measure the loop's lag a few times a second, until cancelled."""
        while True:
            due = clock() + round(LAG_EVERY * US)
            await asyncio.sleep(LAG_EVERY)
            self._lag.observe(max(0, clock() - due) / US)

    async def prepare(self) -> None:
        """Load the Prometheus library in a thread, because that takes too long for the loop."""
        await asyncio.to_thread(importlib.import_module, f"{__package__}.prometheus")

    def text(
        self,
        connections: int,
        listeners: int,
        beside: BesideTables | None = None,
    ) -> str:
        """Return all metrics in Prometheus' text format.

        Args:
            connections: the number of open connections.
            listeners: how many of them play or watch.
            beside: what else a server has to tell.

        """
        from .prometheus import counter, formatted, gauge, histogram  # noqa: PLC0415 - a server is ready sooner without

        brokers, webhooks, lacks, upkeep = beside or BesideTables()
        lacking = lacks()
        backed_up_at = None if upkeep is None else upkeep.backed_up_at
        phases = Tally(table.view.phase for table in self._tables)
        seats = Tally(
            "bot" if seat.bot else "person" if seat.connected else "away"
            for table in self._tables
            for seat in table.view.seats.values()
            if not seat.left
        )
        spectators = max(0, listeners - seats["person"])
        queues = [broker.queue for broker in brokers]
        unsent, dropped = sum(map(len, queues)), sum(each.dropped for each in queues)
        untold, lost = sum(map(len, webhooks)), sum(each.dropped for each in webhooks)
        return formatted(
            [
                gauge(
                    "tables", "Tables that are open, by what they do.", {p: phases[p] for p in Phase}, "phase"
                ),
                gauge("seats", "Seats that are taken.", {by: seats[by] for by in SEATS}, "by"),
                gauge("connections", "Open connections.", connections),
                gauge("limit", "How many there may be, by what.", self._limits, "of"),
                gauge("spectators", "Connections that watch a table without a seat.", spectators),
                counter("tables_opened", "Tables ever opened.", self._opened),
                counter("plays", "Plays that were carried out.", self._plays, "by"),
                counter("refusals", "Requests and commands that were refused.", self._refusals, "reason"),
                counter("hands", "Hands that have ended.", self._hands, "reason"),
                counter("cuts", "Connections that the server ended.", self._cuts, "why"),
                gauge("journal_waiting", "What waits to be written to the journal.", self._unwritten),
                counter("journal_errors", "How often the disk took nothing.", self._write_errors),
                gauge(
                    "lacking",
                    "What should be there and cannot be used: 1 if it is so.",
                    {what: int(what in lacking) for what in LACKABLE},
                    "what",
                ),
                gauge(
                    "broker_connected",
                    "Whether the broker is connected; nothing without one.",
                    int(all(broker.online for broker in brokers)) if brokers else None,
                ),
                gauge("broker_waiting", "Messages that wait for the broker.", unsent),
                counter("broker_dropped", "Messages that the broker never got.", dropped),
                gauge(
                    "webhook_well",
                    "Whether the webhook's receiver has taken the last notice; nothing without one.",
                    int(all(webhook.is_well for webhook in webhooks)) if webhooks else None,
                ),
                gauge("webhook_waiting", "Notices that wait for the webhook's receiver.", untold),
                counter("webhook_dropped", "Notices that it never got.", lost),
                gauge(
                    "reports_open",
                    "Reports of players that are not done.",
                    None if upkeep is None else upkeep.open_reports,
                ),
                gauge(
                    "backup_age_seconds",
                    "Since the journal was last copied; nothing if that is not known.",
                    None if backed_up_at is None else max(0, int(time.time()) - backed_up_at),
                ),
                histogram("play_seconds", PLAY_TEXT, self._play, "result"),
                histogram("race_late_seconds", "By how much the loser of a race came late.", self._late),
                histogram("loop_lag_seconds", LAG_TEXT, self._lag),
                histogram("journal_seconds", WRITE_TEXT, self._write),
            ]
        )
