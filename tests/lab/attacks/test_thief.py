"""A thief with a backup of a server that remembers players: nothing in it lets anybody in.

The server and its command are the real ones. The thief tries whatever follows from the copy: proofs and
tokens, as this version and older ones make them, the words of other servers, and codes of devices.
"""

import asyncio
import contextlib
import hashlib
import hmac
import json
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Challenge, Identified
from racing_demon_protocol.wire.player_proof import ProofFacts, older_proof, player_proof
from racing_demon_server.journal.sqlite.database import players_of
from racing_demon_server.players.directory import FOR_HTTP, FOR_SERVERS, Directory
from racing_demon_server.players.file import PlayersFile
from tests.support.people import SECRETS, answer, challenged, enrolled, link_code
from tests.support.restartable_server import RestartableServer
from tests.support.results import get
from tests.support.servers import Peer

OPEN: Final = ("--standings=players",)
LABELS: Final = (b"racing-demon token 1\n", b"racing-demon handover 1\n", FOR_HTTP.label, FOR_SERVERS.label)


class Stolen(NamedTuple):
    """What a copy has of a device."""

    server: str
    player: str
    number: int
    key: bytes

    @classmethod
    def of(cls, copy: Path) -> "Stolen":
        """Read the only device in a copy."""
        with contextlib.closing(sqlite3.connect(players_of(copy))) as db:
            sql = "SELECT id, player, number, device_key FROM server, devices"
            (row,) = db.execute(sql).fetchall()
        return cls(*row)

    def proofs(self, challenge: Challenge, host: str) -> Iterator[str]:
        """Yield whatever could be taken for a proof."""
        for address in (f"ws://{host}", f"wss://{host}", host):
            facts = ProofFacts(challenge.server, challenge.nonce, address, self.player, self.number)
            for key in (self.key, hashlib.sha256(self.key).digest()):
                yield player_proof(key.hex(), facts)
                yield older_proof(key.hex(), facts)
                signed = "\n".join(map(str, facts)).encode()
                for version in (b"1", b"2"):
                    yield hmac.digest(key, b"racing-demon player " + version + b"\n" + signed, "sha256").hex()
        yield self.key.hex()

    def tokens(self) -> Iterator[str]:
        """Yield whatever could be taken for a token."""
        said = self.number.to_bytes(8) + int(time.time()).to_bytes(4)
        for label in LABELS:
            for key in (self.key, bytes(32), bytes.fromhex(self.server), b""):
                for more in (b"", self.key):
                    yield (said + hmac.digest(key, label + said + more, "sha256")[:20]).hex()


def run(*arguments: str | Path) -> None:
    """Run the operator's command."""
    line = [sys.executable, "-m", "racing_demon_server", "journal", *map(str, arguments)]
    subprocess.run(line, check=True, capture_output=True)  # noqa: S603 - our own program


async def is_ann(server: RestartableServer, token: str) -> bool:
    """Return whether a token opens Ann's page over HTTP."""
    status, body = await get(server, "/v1/you", Authorization=f"Bearer {token}")
    assert status == 200
    return bool(json.loads(body)["player"])


async def test_a_thief_of_a_backup_is_nobody(tmp_path: Path) -> None:
    """Not over the wire, not over HTTP, not in another server's name, and not as another device of Ann's."""
    journal, copy = tmp_path / "journal.sqlite", tmp_path / "copy" / "journal.sqlite"
    copy.parent.mkdir()
    async with RestartableServer.started(journal, *OPEN) as server:
        host = server.url.split("/")[2]
        async with Peer.connect(server.url) as phone:
            ann = await enrolled(phone, "Ann", SECRETS[0])
            code = await link_code(phone)
            await asyncio.to_thread(run, "backup", journal, "--to", copy)
        assert await is_ann(server, ann.token)
        stolen = Stolen.of(copy)
        assert stolen.player == ann.player
        async with Peer.connect(server.url) as thief:
            challenge = await challenged(thief)
            for proof in stolen.proofs(challenge, host):
                identify = cl.Identify(player=stolen.player, device=stolen.number, proof=proof)
                assert await thief.refusal(identify) is Reason.BAD_TOKEN
            assert await thief.refusal(cl.ListDevices(with_code=True)) is Reason.NOT_NOW
        for token in stolen.tokens():
            assert not await is_ann(server, token)
        kept = b"".join(each.read_bytes() for each in copy.parent.iterdir())
        assert [word for word in (code, SECRETS[0], ann.token) if word.encode() in kept] == []
        # A server that the thief starts from the copy makes tokens that are worth nothing at the real one.
        shutil.copytree(copy.parent, tmp_path / "thief")
        with contextlib.closing(PlayersFile(players_of(tmp_path / "thief" / copy.name), "")) as own:
            device = own.device(stolen.number)
            assert device is not None
            now = time.time_ns() // 1_000_000
            for use in (FOR_HTTP, FOR_SERVERS):
                token = Directory(own).token(device, now, use)
                assert Directory(own).of_token(token, now, use) == device
                assert not await is_ann(server, token)


@pytest.mark.long
async def test_after_a_restore_devices_prove_anew(tmp_path: Path) -> None:
    """Tokens of before end, also where the old key still lies; the phone is Ann's, and gets a new one."""
    journal, copy = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite"
    async with RestartableServer.started(journal, *OPEN) as server:
        async with Peer.connect(server.url) as phone:
            ann = await enrolled(phone, "Ann", SECRETS[0])
        await server.stop()
        await server.start()
        assert await is_ann(server, ann.token)
        await server.stop()
        await asyncio.to_thread(run, "backup", journal, "--to", copy)
        for each in tmp_path.glob("journal*.sqlite"):
            each.unlink()
        await asyncio.to_thread(run, "restore", copy, "--to", journal)
        await server.start()
        assert not await is_ann(server, ann.token)
        async with Peer.connect(server.url) as phone:
            challenge = await challenged(phone)
            await phone.say(answer(challenge, ann, SECRETS[0], server.url.split("/")[2]))
            known = await phone.until(Identified)
        assert known.player == ann.player
        assert await is_ann(server, known.token)
