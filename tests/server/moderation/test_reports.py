"""Reports, from the one who makes it to the operator who reads it."""

import stat
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.table import Table
from racing_demon_server.moderation import reports
from racing_demon_server.moderation.reports import Person, Reports, mark_done, read_reports
from racing_demon_server.tables.feed import Feed, ReplayBuffer
from tests.support.servers import Peer, relaying, serving
from tests.support.whole_servers import operate, whole_server

FAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}
NEAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "198.51.100.9"}}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Return the file of the server's tables."""
    return tmp_path / "journal"


async def refusal(peer: Peer, **fields: Any) -> Reason:
    """Return why somebody's report is refused."""
    refused = await peer.ask(cl.Report, **{"text": "spam", **fields})
    assert isinstance(refused, Refused)
    return refused.reason


async def test_the_operator_reads_a_report(journal: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Who about whom, from where, when, what was said before; it can be done, and outlives the server."""
    async with (
        whole_server(journal) as (_, url),
        Peer.hosting(url) as ann,
        Peer.entered(url, cl.Join(code=ann.code, name="Ben"), **FAR) as ben,
        Peer.entered(url, cl.Watch(code=ann.code), **NEAR) as eve,
    ):
        await ben.ask(cl.Say, text="You are all \x1b[31mfools")
        assert isinstance(await ann.ask(cl.Report, text="insults", seat=1), Accepted)
        assert isinstance(await eve.ask(cl.Report, text="they cheat"), Accepted)
    assert "203.0.113.9" not in caplog.text
    head, what, said, head2, what2, _ = (await operate(journal, "reports")).out.splitlines()
    name, name2 = head.split()[0], head2.split()[0]
    assert head.endswith(f"table {ann.code}")
    assert what == "  Ann (this machine) about Ben (203.0.113.9): insults"
    assert said.endswith("Ben: You are all [31mfools")
    assert what2 == "  a spectator (198.51.100.9) about the table: they cheat"
    assert (await operate(journal, "reports", "--done", name)).out == f"the report {name} is done\n"
    assert (await operate(journal, "reports", "--done", name)).code == 1
    assert (await operate(journal, "reports")).out.startswith(f"{name2} ")
    assert f"table {ann.code}  done" in (await operate(journal, "reports", "--all")).out


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions")
async def test_reports_are_for_the_server_s_user_only(journal: Path) -> None:
    """Neither the folder nor a file is open to others."""
    async with whole_server(journal) as (_, url), Peer.hosting(url) as ann:
        await ann.ask(cl.Report, text="spam")
    folder = journal.with_name("journal-reports")
    (file,) = folder.iterdir()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, file)] == [0o700, 0o600]


async def test_an_address_makes_few_reports(journal: Path) -> None:
    """Six an hour; others still can; what is refused for another reason does not count."""
    async with (
        whole_server(journal) as (_, url),
        Peer.hosting(url) as ann,
        Peer.entered(url, cl.Watch(code=ann.code), **FAR) as eve,
        Peer.entered(url, cl.Watch(code=ann.code), **NEAR) as fay,
    ):
        await ann.ask(cl.AddBot)
        for seat in (1, 7):
            assert await refusal(eve, seat=seat) is Reason.NOT_SEATED
        assert await refusal(eve, text="\u200b") is Reason.BAD_TEXT
        for _ in range(6):
            assert isinstance(await eve.ask(cl.Report, text="spam"), Accepted)
        assert await refusal(eve) is Reason.TOO_FAST
        assert isinstance(await fay.ask(cl.Report, text="spam"), Accepted)


async def test_where_nobody_reads_reports_it_is_said() -> None:
    """A server without a journal, and a relay, take none."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        relaying(served.url) as relay,
        Peer.entered(relay.url, cl.Watch(code=ann.code)) as eve,
    ):
        assert await refusal(ann) is Reason.NOT_NOW
        assert await refusal(eve) is Reason.NOT_NOW


def table() -> Feed:
    """Return a table as everybody sees it."""
    return Feed(Table("BCDF", Options(), iter(())), ReplayBuffer(1), lambda: 0, lambda at: at)


async def test_the_folder_does_not_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are done make room, the oldest first; without any, new ones are refused."""
    monkeypatch.setattr(reports, "MAX_REPORTS", 3)
    now = [1_000]
    box = Reports(tmp_path / "reports", lambda: now[0])

    async def report() -> None:
        now[0] += 1
        await box.keep(table(), Person(who="Ann", seat=0, address=""), None, "spam")

    for _ in range(3):
        await report()
    with pytest.raises(CommandRefused):
        await report()
    names = [name for name, *_ in read_reports(tmp_path / "reports")]
    for name in names[:2]:
        assert mark_done(tmp_path / "reports", name)
    await report()
    kept = list(read_reports(tmp_path / "reports", done=True))
    assert [name for name, is_done, _ in kept if is_done] == [names[1]]
    assert len(kept) == 3


def test_a_name_leads_to_no_other_file(tmp_path: Path) -> None:
    """Only letters and digits name a report."""
    (tmp_path / "journal.json").write_text("{}")
    (tmp_path / "reports").mkdir()
    names = "", "../journal", "/etc/passwd", "0" * 300
    assert not [name for name in names if mark_done(tmp_path / "reports", name)]


async def test_a_damaged_report_hides_no_other(journal: Path) -> None:
    """It is listed as one that cannot be read."""
    folder = journal.with_name("journal-reports")
    folder.mkdir()
    (folder / "0a.json").write_text("{")
    assert (await operate(journal, "reports")).out == "0a  cannot be read\n"
