"""A server's life: it starts, serves until something stops it, and then stops its parts in order."""

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from racing_demon_protocol import __version__
from racing_demon_protocol.argument_types import tunnel_address
from racing_demon_protocol.build import build
from racing_demon_protocol.discovery.mdns import NO_INTERFACES, VARIABLE, Interface
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.journal.interface import Fenced, Journal, JournalUnusable, Store
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.sqlite.backup_time import last_backup
from racing_demon_server.journal.sqlite.database import bans_of, reports_of, shared_bans_of
from racing_demon_server.journal.sqlite.lock_file import JournalTaken, LockFile
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.moderation.bans import ServerBans
from racing_demon_server.moderation.control_socket import RequestFailed, serving_operator
from racing_demon_server.moderation.reports import MAX_REPORTS, Reports, count_open
from racing_demon_server.moderation.requests import OperatorRequests, SharedModeration, TunnelRequests
from racing_demon_server.net.gateway import Gateway, url_of
from racing_demon_server.net.handler import MetricsHooks, ServerContext, Service
from racing_demon_server.net.table_service import TableService
from racing_demon_server.net.tunnel import KEY_SIZE, Tunnel
from racing_demon_server.ops.metrics import BesideTables, Metrics
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.players.keeper import PlayersKeeper
from racing_demon_server.players.store import PlayersStore
from racing_demon_server.results.keeper import ResultsKeeper
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Clock

from .network_interfaces import own_urls, reachable
from .open_files import allow_files, wanted_files
from .ops import garbage_collection, service_manager
from .ops.upkeep import Upkeep
from .processes import Inherited
from .settings import ServerSettings

if TYPE_CHECKING:
    from racing_demon_server.mqtt.publisher import Publisher
    from racing_demon_server.net.mdns import Announcer
    from racing_demon_server.net.tunnel_gateway import TunnelSwitch
    from racing_demon_server.results.maker import ResultsMaker
    from racing_demon_server.results.store import Reading
    from racing_demon_server.results.worker import ResultsWorker
    from racing_demon_server.webhook.sender import WebhookSender


RESTARTING: Final = 1012
"""The WebSocket close code "service restart": the tables are kept, and clients reconnect."""
COMES_BACK: Final = "The server is stopping. Your table comes back when it restarts."
STOPPED: Final = "The server was stopped, and the table ended with it."
ENDED: Final = "The host has ended the table."
DRAIN_SECONDS: Final = 5.0
"""How long a stopping server waits for the journal."""
RESTORE_SECONDS: Final = 2.0
"""How long a starting server reads tables before it opens its port; the rest are read afterwards."""
SWEEP_SECONDS: Final = 60.0
"""The interval at which the server checks for garbage."""

log = logging.getLogger("racing_demon_server")


class StopReason(Enum):
    """Why a server stops."""

    TERMINATED = auto()
    INTERRUPTED = auto()
    PARENT_ENDED = auto()
    INPUT_ENDED = auto()
    TABLE_ENDED = auto()
    DRAINED = auto()
    FENCED = auto()


ENDS_TABLES: Final = frozenset({StopReason.INPUT_ENDED, StopReason.TABLE_ENDED})
"""The reasons for which even tables in a journal end."""


class Server:
    """A port, with a service for its connections, which a subclass opens.

    Attributes:
        settings: the server's.
        metrics: what is measured.
        is_owned: whether a client started it for one table.
        farewell: the reason that clients get when their tables end with it.

    """

    def __init__(self, settings: ServerSettings, *, is_owned: bool = False) -> None:
        self.settings = settings
        self.metrics = Metrics(
            {
                "connections": settings.max_connections,
                "tables": settings.max_tables,
                "bots": settings.max_bots,
                "reports": MAX_REPORTS,
            }
        )
        self.is_owned = is_owned
        self.farewell = STOPPED
        self._resources = AsyncExitStack()
        self._reason = StopReason.TERMINATED
        self._fenced: Fenced | None = None
        self._stopping: asyncio.Future[StopReason]
        self._service: Service
        self._gateway: Gateway
        self._gateways: list[Gateway] = []

    # For subclasses.

    def open(self, resources: AsyncExitStack) -> tuple[ServerContext, Service]:
        """Open the service of the connections; the resources close it."""
        raise NotImplementedError

    async def listen_further(self, context: ServerContext, resources: AsyncExitStack) -> None:
        """Listen at other ports, too.

        Raises:
            OSError: one cannot be listened on.

        """

    def begin(self, url: str, resources: AsyncExitStack) -> None:
        """Begin what needs the open port; the resources end it before the port closes."""

    def keeps_tables(self, _reason: StopReason) -> bool:
        """Return whether clients find their tables again after a stop."""
        return True

    @property
    def closed_tables(self) -> int:
        """How many tables have been closed."""
        return 0

    @property
    def is_played(self) -> bool:
        """Whether a match is running at some table."""
        return False

    # The life of a server.

    async def start(self, sockets: Sequence[socket.socket] = ()) -> str:
        """Listen at the address of the settings, or on these sockets. Return the URL.

        Raises:
            OSError: the address cannot be listened on.
            JournalUnusable: the journal cannot be used.

        """
        self._stopping = asyncio.get_running_loop().create_future()
        async with AsyncExitStack() as resources:
            context, self._service = self.open(resources)
            _allow_sockets(self.settings)
            self._gateway = gateway = Gateway(context, self._service)
            self._gateways = [gateway]
            for listening in sockets:
                await gateway.listen(sock=listening)
            if not sockets:
                await gateway.listen(host=self.settings.host, port=self.settings.port)
            resources.push_async_callback(self._close_connections)
            await self.listen_further(context, resources)
            settings = self.settings
            url = url_of(settings.host, settings.port or gateway.port, settings.base_path)
            started = {"url": url, "version": __version__, "tables": len(self._service)}
            log.info("server started", extra={**started, "build": build(), "loop": loop_name()})
            self.begin(url, resources)
            resources.enter_context(garbage_collection.small_collections())
            for work in (self.metrics.measure_lag(context.clock), self.metrics.prepare(), self._sweep()):
                resources.callback(asyncio.create_task(work).cancel)
            self._resources = resources.pop_all()
        return url

    async def serve_forever(self) -> StopReason:
        """Wait until something stops the server, and return what."""
        return await self._stopping

    async def stop(self, reason: StopReason) -> None:
        """End what :meth:`start` began.

        Raises:
            Fenced: other servers have taken over the tables of this one.

        """
        self._reason = reason
        kept = self.keeps_tables(reason)
        log.info("server stopping", extra={"tables": len(self._service), "kept": kept})
        await self._resources.aclose()
        if self._fenced is not None:
            raise self._fenced
        log.info("server stopped")

    def stop_soon(self, reason: StopReason) -> None:
        """End :meth:`serve_forever`, unless it is ending already."""
        if not self._stopping.done():
            self._stopping.set_result(reason)

    def fence(self, why: str) -> None:
        """End :meth:`serve_forever` after being fenced: other servers own the tables now."""
        self._fenced = Fenced(why)
        self.stop_soon(StopReason.FENCED)

    def terminate(self, reason: StopReason) -> None:
        """Handle a signal that asks the server to stop."""
        self.stop_soon(reason)

    def last_words(self) -> tuple[int, str]:
        """Return the code and the reason with which connections are closed when the server stops."""
        if self.keeps_tables(self._reason):
            return RESTARTING, COMES_BACK
        return CloseCode.GOING_AWAY, self.farewell

    async def _close_connections(self) -> None:
        for gateway in self._gateways:
            gateway.close(*self.last_words())
        for gateway in self._gateways:
            await gateway.wait_closed()

    async def _sweep(self) -> None:
        """Free the memory of closed connections and tables from time to time, until cancelled."""
        connections = tables = 0
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            closed_here = sum(gateway.closed for gateway in self._gateways)
            closed = closed_here - connections, self.closed_tables - tables
            if garbage_collection.is_due(*closed, is_played=self.is_played):
                garbage_collection.sweep()
                connections, tables = closed_here, self.closed_tables


class TableServer(Server):
    """A server with tables of its own.

    Attributes:
        journal: keeps the tables.
        registry: all tables.
        shared_moderation: keeps the bans that several servers share; ``None`` for a server alone.

    Args:
        settings: the server's.
        is_owned: whether a client started it for one table.
        until_table_ends: the code of a host's table in the journal, with which the server ends; empty for the
            first table that is opened, ``None`` to serve until stopped.

    """

    def __init__(
        self, settings: ServerSettings, *, is_owned: bool = False, until_table_ends: str | None = None
    ) -> None:
        super().__init__(settings, is_owned=is_owned or until_table_ends is not None)
        self._until_table_ends = until_table_ends
        self.farewell = STOPPED if until_table_ends is None else ENDED
        self._brokers: Sequence[Publisher] = ()
        self._announcers: Sequence[Announcer] = ()
        self._webhooks: Sequence[WebhookSender] = ()
        self._results: ResultsKeeper | None = None
        self._table_end: TableEnd | None = None
        self.shared_moderation: SharedModeration | None = None
        self._players: PlayersKeeper | None = None
        self._upkeep: Upkeep | None = None
        self.journal: Journal
        self.registry: Registry

    # For subclasses.

    def open_store(self) -> Store | None:
        """Open the journal's store; ``None`` keeps tables in memory only."""
        journal, durability = self.settings.journal, self.settings.durability
        return None if journal is None else SqliteStore(journal, durability)

    def last_us(self) -> int:
        """Return the newest time in the journal, from which the clock continues."""
        with self.journal.reading() as readers:
            return max((reader.last_us() for reader in readers), default=0)

    def open_registry(self, clock: Clock, observers: Sequence[Observer]) -> Registry:
        """Return the registry, with the tables of the journal."""
        registry = Registry(self.settings, clock, self.journal, observers)
        registry.restore(RESTORE_SECONDS)
        return registry

    def open_service(self, context: ServerContext) -> TableService:
        """Return the service that finds tables for connections."""
        return TableService(context, self.registry, self._players)

    # The life of a server.

    def open(self, resources: AsyncExitStack) -> tuple[ServerContext, Service]:
        """Open the journal and its tables."""
        settings, store = self.settings, self.open_store()
        self.journal = NullJournal() if store is None else DurableJournal(store, self.metrics)
        resources.callback(self.journal.close)
        clock = rising_clock(self.last_us())
        self._brokers, self._announcers = _publishers(settings, clock), _announcers(settings)
        self._webhooks = _webhooks(settings)
        resources.push_async_callback(self._stop_publishing)
        self._players = self.open_players(resources)
        self._results = None if store is None else self.open_results(store, resources)
        operated = self._lock_control(resources) or settings.first_journal or settings.journal
        reports = None
        if operated is not None:
            reports = Reports(reports_of(operated), time.time)
            self._upkeep = Upkeep(partial(count_open, reports_of(operated)), partial(last_backup, operated))
        self.registry = self.open_registry(clock, self._observers(reports))
        if self._results is not None:
            self._results.registry = self.registry
        if self._table_end is not None:
            self._table_end.watch(self.registry)
        resources.callback(self._close_tables)
        context = ServerContext(
            settings,
            clock,
            self._metrics_hooks(),
            tunnel=self._new_tunnel(),
            bans=self.open_bans(operated, resources),
            reports=reports,
            results=self._results,
            lacks=self.lacks,
        )
        return context, self.open_service(context)

    def wall_clock(self) -> float:
        """Return the seconds since 1970, by the clock that says how long codes and sign-ins last."""
        return time.time()

    def wall_clock_ms(self) -> int:
        """Return the same in milliseconds."""
        return int(self.wall_clock() * 1_000)

    def lacks(self) -> list[str]:
        """Return what should be there and cannot be used. The log says why; this is shown to everybody."""
        lacking = {
            "players": self.keeps_players and self._players is None,
            "results": self._results is not None and self._results.is_unusable,
        }
        return [what for what, is_lacking in lacking.items() if is_lacking]

    def _observers(self, reports: Reports | None) -> list[Observer]:
        """Return the observers of all tables."""
        published: list[Observer] = [*self._brokers, *self._announcers, *self._webhooks]
        self._table_end = self._new_table_end()
        optional = [self._table_end, self._results, reports]
        return [self.metrics, *published, *(each for each in optional if each is not None)]

    def _metrics_hooks(self) -> MetricsHooks:
        """Return what connections report to the metrics."""
        beside = BesideTables(self._brokers, self._webhooks, self.lacks, self._upkeep)
        text = partial(self.metrics.text, beside=beside)
        return MetricsHooks(text, self.metrics.cut, self.metrics.refused)

    def _new_tunnel(self) -> Tunnel | None:
        """Return the tunnel, closed as yet; ``None`` if the server can have none."""
        is_hosted = self._until_table_ends is not None  # a host may open one at any time
        if self.settings.tunnel_port is None and not is_hosted:
            return None
        return Tunnel(self.settings.tunnel_key or secrets.token_bytes(KEY_SIZE))

    def open_bans(self, operated: Path | None, _resources: AsyncExitStack) -> ServerBans:
        """Return the operator's bans.

        Raises:
            JournalUnusable: they cannot be read.

        """
        if operated is None:
            return ServerBans(None, self.wall_clock)
        return ServerBans(bans_of(operated), self.wall_clock, shared=shared_bans_of(operated))

    def _lock_control(self, resources: AsyncExitStack) -> Path | None:
        """Lock the file by which the operator's commands find this server, and return it, if there is one.

        Raises:
            JournalUnusable: another server has it.

        """
        control = self.settings.control
        if control is not None:
            try:
                resources.callback(LockFile(control).release)
            except JournalTaken:
                text = f"Another server is reached by {control}; name another file with --control."
                raise JournalUnusable(text) from None
        return control

    def open_players(self, resources: AsyncExitStack) -> PlayersKeeper | None:
        """Return the keeper of the players; ``None`` if all are guests."""
        if not self.keeps_players:
            return None
        try:
            store, suggested = self.open_players_store(), self.settings.remembers_people
            keeper = PlayersKeeper(
                store,
                self.journal_name,
                is_suggested=suggested,
                now_ms=self.wall_clock_ms,
            )
        except JournalUnusable as error:
            log.error("no players are remembered", extra={"why": str(error)})
            return None
        resources.push_async_callback(keeper.close)
        return keeper

    @property
    def keeps_players(self) -> bool:
        """Whether there is a place for players."""
        return self.settings.players is not None

    def open_players_store(self) -> PlayersStore:
        """Open the players, for one thread.

        Raises:
            JournalUnusable: they cannot be used.

        """
        return PlayersFile(self.settings.players, secrets.token_hex(32))

    @property
    def journal_name(self) -> str:
        """The name of the journal among those that share results and players."""
        journal = self.settings.journal
        return "" if journal is None else journal.stem

    def open_results(self, store: Store, resources: AsyncExitStack) -> ResultsKeeper | None:
        """Return the keeper of the results of matches; ``None`` if the settings keep none."""
        path, journal = self.settings.results, self.settings.journal
        if path is None or journal is None:
            return None
        open_players = None if self._players is None else self.open_players_store
        open_workers = partial(_open_workers, path, journal, store.reading, self.journal_name, open_players)
        days = self.settings.keep_days
        prune = None if days is None else partial(_prune, journal, days)
        keeper = ResultsKeeper(self.settings.standings, open_workers, prune)
        resources.push_async_callback(keeper.close)
        return keeper

    async def listen_further(self, context: ServerContext, resources: AsyncExitStack) -> None:
        """Listen for the operator, and for the tunnel, if there is one."""
        switch = None if context.tunnel is None else self._tunnel_switch(context, context.tunnel)
        if switch is not None:
            resources.push_async_callback(self._end_tunnel, switch)
        operated = self.settings.control or self.settings.journal
        if operated is not None:
            tunnel = None
            if switch is not None and context.tunnel is not None:
                tunnel = TunnelRequests(partial(_switch_tunnel, switch), context.tunnel.seat_link)
            asked = OperatorRequests(
                self.registry,
                context.bans,
                self.disconnect_banned,
                players=self._players,
                tunnel=tunnel,
                shared=self.shared_moderation,
            )
            await resources.enter_async_context(serving_operator(operated, asked.answer))
        if switch is not None and self.settings.tunnel_port is not None:
            await switch.open(self.settings.tunnel_command, self.settings.tunnel_address)

    async def _end_tunnel(self, switch: "TunnelSwitch") -> None:
        await switch.close(*self.last_words())

    def disconnect_banned(self) -> int:
        """Close the connections of those who are banned. Return how many there were."""
        return sum(gateway.disconnect_banned() for gateway in self._gateways)

    def _tunnel_switch(self, context: ServerContext, tunnel: Tunnel) -> "TunnelSwitch":
        from racing_demon_server.net.tunnel_gateway import (  # noqa: PLC0415 - few have one
            TunnelGateway,
            TunnelSwitch,
            TunnelTables,
        )

        def new_gateway() -> Gateway:
            return TunnelGateway(context, TunnelTables(context, self.registry, self._players))

        port = self.settings.tunnel_port or 0
        return TunnelSwitch(tunnel, new_gateway, self._gateways, port, self.keep_tunnel_open)

    async def keep_tunnel_open(self, tunnel: Tunnel, command: Sequence[str], port: int, address: str) -> None:
        """Run the tunnel's program, which leads to a port, and check that its address leads here."""
        from .tunnel_program import TunnelProgram  # noqa: PLC0415 - few have one

        await TunnelProgram(tunnel, command, port, address).run()

    def begin(self, url: str, resources: AsyncExitStack) -> None:
        """Publish the tables, and restore those that took too long."""
        self.journal.fenced = self.fence
        resources.push_async_callback(self._drain)
        settings, port = self.settings, self.settings.port or self._gateway.port
        for broker in self._brokers:
            broker.start(lambda: settings.join_urls or own_urls(settings.host, port, settings.base_path))
        is_hosted = self._until_table_ends is not None
        for announcer in self._announcers:
            announcer.start(partial(_announced_at, settings.host, is_hosted=is_hosted), port)
        for webhook in self._webhooks:
            webhook.start()
        if self._upkeep is not None:
            resources.callback(asyncio.create_task(self._upkeep.watch()).cancel)
        self.registry.restore_waiting()
        if self._results is not None:
            self._results.start()

    def keeps_tables(self, reason: StopReason) -> bool:
        """Return whether the journal keeps the tables for the next server.

        Ctrl-C ends the table of a server that a client started for one table.
        """
        is_ended = reason in ENDS_TABLES or (reason is StopReason.INTERRUPTED and self.is_owned)
        return self.journal.is_durable and not is_ended

    @property
    def closed_tables(self) -> int:
        """How many tables have been closed."""
        return self.registry.closed

    @property
    def is_played(self) -> bool:
        """Whether a match is running at some table."""
        return self.registry.is_played

    async def _drain(self) -> None:
        """Accept nothing more, and send the last events, if they can be written in time."""
        if not self.keeps_tables(self._reason):
            self.registry.end_matches()
        self.registry.stop()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.journal.drained(), DRAIN_SECONDS)

    async def _stop_publishing(self) -> None:
        brokers = (broker.stop() for broker in self._brokers)
        announcers = (announcer.stop() for announcer in self._announcers)
        await asyncio.gather(*brokers, *announcers, *(webhook.stop() for webhook in self._webhooks))

    def _close_tables(self) -> None:
        self.registry.close(for_good=not self.keeps_tables(self._reason))

    def _new_table_end(self) -> "TableEnd | None":
        """Return the observer that ends the server with its host's table, if it has one."""
        if self._until_table_ends is None:
            return None
        end = partial(self.stop_soon, StopReason.TABLE_ENDED)
        return TableEnd(self._until_table_ends, self.settings.idle_table_seconds, end)


class TableEnd(Observer):
    """Ends the server of a host together with the table: when its founder leaves, or no table is left.

    Args:
        code: the table's code; empty for the first one that is opened.
        patience: seconds after which a server that has no table at all ends, because its client is gone.
        end: ends the server.

    """

    def __init__(self, code: str, patience: float, end: Callable[[], None]) -> None:
        self._code = code
        self._registry: Registry | None = None
        self._end = end
        self._open: set[CommittedTable] = set()
        self._founder: int | None = None
        asyncio.get_running_loop().call_later(patience, self._check)

    def opened(self, table: CommittedTable) -> None:
        """Remember the host's table among those that were opened."""
        self._open.add(table)
        if not self._code and not table.view.seq:  # the others come from the journal
            self._code = table.view.code
        if table.view.seq and table.view.code == self._code:
            self._learn_founder()

    def watch(self, registry: Registry) -> None:
        """Learn who opened the host's table from these, once those of the journal are among them."""
        self._registry = registry
        if registry.number_of(self._code) is not None:
            self._learn_founder()

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """End the server if whoever opened the host's table has left it, and was not kicked.

        If they were kicked, their seat is another's, who ends nothing by leaving; and if they may come back,
        they sit somewhere else.
        """
        if table.view.code != self._code:
            return
        for event in events:
            if self._founder is None and isinstance(event, ev.Joined):
                self._learn_founder()
            if isinstance(event, ev.Left) and event.seat == self._founder:
                self._founder = None
                if not event.kicked:
                    self._end()

    def _learn_founder(self) -> None:
        """Remember the founder's seat at first, as the judge has forgotten it when they are seen to leave."""
        if self._registry is not None:
            self._founder = self._registry.founder_seat(self._code)

    def closed(self, table: CommittedTable) -> None:
        """Forget a table, which nobody has visited for long; end the server after the last one."""
        self._open.discard(table)
        self._check()

    def _check(self) -> None:
        if not self._open:
            self._end()


async def _switch_tunnel(switch: "TunnelSwitch", text: str | None, address: str) -> None:
    """Open a tunnel, or close it if there is no text.

    Raises:
        RequestFailed: there is no such tunnel.

    """
    from racing_demon_server.net.tunnel_gateway import CLOSED  # noqa: PLC0415 - few have one

    from .tunnel_program import NoTunnel, tunnel_command  # noqa: PLC0415

    if text is None:
        await switch.close(CloseCode.GOING_AWAY, CLOSED)
        return
    try:
        where = tunnel_address(address) if address else ""
        await switch.open(tunnel_command(text, where), where)
    except (NoTunnel, OSError, ValueError) as error:
        raise RequestFailed(str(error)) from error


def _open_workers(
    path: Path,
    journal: Path,
    reading: "Reading",
    name: str,
    open_players: Callable[[], PlayersStore] | None,
) -> "tuple[ResultsMaker, ResultsWorker]":
    """Open the results for both threads, once the port is open."""
    # They take a while to load.
    from racing_demon_server.results.file import ResultsFile  # noqa: PLC0415
    from racing_demon_server.results.maker import ResultsMaker  # noqa: PLC0415
    from racing_demon_server.results.worker import ResultsWorker  # noqa: PLC0415

    first, second = (None if open_players is None else open_players() for _ in range(2))
    maker = ResultsMaker(ResultsFile(path, journal), reading, name, first)
    return maker, ResultsWorker(ResultsFile(path), reading, name, second)


async def _prune(journal: Path, days: int) -> None:
    """Delete the events of matches that ended ``days`` ago or earlier, in a process of its own.

    Raises:
        OSError: it could not be started.

    """
    command = [sys.executable, "-m", "racing_demon_server", "journal", "prune", str(journal), "--yes"]
    process = await asyncio.create_subprocess_exec(
        *command, f"--before={days}d", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        await process.wait()
    finally:
        if process.returncode is None:  # the server is stopping; what is left is pruned after its next start
            process.kill()
            await process.wait()


def _announcers(settings: ServerSettings) -> "Sequence[Announcer]":
    """Return the announcer for the local network, if the settings ask for it."""
    if not settings.announces or os.environ.get(VARIABLE, "").strip() == NO_INTERFACES:
        return []
    from racing_demon_server.net.mdns import Announcer  # noqa: PLC0415 - zeroconf takes a while to load

    return [Announcer()]


def _publishers(settings: ServerSettings, clock: Clock) -> "Sequence[Publisher]":
    """Return the publisher for the settings' broker, if they have one.

    Raises:
        ValueError: the broker's address or the node's name is invalid.

    """
    if not settings.mqtt_url:
        return []
    from racing_demon_server.mqtt.publisher import publisher_of  # noqa: PLC0415 - few have a broker

    return [publisher_of(settings, clock)]


def _webhooks(settings: ServerSettings) -> "Sequence[WebhookSender]":
    """Return the sender of the settings' webhook, if they have one.

    Raises:
        JournalUnusable: its queue or its secret cannot be used.

    """
    if not settings.webhook_url:
        return []
    from racing_demon_server.webhook.sender import senders  # noqa: PLC0415 - few have one

    return senders(settings)


def _announced_at(host: str, *, is_hosted: bool) -> list[Interface]:
    """Return the addresses at which tables are announced."""
    there = reachable(host, os.environ, also_named=True)
    return [each for each in there if is_hosted or not each.ip.is_global]


def _allow_sockets(settings: ServerSettings) -> None:
    """Raise the limit of open files to that of the settings, because the default is far lower."""
    if (possible := allow_files(settings)) < wanted_files(settings):
        log.warning("the system allows fewer sockets than the limits", extra={"sockets": possible})


def rising_clock(start: int) -> Clock:
    """Return a monotonic clock, in microseconds, that continues from a time."""
    began = time.monotonic_ns() // 1_000
    return lambda: start + time.monotonic_ns() // 1_000 - began


async def run(
    server: Server,
    announce: Callable[[str], None],
    inherited: Inherited | None = None,
    *,
    stop_with_stdin: bool = False,
) -> None:
    """Serve until a signal, the end of standard input, or the server itself stops it.

    Args:
        server: the server.
        announce: receives the URL once the port is open.
        inherited: what one of several processes inherits from its parent.
        stop_with_stdin: whether to stop when standard input ends, for a server that must not outlive the
            client that started it.

    Raises:
        OSError: the address cannot be listened on.
        JournalUnusable: the journal cannot be used.
        Fenced: other servers have taken over the tables of this one.

    """
    url = await server.start(() if inherited is None else inherited.sockets)
    _watch_signals(server)
    if stop_with_stdin:
        _watch_stdin(partial(server.stop_soon, StopReason.INPUT_ENDED))
    if inherited is not None:
        _watch_parent(inherited.lifeline, partial(server.stop_soon, StopReason.PARENT_ENDED))
    announce(url)
    beat = service_manager.beat if inherited is None else inherited.beat
    if seconds := service_manager.beat_seconds() if inherited is None else inherited.beat_seconds:
        service_manager.keep_beating(beat, seconds)
    await server.stop(await server.serve_forever())


def run_on_loop(settings: ServerSettings, serving: Coroutine[None, None, None]) -> None:
    """Serve on a new event loop: see :func:`run`."""
    # The MQTT library watches sockets.
    factory = loop_factory(watches_sockets=bool(settings.mqtt_url))
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serving)


def loop_factory(*, watches_sockets: bool) -> Callable[[], asyncio.AbstractEventLoop]:
    """Return the factory of the fastest event loop that is installed: uvloop, or else asyncio's own.

    Args:
        watches_sockets: whether a library needs ``add_reader``, which the default loop of Windows lacks.

    """
    if sys.platform == "win32":
        return asyncio.SelectorEventLoop if watches_sockets else asyncio.new_event_loop
    try:
        import uvloop  # noqa: PLC0415 - an extra
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def loop_name() -> str:
    """Return the library of the running event loop: ``uvloop`` or ``asyncio``."""
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def _watch_signals(server: Server) -> None:
    loop = asyncio.get_running_loop()
    for number, reason in (
        (signal.SIGINT, StopReason.INTERRUPTED),
        (signal.SIGTERM, StopReason.TERMINATED),
    ):
        with contextlib.suppress(NotImplementedError):  # the loop has no signal handlers on Windows
            loop.add_signal_handler(number, server.terminate, reason)


def _watch_parent(lifeline: int, stop: Callable[[], None]) -> None:
    """Stop when the parent process ends."""
    loop = asyncio.get_running_loop()

    def end() -> None:
        loop.remove_reader(lifeline)
        stop()

    loop.add_reader(lifeline, end)


def _watch_stdin(stop: Callable[[], None]) -> None:
    """Stop when standard input ends."""
    watch = asyncio.get_running_loop(), stop
    threading.Thread(target=_read_stdin, args=watch, name="stdin", daemon=True).start()


def _read_stdin(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Wait in a thread for the end of standard input, because a loop cannot watch all kinds of it."""
    with contextlib.suppress(OSError):
        # Not sys.stdin, whose lock the interpreter needs when it exits.
        while sys.stdin is not None and os.read(0, 1_024):
            pass
    with contextlib.suppress(RuntimeError):  # the loop was closed first
        loop.call_soon_threadsafe(stop)
