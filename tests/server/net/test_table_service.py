"""What is told to those who ask for more than their address may have: a number that is true."""

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.net.handler import ServerContext
from racing_demon_server.net.table_service import TableService
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.passphrase import Passphrase
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.clocks import Standing
from tests.support.servers import NO_METRICS

HOME = "203.0.113.9"


def service_of(time: Standing, **settings: float) -> TableService:
    """Return what all sessions of a server share."""
    chosen = ServerSettings(**settings)  # type: ignore[arg-type]
    context = ServerContext(chosen, time, NO_METRICS)
    return TableService(context, Registry(chosen, time, NullJournal()))


def opened(service: TableService, address: str, time: Standing) -> Room:
    """Open a table for an address."""
    service.count_table(address, time())
    return service.open(address, Options(), Passphrase(bytes(16)))


async def test_the_next_table_may_be_opened_when_it_is_said() -> None:
    """With seven tables a minute one may be opened each nine seconds, and that is what the sentence says."""
    time = Standing()
    service = service_of(time, tables_per_minute=7, table_burst=1)
    opened(service, HOME, time)
    with pytest.raises(CommandRefused, match="may be opened in 9 seconds") as refused:
        opened(service, HOME, time)
    assert Reason.TOO_FAST is refused.value.reason
    time.move(9)
    opened(service, HOME, time)
    service.registry.close()


async def test_an_address_has_so_many_tables_and_no_more() -> None:
    """The sentence says how many; when one is closed there is room for another; this machine is free."""
    time = Standing()
    service = service_of(time, tables_per_address=2, table_burst=100)
    first, _ = (opened(service, HOME, time) for _ in range(2))
    with pytest.raises(CommandRefused, match="has 2 tables here") as refused:
        opened(service, HOME, time)
    assert Reason.SERVER_FULL is refused.value.reason
    for address in ("", "203.0.113.10"):
        opened(service, address, time)
    service.registry.discard(first)
    opened(service, HOME, time)
    service.registry.close()


async def test_the_next_code_may_be_tried_when_it_is_said() -> None:
    """With seven wrong codes a minute one more is looked for after nine seconds, and so says the sentence."""
    time = Standing()
    service = service_of(time, misses_per_minute=7, miss_burst=1)
    code = opened(service, HOME, time).table.view.code
    with pytest.raises(CommandRefused) as refused:
        service.find(HOME, "Y", time())
    assert Reason.UNKNOWN_TABLE is refused.value.reason
    for _ in range(3):
        with pytest.raises(CommandRefused, match="wait 9 seconds") as refused:
            service.find(HOME, code, time())
        assert Reason.TOO_FAST is refused.value.reason
    time.move(9)
    assert code == service.find(HOME, code, time()).table.view.code
    service.registry.close()


async def test_what_a_table_has_is_its_own() -> None:
    """All players of one table draw on the same units, and those of another table on others."""
    time = Standing()
    service = service_of(time)
    one, other = (opened(service, "", time) for _ in range(2))
    assert one.units is not other.units
    service.registry.close()
