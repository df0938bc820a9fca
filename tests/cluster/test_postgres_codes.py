"""Codes of tables in PostgreSQL: reserved by one server each, and open once."""

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest
from psycopg.errors import OperationalError, UniqueViolation

from racing_demon_cluster.postgres.connection import connect
from racing_demon_cluster.postgres.nodes import fence
from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.settings import ClusterSettings
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_server.journal.operations import Change, Operation
from tests.support.postgres import KEY, OPEN_TABLE, LosingProxy, Postgres

RESERVED_AND_OPEN: Final = "SELECT count(*) FROM codes JOIN tables USING (code)"
ROUND: Final = 20**6
"""After so many numbers the codes of six letters come again."""


def test_no_number_is_taken_whose_code_is_in_use(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """Codes follow from numbers and the key; a table that was opened with another key keeps its code."""
    first = opened("n1")
    numbers = [first.new_number() for _ in range(3)]
    with connect(servers.url(name)) as db:
        (ahead,) = db.execute("SELECT last_value FROM table_numbers").fetchone() or (0,)
        for number in (int(ahead) + 2, int(ahead) + 5):
            db.execute(OPEN_TABLE, (number + 1_000_000, first.code_of(number), first.node, VERSION))
    second = opened("n2")
    taken = [second.new_number() for _ in range(5)]
    assert numbers == [1, 2, 3]
    assert taken == [int(ahead) + place for place in (1, 3, 4, 6, 7)]
    assert servers.sql(RESERVED_AND_OPEN, name) == [(0,)]


def opening(store: PostgresStore, number: int) -> Change:
    """Return what opens a table under the code of its number."""
    table = (number, store.code_of(number), number, "{}", b"", None, "software", VERSION, 1)
    return Operation.OPEN_TABLE, table


def test_no_two_servers_reserve_one_code(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """Not even where numbers have gone once round all codes, so that two of them have the same."""
    first = opened("n1")
    own = [first.new_number() for _ in range(8)]
    servers.sql(f"SELECT setval('table_numbers', {ROUND - 4})", name)
    second = opened("n2")
    others = [second.new_number() for _ in range(8)]
    assert second.code_of(ROUND + own[0]) == first.code_of(own[0])
    first.commit([opening(first, number) for number in own])
    second.commit([opening(second, number) for number in others])
    assert servers.sql("SELECT count(DISTINCT code) FROM tables", name) == [(16,)]


@pytest.mark.long
@pytest.mark.parametrize("keys", [[KEY] * 4, [bytes([number]) * 32 for number in range(4)]])
def test_servers_that_draw_at_once_have_codes_of_their_own(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str, keys: list[bytes]
) -> None:
    """With one key and with several, and no code is reserved or open twice."""
    opened("n0")  # creates the layout
    with ThreadPoolExecutor(len(keys)) as threads:

        def use(place: int) -> list[str]:
            store = opened(f"m{place}", keys[place])
            codes = []
            for _ in range(15):
                drawn = [store.new_number() for _ in range(30)]
                store.commit([opening(store, number) for number in drawn])
                codes += [store.code_of(number) for number in drawn]
            return codes

        codes = [code for found in threads.map(use, range(len(keys))) for code in found]
    assert len(set(codes)) == len(codes) == 15 * 30 * len(keys)
    assert servers.sql(RESERVED_AND_OPEN, name) == [(0,)]


def test_a_reserved_code_is_for_its_server(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """Who has not reserved it, as programs of older versions do not, is refused; its server opens a table."""
    first, second = opened("n1"), opened("n2")
    number = first.new_number()
    with (
        connect(servers.url(name)) as db,
        pytest.raises(UniqueViolation, match="another server has reserved"),
    ):
        db.execute(OPEN_TABLE, (ROUND + number, first.code_of(number), second.node, VERSION))
    first.commit([opening(first, number)])
    assert servers.sql("SELECT id, owner FROM tables", name) == [(number, first.node)]


@pytest.mark.long
@pytest.mark.parametrize("is_lost", [False, True])
def test_a_table_is_opened_once_where_the_answer_is_lost(
    servers: Postgres, name: str, *, is_lost: bool
) -> None:
    """The same rows are sent again, and its code is not reserved any more."""
    proxy = LosingProxy(servers.ports[0])
    store = PostgresStore(
        ClusterSettings(database=f"postgresql://rd@127.0.0.1:{proxy.port}/{name}", keys=(KEY,)), "n1"
    )
    with contextlib.closing(proxy), contextlib.closing(store):
        change = opening(store, store.new_number())
        if is_lost:
            proxy.loses = True
            with pytest.raises(OperationalError):
                store.commit([change])
        store.commit([change])
        assert servers.sql("SELECT id FROM tables", name) == [(1,)]
        assert servers.sql("SELECT * FROM codes JOIN tables USING (code)", name) == []


def test_codes_of_a_fenced_server_are_free_again(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """Those that it did not use; the code of its open table is not given again."""
    first = opened("n1")
    first.commit([opening(first, first.new_number())])
    with connect(servers.url(name)) as db:
        fence(db, first.node)
    servers.sql(f"SELECT setval('table_numbers', {ROUND})", name)
    second = opened("n2")
    assert [second.new_number() for _ in range(3)] == [ROUND + place for place in (2, 3, 4)]
    assert servers.sql("SELECT DISTINCT node FROM codes", name) == [(second.node,)]


def test_a_server_that_has_used_up_its_numbers_refuses_a_table_until_it_has_new_ones(
    opened: Callable[..., PostgresStore],
) -> None:
    """Numbers are drawn with each commit; who asks for a table meanwhile is told to try again."""
    store = opened("n1")
    numbers = []
    refused = None
    while refused is None:
        try:
            numbers.append(store.new_number())
        except CommandRefused as error:
            refused = error
    assert refused.reason == Reason.HALTED
    store.commit([opening(store, numbers[-1])])
    assert store.new_number() > numbers[-1]
