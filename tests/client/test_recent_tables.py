"""The tables of late: the newest first, without secrets, and never a reason to end a game."""

import json
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from racing_demon_client.recent_tables import Recent, recents, recents_path, remember
from tests.support.effort import examples

ENTRY = {
    "url": "ws://192.168.1.5:5252/v1",
    "code": "BCDF",
    "name": "Ann",
    "how": "joined",
    "at": "2025-03-01T20:15:00+01:00",
}

LETTERS = st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" \"'\\")
RECENTS = st.builds(
    Recent,
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


def table(**changes: str) -> Recent:
    """Return a table that was joined, with some things changed."""
    return Recent.model_validate({**ENTRY, **changes})


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
    assert recents(path) == ()
    assert not path.parent.exists()


@examples(60)
@given(st.lists(RECENTS, max_size=12))
def test_the_newest_eight_are_kept(tables: list[Recent]) -> None:
    """The newest comes first, each table once, as one was there last, and no more than eight."""
    wanted: list[Recent] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "recent.json"
        for recent in tables:
            remember(path, recent)
            wanted = [recent, *(old for old in wanted if (old.url, old.code) != (recent.url, recent.code))][
                :8
            ]
            assert tuple(wanted) == recents(path)


def test_the_longest_texts_are_read_again(path: Path) -> None:
    """Eight tables of the longest and widest texts do not outgrow what is read."""
    for number in range(8):
        remember(path, table(url=f"{number}" + "🂡" * 511, code="🂡" * 16, name="🂡" * 64))
    assert len(recents(path)) == 8


def test_a_table_of_now_has_its_time() -> None:
    """What is remembered says when that was, with the time zone."""
    recent = Recent.now("ws://here:5252", "BCDF", "Ann", "hosted")
    assert recent is not None
    at = datetime.fromisoformat(recent.at)
    assert at.tzinfo is not None
    assert abs((datetime.now().astimezone() - at).total_seconds()) < 60


@pytest.mark.parametrize(
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
    assert Recent.now(*texts) is None


# Secrets.


@pytest.mark.parametrize(
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
    remember(path, table(url=url))
    assert [kept] == [recent.url for recent in recents(path)]
    assert "secret" not in path.read_text(encoding="utf-8")


def test_a_table_is_listed_once_however_its_address_was_written(path: Path) -> None:
    """The path that all servers have may be left out: it is the same table."""
    for url in ("ws://here:5252/v1", "ws://here:5252", "ws://here:5252/"):
        remember(path, table(url=url))
    assert [recent.url for recent in recents(path)] == ["ws://here:5252"]


def test_a_token_has_no_place() -> None:
    """A table of late cannot hold the secret that opens a seat."""
    with pytest.raises(ValidationError):
        table(token="5e" * 32)


# Files that are not ours.


@pytest.mark.parametrize(
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
    assert recents(written(path, text)) == ()
    remember(path, table())
    assert (table(),) == recents(path)


@pytest.mark.parametrize(
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
    assert (table(),) == recents(path)


def test_a_list_too_long_is_cut(path: Path) -> None:
    """However many tables stand in the file, eight are offered."""
    written(path, json.dumps([{**ENTRY, "code": f"B{number}"} for number in range(20)]))
    assert [f"B{number}" for number in range(8)] == [recent.code for recent in recents(path)]


def test_a_file_that_cannot_be_written_ends_no_game(path: Path) -> None:
    """Where no folder can be made nothing is remembered, and nothing is said."""
    path.parent.parent.mkdir()
    path.parent.touch()
    remember(path, table())
    assert recents(path) == ()
