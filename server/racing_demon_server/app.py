"""The wiring, on one page: settings, registry, gateway; started, announced, and stopped on a signal."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from racing_demon_protocol import __version__
from racing_demon_protocol.discovery.mdns import NO_INTERFACES, VARIABLE, Interface
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.journal.immediate import ImmediateJournal
from racing_demon_server.journal.interface import Fenced, Journal
from racing_demon_server.journal.stores import open_store
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.mqtt.setup import own_urls, publishers
from racing_demon_server.net.gateway import Gateway, url_of
from racing_demon_server.net.handler import MetricsHooks, ServerContext, Service
from racing_demon_server.net.table_service import TableService
from racing_demon_server.ops.metrics import Metrics
from racing_demon_server.tables.committed import CommittedTable
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Clock

from .network_interfaces import reachable
from .ops import event_loop, garbage_collection
from .settings import ServerSettings
from .workers import Inherited

if TYPE_CHECKING:
    from racing_demon_cluster.membership import Membership
    from racing_demon_server.mqtt.publisher import Publisher
    from racing_demon_server.net.announcer import Announcer

RESTARTING = 1012
"""The WebSocket close code "service restart": the tables are kept, and clients reconnect."""
STOPPED: Final = "The server was stopped, and the table ended with it."
ENDED: Final = "The host has ended the table."
DRAIN_SECONDS = 5.0
"""How long a stopping server waits for the journal."""

PATIENCE_SECONDS = 2.0
"""How long a starting server reads tables before it opens its port; what is left is read afterwards."""
SWEEP_SECONDS = 60.0
"""The interval at which the server checks for garbage."""

OTHER_FILES: Final = 100
"""Open files other than players' connections."""

log = logging.getLogger("racing_demon_server")


def on_a_loop(settings: ServerSettings, serving: Coroutine[None, None, None]) -> None:
    """Serve on a new event loop: see :func:`run`."""
    # The MQTT library watches sockets.
    factory = event_loop.loop_factory(watches_sockets=bool(settings.mqtt_url))
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serving)


async def run(
    settings: ServerSettings,
    announce: Callable[[str], None],
    inherited: Inherited | None = None,
    *,
    stop_with_stdin: bool = False,
    until_table_ends: str | None = None,
) -> None:
    """Serve until a signal, the end of standard input, or the end of a host's table stops it.

    Args:
        settings: the server's.
        announce: receives the URL once the port is open.
        inherited: what one of several processes inherits from its parent.
        stop_with_stdin: whether to stop when standard input ends, for a server that must not outlive the
            client that started it.
        until_table_ends: the code of a host's table in the journal, with which the server ends; empty for the
            first table that is opened, ``None`` to serve on.

    Raises:
        OSError: the address cannot be listened on.
        JournalUnusable: the journal cannot be used.
        Fenced: other servers have taken over the tables of this one.

    """
    metrics = Metrics()
    fenced: list[str] = []
    journal: Journal = ImmediateJournal()
    begun = 0
    if settings.journal is not None:
        journal = DurableJournal(open_store(settings), metrics)
    try:
        if not isinstance(settings.journal, str):  # in a database each table has a clock of its own
            with journal.reading() as readers:
                begun = max((each.last_us() for each in readers), default=0)
        clock = rising_clock(begun)
        await _serve(
            settings,
            announce,
            clock,
            metrics,
            journal,
            fenced,
            inherited,
            stop_with_stdin=stop_with_stdin,
            until_table_ends=until_table_ends,
        )
    finally:
        journal.close()
    if fenced:
        raise Fenced(fenced[0])
    log.info("server stopped")


async def _serve(  # noqa: PLR0913, PLR0917
    settings: ServerSettings,
    announce: Callable[[str], None],
    clock: Clock,
    metrics: Metrics,
    journal: Journal,
    fenced: list[str],
    inherited: Inherited | None,
    *,
    stop_with_stdin: bool,
    until_table_ends: str | None,
) -> None:
    stopping: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    brokers = publishers(settings, clock)
    announcers = _announcers(settings)
    observers: list[Observer] = [metrics, *brokers, *announcers]
    observers += _host_of(until_table_ends, settings, stopping)
    registry, membership = _tables(settings, clock, journal, observers)
    _allow_sockets(settings)
    queues = [each.outbox for each in brokers]
    hooks = MetricsHooks(partial(metrics.text, brokers=queues), metrics.cut, metrics.refused)
    context = ServerContext(settings, clock, hooks)
    gateway = Gateway(context, _service(context, registry, membership))
    if inherited is None:
        await gateway.listen(host=settings.host, port=settings.port)
    else:
        for each in inherited.sockets:
            await gateway.listen(sock=each)
    journal.fenced = partial(_end_fenced, stopping, fenced)
    is_owned = stop_with_stdin or until_table_ends is not None
    _watch_signals(stopping, membership, keeps=journal.keeps, is_owned=is_owned)
    if stop_with_stdin:
        _watch_stdin(stopping)
    if inherited is not None:
        _watch_parent(stopping, inherited.lifeline, keeps=journal.keeps)
    port = settings.port or gateway.port
    lag = asyncio.create_task(metrics.measure_lag(clock))
    url = url_of(settings.host, port)
    started = {"url": url, "version": __version__, "tables": len(registry), "loop": event_loop.loop_name()}
    log.info("server started", extra=started)
    _start_publishing(settings, port, brokers, announcers, is_hosted=until_table_ends is not None)
    if membership is not None:
        membership.begin(url, drained=partial(_end, stopping, keeps=True), fenced=journal.fenced)
    with garbage_collection.small_collections():
        sweeping = asyncio.create_task(_sweep(registry, gateway))
        announce(url)
        preparing = asyncio.create_task(metrics.prepare())
        registry.restore_rest()
        keeps = await stopping
    log.info("server stopping", extra={"tables": len(registry), "kept": keeps})
    if not keeps:
        registry.end_matches()
    if membership is not None:
        membership.close()
    await _drain(registry, journal)
    if keeps or settings.relay:
        gateway.close(RESTARTING, "The server is stopping. Your table comes back when it restarts.")
    else:
        gateway.close(CloseCode.GOING_AWAY, STOPPED if until_table_ends is None else ENDED)
    await gateway.wait_closed()
    registry.close(for_good=not keeps)
    await asyncio.gather(*(each.stop() for each in brokers), *(each.stop() for each in announcers))
    for task in (lag, sweeping, preparing):
        task.cancel()


class TableEnd(Observer):
    """Ends the server of a host together with the table: when its opener leaves, or no table is left.

    Args:
        code: the table's code; empty for the first one that is opened.
        patience: seconds after which a server that has no table at all ends, because its client is gone.
        end: ends the server.

    """

    def __init__(self, code: str, patience: float, end: Callable[[], None]) -> None:
        self._code = code
        self._end = end
        self._open: set[CommittedTable] = set()
        asyncio.get_running_loop().call_later(patience, self._check)

    def opened(self, table: CommittedTable) -> None:
        """Note the host's table among those that were opened."""
        self._open.add(table)
        if not self._code and not table.view.seq:  # others come from the journal
            self._code = table.view.code

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """End the server if the host's table has lost the player who opened it, and who was not kicked."""
        left = any(isinstance(event, ev.Left) and event.seat == 0 and not event.kicked for event in events)
        if left and table.view.code == self._code:
            self._end()

    def closed(self, table: CommittedTable) -> None:
        """Note that nobody has been at a table for long."""
        self._open.discard(table)
        self._check()

    def _check(self) -> None:
        if not self._open:
            self._end()


def _host_of(code: str | None, settings: ServerSettings, stopping: asyncio.Future[bool]) -> list[TableEnd]:
    """Return what ends the server with a host's table, if it has one."""
    if code is None:
        return []
    return [TableEnd(code, settings.idle_table_seconds, partial(_end, stopping, keeps=False))]


def _announcers(settings: ServerSettings) -> "list[Announcer]":
    """Return the announcer for the local network, if the settings ask for it."""
    if not settings.announces or os.environ.get(VARIABLE, "").strip() == NO_INTERFACES:
        return []
    from racing_demon_server.net.announcer import Announcer  # noqa: PLC0415 - zeroconf takes a while to load

    return [Announcer()]


def _start_publishing(
    settings: ServerSettings,
    port: int,
    brokers: "Sequence[Publisher]",
    announcers: "Sequence[Announcer]",
    *,
    is_hosted: bool,
) -> None:
    """Start publishing and announcing the tables, those of a host also at addresses that are not private."""
    for broker in brokers:
        broker.start(lambda: settings.join_urls or own_urls(settings.host, port))
    for announcer in announcers:
        announcer.start(partial(_announced_at, settings.host, is_hosted=is_hosted), port)


def _announced_at(host: str, *, is_hosted: bool) -> list[Interface]:
    """Return the addresses at which tables are announced."""
    there = reachable(host, os.environ, also_named=True)
    return [each for each in there if is_hosted or not each.ip.is_global]


def _tables(
    settings: ServerSettings, clock: Clock, journal: Journal, observers: Sequence[Observer]
) -> "tuple[Registry, Membership | None]":
    """Return the registry, with the tables that a file has, and what takes part in a cluster, if any."""
    if isinstance(settings.journal, str):
        from racing_demon_cluster.membership import Membership  # noqa: PLC0415 - it needs psycopg

        assert isinstance(journal, DurableJournal)
        membership = Membership(settings, journal, clock, observers)
        return membership.registry, membership
    registry = Registry(settings, clock, journal, observers)
    registry.restore(PATIENCE_SECONDS)
    return registry, None


def _service(context: ServerContext, registry: Registry, membership: "Membership | None") -> Service:
    from racing_demon_cluster.relay.tables import Relay  # noqa: PLC0415
    from racing_demon_cluster.service import ClusterService  # noqa: PLC0415

    if context.settings.relay:
        return Relay(context.settings.relay, context)
    if membership is None:
        return TableService(context, registry)
    return ClusterService(context, registry, membership)


def _end_fenced(stopping: asyncio.Future[bool], fenced: list[str], why: str) -> None:
    """Stop the server, whose tables others have now; clients find them there."""
    fenced.append(why)
    _end(stopping, keeps=True)


def _end(stopping: asyncio.Future[bool], *, keeps: bool) -> None:
    """Stop the server, and say whether it keeps its tables, unless it stops already."""
    if not stopping.done():
        stopping.set_result(keeps)


async def _sweep(registry: Registry, gateway: Gateway) -> None:
    """Free what remains of closed connections and tables, from time to time, until cancelled."""
    connections = tables = 0
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        closed = gateway.closed - connections, registry.closed - tables
        if garbage_collection.is_due(*closed, is_played=registry.is_played):
            garbage_collection.sweep()
            connections, tables = gateway.closed, registry.closed


def _allow_sockets(settings: ServerSettings) -> None:
    """Raise the limit of open sockets to that of the settings: by default systems allow far fewer."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not there on Windows

    wanted = settings.max_connections + settings.max_handshakes + OTHER_FILES
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    possible = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if allowed != resource.RLIM_INFINITY and allowed < possible:
        resource.setrlimit(resource.RLIMIT_NOFILE, (possible, most))
    if possible < wanted:
        log.warning("the system allows fewer sockets than the limits", extra={"sockets": possible})


async def _drain(registry: Registry, journal: Journal) -> None:
    """Accept nothing more, and send what has happened, if it can be written in time."""
    registry.stop()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(journal.drained(), DRAIN_SECONDS)


def rising_clock(start: int) -> Clock:
    """Return a clock of microseconds that continues from a moment, as if the server had not been away."""
    began = time.monotonic_ns() // 1_000
    return lambda: start + time.monotonic_ns() // 1_000 - began


def _watch_signals(
    stopping: asyncio.Future[bool], membership: "Membership | None", *, keeps: bool, is_owned: bool
) -> None:
    """Let signals stop the server, and decide whether it keeps its tables.

    Ctrl-C at a server that a client started for one table ends that table for good. A server of a cluster
    first gives its tables away; a second signal stops it at once.
    """
    loop = asyncio.get_running_loop()

    def stop(kept: bool) -> None:
        if not stopping.done() and (membership is None or not membership.drain()):
            stopping.set_result(kept)

    for number, kept in ((signal.SIGINT, keeps and not is_owned), (signal.SIGTERM, keeps)):
        with contextlib.suppress(NotImplementedError):  # the loop has no signal handlers on Windows
            loop.add_signal_handler(number, stop, kept)


def _watch_parent(stopping: asyncio.Future[bool], lifeline: int, *, keeps: bool) -> None:
    """Stop when the parent process ends."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_reader(lifeline)
        _end(stopping, keeps=keeps)

    loop.add_reader(lifeline, stop)


def _watch_stdin(stopping: asyncio.Future[bool]) -> None:
    """Stop, and end the tables for good, when standard input ends."""
    watch = asyncio.get_running_loop(), partial(_end, stopping, keeps=False)
    threading.Thread(target=_read_stdin, args=watch, name="stdin", daemon=True).start()


def _read_stdin(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Wait, in a thread, for the end of standard input, because a loop cannot watch every kind of it."""
    with contextlib.suppress(OSError):
        # Not sys.stdin, whose lock the interpreter needs when it exits.
        while sys.stdin is not None and os.read(0, 1_024):
            pass
    with contextlib.suppress(RuntimeError):  # the loop has ended first
        loop.call_soon_threadsafe(stop)
