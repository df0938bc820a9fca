"""A node's part in a cluster, on the event loop: takes over tables, hands them over, and finds others."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence, Set
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from racing_demon_cluster.postgres.connection import missing_standby
from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.table.state import DEALT
from racing_demon_protocol.wire.redirects import bracketed, port_of
from racing_demon_server.journal.operations import Change, Operation
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.tables.registry import MOVED, Registry
from racing_demon_server.tables.room import Clock, Room

from .database_thread import DatabaseThread
from .heartbeat import Heartbeat
from .settings import ClusterSettings
from .statements import Node, Overview, TableOwner, set_draining, store_address, take_over
from .table_listing import TableListing
from .table_lookup import Location, SearchCallback, SearchResult, TableLookup
from .takeover import Takeover

CHECK_SECONDS: Final = 0.25
PROBE_SECONDS: Final = 3.0
"""A node that has written nothing for this many seconds checks whether the database still commits."""
CLOCK_SECONDS: Final = 2.0
"""A clock that is further from the database's is reported."""
DRAIN_CHECK_SECONDS: Final = 0.05
"""How often a draining node looks for finished hands, because the next one may begin soon."""
STEPS: Final = 20
"""The most tables handed over in one turn of the loop."""
LOST: Final = "lease"
"""Why tables halt while the node cannot reach the database."""
MAX_NAMED: Final = 50
"""The most tables named in one line of the log."""
ALONE_SECONDS: Final = 1.0
"""Seconds after the lease until peers are asked: those that lost the database at the same time know it
then."""
ASK_SECONDS: Final = 1.0
MAX_ANSWER: Final = 1_024
"""The most bytes read of a peer's answer."""

Address = tuple[str, int]
"""A host and a port."""

log = logging.getLogger("racing_demon_server")


class Membership:
    """A node of a cluster.

    Attributes:
        is_clock_wrong: whether this machine's clock differs from the database's by more than two seconds.

    Args:
        node: its number.
        settings: what a server of a cluster needs.
        registry: keeps the tables of this server.
        journal: stores its tables.
        clock: returns the node's time.

    """

    def __init__(
        self,
        node: int,
        settings: ClusterSettings,
        registry: Registry,
        journal: DurableJournal,
        clock: Clock,
    ) -> None:
        self._registry = registry
        self._drained: Callable[[], None] = lambda: None
        self._settings = settings
        self._node = node
        self._journal = journal
        self._overview = Overview([], [], orphans=False)
        self._passed: dict[int, set[Callable[[], None]]] = {}
        self._taking: set[int | None] = set()
        self._drain_until: float | None = None
        self._given: dict[int, int] = {}
        self._staying: set[int] = set()
        self._unclaimed: list[int] = []
        self._has_logged_unclaimed = False
        self._lost_at: float | None = None
        self.is_clock_wrong = False
        self._fence_thread, self._takeover_thread, self._lookup_thread = (
            DatabaseThread(settings.database, node, what) for what in ("fencer", "heir", "locator")
        )
        self._lookup = TableLookup(self._lookup_thread)
        self._takeover = Takeover(
            node, ClusterKeys(settings.keys), self._registry, clock, self._takeover_thread
        )
        self._listing = TableListing(node, self._registry, self._lookup_thread)
        self._heartbeat: Heartbeat | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._asking_peers: asyncio.Task[None] | None = None
        self._is_inquiring = False

    def begin(
        self, url: str, inside: str, *, drained: Callable[[], None], fenced: Callable[[str], None]
    ) -> None:
        """Start writing and reading heartbeats, now that the node accepts connections.

        Args:
            url: where players reach it.
            inside: where other servers reach it, as ``host:port``.
            drained: called when all tables have been handed over.
            fenced: called with the reason when others have fenced it.

        """
        self._drained = drained
        settings = self._settings
        self._fence_thread.do(partial(store_address, node=self._node, url=url, inside=inside), lambda _: None)
        self._heartbeat = Heartbeat(
            settings.database, self._node, settings.lease_seconds, self._on_overview, fenced
        )
        self._check()

    def list_tables(self) -> None:
        """Exchange the lists of open tables with the other servers, repeatedly."""
        self._listing.refresh()

    @property
    def listed(self) -> Sequence[dict[str, Any]]:
        """The entries for tables of other servers, for browsers."""
        return self._listing.others

    @property
    def hosts(self) -> Sequence[str]:
        """Host and port of every server's address for players."""
        return [urlsplit(node.url).netloc for node in self._overview.nodes]

    @property
    def takes_tables(self) -> bool:
        """Whether tables may be opened here: not while draining, unless another node could continue them."""
        return self._drain_until is None or bool(self._heirs())

    def drain(self) -> bool:
        """Hand over all tables, each when its hand ends, and then stop; return whether this is new."""
        if self._drain_until is not None:
            return False
        log.info("the node is drained", extra={"tables": len(self._registry)})
        self._drain_until = time.monotonic() + self._settings.drain_seconds
        self._fence_thread.do(partial(set_draining, node=self._node), lambda _: None)
        return True

    def locate(self, code: str, callback: SearchCallback) -> None:
        """Locate a table that is not here: see :mod:`~racing_demon_cluster.table_lookup`."""
        if not self._lookup.find(code, partial(self._located, callback)):
            callback(SearchResult.BUSY)

    def close(self) -> None:
        """Stop writing and reading heartbeats."""
        self._listing.close()
        if self._timer is not None:
            self._timer.cancel()
        if self._asking_peers is not None:
            self._asking_peers.cancel()
        if self._heartbeat is not None:
            self._heartbeat.stop()
        for worker in (self._fence_thread, self._takeover_thread, self._lookup_thread):
            worker.close()

    # Results of the thread.

    def _on_overview(self, overview: Overview, dead: Sequence[int]) -> None:
        assert self._heartbeat is not None
        self._end_passed({node.id for node in self._overview.nodes} - {node.id for node in overview.nodes})
        self._overview = overview
        self._heartbeat.tables = sorted(
            self._registry.numbers | self._registry.leaving | self._takeover.unrestorable
        )
        if self._drain_until is None:
            self._takeover.open_soon(overview.missing)
            if any(each.id == self._node and each.draining for each in overview.nodes):
                self.drain()
        for node in dead:
            self._take_over(node)
        if overview.orphans:
            self._take_over(None)

    def _take_over(self, dead: int | None) -> None:
        if dead in self._taking:
            return
        self._taking.add(dead)

        def done(moved: int | Exception) -> None:
            self._taking.discard(dead)
            if isinstance(moved, Exception):
                log.info(
                    "a takeover failed, or another node was first", extra={"node": dead, "why": str(moved)}
                )
            elif moved:
                log.warning("tables of a dead server are taken over", extra={"node": dead, "tables": moved})

        self._fence_thread.do(partial(take_over, me=self._node, dead=dead), done)

    def _check(self) -> None:
        """Halt all tables while this node's last heartbeat is too old."""
        pause = CHECK_SECONDS if self._drain_until is None else DRAIN_CHECK_SECONDS
        self._timer = asyncio.get_running_loop().call_later(pause, self._check)
        assert self._heartbeat is not None
        touched = max(self._journal.written_at, self._heartbeat.beaten_at)
        late = time.monotonic() - touched - self._settings.lease_seconds
        if not len(self._journal) and time.monotonic() - self._journal.written_at > PROBE_SECONDS:
            self._journal.write([], lambda: None)  # unlike a commit, heartbeats do not wait for a standby
        self._log_reachability(is_lost=late > 0)
        self._log_clock(self._heartbeat.clock_ahead)
        self._registry.halt(LOST, late > 0)
        if self._journal.is_halted and not self._is_inquiring:
            self._is_inquiring = True
            self._lookup_thread.do(missing_standby, self._report_missing_standby)
        if late > ALONE_SECONDS and (self._asking_peers is None or self._asking_peers.done()):
            self._asking_peers = asyncio.create_task(self._ask_peers())
        if self._drain_until is not None:
            self._give_away()

    def _report_missing_standby(self, reason: str | Exception) -> None:
        """Report why the journal's commits are not answered, if another connection has found out."""
        self._is_inquiring = False
        if isinstance(reason, str):
            self._journal.report_needs(reason)

    def _log_reachability(self, *, is_lost: bool) -> None:
        """Log when tables halt because the database is not reached, and when it is reached again."""
        if is_lost and self._lost_at is None:
            assert self._heartbeat is not None
            self._lost_at = time.monotonic()
            log.warning(
                "the database does not answer: all tables stand still until it does, or others take them",
                extra={
                    "tables": len(self._registry),
                    "lease_seconds": self._settings.lease_seconds,
                    "why": self._heartbeat.trouble,
                },
            )
        elif not is_lost and self._lost_at is not None:
            seconds = round(time.monotonic() - self._lost_at, 1)
            self._lost_at = None
            then = "the journal cannot be written yet" if self._journal.is_halted else "tables go on"
            log.warning(
                f"the database answers again: {then}",
                extra={"tables": len(self._registry), "seconds": seconds},
            )

    def _log_clock(self, ahead: float) -> None:
        """Log when this machine's clock differs from the database's, and when it does no more."""
        if self.is_clock_wrong != (abs(ahead) > CLOCK_SECONDS):
            self.is_clock_wrong = not self.is_clock_wrong
            told = {"seconds_ahead": round(ahead, 1)}
            if self.is_clock_wrong:
                log.warning(
                    "this server's clock differs from the database's: let both follow NTP", extra=told
                )
            else:
                log.warning("this server's clock agrees with the database's again", extra=told)

    @property
    def clock_ahead(self) -> float:
        """By how many seconds this machine's clock is ahead of the database's; 0 before they are compared."""
        return 0.0 if self._heartbeat is None else self._heartbeat.clock_ahead

    async def _ask_peers(self) -> None:
        """Close all connections if a peer can reach the database and this node cannot."""
        peers = [node for node in self._overview.nodes if node.id != self._node and node.inside]
        if not await somebody_is_well([_address_of(node.inside) for node in peers]):
            return
        if self._registry.listeners:
            log.warning("others reach the database, and this server does not: it closes its connections")
        for room in self._registry.rooms:
            room.broadcast.disconnect_all(CloseCode.TRY_AGAIN, MOVED)

    # Draining, and the end.

    def _give_away(self) -> None:
        """Hand over tables whose hands have ended, or all when time is up; stop when none is left.

        Without a successor they stay in the journal until there is one, or this node has stopped. This node
        must not open them again.
        """
        assert self._drain_until is not None
        is_late = time.monotonic() >= self._drain_until
        heirs = self._heirs()
        if not heirs:
            self._log_unclaimed()
            if is_late:
                self._drained()
                return
        rooms = [room for room in self._registry.rooms if is_late or not _is_played(room)]
        for room in rooms[:STEPS]:
            room.catch_up()
            if _is_played(room) and not is_late:  # the next hand has just been dealt
                continue
            if heirs:
                self._registry.hand_over(room, self._choose(heirs))
            else:
                self._staying.add(room.journal.number)
                self._unclaimed.append(room.journal.number)
                self._registry.hand_over(room, None)
        if heirs and self._unclaimed:
            moves: list[Change] = [
                (Operation.MOVE_TABLE, (number, self._choose(heirs))) for number in self._unclaimed
            ]
            self._unclaimed.clear()
            self._journal.write(moves, lambda: None)
        if not (self._registry.numbers or self._registry.leaving):
            self._drained()

    def _choose(self, heirs: Sequence[Node]) -> int:
        (own,) = (node for node in self._overview.nodes if node.id == self._node)
        # One that lacks the key of a table gives it back, and it stands still until another has taken it.
        heir = min(
            heirs, key=lambda node: (node.lacks_keys_of(own), node.load + self._given.get(node.id, 0))
        ).id
        self._given[heir] = self._given.get(heir, 0) + 1
        return heir

    def _log_unclaimed(self) -> None:
        """Log once which tables no other node can continue."""
        codes = [room.table.view.code for room in self._registry.rooms]
        if codes and not self._has_logged_unclaimed:
            self._has_logged_unclaimed = True
            log.warning(
                "no other server knows these tables' rules: this one stops when their hands end, "
                "and they go on when one starts that does",
                extra={"tables": len(codes), "codes": " ".join(codes[:MAX_NAMED])},
            )

    def _heirs(self) -> list[Node]:
        own = [node for node in self._overview.nodes if node.id == self._node]
        return [
            node
            for node in self._overview.nodes
            if node.id != self._node and not node.draining and own and node.knows_rules_of(own[0])
        ]

    # Where tables are.

    def _can_be_reached(self, where: TableOwner) -> bool:
        stays = where.owner == self._node and where.table in self._staying
        is_leaving = stays or where.table in self._registry.leaving
        return not where.fenced and bool(where.inside) and not is_leaving

    def _located(self, callback: SearchCallback, where: TableOwner | Exception | None) -> None:
        if where is None:
            callback(SearchResult.UNKNOWN)
        elif isinstance(where, Exception) or not self._can_be_reached(where):
            callback(SearchResult.NOWHERE)
        elif where.owner == self._node:
            self._takeover.open_first(
                where.table, lambda is_here: callback(SearchResult.HERE if is_here else SearchResult.NOWHERE)
            )
        else:
            host = urlsplit(where.url).hostname or ""
            inside, follow = _address_of(where.inside), partial(self._when_fenced, where.owner)
            callback(Location(host, port_of(where.url), inside, follow))

    def _when_fenced(self, node: int, end: Callable[[], None]) -> Callable[[], None]:
        """Call back when a node is fenced; return a function that cancels that."""
        self._passed.setdefault(node, set()).add(end)
        return partial(self._forget_passed, node, end)

    def _forget_passed(self, node: int, end: Callable[[], None]) -> None:
        ends = self._passed.get(node, set())
        ends.discard(end)
        if not ends:
            self._passed.pop(node, None)

    def _end_passed(self, fenced: Set[int]) -> None:
        """End the connections that are proxied to nodes that were fenced."""
        for node in fenced & self._passed.keys():
            for end in tuple(self._passed.pop(node)):
                end()


def _is_played(room: Room) -> bool:
    """Return whether a hand is running and any of its people is connected."""
    view = room.table.view
    return view.phase in DEALT and any(state.connected for state in view.seats.values() if not state.bot)


def _address_of(inside: str) -> Address:
    """Return host and port of an address written as HOST:PORT."""
    host, _, port = inside.rpartition(":")
    return host.strip("[]"), int(port)


async def somebody_is_well(peers: Sequence[Address]) -> bool:
    """Return whether any of these servers reports within a second that it can write to the database."""
    return any(await asyncio.gather(*map(_is_well, peers)))


async def _is_well(peer: Address) -> bool:
    try:
        async with asyncio.timeout(ASK_SECONDS):
            reader, writer = await asyncio.open_connection(*peer)
            try:
                # Servers answer to addresses and to players' names for them; this name may be for servers
                # only.
                host = bracketed(writer.get_extra_info("peername")[0])
                writer.write(f"GET /healthz HTTP/1.1\r\nHost: {host}:{peer[1]}\r\n\r\n".encode())
                answer = await reader.read(MAX_ANSWER)
            finally:
                writer.transport.abort()
    except (OSError, TimeoutError):
        return False
    return answer.startswith(b"HTTP/1.1 200 ")
