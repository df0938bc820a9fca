"""A store in virtual time, for the model of ownership: a primary, a synchronous standby, and their accidents.

It keeps a log of transactions. A write is answered when the standby has it, and all before it. After a crash
in its place the primary shows what the standby may still lack; after a failover that is gone.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tests.lab.ownership.virtual_time import Agenda

WRITTEN: Final = "written"
FENCED: Final = "fenced"
UNSURE: Final = "written here, perhaps not at the standby"
"""What PostgreSQL says when a wait was cancelled: success, with the warning 01000."""


class Wrong(Exception):
    """The protocol broke one of its invariants."""


class Guards(NamedTuple):
    """What keeps ownership safe; a test takes away one after the other.

    Attributes:
        fences: a write of a fenced node is refused.
        numbers: a table has one event of each number.
        reads_late: an heir reads a table after the transaction that made it the owner.
        confirms: an heir goes on when a write behind what it has read was answered.
        settles: a write without an answer is written again, and not taken for refused.
        asks_by_writing: whether it was written is asked behind the fence, and not with a read.
        ends_backend: the old connection is ended before anything is written again.
        heeds_warnings: an answer with a warning is none.
        tells_late: players are told when the answer has come, and not before.
        moves_last: a table that moves does so behind its last event.
        synchronous: only a standby that has every answered write is promoted.
        is_patient: a peer is taken for dead after reads that all succeeded.

    """

    fences: bool = True
    numbers: bool = True
    reads_late: bool = True
    confirms: bool = True
    settles: bool = True
    asks_by_writing: bool = True
    ends_backend: bool = True
    heeds_warnings: bool = True
    tells_late: bool = True
    moves_last: bool = True
    synchronous: bool = True
    is_patient: bool = True


class Row(NamedTuple):
    """An event of a table: the command that it comes of, and bytes that no other event has."""

    table: int
    seq: int
    counter: int
    content: int
    writer: int


class Transaction(NamedTuple):
    """What is written together.

    Attributes:
        writer: the node that writes.
        rows: events, the newest of each table with the newest command.
        moves: tables that the writer has, and their next owners.
        fences: nodes that write nothing from now on.
        heirs: the nodes that all tables of fenced nodes go to, round and round.
        begins: whether the writer is a new node.

    """

    writer: int
    rows: tuple[Row, ...] = ()
    moves: tuple[tuple[int, int], ...] = ()
    fences: tuple[int, ...] = ()
    heirs: tuple[int, ...] = ()
    begins: bool = False


@dataclass
class State:
    """What the store holds after some of its transactions; without ``numbers`` rows may stand there twice."""

    numbers: bool = True
    nodes: set[int] = field(default_factory=set)
    fenced: set[int] = field(default_factory=set)
    owners: dict[int, int] = field(default_factory=dict)
    logs: defaultdict[int, list[Row]] = field(default_factory=lambda: defaultdict(list))
    claims: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))

    def apply(self, transaction: Transaction) -> None:
        """Write a transaction, and complain where an invariant breaks with it."""
        writer = transaction.writer
        if transaction.begins:
            self.nodes.add(writer)
        for row in transaction.rows:
            if not self.numbers or row not in self.logs[row.table]:
                self._append(row)
            self.claims[row.table] = row.counter
        for table in {row.table for row in transaction.rows}:
            if self.claims[table] != self.logs[table][-1].counter:
                raise Wrong(f"the newest command of table {table} went back to an older one")
        self.fenced.update(transaction.fences)
        own = [move for move in transaction.moves if self.owners.get(move[0], writer) == writer]
        self.owners.update(own)
        heirs = [heir for heir in transaction.heirs if heir not in self.fenced]
        orphans = [table for table, owner in self.owners.items() if owner in self.fenced and heirs]
        self.owners.update((table, heirs[number % len(heirs)]) for number, table in enumerate(orphans))

    def _append(self, row: Row) -> None:
        log = self.logs[row.table]
        if row.writer in self.fenced:
            raise Wrong(f"node {row.writer} wrote after it was fenced")
        if self.owners[row.table] != row.writer:
            raise Wrong(f"node {row.writer} wrote to table {row.table} of node {self.owners[row.table]}")
        if row.seq != len(log) + 1:
            raise Wrong(f"table {row.table} has event {row.seq} behind {len(log)}")
        if any(row.counter == earlier.counter for earlier in log):
            raise Wrong(f"a command of table {row.table} was carried out twice")
        log.append(row)


class Store:
    """The database.

    Attributes:
        beats: how often each node has said that it lives.
        is_away: whether nobody reaches it just now.

    Args:
        agenda: what happens when.
        rng: decides how long everything takes.
        guards: what keeps ownership safe.

    """

    def __init__(self, agenda: Agenda, rng: random.Random, guards: Guards) -> None:
        self.beats: dict[int, int] = {}
        self.is_away = False
        self._agenda = agenda
        self._rng = rng
        self._guards = guards
        self._log: list[Transaction] = []
        self._durable = self._recovered = 0
        self._newest, self._shown = State(guards.numbers), State(guards.numbers)
        self._shown_count = 0
        self._life = 0
        self._opened: dict[int, int] = {}
        self._waiting: list[tuple[int, Callable[[str], None]]] = []
        self._standby_back = 0.0

    # What nodes ask for.

    def connect(self) -> int:
        """Return a new connection, which lasts until the store goes away."""
        connection = len(self._opened)
        self._opened[connection] = self._life
        return connection

    def end(self, connections: Iterable[int]) -> None:
        """End connections: what is still on its way in them never arrives."""
        for connection in connections:
            self._opened[connection] = -1

    def write(self, transaction: Transaction, connection: int, answer: Callable[[str], None]) -> None:
        """Write a transaction that has arrived, and answer when the standby has it."""
        if self.is_away or self._opened[connection] != self._life:
            return
        if self._guards.fences and transaction.writer in self._newest.fenced:
            answer(FENCED)
            return
        if self._guards.numbers:
            self._refuse_collisions(transaction.rows)
        self._newest.apply(transaction)
        self._log.append(transaction)
        position = len(self._log)
        self._waiting.append((position, answer))
        life, took = self._life, self._rng.uniform(0.002, 0.05)
        at = max(self._agenda.now, self._standby_back) + took
        self._agenda.add(at, lambda: self._replicate(position, life))

    def _refuse_collisions(self, rows: Iterable[Row]) -> None:
        for row in rows:
            log = self._newest.logs[row.table]
            if row.seq <= len(log) and log[row.seq - 1] != row:
                raise Wrong(f"two writers have given number {row.seq} of table {row.table}")

    def read(self) -> State:
        """Return what a read shows."""
        visible = max(self._durable, self._recovered)
        for transaction in self._log[self._shown_count : visible]:
            self._shown.apply(transaction)
        self._shown_count = visible
        return self._shown

    def durable(self) -> State:
        """Return what no failover takes away."""
        return self._folded(self._durable)

    # What happens to it.

    def _replicate(self, position: int, life: int) -> None:
        if life != self._life:
            return
        if self._agenda.now < self._standby_back:
            self._agenda.add(self._standby_back, lambda: self._replicate(position, life))
            return
        self._durable = max(self._durable, position)
        due = [answer for at, answer in self._waiting if at <= self._durable]
        self._waiting = [(at, answer) for at, answer in self._waiting if at > self._durable]
        for answer in due:
            answer(WRITTEN)

    def stop_standby(self, seconds: float) -> None:
        """Let writes wait for the standby."""
        self._standby_back = self._agenda.now + seconds

    def cancel_waits(self) -> None:
        """Answer all who wait for the standby, with a warning."""
        waiting, self._waiting = self._waiting, []
        for _, answer in waiting:
            answer(UNSURE)

    def restart(self, seconds: float) -> None:
        """Crash, and come back with all that was written here, whether the standby has it or not."""
        self._go_away(seconds)
        self._recovered = len(self._log)
        life, position = self._life, len(self._log)
        self._agenda.add(self._agenda.now + seconds + 1.0, lambda: self._replicate(position, life))

    def fail_over(self, seconds: float) -> None:
        """Crash, and let the standby go on with what it has."""
        self._go_away(seconds)
        kept = self._durable
        if not self._guards.synchronous:
            kept = self._durable = max(0, kept - self._rng.randrange(8))
        del self._log[kept:]
        self._recovered = kept
        self._newest, self._shown, self._shown_count = self._folded(kept), self._folded(kept), kept

    def _go_away(self, seconds: float) -> None:
        self._life += 1
        self._waiting.clear()
        self.is_away = True

        def come_back() -> None:
            self.is_away = False

        self._agenda.add(self._agenda.now + seconds, come_back)

    def _folded(self, count: int) -> State:
        state = State(self._guards.numbers)
        for transaction in self._log[:count]:
            state.apply(transaction)
        return state
