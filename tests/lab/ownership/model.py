"""A model of who owns which table, played at random: nodes that pause, die and are cut off, on one store.

It is what ``cluster`` does, without sockets and cards. Each table has one client, who sends its next command
when the last one is answered, and sends it again to whoever owns the table by then. All clocks rise, at half
to double speed; no two are compared.
"""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Final, NamedTuple

from tests.lab.ownership.nodes import Node
from tests.lab.ownership.store import WRITTEN, Guards, Row, Store, Transaction, Wrong
from tests.lab.ownership.virtual_time import Agenda

HEALING: Final = 15.0
"""Seconds at the end, without accidents."""
TABLES: Final = 6
NODES: Final = 3
ALL_GUARDS: Final = Guards()


class Played(NamedTuple):
    """What came of a run: plays that players were told, tables that changed hands, nodes taken for dead."""

    told: int
    taken: int
    fenced: int


class World:
    """Nodes, a store, clients, and what happens to them.

    Attributes:
        wanted: the counter of the next command of each table's client.

    Args:
        seed: decides all of it.
        guards: what keeps ownership safe.
        is_rough: whether nodes are killed, paused and cut off, with clocks of any speed; else only the store
            fails.

    """

    def __init__(self, seed: int, guards: Guards, *, is_rough: bool) -> None:
        self.rng = random.Random(seed)
        self.guards = guards
        self.is_rough = is_rough
        self.agenda = Agenda()
        self._numbers = itertools.count(1)
        self.store = Store(self.agenda, self.rng, guards)
        self.wanted = dict.fromkeys(range(TABLES), 1)
        self._told: defaultdict[tuple[int, int], set[Row]] = defaultdict(set)
        self._nodes: dict[int, Node] = {}
        for name in range(NODES):
            self._start(name, tables=range(name, TABLES, NODES))

    def number(self) -> int:
        """Return a number that nothing else has."""
        return next(self._numbers)

    def tell(self, row: Row) -> None:
        """Let the players of a table know of an event."""
        self._told[row.table, row.seq].add(row)
        self.wanted[row.table] = max(self.wanted[row.table], row.counter + 1)

    def run(self, seconds: float) -> Played:
        """Let accidents happen for so long, then heal all, and see whether every table goes on."""
        self.agenda.pass_time(1.0)
        while self.agenda.now < seconds:
            self.agenda.pass_time(self.agenda.now + self.rng.expovariate(1.0))
            if self.is_rough:
                self.rng.choice([self._kill, self._pause, self._cut, self._give_away])()
            if self.rng.random() < 0.2:
                self._hurt_store()
        before = dict(self.wanted)
        self.agenda.pass_time(self.agenda.now + HEALING)
        for name in range(NODES):
            if name not in self._nodes or self._nodes[name].is_gone:
                self._start(name)
        self.agenda.pass_time(self.agenda.now + HEALING)
        return self._judge(before)

    def _judge(self, before: dict[int, int]) -> Played:
        kept = self.store.durable()
        for (table, seq), rows in self._told.items():
            if len(rows) > 1:
                raise Wrong(f"players of table {table} were told two events {seq}")
            if list(rows) != kept.logs[table][seq - 1 : seq]:
                raise Wrong(f"what players were told as event {seq} of table {table} is lost")
        for table, counter in before.items():
            if self.wanted[table] <= counter:
                raise Wrong(f"table {table} stands still")
        taken = sum(
            len(list(itertools.groupby(log, key=lambda row: row.writer))) - 1 for log in kept.logs.values()
        )
        if kept.fenced and not self.is_rough:
            raise Wrong("a node was taken for dead that lives")
        return Played(len(self._told), taken, len(kept.fenced))

    # Accidents.

    def _start(self, name: int, tables: range = range(0)) -> None:
        """Start a node, which has tables already, or takes over what it had before it died."""
        number, former = self.number(), self._nodes.pop(name, None)

        def begin(answer: str) -> None:
            if answer != WRITTEN:
                return
            node = self._nodes[name] = Node(self, number)
            if former is not None:
                node.take_over(former.number)

        first = Transaction(number, moves=tuple((table, number) for table in tables), begins=True)
        self.store.write(first, self.store.connect(), begin)

    def _some(self) -> Node | None:
        return self.rng.choice(list(self._nodes.values())) if self._nodes else None

    def _kill(self) -> None:
        if (node := self._some()) is not None:
            node.stop()
            name = next(name for name, each in self._nodes.items() if each is node)
            after = self.rng.choice([0.5, 5.0, 8.0])
            self.agenda.add(self.agenda.now + after, lambda: self._replace(name, node))

    def _replace(self, name: int, node: Node) -> None:
        if self._nodes.get(name) is node:
            self._start(name)

    def _pause(self) -> None:
        if (node := self._some()) is not None:
            node.paused_until = self.agenda.now + self.rng.choice([0.3, 1.0, 2.0, 3.0, 10.0])

    def _cut(self) -> None:
        if (node := self._some()) is not None:
            node.cut_until = self.agenda.now + self.rng.choice([0.3, 1.0, 2.0, 3.0, 10.0])

    def _give_away(self) -> None:
        if (node := self._some()) is not None and (heir := self._some()) is not None:
            node.give_away(heir.number)

    def _hurt_store(self) -> None:
        if not self.store.is_away:
            store, seconds = self.store, self.rng.uniform(0.2, 4.0)
            hurts: list[Callable[[], None]] = [
                lambda: store.stop_standby(seconds),
                lambda: store.fail_over(seconds),
                lambda: store.restart(seconds),
                lambda: self._lose_tail(store.cancel_waits),
                lambda: self._lose_tail(lambda: store.restart(0.3)),
            ]
            self.rng.choice(hurts)()

    def _lose_tail(self, show: Callable[[], None]) -> None:
        """Let the primary show what the standby lacks, and promote the standby."""
        now, store = self.agenda.now, self.store
        store.stop_standby(6.0)
        self.agenda.add(now + 0.5, show)
        self.agenda.add(now + 4.0, lambda: store.fail_over(0.5))


def play(seed: int, seconds: float, guards: Guards = ALL_GUARDS, *, is_rough: bool = True) -> Played:
    """Play the protocol at random.

    Raises:
        Wrong: it broke one of its invariants.

    """
    return World(seed, guards, is_rough=is_rough).run(seconds)
