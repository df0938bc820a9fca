"""What the trigger that gives reserved codes up costs where tables are opened.

A server's store opens tables with reserved codes at PostgreSQL with a synchronous standby: one in each
transaction, and many in one, as where many players open tables at once. The two take turns.
"""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from tests.support.postgres import postgres

from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.settings import ClusterSettings
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_server.journal.operations import Change, Operation

KEY: Final = bytes(32)
TABLES: Final = 400
ROUNDS: Final = 7
TOGETHER: Final = (1, 50)
"""So many tables are opened in one transaction."""


def opening(store: PostgresStore) -> Change:
    """Return what opens the next table."""
    number = store.new_number()
    table = (number, store.code_of(number), number, "{}", b"", None, "software", VERSION, 1)
    return Operation.OPEN_TABLE, table


def seconds(store: PostgresStore, together: int) -> float:
    """Return how long the commits take that open the tables of a round."""
    took = 0.0
    for _ in range(TABLES // together):
        group = [opening(store) for _ in range(together)]
        began = time.perf_counter()
        store.commit(group)
        took += time.perf_counter() - began
    return took


def report(together: int, took: Mapping[bool, Sequence[float]]) -> str:
    """Say what was measured of one size of transactions."""
    rates = {has: median(TABLES / each for each in took[has]) for has in took}
    dearer = median((own - other) / TABLES * 1e6 for own, other in zip(took[True], took[False], strict=True))
    return (
        f"{together} in each transaction: {rates[True]:,.0f} tables a second with the trigger, "
        f"{rates[False]:,.0f} without; {dearer:,.0f} µs more a table\n"
    )


def main() -> None:
    """Measure both, in turns, and print what was measured."""
    with postgres() as server:
        name = server.new_database()
        store = PostgresStore(ClusterSettings(database=server.url(name), keys=(KEY,)), "n1")
        seconds(store, TOGETHER[-1])  # partitions of the events are made ahead
        for together in TOGETHER:
            took: dict[bool, list[float]] = {True: [], False: []}
            for turn in range(2 * ROUNDS):
                has_trigger = turn % 4 in {0, 3}
                does = "ENABLE" if has_trigger else "DISABLE"
                server.sql(f"ALTER TABLE tables {does} TRIGGER use_code", name)
                took[has_trigger].append(seconds(store, together))
            sys.stdout.write(report(together, took))
        store.close()


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    main()
