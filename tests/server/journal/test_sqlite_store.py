"""The store in a file, as servers open it."""

from pathlib import Path

from racing_demon_server.enums import Durability
from racing_demon_server.journal.operations import Operation
from racing_demon_server.journal.sqlite.database import journal_of, journals_of, open_journal, reading
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.server import TableServer
from racing_demon_server.settings import ServerSettings


def test_the_path_of_a_file_opens_it(tmp_path: Path) -> None:
    """With the durability that was asked for."""
    for durability, synchronous in ((Durability.FULL, 2), (Durability.NORMAL, 1)):
        settings = ServerSettings(journal=tmp_path / "journal.sqlite", durability=durability)
        store = TableServer(settings).open_store()
        assert isinstance(store, SqliteStore)
        assert (synchronous,) == store.db.execute("PRAGMA synchronous").fetchone()
        store.close()


def test_of_the_claims_of_a_seat_the_newest_stays(tmp_path: Path) -> None:
    """Also of those that are written together, whatever their tokens and numbers are."""
    store = SqliteStore(tmp_path / "journal.sqlite", Durability.NORMAL)
    claims = [(1, 0, b"b", 7, b"x"), (1, 0, b"a", 0, None), (1, 1, b"c", 2, b"y"), (1, 1, b"c", 2, None)]
    store.commit([(Operation.KEEP_CLAIM, claim) for claim in claims])
    with store.reading() as journal:
        assert [claims[1][1:], claims[3][1:]] == list(journal.claims(1))
    store.close()


def test_what_is_frequent_is_written_with_a_statement_for_each_kind(tmp_path: Path) -> None:
    """In whatever order it comes: for each statement, the thread has to wait for the interpreter."""
    store = SqliteStore(tmp_path / "journal.sqlite", Durability.NORMAL)
    statements: list[str] = []
    changes = [
        [
            (Operation.ADD_EVENT, (1, number, 3, 0, 0, b"")),
            (Operation.KEEP_CLAIM, (1, number, b"", number, None)),
            (Operation.KEEP_TIME, (number,)),
        ]
        for number in (1, 2)
    ]
    store.db.set_trace_callback(statements.append)
    store.commit([*changes[0], *changes[1]])
    assert ["BEGIN", *["INSERT"] * 3, "COMMIT"] == [sql.split()[0] for sql in statements]
    store.close()


def test_each_process_has_its_part(tmp_path: Path) -> None:
    """Their matches are named after their numbers; each is opened for reading, or for corrections as well."""
    path = tmp_path / "journal.sqlite"
    for number in (1, 2):
        open_journal(journal_of(path, number), write=True).close()
    parts = dict(journals_of(path))
    assert list(parts) == ["", "2-"]
    with reading(parts["2-"], write=True) as journal:
        journal.correct("1.1", "{}")
    assert [_corrected(part) for part in parts.values()] == [[], ["1.1"]]


def _corrected(path: Path) -> list[str]:
    with reading(path) as journal:
        return list(journal.corrected())
