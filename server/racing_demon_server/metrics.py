"""What operators can measure: a Prometheus registry, fed by an observer.

Nothing here has a label of a table or a player, so the number of series stays the same.
"""

import asyncio
import platform
from collections import Counter as Tally
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    generate_latest,
)

from racing_demon_protocol import __version__
from racing_demon_protocol.codec import VERSION
from racing_demon_protocol.messages.client import Command, PlayCards
from racing_demon_protocol.messages.events import Event, HandOver, Played
from racing_demon_protocol.messages.server import Accepted, Refused
from racing_demon_protocol.reasons import EndReason, Phase, Reason

from .play_counts import PlayCounts
from .room import Clock
from .shown import Shown

__all__ = ["Metrics"]

US: Final = 1_000_000
"""Microseconds in a second; Prometheus counts in seconds."""

WRITE_BUCKETS: Final = (100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.5, 2.0)
LATE_BUCKETS: Final = (1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.2, 0.5, 1.0, 2.0)
LAG_BUCKETS: Final = (1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.2, 0.5, 1.0)
LAG_EVERY: Final = 0.25
"""Seconds between two looks at how late the loop is."""

SEATS: Final = ("person", "away", "bot")
"""Who has a seat: somebody who is connected, or is not just now, or a bot."""


class Metrics:
    """Counts what happens at all tables, and writes it down when asked. It is an observer."""

    def __init__(self) -> None:
        self._tables: set[Shown] = set()
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        build = Info("racing_demon_build", "What runs here.", registry=registry)
        build.info({"version": __version__, "protocol": str(VERSION), "python": platform.python_version()})
        self._by_phase = Gauge(
            "racing_demon_tables", "Tables that are open, by what they do.", ["phase"], registry=registry
        )
        self._seats = Gauge("racing_demon_seats", "Seats that are taken.", ["by"], registry=registry)
        self._connections = Gauge("racing_demon_connections", "Open connections.", registry=registry)
        self._spectators = Gauge(
            "racing_demon_spectators", "Connections that watch a table without a seat.", registry=registry
        )
        self._opened = Counter("racing_demon_tables_opened", "Tables ever opened.", registry=registry)
        self._unwritten = Gauge(
            "racing_demon_journal_waiting", "What waits to be written to the journal.", registry=registry
        )
        self._make_counters(registry)
        self._make_histograms(registry)

    def _make_counters(self, registry: CollectorRegistry) -> None:
        self._plays = PlayCounts(registry)
        refusals = Counter(
            "racing_demon_refusals", "Requests and commands that were refused.", ["reason"], registry=registry
        )
        self._refusals = {reason: refusals.labels(reason) for reason in Reason}
        hands = Counter("racing_demon_hands", "Hands that have ended.", ["reason"], registry=registry)
        self._hands = {reason: hands.labels(reason) for reason in EndReason}
        self._cuts = Counter(
            "racing_demon_cuts", "Connections that the server ended.", ["why"], registry=registry
        )

        self._write_errors = Counter(
            "racing_demon_journal_errors", "How often the disk took nothing.", registry=registry
        )

    def _make_histograms(self, registry: CollectorRegistry) -> None:
        self._late = Histogram(
            "racing_demon_race_late_seconds",
            "By how much the loser of a race came late.",
            buckets=LATE_BUCKETS,
            registry=registry,
        )
        self._lag = Histogram(
            "racing_demon_loop_lag_seconds",
            "How late the server's loop was for an appointment with itself.",
            buckets=LAG_BUCKETS,
            registry=registry,
        )

        self._write = Histogram(
            "racing_demon_journal_seconds",
            "From what happened to its being certain, and told: the longest of each transaction.",
            buckets=WRITE_BUCKETS,
            registry=registry,
        )

    # As an observer: called on the play path.

    def opened(self, table: Shown) -> None:
        """Count a table that was opened."""
        self._tables.add(table)
        self._opened.inc()

    def closed(self, table: Shown) -> None:
        """Forget a table that was closed."""
        self._tables.discard(table)

    def published(self, table: Shown, event: Event) -> None:
        """Count plays and hands."""
        if isinstance(event, Played):
            self._plays.by[self._player(table, event)] += 1
        elif isinstance(event, HandOver):
            self._hands[event.reason].inc()

    def answered(
        self, table: Shown, command: Command, reply: Accepted | Refused | None, took_us: int
    ) -> None:
        """Count refusals and races, and note how long plays took, in microseconds."""
        refused = reply if isinstance(reply, Refused) else None
        if isinstance(command, PlayCards):
            self._plays.note("accepted" if refused is None else "refused", took_us / US)
        if refused is not None:
            self.refused(refused.reason)
            if refused.reason is Reason.BEATEN:
                self._late.observe(refused.late_us / US)

    @staticmethod
    def _player(table: Shown, play: Played) -> str:
        """Return which of :data:`.play_counts.PLAYERS` made a play."""
        if not play.counter:
            return "table"
        seat = table.seats.get(play.seat)  # the rest of the batch has happened: it may be empty by now
        return "bot" if seat is not None and seat.bot else "person"

    # As the journal's meter.

    def written(self, seconds: float) -> None:
        """Note how long it took until the first of a transaction was written down."""
        self._write.observe(seconds)

    def failed(self) -> None:
        """Count that the disk took nothing."""
        self._write_errors.inc()

    def waiting(self, entries: int) -> None:
        """Note how much waits to be written."""
        self._unwritten.set(entries)

    # Beside the tables.

    def cut(self, why: str) -> None:
        """Count a connection that the server ended, by one of few words."""
        self._cuts.labels(why).inc()

    def refused(self, reason: Reason) -> None:
        """Count a refusal."""
        self._refusals[reason].inc()

    async def measure_lag(self, clock: Clock) -> None:
        """Note how late the loop is, a few times a second, until this is cancelled."""
        while True:
            due = clock() + round(LAG_EVERY * US)
            await asyncio.sleep(LAG_EVERY)
            self._lag.observe(max(0, clock() - due) / US)

    def text(self, connections: int, listeners: int) -> str:
        """Return everything in Prometheus' text format.

        Args:
            connections: how many are open.
            listeners: how many of them have their place at a table, with a seat or without.

        """
        phases = Tally(table.view.phase for table in self._tables)
        for phase in Phase:
            self._by_phase.labels(phase).set(phases[phase])
        seats = Tally(
            "bot" if seat.bot else "person" if seat.connected else "away"
            for table in self._tables
            for seat in table.view.seats.values()
            if not seat.left
        )
        for by in SEATS:
            self._seats.labels(by).set(seats[by])
        self._connections.set(connections)
        self._spectators.set(max(0, listeners - seats["person"]))
        return generate_latest(self._registry).decode()
