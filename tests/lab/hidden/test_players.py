"""Nobody is told what a server knows of devices: secrets, hashes, proofs, codes and addresses."""

import asyncio
import base64
import contextlib
import hashlib
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import urlsplit

import pytest

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import MatchOver, Said, Signalled
from racing_demon_protocol.wire.messages.server import CaughtUp, Devices, Identified, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.player_proof import secret_hash
from tests.support.brokers import Broker, Listening
from tests.support.people import answer, challenged, enrolled, link_code
from tests.support.processes import PATIENT, SERVER, started
from tests.support.receivers import Receiver, secret_file
from tests.support.results import results_of
from tests.support.servers import PATIENCE, Peer, serving

PHONE, TABLET, GUEST, STRANGER = (f"127.0.0.{number}" for number in range(71, 75))
"""Where the devices are: Ann's two, Ben's, and a stranger's."""
OF_PHONE, OF_TABLET, *OTHERS = (hashlib.sha256(bytes([number])).hexdigest() for number in range(4))
"""Secrets that are found by chance nowhere."""


class Hidden(NamedTuple):
    """What nobody may be told, and who knows it all the same.

    Attributes:
        name: what it is.
        value: its bytes, or its text.
        known_to: the streams in which it may be.

    """

    name: str
    value: bytes | str
    known_to: frozenset[str] = frozenset()

    def spellings(self) -> set[bytes]:
        """Return the ways in which it may be written."""
        if isinstance(self.value, str):
            return {self.value.encode(), self.value.lower().encode()}
        digits, letters = self.value.hex(), base64.b64encode(self.value).rstrip(b"=")
        return {
            self.value,
            digits.encode(),
            digits.upper().encode(),
            letters,
            base64.urlsafe_b64encode(self.value).rstrip(b"="),
        }


class Listener(Peer):
    """A device that keeps all that it is told."""

    heard: list[bytes]

    @classmethod
    @asynccontextmanager
    async def at(cls, url: str, address: str) -> AsyncIterator[Self]:
        """Connect from an address."""
        async with cls.connect(url, local_addr=(address, 0)) as peer:
            peer.heard = []
            yield peer

    async def frame(self) -> bytes | str:
        """Return the next frame, and keep it."""
        frame = await super().frame()
        self.heard.append(frame.encode() if isinstance(frame, str) else frame)
        return frame


@pytest.mark.long
async def test_nobody_is_told_what_proves_who_a_player_is(tmp_path: Path) -> None:
    """Devices are linked, attacked, renamed and removed, and matches played; then every output is searched.

    These are what all connections hear, all pages, the log of all levels, metrics, broker, webhook, the
    operator's lists, and the journal and results on the disk.
    """
    streams: dict[str, bytes] = {}
    hidden = [Hidden(f"the address of {each}", each) for each in (PHONE, TABLET, GUEST)]
    for name, secret in (("phone", OF_PHONE), ("tablet", OF_TABLET)):
        hidden.append(Hidden(f"the secret of the {name}", bytes.fromhex(secret)))
        hidden.append(Hidden(f"its hash, of the {name}", secret_hash(secret)))
    journal = tmp_path / "journal.sqlite"
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        broker = await enter(Broker.running(tmp_path))
        listening = await enter(Listening.to(broker))
        receiver = await enter(Receiver.running())
        arguments = [
            *("--host=127.0.0.1", "--port=0", f"--journal={journal}", "--standings=open", "--bot-speed=100"),
            *(PATIENT, "--log-level=debug", "--log-format=json", "--metrics-public", "--list-tables"),
            *(f"--mqtt={broker.url}", "--node=a1", "--homeassistant", "--webhook-names"),
            *(f"--webhook={receiver.url}", f"--webhook-secret={secret_file(tmp_path)}"),
        ]
        with (tmp_path / "server.log").open("wb") as log:
            server = await enter(started(SERVER, *arguments, stderr=log))
            url = (await server.line(r"listening on (\S+)")).group(1)
            hidden += await _evening(url, journal, streams)
            await receiver.until(lambda: any(b"Annabel" in each.body for each in receiver.taken))
            await _read_pages(url, journal, streams)
            server.stop()
            streams["standard output"] = "".join((await server.end())[1:]).encode()
    streams["broker"] = b"\n".join(
        part for each in listening.heard for part in (each.topic.encode(), each.payload)
    )
    streams["webhook"] = b"\n".join(request.body for request in receiver.taken)
    for path in tmp_path.iterdir():
        if path.is_file() and not path.name.startswith("journal-players"):
            streams[f"file {path.name}"] = path.read_bytes()
    assert {"file journal.sqlite", "file journal-results.sqlite", "file server.log"} <= streams.keys()
    found = {
        (each.name, name)
        for each in hidden
        for name, stream in streams.items()
        if any(spelling in stream for spelling in each.spellings())
    }
    allowed = {(each.name, name) for each in hidden for name in each.known_to}
    assert found == allowed, found ^ allowed


async def _evening(url: str, journal: Path, streams: dict[str, bytes]) -> list[Hidden]:
    """Let people play, link devices, and try to get at others' players. Return what else is hidden."""
    host, hidden = urlsplit(url).netloc, list[Hidden]()
    async with AsyncExitStack() as stack:
        phone, tablet, ben, eve = [
            await stack.enter_async_context(Listener.at(url, each))
            for each in (PHONE, TABLET, GUEST, STRANGER)
        ]
        ann = await enrolled(phone, "Ann", OF_PHONE)
        code = await link_code(phone)
        hidden.append(Hidden("a code", code, frozenset({"phone"})))
        challenge = await challenged(eve)
        for wrong in (
            answer(challenge, ann, OTHERS[0], host),
            cl.Enroll(name="Eve", secret=OF_PHONE, device="mine"),
            cl.Link(name="Ann", code="BCDFGH", secret=OTHERS[1], device="mine"),
            cl.RemoveDevice(device=ann.device),
        ):
            await eve.say(wrong)
            await eve.until(Refused)
        await challenged(tablet)
        await tablet.say(cl.Link(name="ann", code=code.lower(), secret=OF_TABLET, device="a tablet"))
        linked = await tablet.until(Identified)
        await phone.until(Devices)
        for whose, known in (("phone", ann), ("tablet", linked)):
            hidden.append(Hidden(f"the token of the {whose}", known.token, frozenset({whose})))
        printed = await _operate(journal, "players", ann.player, "--code")
        streams["operator's code"] = printed.encode()
        (operators,) = re.findall(r"the code is ([A-Z]{6}):", printed)
        hidden.append(Hidden("a code of the operator", operators, frozenset({"operator's code"})))

        await challenged(ben)
        options = Options(hands=1, countdown_ms=0)
        place = await phone.enter(cl.Create(name="Annabel", options=options))
        await ben.enter(cl.Join(code=place.code, name="Ben"))
        await eve.enter(cl.Watch(code=place.code))
        await eve.until(CaughtUp)
        await phone.ask(cl.Start)
        for peer in (phone, ben):
            await peer.until(Signalled)
        await ben.ask(cl.Say, text="hello")
        await eve.until(Said)
        await ben.say(ben.next(cl.Report, text="she is too fast", seat=place.seat))
        streams["operator's table"] = (await _operate(journal, "tables", place.code)).encode()
        for peer in (phone, ben):
            await peer.say(peer.next(cl.Stuck, seen=peer.view.seq))
        for peer in (phone, ben, eve):
            await peer.until(MatchOver)
        await phone.say(cl.Rename(name="Annabel"))
        await phone.say(cl.RemoveDevice(device=linked.device))
        await phone.until(Devices)
        streams |= {
            name: b"\n".join(peer.heard)
            for name, peer in (("phone", phone), ("tablet", tablet), ("guest", ben), ("stranger", eve))
        }
    return hidden


async def _read_pages(url: str, journal: Path, streams: dict[str, bytes]) -> None:
    """Read all pages as a stranger, and the operator's lists."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await _page(url, "/v1/standings")
            if b'"matches": 1' in found:
                break
            await asyncio.sleep(0.05)
    (player,) = re.findall(r'"player": "(\w{8})"', found.decode())
    ((_, link),) = results_of(journal)
    async with serving() as served:
        others = set(served.server.routes.paths) - {WEBSOCKET_PATH}
    paths = (
        *(
            f"/v1/players/{player}",
            f"/v1/matches/{link}",
            f"/v1/matches/{link}/record",
            f"/v1/matches/{link}/moments",
            "/v1/matches?table=ABCDE",
            "/v1/titles?table=ABCDE",
        ),
        *("/", "/you", "/scores"),
        *others,
    )
    pages = {path: await _page(url, path) for path in paths}
    assert all(pages.values())
    streams |= {"page /v1/standings": found} | {f"page {path}": page for path, page in pages.items()}
    for command in (
        ["players"],
        ["players", "--json"],
        ["tables"],
        ["reports"],
        ["bans"],
        ["journal", "list"],
    ):
        streams[f"operator's {' '.join(command)}"] = (await _operate(journal, *command)).encode()


async def _page(url: str, path: str) -> bytes:
    """Return a page, with its status and headers."""

    def ask() -> bytes:
        connection = HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE, source_address=(STRANGER, 0))
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.read() + str(answer.headers).encode()

    return await asyncio.to_thread(ask)


async def _operate(journal: Path, *arguments: str) -> str:
    """Run an operator's command, and return what it printed."""
    command = [sys.executable, "-m", "racing_demon_server", *arguments, f"--journal={journal}"]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
    return done.stdout
