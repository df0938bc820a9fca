"""From no address to a table: looking, listing and choosing, with real servers on the loopback interface."""

import io
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from racing_demon_client.discovery import finder, mdns
from racing_demon_client.discovery.finder import as_json, ask_which_table, resolve_table, table_line
from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.server_query import FoundTable
from tests.support.mdns_responders import LOOPBACK, among_ourselves, announced, announcement
from tests.support.processes import CLIENT, Here, started
from tests.support.servers import Peer, Served, serving

ANNS = FoundTable(code="BCDF", game="classic", host="Ann", url="ws://192.168.1.5:5252/v1")
BENS = FoundTable(
    code="GHJK", game="klondike", host="Ben", url="ws://[fd00::1]:5253/v1", needs_passphrase=True
)
TWINS = FoundTable(code="BCDF", game="classic", host="Eve", url="ws://192.168.1.6:5252/v1")


@pytest.fixture(autouse=True)
def _on_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with among_ourselves(monkeypatch):
        yield


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look longer where there are tables: on a busy machine the second may be found late."""
    monkeypatch.setattr(finder, "FIRST_TABLE_SECONDS", 20.0)
    monkeypatch.setattr(finder, "SEARCH_SECONDS", 5.0)


@pytest.fixture
def hopeful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look longer for the only table, or the one that is named: on a busy machine it may be found late."""
    monkeypatch.setattr(finder, "FIRST_TABLE_SECONDS", 20.0)


@pytest.fixture
def lines() -> list[str]:
    """Return where what is written is kept."""
    return []


async def hosted(stack: AsyncExitStack, name: str) -> tuple[Served, Peer]:
    """Host a table, and announce it."""
    served = await stack.enter_async_context(serving())
    peer = await stack.enter_async_context(Peer.hosting(served.url))
    await stack.enter_async_context(announced(announcement(served.port, peer.code, host=name)))
    return served, peer


# Told.


def test_a_table_in_one_line() -> None:
    """A line has all that one chooses by; the usual path is left away."""
    assert table_line(ANNS) == "BCDF  Ann's table, Nerts  ws://192.168.1.5:5252"
    assert table_line(BENS) == "GHJK  Ben's table, klondike, with a passphrase  ws://[fd00::1]:5253"


def test_a_table_for_programs() -> None:
    """As JSON a table has the link that ``join`` takes."""
    table = json.loads(as_json(BENS))
    assert table["link"] == "http://[fd00::1]:5253/GHJK"
    assert (table["code"], table["host"], table["needs_passphrase"]) == ("GHJK", "Ben", True)


# Found.


async def test_a_full_address_needs_no_looking(monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> None:
    """Where address and code are given nothing is sent to anybody."""
    monkeypatch.setattr(finder, "find_tables", None)
    assert await resolve_table("ws://x", "BCDF", lines.append, asks=True) == ("ws://x", "BCDF")
    assert lines == []


@pytest.mark.usefixtures("hopeful")
async def test_the_only_table_is_taken(lines: list[str]) -> None:
    """If there is one table, it is the one, and a line says which."""
    async with AsyncExitStack() as stack:
        served, ann = await hosted(stack, "Ann")
        address = served.url.removesuffix("/v1")
        assert await resolve_table(None, None, lines.append, asks=False) == (address, ann.code)
        assert lines == [f"found {ann.code}  Ann's table, Klondike race  {address}"]


@pytest.mark.usefixtures("hopeful")
async def test_a_code_is_enough(lines: list[str]) -> None:
    """Among several tables a code, however it is spelt, names one."""
    async with AsyncExitStack() as stack:
        await hosted(stack, "Ann")
        served, ben = await hosted(stack, "Ben")
        there = (served.url.removesuffix("/v1"), ben.code)
        assert await resolve_table(None, ben.code.lower(), lines.append, asks=False) == there


async def test_a_wrong_code_leads_to_the_tables_that_are_there(lines: list[str]) -> None:
    """Where no table has the code, those that were found are told."""
    async with AsyncExitStack() as stack:
        _, ann = await hosted(stack, "Ann")
        with pytest.raises(ConnectionFailed, match=rf"No table ZZZZ (.|\n)* {ann.code}  Ann's table"):
            await resolve_table(None, "zzzz", lines.append, asks=False)


@pytest.mark.usefixtures("patient")
async def test_nobody_chooses_for_a_program(lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Several tables are listed; without anybody to choose none is taken."""
    async with AsyncExitStack() as stack:
        tables = [await hosted(stack, name) for name in ("Ann", "Ben")]
        assert await resolve_table(None, None, lines.append, asks=False) is None
        assert sorted(peer.code for _, peer in tables) == [line.split()[1] for line in lines]
        assert "there are several" in capsys.readouterr().err


async def test_finding_nothing_says_what_to_do(monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> None:
    """Without any table, or without the one, the sentence tells how to join by a link."""
    monkeypatch.setattr(finder, "FIRST_TABLE_SECONDS", 0.1)
    monkeypatch.setattr(finder, "SEARCH_SECONDS", 0.1)
    monkeypatch.setattr(finder, "CODE_SEARCH_SECONDS", 0.1)
    for code, sentence in ((None, "No table was found"), ("bcdf", "No table BCDF was found")):
        with pytest.raises(ConnectionFailed, match=sentence) as failed:
            await resolve_table(None, code, lines.append, asks=True)
        assert "racing-demon join LINK" in str(failed.value)


# Chosen.


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("2\n", BENS),
        (" ghjk \n", BENS),
        ("0\n4\n-1\n\nBCDF\n999999\n3\n", TWINS),
        ("q\n", None),
        ("", None),
    ],
)
async def test_choosing(
    typed: str, chosen: FoundTable | None, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number or a code that is one table's only chooses it; anything else is asked again."""
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert await ask_which_table([ANNS, BENS, TWINS], lines.append) is chosen
    assert lines[0] == "Which one? Type 1 to 3, or q."


# The commands.


@pytest.mark.usefixtures("hopeful")
async def test_tables_are_listed(here: Here) -> None:
    """``tables`` lists for people and for programs, and speaks of its progress aside."""
    async with AsyncExitStack() as stack:
        served, ann = await hosted(stack, "Ann")
        ended = await here("tables")
        assert (ended.code, ended.err) == (0, "looking for tables on this network...\n")
        assert ended.out.startswith(f"{ann.code}  Ann's table")
        ended = await here("tables", "--json")
        assert [served.url] == [json.loads(line)["url"] for line in ended.out.splitlines()]


async def test_no_tables_is_told_by_the_exit_code(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any table ``tables`` writes nothing to its output, and ends with 1."""
    monkeypatch.setattr(finder, "FIRST_TABLE_SECONDS", 0.1)
    monkeypatch.setattr(finder, "SEARCH_SECONDS", 0.1)
    ended = await here("tables", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert "No table was found" in ended.err


@pytest.mark.usefixtures("patient")
async def test_joining_without_a_choice_ends_with_2(here: Here) -> None:
    """``join`` and ``watch`` list several tables, and take none where nobody can choose."""
    async with AsyncExitStack() as stack:
        for name in ("Ann", "Ben"):
            await hosted(stack, name)
        assert (await here("join")).code == 2
        ended = await here("watch", "--json")
        assert (ended.code, ended.out) == (2, "")


@pytest.mark.long
async def test_a_guest_joins_by_the_code_alone() -> None:
    """``host`` announces its table, by the name of its host; ``join`` and its code find it."""
    async with started(CLIENT, "host", "--port", "0", "--name", "Zoë", "--ascii") as host:
        code = (await host.line("^table ([A-Z]{4}) is open"))[1]
        link = (await host.line("^ *racing-demon join (http://[^ ]+/[A-Z]{4})$"))[1]
        assert link.endswith(f"/{code}")
        await host.line("^ *##")
        async with started(CLIENT, "join", code, "--name", "Ben") as guest:
            await guest.line(f"^found {code}  Zoë's table, Klondike race  ws://{LOOPBACK}:")
            await host.line("^Ben took seat 2$")
            guest.hang_up()
            assert (await guest.end()).code == 0
        host.hang_up()
        ended = await host.end()
        assert (ended.code, ended.err) == (0, "")


@pytest.mark.long
async def test_a_table_need_not_be_announced(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """``host --no-announce`` is found by nobody."""
    monkeypatch.setattr(finder, "FIRST_TABLE_SECONDS", 0.5)
    monkeypatch.setattr(finder, "SEARCH_SECONDS", 0.5)
    monkeypatch.setattr(mdns, "SERVICE", "_racing-demon._tcp.local.")
    async with started(CLIENT, "host", "--port", "0", "--no-announce") as host:
        code = (await host.line("^table ([A-Z]{4}) is open"))[1]
        assert code not in (await here("tables")).out
