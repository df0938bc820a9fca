"""One server to a journal, by whatever name each of them was given."""

import stat
from pathlib import Path

import pytest

from racing_demon_server.enums import Durability
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.sqlite.lock_file import JournalTaken, LockFile, first_free
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "share" / "data" / "journal.sqlite"


def link_of(path: Path, how: str) -> Path:
    """Return another name of a file."""
    other = path.parent.parent / "other"
    match how:
        case "symlink":
            other.symlink_to(path)
        case "folder":
            other.symlink_to(path.parent)
            return other / path.name
        case "relative":
            return path.parent / ".." / path.parent.name / path.name
        case _:
            other.hardlink_to(path)
    return other


def test_the_lock_lies_beside_the_file(path: Path) -> None:
    """Servers of all versions look for it by that name; nobody but the owner can take it."""
    LockFile(path).release()
    lock = path.with_name("journal.sqlite-lock")
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


@pytest.mark.parametrize("how", ["symlink", "folder", "relative", "link"])
async def test_a_second_server_is_refused_by_any_name(path: Path, how: str) -> None:
    """Two servers that wrote one file would ruin it, and SQLite would give a hard link a log of its own."""
    journal = DurableJournal(SqliteStore(path, Durability.NORMAL))
    try:
        with pytest.raises(JournalUnusable, match=r"Another server uses|has a second name"):
            DurableJournal(SqliteStore(link_of(path, how), Durability.NORMAL))
    finally:
        journal.close()


@pytest.mark.parametrize("how", ["symlink", "folder", "relative"])
async def test_a_name_that_leads_to_the_file_is_as_good(path: Path, how: str) -> None:
    """A server that was given a symbolic link has the same journal and lock as with the file's own name."""
    DurableJournal(SqliteStore(path, Durability.NORMAL)).close()
    other = link_of(path, how)
    store = SqliteStore(other, Durability.NORMAL)
    try:
        assert path.resolve() == store.path
        with pytest.raises(JournalTaken):
            LockFile(path)
        assert first_free(other) != other
        assert not other.with_name(f"{other.name}-wal").exists() or other.parent.samefile(path.parent)
    finally:
        store.close()


def test_a_file_with_a_second_name_can_be_read_and_not_written(path: Path) -> None:
    """The sentence says what to do; without the second name the file is as good as before."""
    open_journal(path, write=True).close()
    other = link_of(path, "link")
    for name in (path, other):
        open_journal(name).close()
        with pytest.raises(JournalUnusable, match=r"has a second name .* Remove one of the two"):
            open_journal(name, write=True)
    other.unlink()
    open_journal(path, write=True).close()
