"""The command ``racing-demon-server journal`` in this process, and a journal for it."""

import contextlib
import sqlite3
import tempfile
from functools import cache
from pathlib import Path

import pytest

from racing_demon_server.cli import main
from racing_demon_server.journal.sqlite.database import open_journal

FIXTURE = Path(__file__).parents[1] / "server" / "journal" / "version1.sql"


def played_journal(path: Path) -> None:
    """Make a journal with a finished match in it."""
    path.write_bytes(_image())


@cache
def _image() -> bytes:
    """Return the file, brought up to date once for all tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(FIXTURE.read_text())
        open_journal(path, write=True).close()
        return path.read_bytes()


def lines(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> list[str]:
    """Run the command, which must go well, and return what it says."""
    assert main(["journal", *map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()


def fails(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    """Run the command, and return its code and what it complains of."""
    code = main(["journal", *map(str, arguments)])
    ended = capsys.readouterr()
    assert "Traceback" not in ended.err
    return code, ended.out + ended.err
