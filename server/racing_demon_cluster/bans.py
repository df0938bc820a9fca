"""The operator's bans of a cluster: in its database, with a copy at each server for when that is away."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

from racing_demon_server.journal.interface import Fenced, JournalUnusable
from racing_demon_server.moderation.bans import MAX_BANS, ServerBan
from racing_demon_server.moderation.requests import SharedBans

from .side_store import SideStore

BANS_LOCK: Final = 7
WATCH_SECONDS: Final = 1.0
"""The interval at which a server looks for what the operator has changed at another one."""
COLUMNS: Final = "kind, subject, made, until, reason"

T = TypeVar("T")

log = logging.getLogger("racing_demon_server")


class PostgresBans(SharedBans):
    """The bans in the database.

    Args:
        url: the database.
        node: the number of this incarnation.
        changed: receives all bans in force, at first and whenever they have changed.

    """

    def __init__(self, url: str, node: int, changed: Callable[[Sequence[ServerBan]], None]) -> None:
        self._store = SideStore(url, node, BANS_LOCK, waits=True)
        self._changed = changed
        self._known: Sequence[ServerBan] | None = None
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

    async def _watch(self) -> None:
        while True:
            try:
                await self._look()
                self._is_usable = True
            except (JournalUnusable, Fenced) as error:
                if self._is_usable:
                    log.warning("the bans cannot be read now; the last ones count", extra={"why": str(error)})
                self._is_usable = False
            await asyncio.sleep(WATCH_SECONDS)

    async def _look(self) -> None:
        bans = await self._do(self._read)
        if bans != self._known:
            self._known = bans
            self._changed(bans)

    async def _do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    # In the thread.

    def _read(self) -> Sequence[ServerBan]:
        sql = f"SELECT {COLUMNS} FROM server_bans WHERE until > ?1 ORDER BY kind, subject LIMIT {MAX_BANS}"  # noqa: S608 - our own
        names = COLUMNS.split(", ")
        rows = self._store.rows(sql, int(time.time()))
        return [ServerBan.model_validate(dict(zip(names, row, strict=True))) for row in rows]

    def _keep(self, ban: ServerBan) -> None:
        with self._store.transaction():
            self._store.rows("DELETE FROM server_bans WHERE until <= ?1", int(time.time()))
            sql = (
                f"INSERT INTO server_bans ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5) "  # noqa: S608 - our own
                "ON CONFLICT (kind, subject) DO UPDATE "
                "SET made = excluded.made, until = excluded.until, reason = excluded.reason"
            )
            self._store.rows(sql, ban.kind, ban.subject, ban.made, ban.until, ban.reason)

    def _lift(self, kind: str, subject: str) -> int:
        with self._store.transaction():
            sql = "DELETE FROM server_bans WHERE kind = ?1 AND subject = ?2 RETURNING 1"
            return len(self._store.rows(sql, kind, subject))
