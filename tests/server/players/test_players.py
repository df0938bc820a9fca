"""Players whom a server remembers: over the wire, after restarts, and in its results."""

import asyncio
import contextlib
import json
import logging
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.records.format import read_records
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.capabilities import FORGETS, REMEMBERS, announced
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import CaughtUp, Challenge, Devices, Identified, Refused
from racing_demon_protocol.wire.player_proof import secret_hash
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.sqlite.database import players_of
from tests.support.brokers import Broker, Listening
from tests.support.effort import usually
from tests.support.people import (
    SECRETS,
    answer,
    challenged,
    enrolled,
    link_code,
    linked,
    play_alone,
    play_together,
)
from tests.support.ports import free_port
from tests.support.receivers import Receiver, secret_file
from tests.support.restartable_server import RestartableServer
from tests.support.results import HasUrl, get, get_tagged, page_with, results_of
from tests.support.servers import PATIENCE, Peer
from tests.support.whole_servers import operate, whole_server

WORDS: Final = [word for text in (b"Annabel", b"Bananas") for word in (text.decode(), text.hex().upper())]
"""In a dump bytes are hexadecimal."""
FAR: Final = {"X-Forwarded-For": "203.0.113.7"}
FAST: Final[dict[str, Any]] = {"bot_speed": 100, "standings": StandingsAccess.OPEN}
PLAYERS: Final[dict[str, Any]] = FAST | {"standings": StandingsAccess.PLAYERS}


def host_of(server: HasUrl) -> str:
    """Return the host and port of a server."""
    return server.url.split("/")[2]


def has_matches(number: int, found: dict[str, Any]) -> bool:
    """Return whether the standings have so many matches."""
    return bool(found["matches"] == number)


def has_ended(found: dict[str, Any]) -> bool:
    """Return whether the newest match of a table has ended."""
    return any(match["over"] for match in found["matches"])


async def test_a_player_is_known_after_a_restart(tmp_path: Path) -> None:
    """The same device is the same player in two matches, under another name; standings have one row."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        known: Identified | None = None
        for number, name in enumerate(("Ann", "Anna")):
            async with Peer.connect(server.url) as peer:
                if known is None:
                    known = await enrolled(peer, name, SECRETS[0])
                else:
                    challenge = await challenged(peer)
                    await peer.say(answer(challenge, known, SECRETS[0], host_of(server)))
                    assert (await peer.until(Identified)).player == known.player
                await play_alone(peer, name)
            await page_with(server, "/v1/standings", partial(has_matches, number + 1))
            await server.stop()
            await server.start()
        _, body = await get(server, "/v1/standings?people=1")
        (row,) = json.loads(body)["rows"]
        assert known is not None
        assert (row["name"], row["matches"], row["player"]) == ("Ann", 2, known.player)


async def test_wrong_proofs_are_refused(tmp_path: Path) -> None:
    """An overheard proof, one for another address, and a guess are refused alike; guests play on."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST) as (server, _):
        async with Peer.connect(server.url) as peer:
            known = await enrolled(peer, "Ann", SECRETS[0])
        async with Peer.connect(server.url) as peer:
            overheard = answer(await challenged(peer), known, SECRETS[0], host_of(server))
        async with Peer.connect(server.url) as peer:
            challenge = await challenged(peer)
            for wrong in (
                overheard,
                answer(challenge, known, SECRETS[0], "evil.example:80"),
                answer(challenge, known, SECRETS[1], host_of(server)),
            ):
                assert await peer.refusal(wrong) is Reason.BAD_TOKEN
            nobody = answer(challenge, known.model_copy(update={"device": 99}), SECRETS[0], host_of(server))
            assert await peer.refusal(nobody) is Reason.UNKNOWN_PLAYER


@pytest.mark.parametrize("way", ["nothing", "a proxy", "an address"])
async def test_a_proof_for_plain_ws_is_worth_nothing_where_wss_is_dialled(tmp_path: Path, way: str) -> None:
    """Somebody on the network who answers for ws:// would pass it on; where nothing tells, both are right."""
    port = free_port()
    named = (f"wss://127.0.0.1:{port}",) if way == "an address" else ()
    headers = {"X-Forwarded-Proto": "https"} if way == "a proxy" else {}
    settings = FAST | {"port": port, "public_urls": named}
    async with whole_server(tmp_path / "journal.sqlite", **settings) as (server, _):
        connected = partial(Peer.connect, server.url, additional_headers=headers)
        async with connected() as peer:
            known = await enrolled(peer, "Ann", SECRETS[0])
        for scheme, is_right in (("ws", way == "nothing"), ("wss", True)):
            async with connected() as peer:
                challenge = await challenged(peer)
                await peer.say(answer(challenge, known, SECRETS[0], host_of(server), scheme))
                await peer.until(Identified if is_right else Refused)


async def test_an_older_program_is_told_to_update(tmp_path: Path) -> None:
    """What it would prove is not believed, so it becomes nobody new either; it plays as a guest."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST) as (server, _):
        async with Peer.connect(server.url) as peer:
            known = await enrolled(peer, "Ann", SECRETS[0])
        async with Peer.connect(server.url) as older:
            await older.greet(announced("older", REMEMBERS, FORGETS))
            challenge = await older.until(Challenge)
            for request in (
                answer(challenge, known, SECRETS[0], host_of(server)),
                cl.Enroll(name="Ann", secret=SECRETS[1]),
                cl.Link(name="Ann", code="BCDFGH", secret=SECRETS[1]),
            ):
                await older.say(request)
                refused = await older.until(Refused)
                assert refused.reason is Reason.BAD_TOKEN
                assert "update" in refused.text
            await older.enter(cl.Create(name="Ann"))


async def test_a_strangers_wrong_codes_keep_nobody_from_linking(tmp_path: Path) -> None:
    """Though the stranger knows the name, and tries until the server refuses that address everything."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST) as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as tablet:
            known = await enrolled(phone, "Ann", SECRETS[0])
            code = await link_code(phone)
            async with Peer.connect(server.url, additional_headers=FAR) as stranger:
                await challenged(stranger)
                guess = cl.Link(name="Ann", code="BCDFGH", secret=SECRETS[1])
                while await stranger.refusal(guess) is not Reason.TOO_FAST:
                    pass
            await challenged(tablet)
            await tablet.say(cl.Link(name="Ann", code=code, secret=SECRETS[2]))
            assert (await tablet.until(Identified)).player == known.player


async def test_others_guesses_refuse_nobody_who_has_nothing_to_guess(tmp_path: Path) -> None:
    """Behind one address: a new player, and a device with the right proof, after wrong words and codes."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST, miss_burst=2, misses_per_minute=0.001) as (
        server,
        _,
    ):
        connected = partial(Peer.connect, server.url, additional_headers=FAR)
        async with connected() as guesser:
            await challenged(guesser)
            word = cl.Join(code="BCDFGHJK", name="Eve")
            code = cl.Link(name="Ann", code="BCDFGH", secret=SECRETS[1])
            for guess, reason in ((word, Reason.UNKNOWN_TABLE), (code, Reason.BAD_TOKEN)):
                answers = [await guesser.refusal(guess) for _ in range(3)]
                assert answers == [reason, reason, Reason.TOO_FAST]
        async with connected() as friend:
            known = await enrolled(friend, "Ann", SECRETS[0])
        async with connected() as friend:
            await friend.say(answer(await challenged(friend), known, SECRETS[0], host_of(server)))
            assert (await friend.until(Identified)).player == known.player


async def test_an_address_makes_so_many_players_a_day(tmp_path: Path) -> None:
    """Another one is refused, and plays as a guest; who is known there is known, and others become so."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST, players_per_day=2) as (server, _):
        for number, name in enumerate(("Ann", "Ben")):
            async with Peer.connect(server.url, additional_headers=FAR) as peer:
                known = await enrolled(peer, name, SECRETS[number])
        async with Peer.connect(server.url, additional_headers=FAR) as third:
            await challenged(third)
            assert await third.refusal(cl.Enroll(name="Cay", secret=SECRETS[2])) is Reason.TOO_FAST
            await third.enter(cl.Create(name="Cay"))
        async with Peer.connect(server.url, additional_headers=FAR) as ben:
            await ben.say(answer(await challenged(ben), known, SECRETS[1], host_of(server)))
            assert (await ben.until(Identified)).player == known.player
        async with Peer.connect(server.url, additional_headers={"X-Forwarded-For": "198.51.100.5"}) as peer:
            assert (await enrolled(peer, "Cay", SECRETS[2])).name == "Cay"


async def test_two_who_finish_a_hand_together_are_kept(tmp_path: Path) -> None:
    """Whoever plays against bots alone has played with nobody, and makes room first."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as host, Peer.connect(server.url) as guest:
            ann, ben = await enrolled(host, "Ann", SECRETS[0]), await enrolled(guest, "Ben", SECRETS[1])
            await play_together(host, guest)
        async with Peer.connect(server.url) as alone:
            await enrolled(alone, "Cay", SECRETS[2])
            await play_alone(alone, "Cay")
        await page_with(server, "/v1/standings", partial(has_matches, 2))
    with contextlib.closing(sqlite3.connect(players_of(journal))) as db:
        kept = {player for (player,) in db.execute("SELECT id FROM players WHERE has_played = 1")}
    assert kept == {ann.player, ben.player}


async def test_another_device_is_linked_and_removed(tmp_path: Path) -> None:
    """A code links a tablet; the phone is shown the tablet and removes it; then nobody knows it."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST) as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as tablet:
            known = await enrolled(phone, "Ann", SECRETS[0])
            code = await link_code(phone)
            await challenged(tablet)
            await tablet.say(cl.Link(name="ann", code=code, secret=SECRETS[1], device="tablet"))
            added = await tablet.until(Identified)
            assert (added.player, added.name) == (known.player, "Ann")
            shown = await phone.until(Devices)
            assert [(each.label, each.is_new) for each in shown.devices] == [
                ("a test", False),
                ("tablet", True),
            ]
            await tablet.say(cl.ListDevices(with_code=True))
            assert (await tablet.until(Refused)).reason is Reason.NOT_NOW
            await phone.say(cl.RemoveDevice(device=added.device))
            assert [each.label for each in (await phone.until(Devices)).devices] == ["a test"]
        async with Peer.connect(server.url) as tablet:
            await tablet.say(answer(await challenged(tablet), added, SECRETS[1], host_of(server)))
            assert (await tablet.until(Refused)).reason is Reason.UNKNOWN_PLAYER


async def test_an_older_device_lets_a_new_one_change_things(tmp_path: Path) -> None:
    """A linked tablet can rename nobody, and not trust itself; once the phone trusts it, it can."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST) as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as tablet:
            await enrolled(phone, "Ann", SECRETS[0])
            added = await linked(phone, tablet)
            changes = cl.Rename(name="Eve"), cl.RemoveDevice(device=1), cl.ListDevices(with_code=True)
            for change in (*changes, cl.TrustDevice(device=added.device)):
                assert await tablet.refusal(change) is Reason.NOT_NOW
            async with Peer.connect(server.url) as stranger:
                await enrolled(stranger, "Eve", SECRETS[2])
                assert await stranger.refusal(cl.TrustDevice(device=added.device)) is Reason.NOT_NOW
            await phone.until(Devices)
            await phone.say(cl.TrustDevice(device=added.device))
            assert [each.is_new for each in (await phone.until(Devices)).devices] == [False, False]
            await tablet.say(cl.Rename(name="Anna"))
            assert (await tablet.until(Identified)).name == "Anna"


async def test_secrets_are_kept_from_everybody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """No secret, hash, token or code is in the journal, the results or the log; the file is its owner's."""
    journal = tmp_path / "journal.sqlite"
    caplog.set_level(logging.DEBUG)
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as peer:
            known = await enrolled(peer, "Ann", SECRETS[0])
            code = await link_code(peer)
            await play_alone(peer, "Ann")
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 1)
        await server.stop()
    players = journal.with_stem("journal-players")
    assert players.stat().st_mode & 0o077 == 0
    hidden = [SECRETS[0].encode(), bytes.fromhex(SECRETS[0]), secret_hash(SECRETS[0])]
    hidden += [secret_hash(SECRETS[0]).hex().encode(), known.token.encode(), code.encode()]
    for path in tmp_path.iterdir():
        if not path.name.startswith(players.name):
            assert [word for word in hidden if word in path.read_bytes()] == [], path
    assert [word for word in hidden if word in caplog.text.encode()] == []


async def players(journal: Path, *arguments: str) -> str:
    """Run the operator's command for players, and return what it printed."""
    ended = await operate(journal, "players", *arguments)
    assert ended.code == 0, ended.err
    return ended.out


@pytest.mark.long
async def test_the_operator_merges_and_forgets(tmp_path: Path) -> None:
    """Two players become one in standings of the past; a player who is forgotten is a former one."""
    journal = tmp_path / "journal.sqlite"

    async with whole_server(journal, **FAST) as (server, _):
        known = []
        for number, name in enumerate(("Ann", "Annie")):
            async with Peer.connect(server.url) as peer:
                known.append(await enrolled(peer, name, SECRETS[number]))
                await play_alone(peer, name)
        await page_with(server, "/v1/standings", partial(has_matches, 2))
        assert len(json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]) == 2
        ann, annie = (each.player for each in known)
        assert await players(journal, annie, "--into", ann) == "done\n"
        (row,) = json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]
        assert (row["name"], row["matches"], row["player"]) == ("Ann", 2, ann)
        async with Peer.connect(server.url) as peer:
            await peer.say(answer(await challenged(peer), known[1], SECRETS[1], host_of(server)))
            assert (await peer.until(Identified)).player == ann
        await players(journal, ann, "--forget")
        (row, *_) = json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]
        assert row["name"] == "A former player"
        assert (await players(journal)).strip() == "no players are remembered"


async def test_the_operator_clears_by_age_and_by_use(tmp_path: Path) -> None:
    """Who was away for long, and played with nobody, is forgotten; who played, only if that is asked for."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        known = []
        for number, name in enumerate(("Ann", "Ben", "Cay")):
            async with Peer.connect(server.url) as peer:
                known.append((await enrolled(peer, name, SECRETS[number])).player)
        ann, _, cay = known
        with contextlib.closing(sqlite3.connect(players_of(journal))) as db, db:
            db.execute("UPDATE players SET seen_ms = seen_ms - 100 * 86400000 WHERE id <> ?", [cay])
            db.execute("UPDATE players SET has_played = 1 WHERE id = ?", [ann])
        assert await players(journal, "--clear", "90d") == "1 player forgotten\n"
        left = [json.loads(line)["id"] for line in (await players(journal, "--json")).splitlines()]
        assert sorted(left) == sorted([ann, cay])
        assert await players(journal, "--clear", "90d", "--played") == "1 player forgotten\n"
        assert json.loads(await players(journal, "--json"))["id"] == cay


async def test_the_operator_lets_a_device_in(tmp_path: Path) -> None:
    """With the operator's code a new device is a player's whose old one is gone; it works once, or never."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as phone:
            known = await enrolled(phone, "Ann", SECRETS[0])
        said = json.loads(await players(journal, known.player, "--code", "--json"))
        assert await players(journal, known.player, "--end-code") == "done\n"
        async with Peer.connect(server.url) as late:
            await challenged(late)
            link = cl.Link(name=said["name"], code=said["code"], secret=SECRETS[1])
            assert await late.refusal(link) is Reason.BAD_TOKEN
        said = json.loads(await players(journal, known.player, "--code", "--json"))
        async with Peer.connect(server.url) as first, Peer.connect(server.url) as second:
            for peer, secret in ((first, SECRETS[1]), (second, SECRETS[2])):
                await challenged(peer)
                await peer.say(cl.Link(name=said["name"], code=said["code"], secret=secret))
            assert (await first.until(Identified)).player == known.player
            assert (await second.until(Refused)).reason is Reason.BAD_TOKEN


@pytest.mark.long
async def test_the_operator_splits_who_was_merged(tmp_path: Path) -> None:
    """Ann and Ben were merged by mistake, and played on: each has all matches of their own device again."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as first, Peer.connect(server.url) as second:
            ann, ben = await enrolled(first, "Ann", SECRETS[0]), await enrolled(second, "Ben", SECRETS[1])
            await play_alone(second, "Ben")
            await page_with(server, "/v1/standings", partial(has_matches, 1))
            await players(journal, ben.player, "--into", ann.player)
        async with Peer.connect(server.url) as first, Peer.connect(server.url) as second:
            for peer, known, secret in ((first, ann, SECRETS[0]), (second, ben, SECRETS[1])):
                await peer.say(answer(await challenged(peer), known, secret, host_of(server)))
                assert (await peer.until(Identified)).player == ann.player
                await play_alone(peer, known.name)
        await page_with(server, "/v1/standings", partial(has_matches, 3))
        assert ben.player in await players(journal, ben.player, "--split")
        await server.stop()
        await server.start()
        for known, matches in ((ann, 1), (ben, 2)):
            page = f"/v1/players/{known.player}"
            await page_with(server, page, lambda found, own=matches: found["row"]["matches"] == own)  # type: ignore[misc]
        said = await players(journal, ben.player, "--split", str(ben.device))
        others = {ann.player, ben.player, ""}

        def has_row(found: dict[str, Any]) -> bool:
            return bool(({each["player"] for each in found["rows"]} - others) & set(said.split()))

        await page_with(server, "/v1/standings?people=1", has_row)


@pytest.mark.long
async def test_the_operator_undoes_a_wrong_confirmation(tmp_path: Path) -> None:
    """Who was taken for Ann loses the device and the matches; Ann keeps hers, also after a restart."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as stranger:
            known = await enrolled(phone, "Ann", SECRETS[0])
            await challenged(stranger)
            code = await link_code(phone)
            await stranger.say(cl.Link(name="Ann", code=code, secret=SECRETS[1], device="hers?"))
            wrong = await stranger.until(Identified)
            await phone.until(Devices)
            await play_alone(phone, "Ann")
            await play_alone(stranger, "Mallory")
        await page_with(server, "/v1/standings", partial(has_matches, 2))
        ann = f"/v1/players/{known.player}"
        assert json.loads((await get(server, ann))[1])["row"]["matches"] == 2
        assert f"{wrong.device}" in (await players(journal, known.player)).split()
        assert await players(journal, known.player, "--undo", str(wrong.device)) == "done\n"
        for _ in range(2):
            found = await page_with(server, ann, lambda page: page["row"]["matches"] == 1)
            assert len(found["matches"]) == 1
            standings = json.loads((await get(server, "/v1/standings?people=1"))[1])
            assert {row["name"]: row["matches"] for row in standings["rows"]} == {
                "Ann": 1,
                "A former player": 1,
            }
            await server.stop()
            await server.start()
        async with Peer.connect(server.url) as peer:
            await peer.say(answer(await challenged(peer), wrong, SECRETS[1], host_of(server)))
            assert (await peer.until(Refused)).reason is Reason.UNKNOWN_PLAYER


async def test_a_tables_host_confirms_nobody(tmp_path: Path) -> None:
    """Who hosts Ann's table gets codes for their own devices only: none lets anybody be Ann."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST) as (server, _):
        async with Peer.connect(server.url) as eve, Peer.connect(server.url) as ann:
            await enrolled(eve, "Eve", SECRETS[0])
            place = await eve.enter(cl.Create(name="Eve"))
            await enrolled(ann, "Ann", SECRETS[1])
            await ann.enter(cl.Join(code=place.code, name="Ann"))
            code = await link_code(eve)
            assert code
            async with Peer.connect(server.url) as phone:
                await challenged(phone)
                guess = cl.Link(name="Ann", code=code, secret=SECRETS[2])
                assert await phone.refusal(guess) is Reason.BAD_TOKEN


async def test_a_player_sees_what_was_private(tmp_path: Path) -> None:
    """A match without spectators is shown to its player after the table is left, and to no other one."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as ann, Peer.connect(server.url) as ben:
            known, stranger = await enrolled(ann, "Ann", SECRETS[0]), await enrolled(ben, "Ben", SECRETS[1])
            await play_alone(ann, "Ann", spectators=False)
            await ann.ask(cl.Leave)
            await page_with(server, "/v1/standings", partial(has_matches, 1))
            ((_, link),) = results_of(journal)
            for token, status in ((known.token, 200), (stranger.token, 404), ("", 404)):
                for path in (f"/v1/matches/{link}", f"/v1/matches/{link}/record"):
                    assert (await get(server, path, Authorization=f"Bearer {token}"))[0] == status


async def test_a_casual_match_counts_nowhere(tmp_path: Path) -> None:
    """It is in no standings and on no player's page; its own remains, and its players know each other."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **PLAYERS) as (server, _):
        async with (
            Peer.connect(server.url) as ann,
            Peer.connect(server.url) as ben,
            Peer.connect(server.url) as cat,
        ):
            anns, bens = await enrolled(ann, "Ann", SECRETS[0]), await enrolled(ben, "Ben", SECRETS[1])
            await play_together(ann, ben, casual=True)
            seat = {"Authorization": f"Bearer {ann.token}"}
            listed = await page_with(server, f"/v1/matches?table={ann.code}", has_ended, **seat)
            cats = await enrolled(cat, "Cat", SECRETS[2])
            async with Peer.connect(server.url) as again:
                await again.say(answer(await challenged(again), bens, SECRETS[1], host_of(server)))
                await again.until(Identified)
                await play_together(again, cat)
        (match,) = listed["matches"]
        assert match["casual"]
        shown = json.loads((await get(server, f"/v1/matches/{match['link']}"))[1])
        assert (shown["summary"]["casual"], len(shown["winners"])) == (True, 2)
        bearer = {"Authorization": f"Bearer {anns.token}"}
        found = await page_with(server, "/v1/standings", partial(has_matches, 1), **bearer)
        assert [(row["player"], row["matches"]) for row in found["rows"]] == [(bens.player, 1)]
        assert found["casual"] == 1
        page = json.loads((await get(server, f"/v1/players/{bens.player}", **bearer))[1])
        assert (len(page["matches"]), len(page["ratings"])) == (1, 1)
        for hidden in (anns.player, cats.player):
            assert (await get(server, f"/v1/players/{hidden}", **bearer))[0] == 404


async def test_players_see_whom_they_have_played_with(tmp_path: Path) -> None:
    """Who has finished a match with Ann sees her row and page; a stranger and a guest see nothing of her."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **PLAYERS) as (server, _):
        async with Peer.connect(server.url) as ann, Peer.connect(server.url) as ben:
            players = await enrolled(ann, "Ann", SECRETS[0]), await enrolled(ben, "Ben", SECRETS[1])
            await play_together(ann, ben)
        async with Peer.connect(server.url) as cat, Peer.connect(server.url) as ben:
            cats = await enrolled(cat, "Cat", SECRETS[2])
            await ben.say(answer(await challenged(ben), players[1], SECRETS[1], host_of(server)))
            await ben.until(Identified)
            await play_together(cat, ben)
        ids = {each.player for each in players}
        both = {players[1].player, cats.player}
        for known, seen in ((players[0], ids), (players[1], ids | both), (cats, both)):
            bearer = {"Authorization": f"Bearer {known.token}"}
            found = await page_with(server, "/v1/standings", partial(has_matches, 2), **bearer)
            assert {row["player"] for row in found["rows"]} == seen
        bearer = {"Authorization": f"Bearer {players[0].token}"}
        bens = await page_with(server, f"/v1/players/{players[1].player}", bool, **bearer)
        assert [match["against"] for match in bens["matches"]] == [["Another player"], ["Ann"]]
        hidden = await get(server, f"/v1/players/{cats.player}", **bearer)
        assert hidden == await get(server, "/v1/players/23456789", **bearer)  # trying ids tells nothing
        assert hidden[0] == 404
        for path in ("/v1/standings", f"/v1/players/{players[0].player}"):
            for headers in ({}, {"Authorization": f"Bearer {'0' * len(cats.token)}"}):
                assert (await get(server, path, **headers))[0] == 404


@pytest.mark.long
async def test_who_sees_standings_where_nobody_has_chosen(tmp_path: Path) -> None:
    """A host's server shows them to players, a public one to nobody."""
    for path, flags, status in (("home", ("--until-table-ends=NONE",), 200), ("public", (), 404)):
        async with RestartableServer.started(tmp_path / f"{path}.sqlite", *flags) as server:
            async with Peer.connect(server.url) as peer:
                known = await enrolled(peer, "Ann", SECRETS[0])
            assert (await get(server, "/v1/standings"))[0] == 404
            bearer = {"Authorization": f"Bearer {known.token}"}
            assert (await get(server, "/v1/standings", **bearer))[0] == status


@pytest.mark.parametrize("by", ["the phone", "the operator"])
async def test_an_added_device_sees_what_a_guest_sees(tmp_path: Path, by: str) -> None:
    """No standings, page, match, chat or device of Ann's, until her phone or the operator trusts it."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **PLAYERS) as (server, _):
        async with (
            Peer.connect(server.url) as phone,
            Peer.connect(server.url) as tablet,
            Peer.connect(server.url) as ben,
        ):
            known = await enrolled(phone, "Ann", SECRETS[0])
            await enrolled(ben, "Ben", SECRETS[2])
            await play_together(phone, ben, spectators=False)
            bearer = {"Authorization": f"Bearer {known.token}"}
            await page_with(server, "/v1/standings", partial(has_matches, 1), **bearer)
            ((_, link),) = results_of(journal)
            added = await linked(phone, tablet)
            await phone.until(Devices)
            pages = [
                "/v1/standings",
                f"/v1/players/{known.player}",
                "/v1/you",
                f"/v1/matches/{link}",
                f"/v1/matches/{link}/record",
            ]
            as_tablet = {"Authorization": f"Bearer {added.token}"}
            as_guest = [await get(server, page) for page in pages]
            assert [await get(server, page, **as_tablet) for page in pages] == as_guest
            await tablet.say(cl.ListDevices())
            assert [each.device for each in (await tablet.until(Devices)).devices] == [added.device]
            if by == "the phone":
                await phone.say(cl.TrustDevice(device=added.device))
                await phone.until(Devices)
            else:
                assert await players(journal, known.player, "--trust", str(added.device)) == "done\n"
            as_phone = [await get(server, page, **bearer) for page in pages]
            assert [await get(server, page, **as_tablet) for page in pages] == as_phone
            assert [status for status, _ in as_phone] == [200] * len(pages)
            await tablet.say(cl.ListDevices())
            assert [each.is_new for each in (await tablet.until(Devices)).devices] == [False, False]


async def test_a_code_that_is_held_ends_with_its_connection(tmp_path: Path) -> None:
    """Whoever looks at a code keeps it over the time for entering; after a look away it lets nobody in."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST, entry_seconds=3) as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as idle:
            known = await enrolled(phone, "Ann", SECRETS[0])
            await phone.say(cl.ListDevices(with_code=True, held=True))
            code = (await phone.until(Devices)).code
            await challenged(idle)
            assert (await idle.closed()).code == CloseCode.TOO_LATE
            async with Peer.connect(server.url) as tablet:
                await challenged(tablet)
                await tablet.say(cl.Link(name="Ann", code=code, secret=SECRETS[1]))
                assert (await tablet.until(Identified)).player == known.player
            await phone.until(Devices)
        async with Peer.connect(server.url) as phone:
            await phone.say(answer(await challenged(phone), known, SECRETS[0], host_of(server)))
            await phone.until(Identified)
            await phone.say(cl.ListDevices(with_code=True, held=True))
            code = (await phone.until(Devices)).code
        async with Peer.connect(server.url) as laptop:
            await challenged(laptop)
            link = cl.Link(name="Ann", code=code, secret=SECRETS[2])
            assert await laptop.refusal(link) is Reason.BAD_TOKEN


async def test_a_device_learns_at_its_next_table_of_one_that_was_added(tmp_path: Path) -> None:
    """Ann's phone was away when a tablet was linked by the operator's code; the tablet is told nothing."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as phone:
            known = await enrolled(phone, "Ann", SECRETS[0])
        said = json.loads(await players(journal, known.player, "--code", "--json"))
        async with Peer.connect(server.url) as tablet:
            await challenged(tablet)
            await tablet.say(cl.Link(name="Ann", code=said["code"], secret=SECRETS[1], device="tablet"))
            await tablet.until(Identified)
            place = await tablet.enter(cl.Create(name="Ann"))
        async with Peer.connect(server.url) as phone:
            await phone.say(answer(await challenged(phone), known, SECRETS[0], host_of(server)))
            await phone.until(Identified)
            await phone.enter(cl.Watch(code=place.code))
            shown = await phone.until(Devices)
            assert [(each.label, each.is_new) for each in shown.devices] == [
                ("a test", False),
                ("tablet", True),
            ]


async def test_a_player_has_one_seat_at_a_table(tmp_path: Path) -> None:
    """Ann's tablet gets no second seat beside her phone's, also after a restart; then her place is free."""
    async with whole_server(tmp_path / "journal.sqlite", **FAST) as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as tablet:
            known = await enrolled(phone, "Ann", SECRETS[0])
            place = await phone.enter(cl.Create(name="Ann"))
            added = await linked(phone, tablet)
            join = cl.Join(code=place.code, name="Annie")
            assert await tablet.refusal(join) is Reason.NOT_NOW
        await server.stop()
        await server.start()
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as tablet:
            await phone.say(answer(await challenged(phone), known, SECRETS[0], host_of(server)))
            await phone.until(Identified)
            await phone.enter(cl.Resume(code=place.code, token=place.token))
            await tablet.say(answer(await challenged(tablet), added, SECRETS[1], host_of(server)))
            await tablet.until(Identified)
            assert await tablet.refusal(join) is Reason.NOT_NOW
            await phone.until(CaughtUp)
            await phone.ask(cl.Leave)
            await tablet.enter(join)


async def test_a_name_that_the_operator_gave_outlasts_a_seat(tmp_path: Path) -> None:
    """A device that still says the old name at a table renames nobody; its player's own request does."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as ann:
            known = await enrolled(ann, "Ann", SECRETS[0])
        await players(journal, known.player, "--name", "Anna")
        async with Peer.connect(server.url) as ann:
            await ann.say(answer(await challenged(ann), known, SECRETS[0], host_of(server)))
            assert (await ann.until(Identified)).name == "Anna"
            await play_alone(ann, "Ann")
            await page_with(server, "/v1/standings", partial(has_matches, 1))
            (row,) = json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]
            assert row["name"] == "Anna"
            await ann.say(cl.Rename(name=" An  Na "))
            assert (await ann.until(Identified)).name == "An Na"
            (row,) = json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]
            assert row["name"] == "An Na"


async def test_a_page_that_was_kept_is_sent_again_when_a_name_has_changed(tmp_path: Path) -> None:
    """Of a match's page and of the list of a table's matches; otherwise what the browser has is enough."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _), Peer.connect(server.url) as ann:
        known = await enrolled(ann, "Annabel", SECRETS[0])
        await play_alone(ann, "Annabel")
        await page_with(server, "/v1/standings", partial(has_matches, 1))
        ((_, link),) = results_of(journal)
        bearer = {"Authorization": f"Bearer {ann.place.token}"}
        for path in (f"/v1/matches/{link}", f"/v1/matches?table={ann.code}"):
            _, tag, _ = await get_tagged(server, path, **bearer)
            kept = {"If-None-Match": tag, **bearer}
            assert await get(server, path, **kept) == (304, b"")
            await players(journal, known.player, "--name", f"Ann of {path[-8:]}")
            status, body = await get(server, path, **kept)
            assert (status, b"Ann of" in body) == (200, True)


async def test_a_record_names_no_former_player(tmp_path: Path) -> None:
    """Once Ann is forgotten, the record has neither her name nor her words, and still verifies."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as ann:
            known = await enrolled(ann, "Annabel", SECRETS[0])
            await play_alone(ann, "Annabel", says="Bananas!")
            await page_with(server, "/v1/standings", partial(has_matches, 1))
            ((_, link),) = results_of(journal)
            bearer = {"Authorization": f"Bearer {ann.place.token}"}
            before = (await get(server, f"/v1/matches/{link}/record", **bearer))[1]
            assert [word in before for word in (b"Annabel", b"Bananas")] == [True, True]
            await players(journal, known.player, "--forget")
            after = (await get(server, f"/v1/matches/{link}/record", **bearer))[1]
            rows = json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]
        assert [row["name"] for row in rows] == ["A former player"]  # though the record was asked for first
        assert b"A former player" in after
        assert [word in after for word in (b"Annabel", b"Bananas")] == [False, False]
        (record,) = read_records(after.decode().splitlines())
        assert verify(entry.message for entry in record.entries).hands == 1


@pytest.mark.parametrize("closes_first", usually(1, [True, False]))
async def test_nothing_of_a_former_player_is_stored(tmp_path: Path, closes_first: bool) -> None:
    """Once Ann is forgotten and her table closed, no file has her name or her words; the match verifies."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as ann:
            known = await enrolled(ann, "Annabel", SECRETS[0])
            await play_alone(ann, "Annabel", says="Bananas!")
        await page_with(server, "/v1/standings", partial(has_matches, 1))
        assert {"journal.sqlite", "journal-results.sqlite"} <= set(with_words(tmp_path))
        steps = (("close", ann.code), ("players", known.player, "--forget"))
        for step in steps if closes_first else steps[::-1]:
            assert (await operate(journal, *step)).code == 0
        async with asyncio.timeout(PATIENCE):
            while found := await asyncio.to_thread(with_words, tmp_path):
                assert found
                await asyncio.sleep(0.1)
            while found := await asyncio.to_thread(files_with_words, tmp_path):
                assert found
                await asyncio.sleep(0.1)
    told = (await operate(journal, "journal", "export", "1.1")).out
    assert "A former player" in told
    (record,) = read_records(told.splitlines())
    assert verify(entry.message for entry in record.entries).hands == 1


def files_with_words(folder: Path) -> list[str]:
    """Return the files with Ann's name or words in their bytes: also where rows were, or in a log."""
    words = (b"Annabel", b"Bananas")
    files = [(path.name, path.read_bytes()) for path in folder.iterdir() if path.is_file()]
    return [name for name, contents in files if any(word in contents for word in words)]


def with_words(folder: Path) -> list[str]:
    """Return the files whose rows have Ann's name or words."""
    found = []
    for path in folder.glob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(path)) as db:
            if any(word in line for line in db.iterdump() for word in WORDS):
                found.append(path.name)
    return sorted(found)


async def test_a_removed_device_may_do_nothing_more(tmp_path: Path) -> None:
    """A connection whose device is removed gets no code, changes nothing, and plays as a guest."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as tablet:
            await enrolled(phone, "Ann", SECRETS[0])
            added = await linked(phone, tablet)
            await phone.until(Devices)
            await phone.say(cl.RemoveDevice(device=added.device))
            await phone.until(Devices)
            for request in (cl.ListDevices(), cl.Rename(name="Eve"), cl.RemoveDevice(device=1)):
                assert await tablet.refusal(request) is Reason.NOT_NOW
            await play_alone(tablet, "Ann")
        found = await page_with(server, "/v1/standings", partial(has_matches, 1))
        assert [row["player"] for row in found["rows"] if not row["bot"]] == [""]


async def test_a_player_can_be_forgotten_by_the_own_word(tmp_path: Path) -> None:
    """Not by a device that nobody trusts. All devices are gone, and results show a former player."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as tablet:
            known = await enrolled(phone, "Annabel", SECRETS[0])
            added = await linked(phone, tablet, "Annabel")
            await phone.until(Devices)
            await play_alone(phone, "Annabel")
            await page_with(server, "/v1/standings", partial(has_matches, 1))
            assert await tablet.refusal(cl.ForgetMe()) is Reason.NOT_NOW
            await phone.say(cl.ForgetMe())
            assert (await phone.until(Devices)).devices == ()
            assert await phone.refusal(cl.ListDevices()) is Reason.NOT_NOW
        for device, secret in ((known, SECRETS[0]), (added, SECRETS[1])):
            async with Peer.connect(server.url) as peer:
                await peer.say(answer(await challenged(peer), device, secret, host_of(server)))
                assert (await peer.until(Refused)).reason is Reason.UNKNOWN_PLAYER
        (row,) = json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]
        assert (row["name"], row["matches"]) == ("A former player", 1)


async def test_who_is_forgotten_plays_on_as_a_guest(tmp_path: Path) -> None:
    """A player who is connected while the operator forgets them opens a table as before."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as peer:
            known = await enrolled(peer, "Ann", SECRETS[0])
            await players(journal, known.player, "--forget")
            await play_alone(peer, "Ann")
        found = await page_with(server, "/v1/standings", partial(has_matches, 1))
        assert [row["name"] for row in found["rows"] if not row["bot"]] == ["Ann"]


async def test_merging_outlives_a_restart(tmp_path: Path) -> None:
    """Also into a player who was merged before, a device proves the player that it belongs to now."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        known = []
        for number in range(3):
            async with Peer.connect(server.url) as peer:
                known.append(await enrolled(peer, f"Ann {number}", SECRETS[number]))
        await players(journal, known[1].player, "--into", known[0].player)
        await players(journal, known[2].player, "--into", known[1].player)
        await server.stop()
        await server.start()
        for number in range(3):
            async with Peer.connect(server.url) as peer:
                await peer.say(
                    answer(await challenged(peer), known[number], SECRETS[number], host_of(server))
                )
                assert (await peer.until(Identified)).player == known[0].player


async def test_an_old_token_is_nobody_elses(tmp_path: Path) -> None:
    """The token of a player who was forgotten does not become that of the next device with the number."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **FAST) as (server, _):
        async with Peer.connect(server.url) as ben:
            former = await enrolled(ben, "Ben", SECRETS[0])
        await players(journal, former.player, "--forget")
        async with Peer.connect(server.url) as cat:
            known = await enrolled(cat, "Cat", SECRETS[1])
            assert known.device == former.device
            await play_alone(cat, "Cat", spectators=False)
            await cat.ask(cl.Leave)
            await page_with(server, "/v1/standings", partial(has_matches, 1))
            ((_, link),) = results_of(journal)
            for token, status in ((known.token, 200), (former.token, 404)):
                found = await get(server, f"/v1/matches/{link}", Authorization=f"Bearer {token}")
                assert found[0] == status


async def test_neither_a_broker_nor_a_webhook_learns_who_a_player_is(tmp_path: Path) -> None:
    """A match of a known player is told with the name at the table, and without the player's id."""
    async with (
        Broker.running(tmp_path) as broker,
        Listening.to(broker) as feed,
        Receiver.running() as receiver,
    ):
        told: dict[str, Any] = {"mqtt_url": broker.url, "node": "a1", "homeassistant": True}
        webhook: dict[str, Any] = {
            "webhook_url": receiver.url,
            "webhook_secret": secret_file(tmp_path),
            "webhook_names": True,
        }
        async with whole_server(tmp_path / "journal.sqlite", **FAST, **told, **webhook) as (server, _):
            await feed.until("status", lambda heard: heard.payload == b"online")
            async with Peer.connect(server.url) as peer:
                known = await enrolled(peer, "Ann", SECRETS[0])
                await play_alone(peer, "Annabel")
                await feed.until("/matches")
                await receiver.until(lambda: len(receiver.taken) == 3)
    everything = [*(heard.payload for heard in feed.heard), *(request.body for request in receiver.taken)]
    assert sum(b"Annabel" in each for each in everything) > 4
    assert not [each for each in everything if known.player.encode() in each]
