"""A server with a long past under each attack at its door: what it costs others, and the disk.

The figures are printed. ``RACING_DEMON_ATTACKED`` names a checkout whose server is attacked in place of this
one's, for those from before a change; nothing is asserted of that.
"""

import asyncio
import json
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.sqlite.database import players_of, results_of
from tests.lab.attacks.doors import DOORS, OTHER, QUICK, Attack, Deeds, Door, fetch
from tests.support.people import play_together
from tests.support.processes import SERVER, Running, started
from tests.support.servers import PATIENCE, Peer, timeout

ATTACKED: Final = os.environ.get("RACING_DEMON_ATTACKED", "")
CHOSEN: Final = os.environ.get("RACING_DEMON_ATTACKS", "").split(",")
SECONDS: Final = float(os.environ.get("RACING_DEMON_DOOR_SECONDS", "20"))
"""So long that one hand, which is paid for when it has ended, is little of what an attack leaves."""
MATCHES: Final = int(os.environ.get("RACING_DEMON_DOOR_MATCHES", "300"))
PEOPLE: Final = 2 * MATCHES
EVENTS: Final = 10 * MATCHES
"""The events of the longest match."""
DAY: Final = 86_400
AT_ONCE: Final = 200e6
"""What an address may fill at once, which was used up before the attacks."""
MAX_OF_DAY: Final = 0.5e9
MAX_PAGE_SECONDS: Final = 0.3
NO_LIMITS: Final = [
    f"--limit={name}={1_000_000}"
    for name in (
        *("commands_per_second", "command_burst", "frames_per_second", "frame_burst", "units_per_connection"),
        *("units_per_address", "units_per_table", "units_per_server"),
    )
]

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.timeout(0),
]


class Suffered(NamedTuple):
    """What an attack has cost.

    Attributes:
        deeds: what was done, a second.
        ping_ms: the pings of others, in milliseconds.
        page_seconds: the longest page of others.
        owed_seconds: the longest page without the time in which other programs had the processor.
        kept: bytes a second.

    """

    deeds: str
    ping_ms: float
    page_seconds: float
    owed_seconds: float
    kept: float


@asynccontextmanager
async def served(module: str, folder: Path, *more: str) -> AsyncIterator[tuple[Running, str]]:
    """Run a server on the journal of a folder."""
    arguments = (
        "--host=127.0.0.1",
        "--port=0",
        f"--journal={folder / 'j.sqlite'}",
        "--standings=open",
        "--list-tables",
        "--limit=ping_seconds=600",  # whoever attacks with a whole processor is late with its answers
        *more,
    )
    here = [f"{ATTACKED}/{part}" for part in ("server", "client", "protocol")] if ATTACKED else []
    with (folder / "log").open("w") as log:
        path = os.pathsep.join([*here, str(Path(__file__).parents[3])])
        async with started(module, *arguments, env={"PYTHONPATH": path}, stderr=log) as server:
            url = (await server.line(r"listening on (\S+)")).group(1)
            yield server, url
            server.stop()
            await server.end()


async def make_past(folder: Path) -> str:
    """Fill a folder with a server's past, and return the path of its longest match's record."""
    async with served(SERVER, folder, *NO_LIMITS) as (_, url):
        async with Peer.connect(url) as ann, Peer.connect(url) as ben:
            await ann.greet()
            await ben.greet()
            await play_together(ann, ben)
        async with Peer.entered(url, cl.Create(name="Eve", options=Options(**QUICK, hands=1))) as eve:
            code, token = eve.code, eve.token
            await play_long(eve)
            link = await link_of(url, code, token)
    with closing(sqlite3.connect(results_of(folder / "j.sqlite"))) as db, db:
        add_matches(db)
    with closing(sqlite3.connect(players_of(folder / "j.sqlite"))) as db, db:
        now = time.time_ns() // 1_000_000
        columns = "id, name, created_ms, seen_ms, has_played, merged_into"
        rows = [(f"zz{number:06}", f"Old {number}", now, now, 1, "") for number in range(PEOPLE - 10)]
        db.executemany(f"INSERT INTO players ({columns}) VALUES (?, ?, ?, ?, ?, ?)", rows)  # noqa: S608
    return f"/v1/matches/{link}/record"


async def play_long(eve: Peer) -> None:
    """Turn the stock again and again, and give up."""
    await eve.ask(cl.Start)
    while eve.view.hand is None or eve.view.phase is not Phase.PLAYING:
        await eve.hear()
    stock = eve.view.hand.rules.layout.stock[0]
    turn = {"source": stock, "count": 1, "destination": stock}
    while eve.view.seq < EVENTS:
        seen = eve.view.seq
        eve.burst([eve.next(cl.PlayCards, seen=seen, **turn) for _ in range(50)])
        last = eve.counter
        while True:
            message: Any = await eve.hear()
            if getattr(message, "counter", None) == last:
                break
    await eve.ask(cl.Stuck)


async def link_of(url: str, code: str, token: str) -> str:
    """Return the link of a table's only match, as soon as it has a result."""
    port = url.rpartition(":")[2].partition("/")[0]
    async with asyncio.timeout(10 * PATIENCE):
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
            lines = (
                f"GET /v1/matches?table={code} HTTP/1.1",
                "Host: 127.0.0.1",
                f"Authorization: Bearer {token}",
                "",
                "",
            )
            writer.write("\r\n".join(lines).encode())
            body = (await reader.read()).partition(b"\r\n\r\n")[2]
            writer.close()
            if found := json.loads(body)["matches"]:
                return str(found[0]["link"])
            await asyncio.sleep(1)


def add_matches(db: sqlite3.Connection) -> None:
    """Add many matches like the one that was played."""
    db.row_factory = sqlite3.Row
    row = dict(db.execute("SELECT * FROM results ORDER BY length(summary) LIMIT 1").fetchone())
    del row["id"]
    for number in range(MATCHES):
        begun = row["started_ms"] - (number + 1) * 600_000
        summary = json.loads(row["summary"]) | {"started_ms": begun, "ended_ms": begun + 60_000}
        changed = {"match": f"{number + 100_000}.0/1", "link": f"L{number:021}", "started_ms": begun}
        values = {**row, **changed, "ended_ms": begun + 60_000, "summary": json.dumps(summary)}
        places = ", ".join(f":{name}" for name in values)
        db.execute(f"INSERT INTO results ({', '.join(values)}) VALUES ({places})", values)  # noqa: S608


def size_of(folder: Path) -> int:
    """Return the bytes of a server's files."""
    return sum(each.stat().st_size for each in folder.iterdir() if each.name.startswith("j"))


async def suffer(attack: Attack, past: Path, folder: Path, record: str) -> Suffered:
    """Attack a server that has a past, and return what others suffer, in processes of their own."""
    shutil.copytree(past, folder)
    before = size_of(folder)
    async with served("tests.lab.attacks.spent", folder) as (server, url):
        async with asyncio.timeout(4 * PATIENCE):
            while (await fetch(url, "/v1/standings", OTHER))[0] != HTTPStatus.OK:
                pass  # the sums are being made
        async with started("tests.lab.attacks.neighbor", url, f"{server.pid}") as neighbor:
            await neighbor.line("^ready$")
            deeds, begun = Deeds(), time.monotonic()
            await timeout(SECONDS + 2 * PATIENCE, attack(Door(url, record, begun + SECONDS), deeds))
            lasted = time.monotonic() - begun
            neighbor.type("")
            figures = (await neighbor.line(r"^(\S+) (\S+) (\S+)$")).groups()
    kept = (size_of(folder) - before) / lasted
    shutil.rmtree(folder)
    did = ", ".join(f"{number / lasted:.1f} {name}" for name, number in deeds.most_common(3))
    ping_ms, page_seconds, owed_seconds = map(float, figures)
    return Suffered(did, ping_ms, page_seconds, owed_seconds, kept)


async def calm(door: Door, _deeds: Deeds) -> None:
    """Leave the server alone."""
    await asyncio.sleep(door.until - time.monotonic())


def chosen() -> list[Attack]:
    """Return the attacks that are wanted."""
    return [each for each in DOORS if CHOSEN == [""] or getattr(each, "__name__", "") in CHOSEN]


async def test_what_strangers_do_costs_others_little(tmp_path: Path) -> None:
    """No page of another address takes much longer than without, and no address fills half a gigabyte a day.

    The time in which other programs have the processor does not count. What other tables wait is printed: it
    depends on all that the machine does besides.
    """
    past = tmp_path / "past"
    past.mkdir()
    record = await make_past(past)
    sys.stdout.write(
        f"\nload {os.getloadavg()[0]:.1f}; {MATCHES} matches, {PEOPLE} people, {EVENTS} events\n"
    )
    sys.stdout.write(f"{'attack':24}{'p99 ping':>10}{'page':>9}{'owed':>9}{'GB a day':>10}  each second\n")
    figures: dict[str, Suffered] = {}
    for attack in (calm, *chosen()):
        name = getattr(attack, "__name__", "?")
        figures[name] = found = await suffer(attack, past, tmp_path / name, record)
        day = (AT_ONCE + found.kept * DAY) / 1e9
        sys.stdout.write(
            f"{name:24}{found.ping_ms:7.1f} ms{found.page_seconds:7.2f} s{found.owed_seconds:7.2f} s"
            f"{day:10.2f}  {found.deeds}\n"
        )
        sys.stdout.flush()
    if not ATTACKED:
        assert too_dear(figures) == {}


def too_dear(figures: Mapping[str, Suffered]) -> dict[str, Suffered]:
    """Return what costs others more than it may."""
    slow = MAX_PAGE_SECONDS + 10 * figures["calm"].owed_seconds
    return {
        name: each
        for name, each in figures.items()
        if each.owed_seconds > slow or AT_ONCE + (each.kept - figures["calm"].kept) * DAY > MAX_OF_DAY
    }
