"""The operator's bans of a cluster: at all servers at once, and where the database is away."""

import time
from pathlib import Path
from typing import Any, Final

from racing_demon_protocol.enums import CloseCode
from racing_demon_server.journal.sqlite.database import bans_of, shared_bans_of
from racing_demon_server.moderation.bans import ServerBans
from tests.support.clusters import inner_node
from tests.support.postgres import Postgres
from tests.support.servers import Peer
from tests.support.whole_servers import operate

FAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}


async def test_a_ban_is_made_and_lifted_for_all_servers(servers: Postgres, name: str, tmp_path: Path) -> None:
    """Whichever server is asked, connections elsewhere end, too; each keeps a copy of its own."""
    url, one, two = servers.url(name), tmp_path / "n1" / "control", tmp_path / "n2" / "control"
    for control in (one, two):
        control.parent.mkdir()
    async with (
        inner_node(url, name="n1", control=one),
        inner_node(url, name="n2", control=two) as (_, address),
        Peer.connect(address, **FAR) as ben,
    ):
        await ben.greet()
        assert "at all servers of the cluster" in (await operate(one, "ban", "203.0.113.9")).out
        assert (await ben.closed()).code == CloseCode.KICKED
        assert "203.0.113.9/32" in (await operate(two, "bans")).out
        copy = ServerBans(bans_of(two), time.time, shared=shared_bans_of(two))
        assert copy.of_address("203.0.113.9") is not None

        assert (await operate(two, "unban", "203.0.113.9")).code == 0
        async with Peer.connect(address, **FAR) as again:
            await again.greet()
        assert (await operate(one, "unban", "203.0.113.9")).code == 1
