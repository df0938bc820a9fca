"""Results of a server, in a terminal: its standings, and a match by its link."""

import asyncio
import contextlib
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Devices
from tests.support.journals import play_match
from tests.support.people import SECRETS, challenged, enrolled, link_code, play_alone
from tests.support.restartable_server import RestartableServer
from tests.support.results import get, origin_of, page_with, results_of
from tests.support.servers import Peer
from tests.support.whole_servers import players_command


async def racing_demon(*arguments: str, typed: str = "") -> tuple[int, str, str]:
    """Run the command, and return its exit code and what it printed."""
    command = [sys.executable, "-m", "racing_demon_client", *arguments]
    done = await asyncio.to_thread(subprocess.run, command, input=typed, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


async def test_a_terminal_shows_what_a_server_remembers(tmp_path: Path) -> None:
    """Standings, the proof and the replay of a match come from the server."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(
        journal, "--bot-speed=100", "--standings=open", "--list-tables"
    ) as server:
        await play_match(server.url, bots=3, hands=1)
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 1)
        ((_, name),) = results_of(journal)
        origin = origin_of(server)
        link = f"{origin}/match/{name}"
        code, shown, _ = await players_command("scores", "--server", origin)
        assert (code, shown.count("(hard)"), "matches: 1" in shown) == (0, 3, True)
        code, shown, _ = await players_command("verify", link)
        assert (code, shown.startswith("valid: 1 hand")) == (0, True)
        code, shown, _ = await players_command("replay", link)
        assert (code, "the match is over" in shown) == (0, True)


@pytest.mark.long
async def test_what_a_server_does_not_have_is_said(tmp_path: Path) -> None:
    """Standings without bots, a match that is not there, and a table for other programs."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, "--bot-speed=100", "--standings=open") as server:
        await play_match(server.url, bots=3, hands=1)
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 1)
        ((_, name),) = results_of(journal)
        origin = origin_of(server)
        link = f"{origin}/match/{name}"
        assert (await racing_demon("scores", "--server", origin, "--no-bots"))[1].startswith("No finished")
        code, _, why = await racing_demon("replay", link[:-1] + ("A" if link[-1] != "A" else "B"))
        assert (code, "There is no match at" in why) == (3, True)
        code, _, why = await racing_demon("scores", "--server", origin, "--csv")
        assert (code, "leave out" in why) == (2, True)


@pytest.mark.long
async def test_a_journal_counts_as_its_server_does(tmp_path: Path) -> None:
    """Also after a merge, a correction, and without events; a bare record says that it goes by names."""
    journal, record = tmp_path / "journal.sqlite", tmp_path / "match.jsonl"
    own = f"--journal={journal}"
    async with RestartableServer.started(
        journal, "--bot-speed=100", "--standings=open", "--list-tables"
    ) as server:
        async with Peer.connect(server.url) as first, Peer.connect(server.url) as second:
            ann, ben = await enrolled(first, "Ann", SECRETS[0]), await enrolled(second, "Ben", SECRETS[1])
            for peer, name in ((first, "Ann"), (second, "Cy")):
                await play_alone(peer, name)
        async with Peer.connect(server.url) as guest:
            await challenged(guest)
            await play_alone(guest, "Ann")
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 3)
        await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "racing_demon_server", "players", ben.player, "--into", ann.player, own],
            check=True,
        )
        said = ("--seat", "1", "--points=7", "--why", "a slip", "--name", "Op")
        assert (await racing_demon("record", "correct", "1.1", *said, own))[0] == 0
        found = await page_with(server, "/v1/standings", lambda found: bool(found["corrections"]))
        assert (await racing_demon("record", "export", "all", "--to", str(record), own))[0] == 0
        for _ in range(2):
            counted = json.loads((await racing_demon("scores", "--json", own))[1])
            assert counted["by"] == "player"
            keys = ("bot", "matches", "wins", "hands", "points", "races_won", "races_lost", "streak")
            assert [[row["player"], *map(row.get, keys)] for row in counted["players"]] == [
                [row["name"], *map(row.get, keys)] for row in found["rows"]
            ]
            assert [row["rating"] for row in counted["players"]] == [
                pytest.approx(row["rating"], abs=0.005) for row in found["rows"]
            ]
            await server.stop()
            with contextlib.closing(sqlite3.connect(journal)) as db:
                db.executescript("DELETE FROM events; DELETE FROM corrections; DELETE FROM tables")
    people = [row for row in found["rows"] if not row["bot"]]
    assert [row["matches"] for row in people if row["player"]] == [2]
    assert [row["matches"] for row in people if not row["player"]] == [1]
    bare = json.loads((await racing_demon("scores", "--json", str(record)))[1])
    assert bare["by"] == "name"
    assert [row["matches"] for row in bare["players"] if row["player"] == "Ann"] == [2]
    assert "by their names alone" in (await racing_demon("scores", str(record)))[1]
    assert "by their names alone" not in (await racing_demon("scores", own))[1]


@pytest.mark.long
async def test_a_server_may_show_no_standings(tmp_path: Path) -> None:
    """By default a server shows none, and the command says who decides."""
    async with RestartableServer.started(tmp_path / "journal.sqlite") as server:
        code, _, why = await racing_demon("scores", "--server", server.url.removesuffix("/v1"))
        assert (code, "shows no standings" in why) == (3, True)


async def test_a_terminal_is_a_known_player_by_a_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After ``link``, and once it is trusted, it sees a match of its player, with the chat."""
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path / "state"))
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, "--bot-speed=100", "--standings=players") as server:
        origin = origin_of(server)
        async with Peer.connect(server.url) as phone:
            known = await enrolled(phone, "Ann", SECRETS[0])
            await play_alone(phone, "Ann", says="good evening", spectators=False)
            bearer = {"Authorization": f"Bearer {known.token}"}
            await page_with(server, "/v1/standings", lambda found: found["matches"] == 1, **bearer)
            ((_, name),) = results_of(journal)
            match = ("replay", f"{origin}/match/{name}")
            link = f"{origin}/you#{await link_code(phone)},Ann"
            code, shown, _ = await racing_demon("link", link, typed="y\n")
            assert (code, "a device of Ann now" in shown) == (0, True)
            (added,) = [each.device for each in (await phone.until(Devices)).devices if each.is_new]
            await phone.say(cl.TrustDevice(device=added))
            await phone.until(Devices)
            code, shown, _ = await racing_demon(*match)
            assert (code, "good evening" in shown) == (0, True)


async def test_what_a_server_cannot_use_is_said_and_tables_go_on(tmp_path: Path) -> None:
    """Without players and results it is degraded, which peers and proxies take for well."""
    for name in ("journal-players.sqlite", "journal-results.sqlite"):
        (tmp_path / name).write_text("these are no databases, as after a restore that went wrong")
    async with RestartableServer.started(tmp_path / "journal.sqlite") as server, Peer.hosting(server.url):
        lacking = ["players", "results"]
        health = await page_with(server, "/healthz", lambda found: found.get("lacks") == lacking)
        metrics = (await get(server, "/metrics"))[1].decode()
    assert health == {"status": "degraded", "tables": 1, "lacks": lacking}
    assert re.findall(r'racing_demon_lacking\{what="(\w+)"\} 1\.0', metrics) == lacking
