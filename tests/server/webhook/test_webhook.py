"""A webhook, as its receiver sees it: what comes, how often, and what becomes of what nobody takes."""

import base64
import hmac
import logging
import signal
import ssl
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from racing_demon_client.net.server_query import fetch_tables
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.ports import free_port
from tests.support.processes import server_process
from tests.support.receivers import HUNG, SECRET, Receiver, Request, secret_file
from tests.support.restartable_server import wait_until
from tests.support.results import get
from tests.support.servers import Peer
from tests.support.tunnels import make_certificate
from tests.support.whole_servers import WholeServer, whole_server

AWAY = 503


@asynccontextmanager
async def telling(url: str, folder: Path, **settings: Any) -> AsyncIterator[tuple[WholeServer, str]]:
    """Run a server with a webhook."""
    async with whole_server(webhook_url=url, webhook_secret=secret_file(folder), **settings) as running:
        yield running


async def play_match(ann: Peer, *, hands: int = 1, played: int = 0) -> None:
    """Play a match of a person alone, who gets stuck in each hand, from its beginning or later on."""
    for hand in range(played, hands):
        await ann.say(ann.next(cl.Ready if hand else cl.Start))
        await ann.until(ev.Signalled)
        await ann.say(ann.next(cl.Stuck))
        await ann.until(ev.HandOver)


def ids(requests: Sequence[Request], code: str) -> list[str]:
    """Return the ids of requests without the table's code."""
    return [request.id.removeprefix(f"{code}/") for request in requests]


async def test_a_match_is_told_signed_and_without_names(tmp_path: Path) -> None:
    """Its beginning, each hand, and its end; the signature is that of id, time and body."""
    async with Receiver.running() as receiver, telling(receiver.url, tmp_path) as (_, url):
        async with Peer.hosting(url, hands=2, casual=True) as ann:
            await play_match(ann, hands=2)
            await receiver.until(lambda: len(receiver.taken) == 4)
            code, points = ann.code, [result.points[0] for result in ann.view.results]
    assert ids(receiver.requests, code) == ["1/begun", "1/1", "1/2", "1/over"]
    assert [request.told["type"] for request in receiver.requests] == [
        "match.begun",
        "hand.over",
        "hand.over",
        "match.over",
    ]
    begun, _, second, over = (request.told["data"] for request in receiver.requests)
    heading = {"code": code, "game": "racing-demon", "casual": True, "match": f"{code}/1"}
    assert begun == heading | {"hands": 2, "target": None, "players": [{"seat": 0, "bot": ""}]}
    assert second.pop("elapsed_ms") >= 0
    scores = [{"seat": 0, "points": points[1], "total": sum(points)}]
    hand = {"hand": 2, "reason": "stuck", "out": None, "scores": scores, "teams": []}
    assert second == heading | hand
    told = {"hands": 2, "closed": False, "winners": [{"seat": 0}], "teams": []}
    assert over == heading | told | {"scores": [{"seat": 0, "total": sum(points)}]}
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    for path, headers, body in receiver.requests:
        assert path == "/hooks/hush?to=club"
        assert headers["content-type"] == "application/json"
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        digest = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
        assert headers["webhook-signature"] == f"v1,{digest}"
        assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
        assert b"Ann" not in body


async def test_names_are_told_on_request_and_only_what_spectators_may_see(tmp_path: Path) -> None:
    """A table with a passphrase, or without spectators, is not told."""
    async with Receiver.running() as receiver:
        async with telling(receiver.url, tmp_path, webhook_names=True) as (_, url):
            async with Peer.hosting(url, hands=1, spectators=False) as ann:
                await play_match(ann)
            request = cl.Create(name="Ann", options={"hands": 1, "countdown_ms": 0}, passphrase="hush")  # noqa: S106
            async with Peer.entered(url, request) as ann:
                await play_match(ann)
            async with Peer.hosting(url, hands=1) as ann:
                await play_match(ann)
                await receiver.until(lambda: len(receiver.taken) == 3)
                assert ids(receiver.requests, ann.code) == ["1/begun", "1/1", "1/over"]
    begun, hand, over = (request.told["data"] for request in receiver.requests)
    assert begun["players"] == [{"seat": 0, "name": "Ann", "bot": ""}]
    assert (hand["scores"][0]["name"], over["scores"][0]["name"]) == ("Ann", "Ann")


async def test_a_table_is_told_from_when_its_host_lists_it(tmp_path: Path) -> None:
    """A table that is in no list is told to nobody; nor is what it has played until then."""
    async with Receiver.running() as receiver, telling(receiver.url, tmp_path, lists_tables=True) as (_, url):
        request = cl.Create(name="Ann", listed=False, options={"hands": 2, "countdown_ms": 0})
        async with Peer.entered(url, request) as ann:

            async def codes() -> list[str]:
                return [table.code for table in await fetch_tables(url)]

            await play_match(ann)
            assert await codes() == []
            for _ in range(2):
                await ann.ask(cl.ListTable)
            assert await codes() == [ann.code]
            await play_match(ann, hands=2, played=1)
            await play_match(ann, hands=2)
            await receiver.until(lambda: len(receiver.taken) == 6)
            told = ["1/2", "1/over", "2/begun", "2/1", "2/2", "2/over"]
            assert ids(receiver.requests, ann.code) == told


async def test_play_goes_on_while_the_receiver_fails_and_is_slow(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What it does not take, or sends elsewhere, comes again with the same id, in order, when it recovers."""
    caplog.set_level(logging.INFO)
    async with Receiver.running() as receiver, telling(receiver.url, tmp_path) as (_, url):
        receiver.answers += [500, HUNG]
        async with Peer.hosting(url, hands=1) as ann:
            await play_match(ann)  # all of it while the first notice gets no answer
            assert not receiver.taken
            await receiver.until(lambda: len(receiver.requests) == 2)
            receiver.answers += [302, 429]
            await receiver.until(lambda: len(receiver.taken) == 3)
            sent = ids(receiver.requests, ann.code)
    log = caplog.text
    assert sent == [*["1/begun"] * 5, "1/1", "1/over"]
    assert len({request.body for request in receiver.requests}) == 3
    assert log.count("takes nothing (it answers 500)") == 1
    assert log.count("takes notices again") == 1
    assert f"127.0.0.1:{receiver.port}" in log
    assert "hush" not in log
    assert SECRET not in log


async def test_a_notice_that_is_refused_does_not_hold_up_others(tmp_path: Path) -> None:
    """A receiver that has no use for the beginning of a match gets its hands all the same."""
    async with Receiver.running() as receiver, telling(receiver.url, tmp_path) as (_, url):
        receiver.answers.append(400)
        async with Peer.hosting(url, hands=1) as ann:
            await play_match(ann)
            await receiver.until(lambda: len(receiver.taken) == 2)
            assert ids(receiver.taken, ann.code) == ["1/1", "1/over"]


async def test_an_answer_without_an_end_is_an_answer(tmp_path: Path) -> None:
    """Its status counts, and no more than its beginning is read; what is no status is no answer."""
    async with Receiver.running() as receiver, telling(receiver.url, tmp_path) as (_, url):
        receiver.more = b"\r\n" + bytes(1_000_000)
        async with Peer.hosting(url, hands=1) as ann:
            await play_match(ann)
            await receiver.until(lambda: len(receiver.taken) == 3)
            assert ids(receiver.requests, ann.code) == ["1/begun", "1/1", "1/over"]
            receiver.answers.append(999)
            await ann.ask(cl.Start)
            await receiver.until(lambda: len(receiver.taken) == 4)
            assert ids(receiver.requests[3:], ann.code) == ["2/begun", "2/begun"]


@pytest.mark.long
async def test_a_killed_server_tells_after_its_restart_what_was_not_taken(tmp_path: Path) -> None:
    """And nothing that was; even where the queue was lost, the present match is told, with the same ids."""
    port, journal = free_port(), tmp_path / "journal.sqlite"
    receiving = f"http://127.0.0.1:{port}/"
    secret = str(secret_file(tmp_path))
    arguments = ("--webhook", receiving, "--webhook-secret", secret, "--journal", str(journal))
    async with server_process(*arguments) as (killed, url), Peer.hosting(url, hands=1) as ann:
        await play_match(ann)
        code = ann.code
        killed.stop(signal.SIGKILL)
        await killed.process.wait()
    everything = ["1/begun", "1/1", "1/over"]
    async with Receiver.running(port) as receiver:
        async with telling(receiving, tmp_path, journal=journal):
            await receiver.until(lambda: len(receiver.taken) == 3)
            assert ids(receiver.requests, code) == everything
        for lost in (False, True):
            before = len(receiver.requests)
            if lost:
                for file in tmp_path.glob("journal-webhook*"):
                    file.unlink()
            async with telling(receiving, tmp_path, journal=journal) as (_, url):
                async with Peer.hosting(url, hands=1) as ben:
                    await play_match(ben)
                    other = f"{ben.code}/1/over"
                    await receiver.until(lambda other=other: receiver.taken[-1].id == other)  # type: ignore[misc]
            again = [each for each in receiver.requests[before:] if each.id.startswith(f"{code}/")]
            assert ids(again, code) == (everything if lost else [])
    assert (tmp_path / "journal-webhook.sqlite").stat().st_mode & 0o077 == 0


async def test_a_server_that_stops_keeps_what_waits(tmp_path: Path) -> None:
    """It counts what waits. The table has ended with the server's host; only the queue still knows of it."""
    port, journal = free_port(), tmp_path / "journal.sqlite"
    receiving = f"http://127.0.0.1:{port}/"
    async with telling(receiving, tmp_path, journal=journal, until_table_ends="") as (server, url):
        async with Peer.hosting(url, hands=2) as ann:
            await play_match(ann)
            _, metrics = await get(server, "/metrics")
            assert b"\nracing_demon_webhook_waiting 2.0\n" in metrics
            code = ann.code
            await ann.say(ann.next(cl.Leave))
            await server.end()
    async with Receiver.running(port) as receiver, telling(receiving, tmp_path, journal=journal):
        await receiver.until(lambda: len(receiver.taken) == 3)
    assert ids(receiver.requests, code) == ["1/begun", "1/1", "1/over"]


async def test_https_is_verified(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate that nobody vouches for ends it; one that the system knows does not."""
    certificate = make_certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    async with Receiver.running(tls=context) as receiver:
        address = f"https://127.0.0.1:{receiver.port}/"
        async with telling(address, tmp_path) as (_, url), Peer.hosting(url, hands=1) as ann:
            await play_match(ann)
            await wait_until(lambda: bool(caplog.records))
            assert "its certificate is not valid: self-signed certificate" in caplog.text
            assert not receiver.requests
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        async with telling(address, tmp_path) as (_, url), Peer.hosting(url, hands=1) as ann:
            await play_match(ann)
            await receiver.until(lambda: len(receiver.taken) == 3)
