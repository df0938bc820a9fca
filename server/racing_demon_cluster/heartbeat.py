"""Writes this node's heartbeats to the database, reads those of the others, and decides which are dead."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import psycopg

from racing_demon_cluster.postgres.connection import Database
from racing_demon_server.journal.interface import JournalUnusable

from .statements import Overview, connect_as, read_overview

BEAT_SECONDS: Final = 0.5
LOOK_SECONDS: Final = 0.25
STARTING_SECONDS: Final = 20.0
"""Seconds after which a node without any heartbeat is dead, because starting may take long."""
OWN_BEATS: Final = 3
"""How many own heartbeats must have arrived since the last of a node that is taken for dead."""
FENCED: Final = "RD001"
"""The database's answer to a fenced node (SQLSTATE)."""
ORPHANS_EVERY: Final = 8
"""One in this many reads also looks for tables of fenced nodes, which are rare."""

SeenBy = Callable[[Overview, list[int]], None]
"""Called with an overview, and the dead nodes."""


class FailureDetector:
    """Decides which nodes are dead: their heartbeats stand still for a lease while the watcher's arrive.

    If no heartbeat arrives, the database is slow or stands still, and nobody is dead for that. So a node is
    dead after :data:`OWN_BEATS` of the watcher's have arrived since its last, however long they take.
    Times are seconds on the watcher's own monotonic clock.

    Args:
        lease: how long a heartbeat must stay unchanged, while all reads succeed, until its node is dead.

    """

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._seen: dict[int, tuple[int, float, int]] = {}

    def observe(self, heartbeats: Mapping[int, int], own: int, began: float, ended: float) -> list[int]:
        """Record the heartbeats of all other nodes that are not fenced, and return which of these are dead.

        Args:
            heartbeats: the number of heartbeats of each; 0 for a node that is starting.
            own: the number of the watcher's heartbeats.
            began: when the read began.
            ended: when the read ended.

        """
        self._seen = {node: seen for node, seen in self._seen.items() if node in heartbeats}
        dead = []
        for node, beat in heartbeats.items():
            seen, since, own_then = self._seen.get(node, (-1, ended, own))
            if beat != seen:
                self._seen[node] = beat, ended, own
            elif own - own_then >= OWN_BEATS and began - since > (
                self._lease if beat else max(self._lease, STARTING_SECONDS)
            ):
                dead.append(node)
        return dead

    def forget(self) -> None:
        """Start all leases again, after a failed read."""
        self._seen.clear()


def clock_difference(asked_at: float, its_time: float, heard_at: float) -> float:
    """Return by how many seconds this server's clock is ahead of another, at least; negative if it is behind.

    Args:
        asked_at: this server's time before the other clock was read.
        its_time: what it said.
        heard_at: this server's time after that. A slow answer is no difference.

    """
    return max(0.0, asked_at - its_time) + min(0.0, heard_at - its_time)


class Heartbeat:
    """Writes a node's heartbeats and reads those of the others, in its own thread.

    Attributes:
        tables: the tables that the node has; the loop replaces it.
        beaten_at: when the last heartbeat was written, in seconds on the monotonic clock.
        trouble: why the database could not be used the last time.
        clock_ahead: by how many seconds this machine's clock is ahead of the database's, at least; negative
            if it is behind.

    Args:
        url: the database.
        node: the node's number.
        lease: seconds without a heartbeat after which a node is dead.
        seen: called on the loop with each result: the overview, and the dead nodes.
        fenced: called on the loop when this node is fenced.

    """

    def __init__(
        self, url: str, node: int, lease: float, seen: SeenBy, fenced: Callable[[str], None]
    ) -> None:
        self.tables: Sequence[int] = ()
        self.beaten_at = time.monotonic()
        self.trouble = ""
        self.clock_ahead = 0.0
        self._url = url
        self._node = node
        self._watch = FailureDetector(lease)
        self._seen = seen
        self._fenced = fenced
        self._loop = asyncio.get_running_loop()
        self._stopping = threading.Event()
        self._db: Database | None = None
        self._looks = 0
        self._beat_due = 0.0
        self._thread = threading.Thread(target=self._run, name="member", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop writing heartbeats."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._db = self._db or self._connect()
                self._turn(self._db)
            except (psycopg.Error, JournalUnusable) as error:
                if isinstance(error, psycopg.Error) and error.sqlstate == FENCED:
                    self._call(self._fenced, str(error).splitlines()[0])
                    return
                self.trouble = str(error).splitlines()[0]
                self._watch.forget()
                if self._db is not None:
                    self._db.close()
                    self._db = None
                self._stopping.wait(LOOK_SECONDS)
        if self._db is not None:
            self._db.close()

    def _connect(self) -> Database:
        db = connect_as(self._node, self._url)
        db.execute("SET synchronous_commit = off")  # a crash of the database may lose heartbeats
        db.execute("LISTEN racing_demon_owners")
        return db

    def _turn(self, db: Database) -> None:
        """Write a heartbeat if one is due, read, and wait for the next turn or a notice of moved tables."""
        began, asked_at = time.monotonic(), time.time()
        is_due = began >= self._beat_due
        looks_for_orphans = self._looks % ORPHANS_EVERY == 0
        shown = read_overview(db, self._node, self.tables, orphans=looks_for_orphans, beats=is_due)
        self.clock_ahead = clock_difference(asked_at, shown.now_ms / 1_000, time.time())
        if is_due:
            self._beat_due = began + BEAT_SECONDS
            self.beaten_at = began
        self._looks += 1
        beats = {node.id: node.beat for node in shown.nodes}
        own = beats.pop(self._node, 0)
        self._call(self._seen, shown, self._watch.observe(beats, own, began, time.monotonic()))
        for _ in db.notifies(timeout=max(0.0, began + LOOK_SECONDS - time.monotonic()), stop_after=1):
            pass

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(function, *arguments)
