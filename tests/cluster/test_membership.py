"""A server that has lost its database asks its peers whether they reach theirs."""

from racing_demon_cluster.membership import somebody_is_well
from tests.support.cases import for_each
from tests.support.servers import serving


@for_each("hosts", [(), ("cards.example.org",)])
async def test_a_peer_answers_to_the_name_that_servers_have_for_each_other(hosts: tuple[str, ...]) -> None:
    """Its players use names of its own; 127.1 is none of them, and no address as it is written either."""
    async with serving(hosts=hosts) as peer:
        assert await somebody_is_well([("127.1", peer.port)])


async def test_nobody_is_well_where_nobody_listens() -> None:
    """A server that has gone is none that reaches the database."""
    async with serving() as gone:
        pass
    assert not await somebody_is_well([("127.0.0.1", gone.port)])
