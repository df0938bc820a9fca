"""What is kept of a user's seats, and the way back to them after the program was started again."""

import json
import stat
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from racing_demon_client.net.connection import Client
from racing_demon_client.net.seat_store import stored_seats
from racing_demon_client.sources import openers
from racing_demon_client.sources.openers import Question
from tests.support.processes import CLIENT, text_of
from tests.support.servers import Peer, serving

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
        seats.empty.keep(token, name, url)


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
        seats.keep_only(seats.here[0])
        assert kept() == []
        keep(token="cd" * 32)
    assert {TOKEN, "cd" * 32} == set(kept())


@pytest.mark.parametrize(
    "text", [b"", b"{", b'{"token": 5}', b'{"token": "abc"}', b"[]", b"\xff" * 9, b"[" * 4_000]
)
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


async def test_a_program_that_is_started_again_has_its_seat_again() -> None:
    """Whoever joins once more is the same player, is told so by the old name, and no other."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with openers.join(served.url, ann.code, "Ben") as first:
            assert (first.client.seat, first.note) == (1, "")
        async with openers.join(served.url, ann.code, "Somebody") as second:
            assert (
                second.client.seat,
                second.note,
            ) == (1, "you have your seat back, and are still called Ben")
            assert second.client.view.seats[1].name == "Ben"
            async with openers.join(served.url, ann.code, "Cat") as beside:
                assert beside.client.seat == 2


@pytest.mark.parametrize(("answer", "seat"), [(True, 1), (False, 2)])
async def test_a_name_that_is_not_the_seats_is_asked_about(answer: bool, seat: int) -> None:
    """Whoever goes on has the seat; whoever does not takes another one, and the first is still kept."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with openers.join(served.url, ann.code, "Ben"):
            pass
        asked = Asked(answer)
        async with openers.join(served.url, ann.code, "Cat", is_typed=True, ask=asked) as opened:
            assert seat == opened.client.seat
        assert asked.questions == ["Go on as Ben, or join as Cat?"]
        async with openers.join(served.url, ann.code, "ben", is_typed=True, ask=asked) as opened:
            assert opened.client.seat == 1


async def test_a_number_that_the_server_gave_a_name_is_no_other_name() -> None:
    """There was another Ann, so this one is Ann 2, and comes back as Ann."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        for _ in range(2):
            async with openers.join(served.url, ann.code, "Ann", is_typed=True) as opened:
                assert (opened.client.seat, opened.client.view.seats[1].name) == (1, "Ann 2")


async def test_another_name_of_the_same_server_leads_to_the_same_seat() -> None:
    """A name and a number that lead to one place are one server; nobody is asked."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        for url in (served.url, served.url.replace("127.0.0.1", "localhost"), served.url):
            async with openers.join(url, ann.code, "Ben", is_typed=True) as opened:
                assert opened.client.seat == 1


async def test_a_server_whose_address_has_changed_is_asked_about() -> None:
    """Only the user knows whether it is the same table; a stranger's server must not get the token."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with openers.join(served.url, ann.code, "Ben"):
            pass
        (token,) = kept(served.url, ann.code)
    async with AsyncExitStack() as stack:
        keep("ws://192.0.2.7:5252/v1", "BCDF", token, "Ben")
        asked = Asked(answer=True)
        moved = await stack.enter_async_context(serving())
        host = await stack.enter_async_context(Peer.hosting(moved.url))
        keep("ws://192.0.2.7:5252/v1", host.code, token, "Ben")
        opened = await stack.enter_async_context(openers.join(moved.url, host.code, "Ben", ask=asked))
        assert [
            f"You have a seat as Ben at table {host.code} of ws://192.0.2.7:5252. Is this the same table?"
        ] == asked.questions
        assert opened.client.seat == 1
    assert [token] == kept("ws://192.0.2.7:5252/v1", host.code)


async def test_a_seat_that_was_left_is_forgotten() -> None:
    """Whoever gave the seat up, or whose table is gone, joins as somebody new."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with openers.join(served.url, ann.code, "Ben") as opened:
            await opened.client.leave()
        async with openers.join(served.url, ann.code, "Cat") as opened:
            assert opened.note == ""
            assert opened.client.view.seats[opened.client.seat or 0].name == "Cat"


async def test_a_token_that_opens_nothing_any_more_is_no_trouble() -> None:
    """A stale token is forgotten, and a free seat taken; that one is kept instead."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        keep(served.url, ann.code)
        async with openers.join(served.url, ann.code, "Ben") as opened:
            assert (opened.client.seat, opened.note) == (1, "")
            assert isinstance(opened.client, Client)
            token = opened.client.token
        assert [token] == kept(served.url, ann.code)


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
