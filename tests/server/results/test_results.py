"""What a server remembers of its matches: over HTTP, after restarts, kills and corrections."""

import asyncio
import contextlib
import json
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.records.format import Correction, read_records
from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.standings import select_matches, standings
from racing_demon_protocol.records.summary import Summarizer, summarize
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import HandOver, MatchOver
from racing_demon_protocol.wire.options import Options
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import JournalPart, JournalUnusable
from racing_demon_server.journal.matches import export, matches
from racing_demon_server.journal.sqlite.backup import backup
from racing_demon_server.journal.sqlite.database import reading
from racing_demon_server.journal.sqlite.database import results_of as side_files_of
from racing_demon_server.results.file import ResultsFile
from racing_demon_server.results.of_journal import summaries
from tests.support.journals import play_match, put_back
from tests.support.restartable_server import RestartableServer
from tests.support.results import get, page_with, results_of, standings_with, status_of
from tests.support.servers import SHORT, Peer
from tests.support.whole_servers import whole_server

FAST: Final[dict[str, Any]] = {"bot_speed": 100, "standings": StandingsAccess.OPEN, "lists_tables": True}


async def test_a_result_is_made_hand_by_hand(tmp_path: Path) -> None:
    """The first hand of a match that goes on is in the standings, and its players are given its link."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.hosting(server.url, seated=False, hands=2, tally_ms=600_000, **SHORT) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            await host.until(HandOver)
            found = await standings_with(server, 1)
            assert (found["matches"], found["unfinished"]) == (0, 1)
            status, body = await get(
                server, f"/v1/matches?table={host.code}", Authorization=f"Bearer {host.token}"
            )
            (match,) = json.loads(body)["matches"]
            assert (status, match["over"], match["hands"]) == (200, False, 1)
            # What decided the hand names cards: its players may read it at once, others after the match.
            path = f"/v1/matches/{match['link']}/moments"
            status, body = await get(server, path, Authorization=f"Bearer {host.token}")
            (hand,) = json.loads(body)["hands"]
            assert (status, hand["hand"], json.loads(body)["titles"]) == (200, 1, [])
            assert (await get(server, path))[0] == 404
            path = f"/v1/titles?table={host.code}&hand={host.view.commitment}"
            status, body = await get(server, path, Authorization=f"Bearer {host.token}")
            assert (status, json.loads(body)) == (200, {"hands": 0, "points": {}, "titles": []})


async def test_standings_are_those_of_the_records(tmp_path: Path) -> None:
    """Standings, a match's page and its record say what the journal does, also after a restart."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        await play_match(server.url, bots=2, hands=2)
        await standings_with(server, 2)
        await server.stop()
        await server.start()
        found = await standings_with(server, 2)
        assert (found["games"], found["presets"]) == (["classic"], [])
        ((name, link),) = results_of(journal)
        _, body = await get(server, f"/v1/matches/{link}")
        _, record = await get(server, f"/v1/matches/{link}/record")
        moments = f"/v1/matches/{link}/moments"
        _, told = await get(server, moments)
        with contextlib.closing(sqlite3.connect(side_files_of(journal))) as db:
            db.executescript("DELETE FROM hand_notes")  # as after an earlier version
        assert (await get(server, moments))[1] == told
        assert (await get(server, moments))[1] == told
    with reading(journal) as db:
        (match,) = matches(db)
        lines = list(export(db, match))
    assert match.key == name
    assert record.decode() == "".join(f"{line}\n" for line in lines)
    expected = standings(select_matches(summarize(read_records(lines))))
    assert [(row["points"], row["outs"], row["races_won"], row["races_lost"]) for row in found["rows"]] == [
        (row.points, row.outs, row.races_won, row.races_lost) for row in expected.rows
    ]
    (summary,) = summarize(read_records(lines))
    assert json.loads(body)["winners"] == list(summary.winners)
    notes: dict[int, HandNotes] = {}
    summarizer = Summarizer(noting=notes.__setitem__)
    for each in read_records(lines):
        for entry in each.entries:
            summarizer.apply(entry)
    shown = [{"hand": hand, "moments": [list(row) for row in each.moments]} for hand, each in notes.items()]
    assert json.loads(told) == {"hands": shown, "titles": []}  # bots get none
    with ResultsFile(side_files_of(journal)) as file:  # which lacks what was played after a crash
        (result,) = file.ended()
        stale = summary.model_copy(update={"hands": summary.hands[:1]})
        assert file.save(result.journal, result.match, stale, is_over=True, replaces=result.id)
        (counted,) = summaries([JournalPart("", partial(reading, journal), result.journal)], file, None)
    assert counted.hands == result.summary.hands


@pytest.mark.long
async def test_a_correction_changes_the_standings(tmp_path: Path) -> None:
    """A correction by a command counts in the running server's standings; results outlive their events."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        code = await play_match(server.url, bots=2, hands=1)
        before = await standings_with(server, 1)
        ((name, link),) = results_of(journal)
        correction = Correction(at_ms=1, by="Ann", why="a slip", seat=0, hand=None, points=500)
        with reading(journal, write=True) as db:
            db.correct(name, correction.model_dump_json())
        found = await page_with(server, "/v1/standings", lambda found: bool(found["corrections"]))
        total = sum(row["points"] for row in before["rows"])
        assert sum(row["points"] for row in found["rows"]) == total + 500
        assert found["corrections"][0]["why"] == "a slip"
        await server.stop()
        with contextlib.closing(sqlite3.connect(journal)) as db:
            db.executescript("DELETE FROM events; DELETE FROM corrections; DELETE FROM tables")
        await server.start()
        assert (await standings_with(server, 1))["rows"] == found["rows"]
        status, body = await get(server, f"/v1/matches/{link}/record")
        assert (status, b"no record" in body, code in body.decode()) == (410, True, False)


async def test_a_kill_loses_and_doubles_no_result(tmp_path: Path) -> None:
    """Killed right after a match, before its result: the next start makes it, once."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, "--bot-speed=100", "--standings=open") as server:
        for _ in range(2):
            async with Peer.hosting(server.url, seated=False, hands=1, **SHORT) as host:
                for _ in range(2):
                    await host.ask(cl.AddBot, level="hard")
                await host.ask(cl.Start)
                await host.until(MatchOver)
                server.kill()
            await server.start()
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 2)
        assert len(results_of(journal)) == 2


async def test_who_may_not_see_learns_nothing(tmp_path: Path) -> None:
    """Closed standings, guessed links and wrong tokens are answered like pages that do not exist."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, bot_speed=100) as (server, _):
        async with Peer.hosting(server.url, seated=False, hands=1, spectators=False, **SHORT) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            await host.until(MatchOver)
            token = f"Bearer {host.token}"
            path = f"/v1/matches?table={host.code}"
            await page_with(server, path, lambda found: bool(found["matches"]), Authorization=token)
            ((_, link),) = results_of(journal)
            refused = await get(server, f"/v1/matches/{'A' * 22}")
            assert refused[0] == 404
            for path, headers in (
                ("/v1/standings", {}),
                (f"/v1/matches?table={host.code}", {}),
                (f"/v1/matches?table={host.code}", {"Authorization": "Bearer wrong"}),
                (f"/v1/matches/{link}", {}),
                (f"/v1/matches/{link}/record", {"Authorization": "Basic x"}),
                (f"/v1/matches/{link}/moments", {}),
                (f"/v1/titles?table={host.code}&hand={host.view.commitment}", {}),
            ):
                assert await get(server, path, **headers) == refused, path
            assert (await get(server, f"/v1/matches/{link}", Authorization=token))[0] == 200
            assert (await get(server, f"/v1/matches/{link}/record", Authorization=token))[0] == 200


@pytest.mark.parametrize(("lists", "listed"), [(True, False), (False, True)])
async def test_a_link_to_a_result_opens_no_table(tmp_path: Path, lists: bool, listed: bool) -> None:
    """Whoever has it learns no code of a table that no list names, before it is closed."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST | {"lists_tables": lists}) as (server, _):
        options = Options(hands=1, countdown_ms=0, **SHORT)
        create = cl.Create(name="Ann", seated=False, listed=listed, options=options)
        async with Peer.entered(server.url, create) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            await host.until(MatchOver)
            token = {"Authorization": f"Bearer {host.token}"}
            await page_with(server, "/v1/standings", lambda found: found["matches"] == 1)
            ((_, link),) = results_of(tmp_path / "journal.sqlite")
            public = ("/tables.json", "/metrics", "/healthz", "/v1/standings", f"/v1/matches/{link}")
            pages = [await get(server, path) for path in public]
            assert [(status, host.code.encode() in page) for status, page in pages] == [(200, False)] * 5
            assert (await get(server, f"/v1/matches/{link}/record", **token))[0] == 200
            assert (await get(server, f"/v1/matches/{link}/record"))[0] == 403
            # Whoever knows the last hand's commitment has watched it; a code alone may have been guessed.
            titles = f"/v1/titles?table={host.code}"
            for path in (titles, f"{titles}&hand={'0' * 64}"):
                assert (await get(server, path))[0] == 404
            status, body = await get(server, f"{titles}&hand={host.view.commitment}")
            assert (status, json.loads(body)["hands"], json.loads(body)["titles"]) == (200, 1, [])
            for delay_ms in (
                60_000,
                0,
            ):  # spectators haven't seen it yet, nor have they when the host lowers it
                await host.ask(cl.SetOptions, options=options.model_copy(update={"watch_delay_ms": delay_ms}))
                assert (await get(server, f"{titles}&hand={host.view.commitment}"))[0] == 404


async def test_what_no_store_can_hold_is_not_looked_for(tmp_path: Path) -> None:
    """Texts that are no codes and no names, and times that are none, are answered as the asker's fault."""
    asked = {
        "/v1/matches?table=A%00B": 404,
        "/v1/matches?table=%ED%A0%80": 404,
        "/v1/standings?game=A%00": 400,
        "/v1/standings?preset=%1B": 400,
        f"/v1/standings?since_ms={10**30}": 400,
        f"/v1/standings?until_ms=-{10**30}": 400,
    }
    async with whole_server(tmp_path / "journal.sqlite", **FAST) as (server, _):
        token = "Bearer " + "0f" * 32
        assert asked == {path: (await get(server, path, Authorization=token))[0] for path in asked}


@pytest.mark.long
async def test_old_matches_are_pruned(tmp_path: Path) -> None:
    """With --keep-matches the server deletes the events of old matches by itself; results remain."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        for _ in range(2):  # the newest table stays
            await play_match(server.url, bots=2, hands=1)
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 2)
        links = dict(results_of(journal))
        await server.stop()
    with contextlib.closing(sqlite3.connect(journal)) as db, db:
        db.execute("UPDATE tables SET closed_ms = 1")
        db.execute("UPDATE events SET at_ms = 1")
    async with whole_server(journal, **FAST, keep_days=1) as (server, _):
        link = links[min(links)]
        await status_of(server, f"/v1/matches/{link}/record", 410)
        assert (await get(server, f"/v1/matches/{link}"))[0] == 200
        assert (await standings_with(server, 1))["matches"] == 2


async def test_a_copy_has_the_results(tmp_path: Path) -> None:
    """A backup has the results, and a server that continues from it shows them; none is overwritten."""
    journal, copy, other = (tmp_path / f"{name}.sqlite" for name in ("journal", "copy", "other"))
    async with whole_server(journal, **FAST) as (server, _):
        await play_match(server.url, bots=2, hands=1)
        before = await page_with(server, "/v1/standings", lambda found: found["matches"] == 1)
        await asyncio.to_thread(backup, journal, copy)
    put_back(copy, other)
    async with whole_server(other, **FAST) as (server, _):
        assert (await standings_with(server, 1))["rows"] == before["rows"]
        assert results_of(other) == results_of(journal)
        await server.stop()
    other.unlink()
    with pytest.raises(JournalUnusable, match=r"other-results\.sqlite is there already"):
        put_back(copy, other)


async def test_one_address_leaves_room_for_others(tmp_path: Path) -> None:
    """Whoever asks for much at once is refused some of it, and is answered again afterwards."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        found = await asyncio.gather(*(get(server, "/v1/standings") for _ in range(20)))
        assert {status for status, _ in found} == {200, 429}
        assert (await get(server, "/v1/standings"))[0] == 200
