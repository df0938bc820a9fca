"""A server that shares a database, and so its tables, with others."""

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from racing_demon_server.journal.interface import Fenced, Store
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.moderation.bans import ServerBan, ServerBans
from racing_demon_server.moderation.requests import obey
from racing_demon_server.net.handler import ServerContext
from racing_demon_server.net.table_service import TableService
from racing_demon_server.players.store import PlayersStore
from racing_demon_server.results.keeper import ResultsKeeper
from racing_demon_server.server import StopReason, TableServer
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Clock

from .bans import PostgresBans
from .membership import Membership
from .players import PostgresPlayers
from .postgres.store import PostgresStore
from .results import JOURNAL, PostgresResults, Retention
from .seed_encryption import ClusterKeys
from .service import ClusterService
from .settings import ClusterSettings

log = logging.getLogger("racing_demon_server")

if TYPE_CHECKING:
    from racing_demon_server.results.maker import ResultsMaker
    from racing_demon_server.results.worker import ResultsWorker


class ClusterServer(TableServer):
    """A server of a cluster.

    Args:
        settings: the settings of any server.
        cluster: those of a cluster's.

    """

    def __init__(self, settings: ServerSettings, cluster: ClusterSettings) -> None:
        super().__init__(settings)
        self._cluster = cluster
        self._store: PostgresStore
        self._membership: Membership

    def open_store(self) -> Store:
        """Open the database."""
        self._store = open_store(self.settings, self._cluster)
        return self._store

    def last_us(self) -> int:
        """Return 0: each table has a clock of its own."""
        return 0

    def open_registry(self, clock: Clock, observers: Sequence[Observer]) -> Registry:
        """Return the registry, which receives tables once the other servers know of this one."""
        assert isinstance(self.journal, DurableJournal)
        registry = Registry(self.settings, clock, self.journal, observers, codes=self._store.code_of)
        self._membership = Membership(self._store.node, self._cluster, registry, self.journal, clock)
        return registry

    def open_bans(self, operated: Path | None, resources: AsyncExitStack) -> ServerBans:
        """Return the bans: this server's own, and those that all servers share."""
        bans = super().open_bans(operated, resources)

        def share(all_bans: Sequence[ServerBan]) -> None:
            bans.share(all_bans)
            self.disconnect_banned()

        ordered = partial(obey, self.registry)
        self.shared_moderation = PostgresBans(self._cluster.database, self._store.node, share, ordered)
        resources.push_async_callback(self.shared_moderation.close)
        return bans

    def open_service(self, context: ServerContext) -> TableService:
        """Return the service that finds the tables of all servers."""
        return ClusterService(context, self.registry, self._membership, self._players)

    def begin(self, url: str, resources: AsyncExitStack) -> None:
        """Take part in the cluster."""
        super().begin(url, resources)
        resources.callback(self._membership.close)
        settings, drained = self.settings, partial(self.stop_soon, StopReason.DRAINED)
        public_url = settings.public_urls[0] if settings.public_urls else url
        inside = self._cluster.inside or urlsplit(url).netloc
        self._membership.begin(public_url, inside, drained=drained, fenced=self.fence)
        if settings.lists_tables:
            self._membership.list_tables()

    @property
    def keeps_players(self) -> bool:
        """Whether there is a place for players: the database."""
        return True

    def wall_clock(self) -> float:
        """Return the database's time: what one server gives to people lasts as long at another."""
        return super().wall_clock() - self._membership.clock_ahead

    def lacks(self) -> list[str]:
        """Return what should be there and cannot be used, such as a clock that others agree with."""
        return [*super().lacks(), *(["clock"] if self._membership.is_clock_wrong else ())]

    def open_players_store(self) -> PlayersStore:
        """Open the players in the database, for one thread.

        Raises:
            JournalUnusable: they cannot be used.

        """
        return PostgresPlayers(self._cluster.database, self._store.node, ClusterKeys(self._cluster.keys))

    @property
    def journal_name(self) -> str:
        """The name of the journal that all servers share."""
        return JOURNAL

    def open_results(self, store: Store, resources: AsyncExitStack) -> ResultsKeeper:
        """Return the keeper of the results, which are in the database."""
        open_players = None if self._players is None else self.open_players_store
        open_workers = partial(
            _open_workers, self._cluster.database, self._store, open_players, self.wall_clock_ms
        )
        prune = None
        if self.settings.keep_days is not None:
            retention = Retention(self._cluster.database, self._store.node, self.settings.keep_days)
            resources.push_async_callback(retention.close)
            prune = retention.prune
        keeper = ResultsKeeper(self.settings.standings, open_workers, prune)
        resources.push_async_callback(keeper.close)
        return keeper

    async def stop(self, reason: StopReason) -> None:
        """End what :meth:`start` began.

        Raises:
            Fenced: other servers have taken over the tables of this one.
            Superseded: a newer start of its name has.

        """
        try:
            await super().stop(reason)
        except Fenced as error:
            raise await asyncio.to_thread(self._store.explained, error) from None

    def terminate(self, reason: StopReason) -> None:
        """Hand over the tables before the server stops; a second signal stops it at once."""
        if not self._membership.drain():
            super().terminate(reason)


def _open_workers(
    database: str,
    store: PostgresStore,
    open_players: Callable[[], PlayersStore] | None,
    now_ms: Callable[[], int],
) -> "tuple[ResultsMaker, ResultsWorker]":
    """Open the results for both threads, once the port is open."""
    # They take a while to load.
    from racing_demon_server.results.maker import ResultsMaker  # noqa: PLC0415
    from racing_demon_server.results.worker import ResultsWorker  # noqa: PLC0415

    first, second = (None if open_players is None else open_players() for _ in range(2))
    made, answered = (PostgresResults(database, store.node) for _ in range(2))
    maker = ResultsMaker(made, store.reading, JOURNAL, first, now_ms=now_ms)
    return maker, ResultsWorker(answered, store.reading, JOURNAL, second, now_ms=now_ms)


def open_store(settings: ServerSettings, cluster: ClusterSettings) -> PostgresStore:
    """Open the database of a server.

    Raises:
        JournalUnusable: it cannot be used.

    """
    urls, node = settings.public_urls, settings.node or socket.gethostname()
    if not settings.node:
        text = "the database knows this server by its machine's name, as all others there; --node gives one"
        log.warning(text, extra={"node": node})
    return PostgresStore(
        cluster,
        node,
        public_url=urls[0] if urls else "",
        letters=settings.code_letters,
    )
