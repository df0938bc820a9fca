"""The programs in examples/, run against a real server and a real broker."""

import asyncio
import contextlib
import hmac
import json
import re
import subprocess
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import aiomqtt
import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.brokers import Broker, Listening
from tests.support.nodes import node
from tests.support.processes import Running, server_process
from tests.support.receivers import SECRET, secret_file
from tests.support.servers import PATIENCE, Peer, serving, timeout

EXAMPLES = Path(__file__).parents[2] / "examples"
QUICK: dict[str, Any] = {"hands": 1, "countdown_ms": 0}
SHORT = bytes(31) + b"\2"
"""The seed of a deal in which such bots are soon stuck."""


@asynccontextmanager
async def example(name: str, *arguments: str) -> AsyncIterator[Running]:
    """Start an example; whatever happens, it is gone in the end."""
    path = EXAMPLES / name
    python = (sys.executable, "-u", str(path))
    command = (node(), *_web_socket(), str(path)) if path.suffix == ".js" else python
    process = await asyncio.create_subprocess_exec(
        *command, *arguments, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    try:
        yield Running(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def _web_socket() -> tuple[str, ...]:
    """Return what makes Node.js before version 22 know WebSockets."""
    version = subprocess.run([node(), "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603
    return ("--experimental-websocket",) if int(version.strip("v\n").split(".")[0]) < 22 else ()


async def test_both_bots_play_a_hand_to_its_end() -> None:
    """In Python and in JavaScript: they join, play cards, and agree that nothing is left, or go out."""
    async with serving(seed=SHORT) as served, Peer.hosting(served.url, seated=False, **QUICK) as host:
        async with (
            example("bot.py", served.url, host.code) as one,
            example("bot.js", served.url, host.code) as two,
        ):
            await one.line(r"^.{1,3}: (stock|waste|tableau) to (waste|tableau|foundation|stock)$")
            await two.line(r"^pile \d+ to \d+$")
            over = await timeout(4 * PATIENCE, host.until(ev.HandOver))
            assert over.reason in {"stuck", "out", "dead"}
            await two.line(r"^(I have won|The match is over)[.]$")
            assert await timeout(PATIENCE, one.process.wait()) == 0
            assert await timeout(PATIENCE, two.process.wait()) == 0


@pytest.mark.long
async def test_bots_end_in_a_sentence_where_there_is_no_table() -> None:
    """They say it in one line."""
    async with serving() as served:
        for name in ("bot.py", "bot.js"):
            async with example(name, served.url, "BCDF") as program:
                out, err = await timeout(PATIENCE, program.process.communicate())
                assert (out, err) == (b"", b"There is no table with that code here.\n")


@contextmanager
def chat_room() -> Iterator[tuple[str, Queue[str]]]:
    """Run a chat that takes texts; give its address, and the texts."""
    posts: Queue[str] = Queue()

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            posts.put(json.loads(body)["text"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    chat = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    thread = Thread(target=chat.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{chat.server_port}/", posts
    finally:
        chat.shutdown()
        thread.join()
        chat.server_close()


async def told(posts: Queue[str]) -> str:
    """Return the next text in the chat."""
    return await asyncio.to_thread(posts.get, timeout=PATIENCE)


async def test_a_match_is_told_to_the_chat_by_a_broker(tmp_path: Path) -> None:
    """From the server by the broker to the chat, once."""
    with chat_room() as (url, posts):
        async with Broker.running(tmp_path) as broker, Listening.to(broker, "rd/pub/a1/status") as feed:
            arguments = ("--mqtt", broker.url, "--node", "a1")
            async with (
                server_process(*arguments) as (_, server),
                example("chat_results.py", f"127.0.0.1:{broker.port}", url),
            ):
                await feed.until("status", lambda heard: heard.payload == b"online")
                await broker.says("rd/pub/+/tables/+/matches")
                async with Peer.hosting(server, time_limit_ms=1_000, **QUICK) as ann:
                    await ann.ask(cl.AddBot)
                    await ann.ask(cl.Start)
                    await ann.until(ev.MatchOver)
                    text = await told(posts)
        assert re.fullmatch(rf".+ won at table {ann.code}: .+ -?\d+, .+ -?\d+", text)
        assert posts.empty()


@pytest.mark.long
async def test_what_is_no_result_does_not_end_the_chat_of_a_broker(tmp_path: Path) -> None:
    """Whatever else publishes there: text that is no JSON, JSON of another shape, JSON too deep to read."""
    result = {"match": 1, "code": "BCDF", "winners": [], "scores": []}
    payloads = [
        b"\xff\xfe",
        b"{",
        b"[]",
        b'"x"',
        b'{"match": 1}',
        b"[" * 100_000,
        json.dumps(result).encode(),
    ]
    with chat_room() as (url, posts):
        async with (
            Broker.running(tmp_path) as broker,
            example("chat_results.py", f"127.0.0.1:{broker.port}", url),
        ):
            await broker.says("rd/pub/+/tables/+/matches")
            async with aiomqtt.Client("127.0.0.1", broker.port) as publisher:
                for payload in payloads:
                    await publisher.publish("rd/pub/x/tables/BCDF/matches", payload, qos=1)
            assert await told(posts) == "Nobody won at table BCDF: "


async def test_the_receiver_of_a_webhook_answers_whatever_it_is_sent(tmp_path: Path) -> None:
    """What is not signed is refused, whatever stands there; what is signed may still be no notice."""
    now = str(int(time.time()))

    def status(body: bytes, signature: str, at: str = now) -> int:
        headers = {"webhook-id": "1", "webhook-timestamp": at, "webhook-signature": signature}
        with contextlib.closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
            connection.request(
                "POST", "/", body, {name: value.encode("latin-1") for name, value in headers.items()}
            )
            return connection.getresponse().status

    def signed(body: bytes) -> str:
        digest = hmac.digest(b64decode(SECRET.removeprefix("whsec_")), f"1.{now}.".encode() + body, "sha256")
        return f"v1,{b64encode(digest).decode()}"

    async with example("webhook_receiver.py", "0", str(secret_file(tmp_path))) as receiver:
        port = int((await receiver.line(r"^receiving at \S+:(\d+)/$"))[1])
        answers = [
            await asyncio.to_thread(status, *asked)
            for asked in (
                (b"{}", "v1,\xe9"),
                (b"{}", signed(b"{}"), "9" * 5_000),
                (b"{}", signed(b"{}"), "\xb2"),
                (b"{", signed(b"{")),
                (b'{"type": "match.over", "data": []}', signed(b'{"type": "match.over", "data": []}')),
                (b'{"type": "else", "data": {}}', signed(b'{"type": "else", "data": {}}')),
            )
        ]
    assert answers == [401, 401, 401, 400, 400, 204]


async def test_a_match_is_told_to_the_chat_by_a_webhook(tmp_path: Path) -> None:
    """The receiver takes what the server has signed; with another secret nobody tells it anything."""
    secret, other = secret_file(tmp_path), tmp_path / "other.secret"
    other.write_text(f"whsec_{'b3RoZXJz' * 6}\n")
    options = Options(tally_ms=0, time_limit_ms=1_000, **QUICK)
    create = cl.Create(name="<!channel>", options=options)
    with chat_room() as (url, posts):
        async with example("webhook_receiver.py", "0", str(secret), url) as receiver:
            address = (await receiver.line(r"^receiving at (\S+)$"))[1]
            for file, names in ((other, ()), (secret, ("--webhook-names",)), (secret, ())):
                webhook = ("--webhook", address, "--webhook-secret", str(file), *names)
                async with server_process(*webhook) as (process, server):
                    async with Peer.entered(server, create) as ann:
                        await ann.ask(cl.AddBot)
                        await ann.ask(cl.Start)
                        await ann.until(ev.MatchOver)
                        if file is other:
                            assert process.process.stderr is not None
                            line = await timeout(PATIENCE, process.process.stderr.readline())
                            assert b"it answers 401" in line
                            continue
                        begun, over = await told(posts), await told(posts)
                player = r".+" if names else r"seat \d"
                begins = rf"A match begins at table {ann.code}: {player}, {player}"
                assert re.fullmatch(begins, begun)
                result = rf"{player}( and {player})? won at table {ann.code}: {player} -?\d+, {player} -?\d+"
                assert re.fullmatch(result, over)
                assert ("！channel" in begun) is bool(names)
                assert not set("<!>") & set(begun + over)
        assert posts.empty()
