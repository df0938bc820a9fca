"""A server of a cluster whose machine has another time than the database."""

import asyncio
import json
import logging
import time
import urllib.request

import pytest

from racing_demon_cluster.heartbeat import clock_difference
from tests.support.cases import for_each
from tests.support.clusters import inner_node
from tests.support.postgres import Postgres
from tests.support.restartable_server import wait_until


def _healthz(address: str) -> dict[str, object]:
    """Return what the server says of itself."""
    url = address.replace("ws://", "http://").replace("/v1", "/healthz")
    with urllib.request.urlopen(url) as answer:  # noqa: S310 - of this machine
        facts: dict[str, object] = json.load(answer)
    return facts


@for_each(
    ("asked_at", "its_time", "heard_at", "ahead"),
    [(10.0, 10.5, 11.0, 0.0), (10.0, 7.0, 10.1, 3.0), (10.0, 13.0, 10.1, -2.9), (10.0, 12.0, 15.0, 0.0)],
    ids=["the same time", "ahead", "behind", "a slow answer"],
)
def test_a_slow_answer_is_no_difference(
    asked_at: float, its_time: float, heard_at: float, ahead: float
) -> None:
    """Only what the way of the question and the answer cannot explain counts."""
    assert clock_difference(asked_at, its_time, heard_at) == pytest.approx(ahead)


@pytest.mark.long
@pytest.mark.parametrize("ahead", [120.0, -120.0])
async def test_a_wrong_clock_is_said(
    servers: Postgres,
    name: str,
    ahead: float,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """In the log, and to whoever asks how the server is; it starts, and plays."""
    caplog.set_level(logging.WARNING)
    true_time = time.time
    monkeypatch.setattr(time, "time", lambda: true_time() + ahead)
    async with inner_node(servers.url(name)) as (server, address):
        await wait_until(lambda: "clock differs" in caplog.text)
        facts = await asyncio.to_thread(_healthz, address)
        assert (facts["status"], facts["lacks"]) == ("degraded", ["clock"])
        # Codes and sign-ins last as they do elsewhere.
        assert server.wall_clock() == pytest.approx(true_time(), abs=10.0)
