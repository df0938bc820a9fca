"""A server whose memory for people is full, under strangers who want to be all that it remembers.

They come from many addresses, become new people in pairs, and finish hands with each other, as friends do.
What that takes, and who is forgotten for them, is printed.
"""

import asyncio
import os
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Identified, Refused
from racing_demon_server.journal.sqlite.database import players_of
from racing_demon_server.players.directory import KNOWN_MS, MAX_PLAYERS
from racing_demon_server.players.store import Company
from tests.lab.attacks.doors import OTHER, REST, come_from
from tests.support.effort import LONG
from tests.support.people import challenged, play_together
from tests.support.restartable_server import RestartableServer
from tests.support.servers import Peer, deadline

PAIRS: Final = int(os.environ.get("RACING_DEMON_PAIRS", "150" if LONG else "20"))
OF_AN_ADDRESS: Final = 3
"""The pairs that come from one address: so many have the units for it without a pause."""
FREE: Final = 20
"""The places that nobody has before the attack."""

pytestmark = pytest.mark.long


def fill(path: Path) -> None:
    """Fill a file of players with people who have been here for long, all but a few places."""
    seen = time.time_ns() // 1_000_000 - 2 * KNOWN_MS
    columns = "id, name, created_ms, seen_ms, has_played, merged_into"
    rows = [(f"zz{number:06}", "Old", seen, seen, Company.KNOWN, "") for number in range(MAX_PLAYERS - FREE)]
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany(f"INSERT INTO players ({columns}) VALUES (?, ?, ?, ?, ?, ?)", rows)  # noqa: S608


def count(path: Path, condition: str) -> int:
    """Count the players that a server remembers."""
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute(f"SELECT count(*) FROM players WHERE {condition}").fetchone()[0])  # noqa: S608


async def become(peer: Peer, name: str, secret: int) -> int:
    """Become somebody new; return how often that was refused because all are too many."""
    await challenged(peer)
    refused = 0
    async with deadline(lambda: f"{name} is refused {refused} times"):
        while True:
            await peer.say(cl.Enroll(name=name, secret=f"{secret:064x}", device="x"))
            answer = await peer.hear()
            if isinstance(answer, Identified):
                return refused
            assert isinstance(answer, Refused)
            assert answer.reason is Reason.TOO_FAST
            refused += 1
            await asyncio.sleep(REST)


async def test_new_names_that_play_with_each_other_push_nobody_out(tmp_path: Path) -> None:
    """However many they are, whoever is known stays, and the next newcomer is remembered."""
    path, refused = players_of(tmp_path / "journal.sqlite"), 0
    async with RestartableServer.started(tmp_path / "journal.sqlite") as server:
        await server.stop()
        fill(path)
        await server.start()
        begun = time.monotonic()
        for pair in range(PAIRS):
            place = come_from(f"203.0.{pair // OF_AN_ADDRESS}.7")
            async with Peer.connect(server.url, **place) as eve, Peer.connect(server.url, **place) as eva:
                for number, peer in enumerate((eve, eva), 2 * pair):
                    refused += await become(peer, f"Eve {number}", number + 99)
                await play_together(eve, eva, rest=REST)
        lasted = time.monotonic() - begun
        async with Peer.connect(server.url, **come_from(OTHER)) as ann:
            await become(ann, "Ann", 1)
        vouched = count(path, f"name LIKE 'Eve%' AND has_played = {Company.KNOWN:d}")
        old, strangers = count(path, "name = 'Old'"), count(path, "name LIKE 'Eve%'")
    sys.stdout.write(
        f"\n{PAIRS} pairs from {-(-PAIRS // OF_AN_ADDRESS)} addresses: {2 * PAIRS / lasted:.1f} a second, "
        f"{refused} times refused; then {old} of {MAX_PLAYERS - FREE} old people are known, "
        f"and {strangers} strangers, {vouched} of them for good\n"
    )
    assert (old, vouched) == (MAX_PLAYERS - FREE, 0)
    assert strangers < FREE
