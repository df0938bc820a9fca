"""What is kept of a user's seats, and the way back to them after the program was started again."""

import stat
from pathlib import Path

import pytest

from racing_demon_client.net.connection import Client
from racing_demon_client.net.seat_store import stored_seat
from racing_demon_client.sources import openers
from tests.support.servers import serving

TOKEN = "ab" * 32


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the seats of each test in a folder of its own."""
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path))
    return tmp_path / "seats"


def test_a_token_is_kept_for_its_owner_alone(folder: Path) -> None:
    """It is there again the next time, however the code is spelt, and no other user can read it."""
    with stored_seat("ws://here/v1", "BCDF") as seat:
        assert seat is not None
        assert "" == seat.token
        seat.keep(TOKEN)
    with stored_seat("ws://here/v1", " bcdf") as seat:
        assert seat is not None
        assert TOKEN == seat.token
    (file,) = folder.iterdir()
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert "BCDF" not in file.name


def test_tables_and_servers_are_told_apart() -> None:
    """The token of one table is tried at no other, and on no other server."""
    with stored_seat("ws://here/v1", "BCDF") as seat:
        assert seat is not None
        seat.keep(TOKEN)
    for url, code in (("ws://here/v1", "BCDG"), ("ws://there/v1", "BCDF")):
        with stored_seat(url, code) as seat:
            assert seat is not None
            assert "" == seat.token


def test_who_sits_there_now_has_the_seat() -> None:
    """A second program of the same user finds nothing, so that it takes a seat of its own."""
    with stored_seat("ws://here/v1", "BCDF") as seat:
        assert seat is not None
        with stored_seat("ws://here/v1", "BCDF") as another:
            assert another is None
    with stored_seat("ws://here/v1", "BCDF") as seat:
        assert seat is not None


@pytest.mark.parametrize(
    "text", [b"", b"{", b'{"token": 5}', b'{"token": "abc"}', b"[]", b"\xff" * 9, b"[" * 4_000]
)
def test_a_file_that_nobody_here_wrote_is_passed_over(folder: Path, text: bytes) -> None:
    """Whatever stands in the file, there is a token or none."""
    with stored_seat("ws://here/v1", "BCDF"):
        pass
    (file,) = folder.iterdir()
    file.write_bytes(text)
    with stored_seat("ws://here/v1", "BCDF") as seat:
        assert seat is not None
        assert "" == seat.token


def test_where_nothing_can_be_kept_one_still_plays(folder: Path) -> None:
    """A folder that cannot be made is no reason to end."""
    folder.write_text("a file where the folder should be")
    with stored_seat("ws://here/v1", "BCDF") as seat:
        assert seat is None


async def test_a_program_that_is_started_again_has_its_seat_again() -> None:
    """Whoever joins once more is the same player, is told so by the old name, and no other."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with openers.join(served.url, ann.code, "Ben") as first:
            assert (1, "") == (first.client.seat, first.note)
        async with openers.join(served.url, ann.code, "Somebody") as second:
            assert (1, "you have your seat back, and are still called Ben") == (
                second.client.seat,
                second.note,
            )
            assert "Ben" == second.client.view.seats[1].name
            async with openers.join(served.url, ann.code, "Cat") as beside:
                assert 2 == beside.client.seat


async def test_a_seat_that_was_left_is_forgotten() -> None:
    """Whoever gave the seat up, or whose table is gone, joins as somebody new."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        async with openers.join(served.url, ann.code, "Ben") as opened:
            await opened.client.leave()
        async with openers.join(served.url, ann.code, "Cat") as opened:
            assert "" == opened.note
            assert "Cat" == opened.client.view.seats[opened.client.seat or 0].name


async def test_a_token_that_opens_nothing_any_more_is_no_trouble() -> None:
    """A stale token is forgotten, and a free seat taken; that one is kept instead."""
    async with serving() as served, await Client.create(served.url, "Ann") as ann:
        with stored_seat(served.url, ann.code) as seat:
            assert seat is not None
            seat.keep(TOKEN)
        async with openers.join(served.url, ann.code, "Ben") as opened:
            assert (1, "") == (opened.client.seat, opened.note)
            assert isinstance(opened.client, Client)
            token = opened.client.token
        with stored_seat(served.url, ann.code) as seat:
            assert seat is not None
            assert token == seat.token
