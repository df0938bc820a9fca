"""The operator's bans and orders of a cluster: in its database, by whose clock they end.

Each server keeps a copy of the bans for when the database is away.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

from racing_demon_server.journal.interface import Fenced, JournalUnusable
from racing_demon_server.moderation.bans import MAX_BANS, ServerBan
from racing_demon_server.moderation.requests import NEW_TABLES, Order, SharedModeration

from .side_store import SideStore

BANS_LOCK: Final = 7
WATCH_SECONDS: Final = 1.0
"""The interval at which a server looks for what the operator has changed at another one."""
COLUMNS: Final = "kind, subject, made, until, reason"
NOW: Final = "extract(epoch FROM clock_timestamp())::bigint"
"""The database's time in seconds: that of its servers may be wrong."""
ORDER_SECONDS: Final = 60
"""How long an order counts. A server that was cut off for longer does not close its tables hours later."""

T = TypeVar("T")

log = logging.getLogger("racing_demon_server")


class PostgresBans(SharedModeration):
    """The bans and orders in the database.

    Args:
        url: the database.
        node: the number of this incarnation.
        changed: receives all bans in force, at first and whenever they have changed.
        ordered: receives what was ordered at other servers.

    """

    def __init__(
        self,
        url: str,
        node: int,
        changed: Callable[[Sequence[ServerBan]], None],
        ordered: Callable[[Order], None],
    ) -> None:
        self._store = SideStore(url, node, BANS_LOCK, waits=True)
        self._changed = changed
        self._ordered = ordered
        self._newest: Sequence[ServerBan] | None = None
        self._heard: int | None = None
        self._own: set[int] = set()
        self._is_usable = True
        self._thread = ThreadPoolExecutor(1, "bans")
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Close the connection."""
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)
        self._store.interrupt()
        await self._do(self._store.close)
        self._thread.shutdown()

    async def keep(self, ban: ServerBan) -> None:
        """Keep a ban, in place of an earlier one of the same subject."""
        await self._do(partial(self._keep, ban))
        await self._look()

    async def lift(self, kind: str, subject: str) -> int:
        """Remove the bans of a subject, and return how many there were."""
        lifted = await self._do(partial(self._lift, kind, subject))
        await self._look()
        return lifted

    async def order(self, order: Order) -> None:
        """Let all other servers carry out an order, too."""
        await self._do(partial(self._order, order))

    async def _watch(self) -> None:
        while True:
            try:
                await self._look()
                for order in await self._do(self._read_orders):
                    self._ordered(order)
                self._is_usable = True
            except (JournalUnusable, Fenced) as error:
                if self._is_usable:
                    log.warning("the bans cannot be read now; the last ones count", extra={"why": str(error)})
                self._is_usable = False
            await asyncio.sleep(WATCH_SECONDS)

    async def _look(self) -> None:
        bans = await self._do(self._read)
        if bans != self._newest:
            self._newest = bans
            self._changed(bans)

    async def _do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    # In the thread.

    def _read(self) -> Sequence[ServerBan]:
        sql = f"SELECT {COLUMNS} FROM server_bans WHERE until > {NOW} ORDER BY kind, subject LIMIT {MAX_BANS}"  # noqa: S608 - our own
        names = COLUMNS.split(", ")
        return [ServerBan.model_validate(dict(zip(names, row, strict=True))) for row in self._store.rows(sql)]

    def _keep(self, ban: ServerBan) -> None:
        with self._store.transaction():
            self._store.rows(f"DELETE FROM server_bans WHERE until <= {NOW}")  # noqa: S608 - our own
            sql = (
                f"INSERT INTO server_bans ({COLUMNS}) VALUES (?1, ?2, {NOW}, {NOW} + ?3, ?4) "  # noqa: S608 - our own
                "ON CONFLICT (kind, subject) DO UPDATE "
                "SET made = excluded.made, until = excluded.until, reason = excluded.reason"
            )
            self._store.rows(sql, ban.kind, ban.subject, ban.until - ban.made, ban.reason)

    def _lift(self, kind: str, subject: str) -> int:
        with self._store.transaction():
            sql = "DELETE FROM server_bans WHERE kind = ?1 AND subject = ?2 RETURNING 1"
            return len(self._store.rows(sql, kind, subject))

    def _order(self, order: Order) -> None:
        """Write an order; of those that last, only the newest stays."""
        with self._store.transaction():
            sql = f"DELETE FROM operator_orders WHERE kind = ?1 AND (kind = ?2 OR at < {NOW} - ?3)"  # noqa: S608 - our own
            self._store.rows(sql, order.kind, NEW_TABLES, ORDER_SECONDS)
            sql = f"INSERT INTO operator_orders (at, kind, text) VALUES ({NOW}, ?1, ?2) RETURNING id"  # noqa: S608 - our own
            ((number,),) = self._store.rows(sql, *order)
        self._own.add(number)

    def _read_orders(self) -> Sequence[Order]:
        """Return what was ordered elsewhere since the last call; at first only what lasts."""
        sql = (
            "SELECT id, kind, text FROM operator_orders "  # noqa: S608 - our own
            f"WHERE id > ?1 AND (kind = ?2 OR at >= {NOW} - ?3) ORDER BY id"
        )
        rows = self._store.rows(sql, self._heard or 0, NEW_TABLES, ORDER_SECONDS)
        is_first, self._heard = self._heard is None, max([self._heard or 0, *(row[0] for row in rows)])
        own, self._own = self._own, set()
        return [
            Order(kind, text)
            for number, kind, text in rows
            if number not in own and (kind == NEW_TABLES or not is_first)
        ]
