"""The operator's commands for a server that is one or several."""

import asyncio
import io
import json
import socket
import stat
import sys
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.capabilities import HEARS_NOTICES, announced
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, ServerNotice
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.moderation import finding
from racing_demon_server.net.table_service import NO_NEW_TABLES
from tests.support.people import SECRETS, answer, challenged, enrolled
from tests.support.processes import SERVER, Ended, server_process, text_of
from tests.support.servers import Closing, Peer
from tests.support.whole_servers import operate, rd_admin, whole_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")

FAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}
NEAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "198.51.100.9"}}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Return the file of the server's tables."""
    return tmp_path / "journal"


async def test_the_operator_sees_the_tables(journal: Path) -> None:
    """Each has its code, host, numbers and phase; one table has its people, and where they are."""
    async with (
        whole_server(journal) as (_, url),
        Peer.hosting(url) as ann,
        Peer.entered(url, cl.Join(code=ann.code, name="Ben"), **FAR),
        Peer.entered(url, cl.Watch(code=ann.code), **NEAR),
    ):
        await ann.ask(cl.AddBot)
        header, table = (await operate(journal, "tables")).out.splitlines()
        assert header.split() == ["code", "game", "host", "people", "bots", "watching", "phase", "since"]
        assert table.split()[:7] == [ann.code, "racing-demon", "Ann", "2", "1", "1", "lobby"]
        there = (await operate(journal, "tables", ann.code.lower())).out.splitlines()
        assert [line.split()[1:] for line in there[1:3]] == [
            ["Ann", "this", "machine"],
            ["Ben", "203.0.113.9"],
        ]
        assert there[3].endswith("a bot")
        assert there[4].split() == ["-", "a", "spectator", "198.51.100.9"]


async def test_a_table_keeps_the_time_when_it_was_opened(journal: Path) -> None:
    """Also over a restart of its server."""
    listed = []
    async with whole_server(journal) as (_, url), Peer.hosting(url):
        listed.append(await operate(journal, "tables"))
    async with whole_server(journal):
        listed.append(await operate(journal, "tables"))
    before, after = (each.out.splitlines()[1].split()[-3:] for each in listed)
    assert before == after


async def test_the_operator_closes_a_table(journal: Path) -> None:
    """In mid-match, everybody is told why, and the table does not come back."""
    async with whole_server(journal, bot_speed=100) as (_, url), Peer.hosting(url) as ann:
        await ann.ask(cl.AddBot)
        async with Peer.entered(url, cl.Watch(code=ann.code)) as eve:
            await ann.ask(cl.Start)
            await ann.until(ev.Played)
            ended = await operate(journal, "close", ann.code, "--reason", "spam")
            assert ended == Ended(0, f"the table {ann.code} is closed\n", "")
            closing = Closing(CloseCode.GOING_AWAY, "The server's operator has closed this table: spam")
            assert (closing, closing) == (await ann.closed(), await eve.closed())
        assert (await operate(journal, "tables")).out == "no tables are open\n"
        again = await operate(journal, "close", ann.code)
        assert (again.code, again.err) == (1, f"racing-demon-server: there is no table {ann.code}.\n")


async def test_the_operator_ends_an_evening(journal: Path) -> None:
    """Everybody who can hears it; nobody opens a table, until they may again; then all are closed."""
    text = "The last hand: we close at ten."
    async with (
        whole_server(journal) as (_, url),
        Peer.hosting(url) as ann,
        Peer.entered(url, cl.Watch(code=ann.code), software=announced("test", HEARS_NOTICES)) as eve,
    ):
        told = await operate(journal, "say", text)
        assert told.out == (
            "told: 1 player or spectator at 1 table\nnot told, because their programs are too old: 1\n"
        )
        assert (await eve.until(ServerNotice)).text == text

        assert (await operate(journal, "new-tables", "off")).code == 0
        async with Peer.connect(url) as ben:
            await ben.greet()
            await ben.say(cl.Create(name="Ben"))
            assert (await ben.until(Refused)).text == NO_NEW_TABLES
        assert (await operate(journal, "new-tables", "on")).code == 0
        async with Peer.hosting(url) as cas:
            closed = await operate(journal, "close", "--all", "--reason", "good night")
            assert closed.out == "closed: 2 tables\n"
            for peer in (ann, eve, cas):
                assert (await peer.closed()).reason.endswith(": good night")
        assert (await operate(journal, "close")).code == 2


async def test_the_short_name_finds_the_server(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service's, one of several of a machine, or the user's own; of several it asks which one."""
    services, own = journal.parent / "services", journal.parent / "own"
    monkeypatch.setattr(finding, "SERVICES", services)
    monkeypatch.setenv("RACING_DEMON_DATA", str(own))
    for folder in (services, services.with_name("services-n1"), own):
        folder.mkdir(parents=True)
    assert str(own / "journal.sqlite") in (await rd_admin("tables")).err
    (services / "journal.sqlite").touch()  # of a service that has ended
    assert str(services / "journal.sqlite") in (await rd_admin("tables")).err
    async with (
        whole_server(control=services.with_name("services-n1") / "control") as (_, url),
        Peer.hosting(url) as ann,
    ):
        assert ann.code in (await rd_admin("tables")).out
        async with whole_server(own / "journal.sqlite"):
            asked = await rd_admin("tables")
            assert asked.code == 2
            assert asked.err.splitlines()[1:3] == [
                f"  1  {services.with_name('services-n1') / 'control'}  1 table",
                f"  2  {own / 'journal.sqlite'}  0 tables",
            ]
            monkeypatch.setattr("sys.stdin", Typed("1\n"))
            assert ann.code in (await rd_admin("tables")).out
            monkeypatch.setattr("sys.stdin", Typed("7\n"))
            assert (await rd_admin("tables")).code == 2


async def test_a_player_or_a_device_is_kept_out_and_nobody_beside_it(journal: Path) -> None:
    """Muted, kicked, banned by whatever address; a guest who shares that plays on, or loses the seat."""
    async with whole_server(journal) as (_, url), Peer.hosting(url) as ann, Peer.connect(url) as ben:
        known = await enrolled(ben, "Ben", SECRETS[0])
        who, device = known.player, f"{known.player}/{known.device}"
        await ben.enter(cl.Join(code=ann.code, name="Ben"))
        assert who in (await operate(journal, "tables", ann.code)).out
        for stranger in ("22222222", f"{who}/{known.device + 1}"):
            assert (await operate(journal, "ban", stranger)).code == 1

        assert (await operate(journal, "mute", who, "--for", "2h")).out.startswith(f"{who} is muted until ")
        assert "mute-player" in (await operate(journal, "bans")).out
        refused = await ben.ask(cl.Say, text="fools")
        assert isinstance(refused, Refused)
        assert refused.text.startswith("You are muted here until ")
        assert isinstance(await ann.ask(cl.Say, text="hello"), Accepted)
        assert (await operate(journal, "unmute", who)).code == 0
        assert isinstance(await ben.ask(cl.Say, text="sorry"), Accepted)

        assert "closed: 1 connection" in (await operate(journal, "kick", device, "--reason", "enough")).out
        assert (await ben.closed()).reason.endswith(" UTC: enough")
        assert (await ann.until(ev.Left)).kicked
        assert (await operate(journal, "ban", who)).code == 0
        async with Peer.connect(url) as again:
            await again.say(answer(await challenged(again), known, SECRETS[0], url.split("/")[2]))
            assert (await again.closed()).reason.startswith("You are banned here until ")

        async with Peer.entered(url, cl.Join(code=ann.code, name="Cas")) as cas:
            assert (await operate(journal, "kick", ann.code, "7")).code == 1
            assert "Cas is the host" in (await operate(journal, "host", ann.code, "Cas")).out
            await ann.until(ev.Hosted)
            assert ann.view.host == cas.place.seat
            assert (await operate(journal, "host", ann.code, "Ann")).code == 0
            assert (await operate(journal, "kick", ann.code, "Cas")).code == 0
            assert await cas.closed() == Closing(CloseCode.KICKED, "The server's operator has kicked you.")
        assert ann.view.seats[0].connected


class Typed(io.StringIO):
    """What is typed at a terminal."""

    def isatty(self) -> bool:
        """Return whether this is a terminal."""
        return True


def got(url: str, address: str) -> tuple[int, str]:
    """Return the status and the text of the first page, as somebody at an address gets it."""
    page = Request(url.replace("ws:", "http:").removesuffix("v1"), headers={"X-Forwarded-For": address})  # noqa: S310 - our own server
    try:
        with urlopen(page) as answer:  # noqa: S310 - our own server
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


async def test_a_ban_ends_what_is_open_and_refuses_the_rest(journal: Path) -> None:
    """Those of the network read until when, and why; pages too; everybody else plays on."""
    async with (
        whole_server(journal) as (_, url),
        Peer.hosting(url) as ann,
        Peer.entered(url, cl.Join(code=ann.code, name="Ben"), **FAR) as ben,
        Peer.entered(url, cl.Join(code=ann.code, name="Cas"), **NEAR) as cas,
    ):
        banning = await operate(journal, "ban", "203.0.113.7/24", "--for", "2h", "--reason", "insults")
        until, closed = banning.out.splitlines()
        assert until.startswith("203.0.113.0/24 is banned until ")
        assert closed == "closed: 1 connection"
        code, told = await ben.closed()
        assert code == CloseCode.KICKED
        assert told == f"Your address is banned here until {until.split('until ')[1]}: insults"
        async with Peer.connect(url, **FAR) as again:
            assert await again.closed() == Closing(code, told)
        assert await asyncio.to_thread(got, url, "203.0.113.200") == (403, f"{told}\n")
        assert (await asyncio.to_thread(got, url, "198.51.100.9"))[0] == 200
        await cas.ask(cl.Say, text="I am still here")
        assert (await operate(journal, "bans")).out.splitlines()[1].endswith("insults")

        assert (await operate(journal, "unban", "203.0.113.0/24")).code == 0
        async with Peer.entered(url, cl.Resume(code=ann.code, token=ben.token), **FAR):
            pass
        assert (await operate(journal, "bans")).out == "nobody is banned\n"


async def test_a_ban_outlives_the_server(journal: Path) -> None:
    """It may also be made while none runs, but not where none was ever started: nobody would read it."""
    for command in (("ban", "203.0.113.9"), ("unban", "203.0.113.9"), ("bans",), ("reports",)):
        told = await operate(journal, *command)
        assert told.code == 1, command
        assert f"no server was ever started with the journal {journal}" in told.err
    assert list(journal.parent.iterdir()) == []
    async with whole_server(journal):
        pass
    made = await operate(journal, "ban", "203.0.113.9")
    assert made.out.endswith("the next one that does reads the bans\n")
    for _ in range(2):
        async with whole_server(journal) as (_, url), Peer.connect(url, **FAR) as ben:
            assert (await ben.closed()).code == CloseCode.KICKED


async def test_a_server_that_cannot_be_told_is_no_success(journal: Path) -> None:
    """The ban is kept, and the command says that the server goes on without it."""
    async with whole_server(journal):
        journal.with_name(f"{journal.name}-control").unlink()
        told = await operate(journal, "ban", "203.0.113.9")
    assert (told.code, "it reads the bans when it starts" in told.err) == (1, True)


@pytest.mark.long
@pytest.mark.skipif(not hasattr(socket, "SO_REUSEPORT"), reason="needs several processes")
async def test_all_processes_obey(journal: Path) -> None:
    """Tables are listed and closed wherever they are, and a ban holds in each process."""
    async with server_process("--journal", str(journal), "--processes", "2") as (_, url):
        urls = [f"ws://127.0.0.1:{port}/v1" for port in ports(url)]
        async with Peer.hosting(urls[0], seated=False) as one, Peer.hosting(urls[1], seated=False) as two:
            listed = (await text_of(SERVER, "tables", "--journal", str(journal))).out
            assert one.code in listed
            assert two.code in listed
            await operate(journal, "close", two.code)
            assert (await two.closed()).code == CloseCode.GOING_AWAY
            async with Peer.connect(urls[0], **FAR) as ben, Peer.connect(urls[1], **FAR) as cas:
                await ben.greet()
                await cas.greet()
                assert "closed: 2 connections" in (await operate(journal, "ban", "203.0.113.9")).out
                assert {(await ben.closed()).code, (await cas.closed()).code} == {CloseCode.KICKED}


def ports(url: str) -> list[int]:
    """Return the ports of a server's processes."""
    with urlopen(url.replace("ws:", "http:").removesuffix("v1") + "healthz") as health:  # noqa: S310 - our own server
        return list(json.load(health)["ports"])


async def test_the_socket_is_for_the_server_s_user_and_goes_with_it(journal: Path) -> None:
    """Its permissions let nobody else in; without a server a command says so."""
    control = journal.with_name("journal-control")
    async with whole_server(journal):
        assert stat.S_IMODE(control.stat().st_mode) == 0o600
    assert not control.exists()
    ended = await operate(journal, "tables")
    assert ended.code == 1
    assert ended.err.startswith("racing-demon-server: no server is running with the journal ")


async def test_a_killed_server_leaves_nothing_in_the_way(journal: Path) -> None:
    """The next one takes the socket's place."""
    async with server_process("--journal", str(journal)) as (server, _):
        server.process.kill()
        await server.end()
        assert (await operate(journal, "tables")).code == 1
    async with whole_server(journal):
        assert (await operate(journal, "tables")).out == "no tables are open\n"


async def test_nonsense_is_answered(journal: Path) -> None:
    """The server stays, and says that it does not understand."""
    async with whole_server(journal):
        for line in (b"\n", b"[]\n", b"{}\n", b'{"command": "table", "code": 5}\n', b"x" * 9_000):
            reader, writer = await asyncio.open_unix_connection(str(journal.with_name("journal-control")))
            writer.write(line)
            assert b"error" in await reader.readline(), line
            writer.close()
        assert (await operate(journal, "tables")).code == 0


async def test_a_server_does_not_start_with_damaged_bans(journal: Path) -> None:
    """Those who were banned would be back, and nobody would know."""
    journal.with_name("journal-bans").write_text("{")
    with pytest.raises(JournalUnusable, match=r"Repair the file, or move it away to have none\."):
        async with whole_server(journal):
            pass


async def test_a_server_without_a_journal_file_is_reached_by_another(journal: Path) -> None:
    """Its own file, which no second server can take; bans are kept beside it."""
    async with whole_server(control=journal) as (_, url), Peer.hosting(url) as ann:
        assert ann.code in (await operate(journal, "tables")).out
        assert "is banned until" in (await operate(journal, "ban", "203.0.113.9")).out
        async with Peer.connect(url, **FAR) as ben:
            assert (await ben.closed()).code == CloseCode.KICKED
        with pytest.raises(JournalUnusable, match="name another file with --control"):
            async with whole_server(control=journal):
                pass
