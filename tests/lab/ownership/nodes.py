"""A node of the model of ownership: it plays, writes, beats, watches its peers, and takes over."""

import random
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from tests.lab.ownership.store import FENCED, UNSURE, WRITTEN, Guards, Row, State, Store, Transaction
from tests.lab.ownership.virtual_time import Agenda

LEASE: Final = 2.0
BEAT: Final = 0.5
LOOK: Final = 0.25
STEP: Final = 0.1
PATIENCE: Final = 1.5
"""Seconds after which a node takes the answer to a write for lost."""


class Surroundings(Protocol):
    """What a node knows of the world it is in."""

    agenda: Agenda
    rng: random.Random
    guards: Guards
    store: Store
    is_rough: bool
    wanted: dict[int, int]

    def number(self) -> int:
        """Return a number that nothing else has."""

    def tell(self, row: Row) -> None:
        """Let the players of a table know of an event."""


class Group(NamedTuple):
    """What a node has sent to the store, on a connection, and the older ones that end when it arrives."""

    transaction: Transaction
    connection: int
    ends: tuple[int, ...] = ()


class Node:
    """One incarnation: a process from its start to its end."""

    def __init__(self, world: "Surroundings", number: int) -> None:
        self.number = number
        self.is_gone = False
        self.paused_until = self.cut_until = 0.0
        self._world = world
        self._rng = world.rng
        self._speed = world.rng.uniform(0.5, 2.0) if world.is_rough else 1.0
        self._connection = world.store.connect()
        self._old: list[int] = []
        self._open: dict[int, list[Row]] = {}
        self._leaving: dict[int, int] = {}
        self._given: set[int] = set()
        self._opening = 0
        self._noted: list[Row] = []
        self._sent: Group | None = None
        self._beat = 0
        self._watched: dict[int, tuple[int, float]] = {}
        self._read_early: dict[int, list[Row]] = {}
        for act, every in ((self._step, STEP), (self._say_beat, BEAT), (self._look, LOOK)):
            self._every(act, every)

    def clock(self) -> float:
        """Return the seconds on the node's own clock."""
        return self._world.agenda.now * self._speed

    def stop(self) -> None:
        """End, without a word."""
        self.is_gone = True

    def _every(self, act: Callable[[], None], seconds: float) -> None:
        now = self._world.agenda.now

        def do() -> None:
            if self.is_gone:
                return
            if self._world.agenda.now >= self.paused_until:
                act()
            self._every(act, seconds)

        wait = seconds / self._speed * self._rng.uniform(0.9, 1.1)
        self._world.agenda.add(max(now + wait, self.paused_until), do)

    def _travel(self, act: Callable[[], None], *, may_fail: bool = False) -> None:
        """Let something arrive at the store, or come back from it; a cut holds it, or loses it."""
        now = self._world.agenda.now
        at = now + self._rng.uniform(0.001, 0.02)
        if at < self.cut_until:
            if may_fail or self._rng.random() < 0.5:
                return
            at = self.cut_until + self._rng.choice([0.01, 3.0]) * self._rng.random()
        self._world.agenda.add(at, act)

    # Playing, and writing.

    def _step(self) -> None:
        for table, log in self._open.items():
            counter = self._world.wanted[table]
            is_new = not log or log[-1].counter < counter
            if not is_new and log[-1].writer != self.number:
                self._world.tell(log[-1])  # its answer was lost with the node before
            if table not in self._leaving and is_new and self._rng.random() < 0.7:
                row = Row(table, len(log) + 1, counter, self._world.number(), self.number)
                log.append(row)
                self._noted.append(row)
                if not self._world.guards.tells_late:
                    self._world.tell(row)
        self._send()

    def _send(self) -> None:
        moves = tuple(self._leaving.items())
        if self._sent is None and (self._noted or moves):
            rows, self._noted = tuple(self._noted), []
            for table in self._leaving:
                del self._open[table]
            self._given.update(self._leaving)
            self._leaving.clear()
            if not self._world.guards.moves_last:  # but on another connection, which may overtake the events
                self._write(Group(Transaction(self.number, moves=moves), self._world.store.connect()))
                moves = ()
            self._write_group(Transaction(self.number, rows, moves))

    def _write_group(self, transaction: Transaction) -> None:
        ends = tuple(self._old) if self._world.guards.ends_backend else ()
        self._sent = Group(transaction, self._connection, ends)
        self._write(self._sent)
        self._await(self._sent, self.clock())

    def _await(self, group: Group, sent_at: float) -> None:
        """Take the answer for lost after some time on its own clock."""

        def look() -> None:
            if self.is_gone or self._sent is not group:
                return
            if self._world.agenda.now < self.paused_until or self.clock() - sent_at < PATIENCE:
                self._await(group, sent_at)
            else:
                self._lose_answer(group.transaction)

        self._world.agenda.add(self._world.agenda.now + 0.2, look)

    def _lose_answer(self, transaction: Transaction) -> None:
        world, guards = self._world, self._world.guards
        self._old.append(self._connection)
        self._connection = world.store.connect()
        if not guards.settles:  # it is taken for refused, and its numbers are given again
            self._sent, self._noted = None, []
            for row in reversed(transaction.rows):
                if row.table in self._open:
                    del self._open[row.table][row.seq - 1 :]
            return
        if not guards.asks_by_writing and not world.store.is_away:
            logs = world.store.read().logs
            if all(row in logs[row.table] for row in transaction.rows):
                self._finish(transaction)
                return
        self._write_group(transaction)

    def _write(self, group: Group) -> None:
        store = self._world.store

        def arrive() -> None:
            if not store.is_away:
                store.end(group.ends)
            store.write(group.transaction, group.connection, answered)

        def answered(answer: str) -> None:
            self._travel(lambda: self._when_awake(lambda: self._hear(group, answer)), may_fail=True)

        self._travel(arrive)

    def _when_awake(self, act: Callable[[], None]) -> None:
        if self._world.agenda.now < self.paused_until:
            self._world.agenda.add(self.paused_until, act)
        elif not self.is_gone:
            act()

    def _hear(self, group: Group, answer: str) -> None:
        if answer == FENCED:
            self.stop()
        elif self._sent is not group:
            return
        elif answer == UNSURE and self._world.guards.heeds_warnings:
            self._lose_answer(group.transaction)
        else:
            self._finish(group.transaction)

    def _finish(self, transaction: Transaction) -> None:
        self._sent = None
        self._given.clear()
        if self._world.guards.tells_late:
            for row in transaction.rows:
                self._world.tell(row)

    # Beats, deaths and heirs.

    def _say_beat(self) -> None:
        self._beat += 1
        beat, store = self._beat, self._world.store

        def arrive() -> None:
            if not store.is_away:
                store.beats[self.number] = max(beat, store.beats.get(self.number, 0))

        self._travel(arrive, may_fail=True)

    def _look(self) -> None:
        """Read all beats, and what is owned here; a read that fails begins all waiting anew."""
        store, now = self._world.store, self._world.agenda.now
        if store.is_away or now < self.cut_until:
            if self._world.guards.is_patient:
                self._watched.clear()
            return
        shown = store.read()
        if self.number in shown.fenced:
            self.stop()
            return
        own = {table for table, owner in shown.owners.items() if owner == self.number}
        if new := own - self._open.keys() - self._given:
            self._read_tables({table: list(shown.logs[table]) for table in new})
        self._watch(shown, store)

    def _read_tables(self, logs: dict[int, list[Row]]) -> None:
        """Open tables when a write behind the read was answered: the standby has all that was read then."""
        self._opening = attempt = self._world.number()

        def open_(answer: str) -> None:
            if answer == WRITTEN and self._opening == attempt:
                self._opening = 0
                self._open |= {table: self._read_early.pop(table, log) for table, log in logs.items()}

        if not self._world.guards.confirms:
            open_(WRITTEN)
            return
        connection = self._world.store.connect()

        def arrive() -> None:
            self._world.store.write(Transaction(self.number), connection, answered)

        def answered(answer: str) -> None:
            self._travel(lambda: self._when_awake(lambda: open_(answer)), may_fail=True)

        self._travel(arrive)

    def _watch(self, shown: State, store: Store) -> None:
        now = self.clock()
        living = shown.nodes - shown.fenced - {self.number}
        self._watched = {node: seen for node, seen in self._watched.items() if node in living}
        for node in living:
            beat = store.beats.get(node, 0)
            seen, since = self._watched.get(node, (-1, now))
            if beat != seen:
                self._watched[node] = beat, now
            elif now - since > LEASE:
                self.take_over(node)
        if not shown.fenced.isdisjoint(shown.owners.values()):
            self.take_over()

    def take_over(self, *dead: int) -> None:
        """Fence nodes, and share out what they have."""
        store = self._world.store
        shown = store.read()
        heirs = tuple(sorted({*self._watched, self.number} - {*dead}))
        if not self._world.guards.reads_late:
            self._read_early |= {t: list(shown.logs[t]) for t, owner in shown.owners.items() if owner in dead}
        self._write(Group(Transaction(self.number, fences=dead, heirs=heirs), store.connect()))

    def give_away(self, heir: int) -> None:
        """Let another node have a table."""
        tables = [table for table in self._open if table not in self._leaving]
        if tables and heir != self.number:
            self._leaving[self._rng.choice(tables)] = heir
