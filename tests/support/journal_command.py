"""The command ``racing-demon-server journal`` in this process, and a journal for it."""

import asyncio
import contextlib
import io
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import pytest

from racing_demon_client.records.reader import run_journal_command
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


@asynccontextmanager
async def answered_here(
    *arguments: str, journal: str | None, typed: str | None = None
) -> AsyncIterator[Iterable[str]]:
    """Yield the lines of a command's answer, as the players' program gets them from a process of its own.

    What a process does otherwise, as to fail or to read, is left to one.
    """
    command = ["journal", *arguments, *(() if journal is None else ("--journal", journal))]
    code, answer = (1, "") if typed is not None else await asyncio.to_thread(_answer, command)
    if code == 0:
        yield answer.splitlines(keepends=True)
        return
    async with run_journal_command(*arguments, journal=journal, typed=typed) as lines:
        yield lines


def _answer(command: list[str]) -> tuple[int, str]:
    answer = io.StringIO()
    with contextlib.redirect_stdout(answer), contextlib.redirect_stderr(io.StringIO()):
        try:
            return main(command), answer.getvalue()
        except SystemExit:
            return 1, ""


def fails(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    """Run the command, and return its code and what it complains of."""
    code = main(["journal", *map(str, arguments)])
    ended = capsys.readouterr()
    assert "Traceback" not in ended.err
    return code, ended.out + ended.err
