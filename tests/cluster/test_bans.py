"""The operator's bans of a cluster: at all servers at once, and where the database is away."""

import time
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.capabilities import HEARS_NOTICES, announced
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import ServerNotice
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.sqlite.database import bans_of, shared_bans_of
from racing_demon_server.moderation.bans import ServerBans
from tests.support.clusters import inner_node
from tests.support.postgres import Postgres
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer
from tests.support.whole_servers import operate

FAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}


async def test_an_order_is_for_all_servers(
    servers: Postgres, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever is asked, others do the same in a moment; those that start later take no tables, either."""
    monkeypatch.setattr("racing_demon_cluster.bans.WATCH_SECONDS", 0.05)
    url, one = servers.url(name), tmp_path / "control"
    async with (
        inner_node(url, name="n1", control=one),
        inner_node(url, name="n2") as (second, address),
        Peer.hosting(address) as ann,
        Peer.entered(address, cl.Watch(code=ann.code), software=announced("test", HEARS_NOTICES)) as eve,
    ):
        assert "this server alone" in (await operate(one, "say", "Only here", "--here")).out
        assert "all other servers" in (await operate(one, "say", "We close at ten")).out
        assert (await eve.until(ServerNotice)).text == "We close at ten"
        assert "all other servers" in (await operate(one, "new-tables", "off")).out
        async with inner_node(url, name="n3") as (third, later):
            await wait_until(lambda: not (second.registry.takes_new or third.registry.takes_new))
            for each in (address, later):
                async with Peer.connect(each) as ben:
                    await ben.greet()
                    assert await ben.refusal(cl.Create(name="Ben", options=Options())) is Reason.NOT_NOW
        assert "closed: 0 tables" in (await operate(one, "close", "--all", "--yes")).out
        closing = await operate(one, "close", "--all", "--cluster", "--yes", "--reason", "the end")
        assert "all other servers" in closing.out
        assert "the end" in (await ann.closed()).reason


@pytest.mark.long
async def test_a_ban_lasts_by_the_databases_clock(
    servers: Postgres, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is 400 days ahead keeps others' bans, and its own end no later."""
    url, control, true_time = servers.url(name), tmp_path / "control", time.time
    async with inner_node(url, name="n1", control=control):
        await operate(control, "ban", "203.0.113.9", "--for", "1h")
    monkeypatch.setattr(time, "time", lambda: true_time() + 400 * 86_400)
    async with inner_node(url, name="n2", control=control) as (server, address):
        await wait_until(lambda: abs(server.wall_clock() - true_time()) < 60)
        await operate(control, "ban", "198.51.100.7", "--for", "1h")
        async with Peer.connect(address, **FAR) as ben:
            assert (await ben.closed()).code == CloseCode.KICKED
    sql = (
        "SELECT subject FROM server_bans WHERE until - extract(epoch FROM now()) BETWEEN 0 AND 3601 "
        "ORDER BY subject"
    )
    assert servers.sql(sql, name) == [("198.51.100.7/32",), ("203.0.113.9/32",)]


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
