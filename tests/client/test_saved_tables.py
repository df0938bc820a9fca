"""The tables of late: the newest first, without secrets, and never a reason to end a game."""

import json
import stat
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from racing_demon_client.net.client import Client
from racing_demon_client.saved_tables import (
    RecentTable,
    recent_tables,
    recents_path,
    save_recent,
    stored_seats,
)
from racing_demon_client.sources import tables
from racing_demon_client.sources.tables import Question, TableAddress
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.processes import CLIENT, text_of
from tests.support.servers import Peer, serving

ENTRY = {
    "url": "ws://192.168.1.5:5252/v1",
    "code": "BCDF",
    "name": "Ann",
    "how": "joined",
    "at": "2025-03-01T20:15:00+01:00",
}

LETTERS = st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" \"'\\")
RECENTS = st.builds(
    RecentTable,
    url=st.builds("ws://{}:5252".format, st.text("abc", min_size=1, max_size=2)),
    code=st.text("BCDF", min_size=1, max_size=2) | st.text(LETTERS, min_size=1, max_size=16),
    name=st.text(LETTERS, max_size=64),
    how=st.sampled_from(["joined", "watched", "hosted"]),
    at=st.datetimes().map(datetime.isoformat),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the tables of late may be; neither the file nor its folder is there."""
    return tmp_path / "state" / "racing-demon" / "recent.json"


def table(**changes: str) -> RecentTable:
    """Return a table that was joined, with some things changed."""
    return RecentTable.model_validate({**ENTRY, **changes})


def written(path: Path, text: str | bytes) -> Path:
    """Write the file as something else than our program might."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# Where they are.


def test_the_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RACING_DEMON_STATE says in which folder the tables of late are."""
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path))
    assert tmp_path / "recent.json" == recents_path()


def test_else_the_system_says_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """If RACING_DEMON_STATE is empty, they are where this system keeps what programs remember."""
    monkeypatch.setenv("RACING_DEMON_STATE", "")
    assert recents_path().is_absolute()
    assert recents_path().name == "recent.json"
    assert "racing-demon" in recents_path().parts


# Remembering.


def test_at_first_there_are_none(path: Path) -> None:
    """Whoever was at no table yet has no list, and asking makes no file."""
    assert recent_tables(path) == ()
    assert not path.parent.exists()


@examples(60)
@given(st.lists(RECENTS, max_size=12))
def test_the_newest_eight_are_kept(tables: list[RecentTable]) -> None:
    """The newest comes first, each table once, as one was there last, and no more than eight."""
    wanted: list[RecentTable] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "recent.json"
        for recent in tables:
            save_recent(path, recent)
            wanted = [recent, *(old for old in wanted if (old.url, old.code) != (recent.url, recent.code))][
                :8
            ]
            assert tuple(wanted) == recent_tables(path)


def test_the_longest_texts_are_read_again(path: Path) -> None:
    """Eight tables of the longest and widest texts do not outgrow what is read."""
    for number in range(8):
        save_recent(path, table(url=f"{number}" + "🂡" * 511, code="🂡" * 16, name="🂡" * 64))
    assert len(recent_tables(path)) == 8


def test_a_table_of_now_has_its_time() -> None:
    """What is remembered says when that was, with the time zone."""
    recent = RecentTable.now("ws://here:5252", "BCDF", "Ann", "hosted")
    assert recent is not None
    at = datetime.fromisoformat(recent.at)
    assert at.tzinfo is not None
    assert abs((datetime.now().astimezone() - at).total_seconds()) < 60


@for_each(
    "texts",
    [
        ("ws://here", "\x1b[2J", "Ann", "joined"),
        ("ws://here", "BCDF", "Ann", "practiced"),
        ("x" * 513, "BCDF", "Ann", "joined"),
        ("ws://me@", "BCDF", "Ann", "joined"),
    ],
)
def test_what_cannot_be_kept_is_none(texts: tuple[str, str, str, str]) -> None:
    """A server that calls its table oddly does not end a game: the table is not remembered."""
    assert RecentTable.now(*texts) is None


# Secrets.


@for_each(
    ("url", "kept"),
    [
        ("ws://ann:secret@here:5252/v1", "ws://here:5252"),
        ("ann:se@cret@here", "here"),
        ("wss://here/game/v2?token=secret", "wss://here/game/v2"),
        ("wss://here/v1?from=ws://secret", "wss://here"),
        ("here#secret", "here"),
    ],
)
def test_no_secrets_are_kept(path: Path, url: str, kept: str) -> None:
    """Of an address only what leads to the server is kept."""
    path.unlink(missing_ok=True)
    save_recent(path, table(url=url))
    assert [kept] == [recent.url for recent in recent_tables(path)]
    assert "secret" not in path.read_text(encoding="utf-8")


def test_a_table_is_listed_once_however_its_address_was_written(path: Path) -> None:
    """The path that all servers have may be left out: it is the same table."""
    for url in ("ws://here:5252/v1", "ws://here:5252", "ws://here:5252/"):
        save_recent(path, table(url=url))
    assert [recent.url for recent in recent_tables(path)] == ["ws://here:5252"]


def test_a_token_has_no_place() -> None:
    """A table of late cannot hold the secret that opens a seat."""
    with pytest.raises(ValidationError):
        table(token="5e" * 32)


# Files that are not ours.


@for_each(
    "text",
    [
        "",
        "no JSON",
        "{}",
        "null",
        '"texts"',
        json.dumps(ENTRY),
        "[" * 30_000,
        "[" + "9" * 5_000 + "]",
        b"\xff\xfe\x00",
        json.dumps([ENTRY]) + " " * 64 * 1024,
    ],
    ids=["empty", "words", "object", "null", "text", "no list", "deep", "long", "no text", "too large"],
)
def test_a_file_of_something_else_is_as_if_empty(path: Path, text: str | bytes) -> None:
    """What is no list of tables is no trouble, and the next table makes a list of it again."""
    assert recent_tables(written(path, text)) == ()
    save_recent(path, table())
    assert (table(),) == recent_tables(path)


@for_each(
    "changes",
    [
        {"url": ""},
        {"url": "ws://\x1b]0;"},
        {"url": "x" * 513},
        {"url": 5},
        {"code": ""},
        {"code": "B" * 17},
        {"code": "B\u202eC"},
        {"name": "\ud800"},
        {"name": "x" * 65},
        {"name": None},
        {"how": "practiced"},
        {"at": "yesterday"},
        {"at": "2025-03-01\x0720:15:00"},
        {"at": 1_700_000_000},
        {"token": "5e" * 32},
    ],
)
def test_entries_that_we_would_not_write_are_left_out(path: Path, changes: dict[str, object]) -> None:
    """Of a list only those entries are taken that are as they should be."""
    odd = {**ENTRY, **changes}
    written(path, json.dumps([odd, [], 5, None, "text", ENTRY, ENTRY, {}]))
    assert (table(),) == recent_tables(path)


def test_a_list_too_long_is_cut(path: Path) -> None:
    """However many tables stand in the file, eight are offered."""
    written(path, json.dumps([{**ENTRY, "code": f"B{number}"} for number in range(20)]))
    assert [f"B{number}" for number in range(8)] == [recent.code for recent in recent_tables(path)]


def test_a_file_that_cannot_be_written_ends_no_game(path: Path) -> None:
    """Where no folder can be made nothing is remembered, and nothing is said."""
    path.parent.parent.mkdir()
    path.parent.touch()
    save_recent(path, table())
    assert recent_tables(path) == ()


TOKEN = "ab" * 32
HERE = "ws://here/v1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the seats of each test in a folder of its own."""
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path))
    return tmp_path / "seats"


def keep(url: str = HERE, code: str = "BCDF", token: str = TOKEN, name: str = "") -> None:
    """Store a seat."""
    with stored_seats(url, code) as seats:
        assert seats.empty is not None
        seats.empty.store(token, name, url)


def kept(url: str = HERE, code: str = "BCDF") -> list[str]:
    """Return the tokens of the seats at a table."""
    with stored_seats(url, code) as seats:
        return [seat.token for seat in seats.here]


class Asked:
    """A user who gives the same answer to every question.

    Attributes:
        questions: what the user was asked.

    """

    def __init__(self, answer: bool) -> None:
        self._answer = answer
        self.questions: list[str] = []

    async def __call__(self, question: Question) -> bool:
        """Answer."""
        self.questions.append(question.text)
        return self._answer


def test_a_token_is_kept_for_its_owner_alone(folder: Path) -> None:
    """It is there again the next time, however the code is spelt, and no other user can read it."""
    keep()
    assert kept(code=" bcdf") == [TOKEN]
    (file,) = (file for file in folder.iterdir() if file.stat().st_size)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "BCDF" not in file.name


def test_tables_and_servers_are_told_apart() -> None:
    """The token of one table is tried at no other, and on no other server."""
    keep()
    assert kept(code="BCDG") == []
    assert kept("ws://there/v1") == []


def test_who_sits_there_now_has_the_seat() -> None:
    """A second program of the same user does not find it, and keeps a seat of its own."""
    keep()
    with stored_seats(HERE, "BCDF") as seats:
        seats.release_others(seats.here[0])
        assert kept() == []
        keep(token="cd" * 32)
    assert {TOKEN, "cd" * 32} == set(kept())


@for_each("text", [b"", b"{", b'{"token": 5}', b'{"token": "abc"}', b"[]", b"\xff" * 9, b"[" * 4_000])
def test_a_file_that_nobody_here_wrote_is_passed_over(folder: Path, text: bytes) -> None:
    """Whatever stands in the file, there is a token or none."""
    keep()
    for file in folder.iterdir():
        file.write_bytes(text)
    assert kept() == []


def test_a_seat_that_an_older_client_has_kept_is_found(folder: Path) -> None:
    """It wrote the token alone."""
    keep()
    for file in folder.iterdir():
        file.write_text(json.dumps({"token": TOKEN}))
    assert kept() == [TOKEN]


def test_where_nothing_can_be_kept_one_still_plays(folder: Path) -> None:
    """A folder that cannot be made is no reason to end."""
    folder.write_text("a file where the folder should be")
    with stored_seats(HERE, "BCDF") as seats:
        assert (seats.here, seats.empty) == ([], None)


async def test_a_link_brings_a_seat_from_another_device() -> None:
    """It is the same seat, which is kept here from then on; where it is gone, nobody gets another unasked."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        here = TableAddress(served.url, ann.code)
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            by_link = here._replace(seat=ben.token)
        for place in (by_link, here):
            async with tables.join(place, "Eve") as opened:
                assert (opened.client.seat, opened.note) == (
                    1,
                    "you have your seat back, and are still called Ben",
                )
        async with tables.join(here, "Eve") as opened:
            await opened.client.leave()
            await ann.until(ev.Left)
        with pytest.raises(CommandRefused, match="no longer at the table"):
            async with tables.join(by_link, "Eve"):
                pass


async def test_a_program_that_is_started_again_has_its_seat_again() -> None:
    """Whoever joins once more is the same player, is told so by the old name, and no other."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with tables.join(TableAddress(served.url, ann.code), "Ben") as first:
            assert (first.client.seat, first.note) == (1, "")
        async with tables.join(TableAddress(served.url, ann.code), "Somebody") as second:
            assert (
                second.client.seat,
                second.note,
            ) == (1, "you have your seat back, and are still called Ben")
            assert second.client.view.seats[1].name == "Ben"
            async with tables.join(TableAddress(served.url, ann.code), "Cat") as beside:
                assert beside.client.seat == 2


@for_each(("answer", "seat"), [(True, 1), (False, 2)])
async def test_a_name_that_is_not_the_seats_is_asked_about(answer: bool, seat: int) -> None:
    """Whoever goes on has the seat; whoever does not takes another one, and the first is still kept."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with tables.join(TableAddress(served.url, ann.code), "Ben"):
            pass
        asked = Asked(answer)
        async with tables.join(TableAddress(served.url, ann.code), "Cat", is_typed=True, ask=asked) as opened:
            assert seat == opened.client.seat
        assert asked.questions == ["Go on as Ben, or join as Cat?"]
        async with tables.join(TableAddress(served.url, ann.code), "ben", is_typed=True, ask=asked) as opened:
            assert opened.client.seat == 1


async def test_a_number_that_the_server_gave_a_name_is_no_other_name() -> None:
    """There was another Ann, so this one is Ann 2, and comes back as Ann."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        for _ in range(2):
            async with tables.join(TableAddress(served.url, ann.code), "Ann", is_typed=True) as opened:
                assert (opened.client.seat, opened.client.view.seats[1].name) == (1, "Ann 2")


async def test_another_name_of_the_same_server_leads_to_the_same_seat() -> None:
    """A name and a number that lead to one place are one server; nobody is asked."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        for url in (served.url, served.url.replace("127.0.0.1", "localhost"), served.url):
            async with tables.join(TableAddress(url, ann.code), "Ben", is_typed=True) as opened:
                assert opened.client.seat == 1


async def test_a_server_whose_address_has_changed_is_asked_about() -> None:
    """Only the user knows whether it is the same table; a stranger's server must not get the token."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with tables.join(TableAddress(served.url, ann.code), "Ben"):
            pass
        (token,) = kept(served.url, ann.code)
    async with AsyncExitStack() as stack:
        keep("ws://192.0.2.7:5252/v1", "BCDF", token, "Ben")
        asked = Asked(answer=True)
        moved = await stack.enter_async_context(serving())
        host = await stack.enter_async_context(Peer.hosting(moved.url))
        keep("ws://192.0.2.7:5252/v1", host.code, token, "Ben")
        opened = await stack.enter_async_context(
            tables.join(TableAddress(moved.url, host.code), "Ben", ask=asked)
        )
        assert [
            f"You have a seat as Ben at table {host.code} of ws://192.0.2.7:5252. Is this the same table?"
        ] == asked.questions
        assert opened.client.seat == 1
    assert [token] == kept("ws://192.0.2.7:5252/v1", host.code)


async def test_a_seat_that_was_left_is_forgotten() -> None:
    """Whoever gave the seat up, or whose table is gone, joins as somebody new."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with tables.join(TableAddress(served.url, ann.code), "Ben") as opened:
            await opened.client.leave()
        async with tables.join(TableAddress(served.url, ann.code), "Cat") as opened:
            assert opened.note == ""
            assert opened.client.view.seats[opened.client.seat or 0].name == "Cat"


async def test_a_token_that_opens_nothing_any_more_is_no_trouble() -> None:
    """A stale token is forgotten, and a free seat taken; that one is kept instead."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        keep(served.url, ann.code)
        async with tables.join(TableAddress(served.url, ann.code), "Ben") as opened:
            assert (opened.client.seat, opened.note) == (1, "")
            assert isinstance(opened.client, Client)
            token = opened.client.token
        assert [token] == kept(served.url, ann.code)


@pytest.mark.long
async def test_a_script_that_gives_another_name_takes_another_seat() -> None:
    """Nobody can be asked there, and the name was said: the first seat stays what it was."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        link = f"{served.origin}/{ann.code}"
        for name in ("Ben", "Cat", "Ben"):
            ended = await text_of(CLIENT, "join", "--plain", "--name", name, link)
            assert ended.code == 0, ended.err
        async for _ in ann:
            if len(ann.view.seats) >= 3:
                break
        assert [state.name for state in ann.view.seats.values()] == ["Ann", "Ben", "Cat"]
