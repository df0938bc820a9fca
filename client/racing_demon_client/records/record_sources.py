"""Where records come from: files, standard input, and the journal of a server on this machine.

The journal is the server's, and only its own program reads it: it is asked as a process of its own.
"""

import asyncio
import contextlib
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from racing_demon_client.errors import RecordUnreadable
from racing_demon_protocol.records.match_file import Record, read_records

__all__ = ["ALL", "ListedMatch", "ask_journal", "is_file", "lines_from", "listed", "read_file"]

STDIN: Final = "-"
ALL: Final = "all"
"""What stands for every match of the journal."""
ID: Final = re.compile(r"([0-9]{1,2}-)?[0-9]{1,18}\.[0-9]{1,18}", re.ASCII)
"""What a match is called in a journal: the table's number, and which of its matches it is; before them the
server's process that has kept it, if that is not the first."""
BEGINNINGS: Final = ('{"message": "record"', '{"message": "correction"')
"""How lines begin that are written behind what a file has: the last of that may be half a line."""
CUT_LETTER: Final = "unexpected end of data"
"""What Python calls it when a text ends within a letter."""
MOST_SAID: Final = 2_000
MOST_LISTED: Final = 1_000_000


class ListedMatch(BaseModel):
    """One match of the journal, as the server lists it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(min_length=1, max_length=240)]
    code: str = ""
    game: str = ""
    started_ms: int | None = None
    ended_ms: int | None = None
    hands: int = 0
    seats: dict[int, str] = {}
    bots: tuple[int, ...] = ()
    finished: bool = False
    corrections: int = 0


def is_file(source: str) -> bool:
    """Tell whether a source names a file, and not a match of the journal, or all of them."""
    return not (ID.fullmatch(source) or source == ALL) or Path(source).exists()


@asynccontextmanager
async def lines_from(source: str, journal: str | None) -> AsyncIterator[Iterator[str]]:
    """Give the lines of a file, or those of a match in the journal.

    Raises:
        RecordUnreadable: there is no such thing, or it cannot be read.

    """
    if is_file(source):
        with _opened(source) as lines:
            yield _told(lines, source)
    else:
        async with ask_journal("export", source, journal=journal) as lines:
            yield _told(lines, source)


def read_file(path: str) -> Iterator[Record]:
    """Yield the records of a file.

    Raises:
        RecordUnreadable: it cannot be read.
        InvalidRecord: a line is none of a record.

    """
    with _opened(path) as lines:
        yield from read_records(_told(lines, path))


async def listed(journal: str | None) -> list[ListedMatch]:
    """Return the matches of the journal, the oldest first.

    Raises:
        RecordUnreadable: there is no journal, or it cannot be read.

    """
    found: list[ListedMatch] = []
    async with ask_journal("list", "--json", journal=journal) as lines:
        for line in lines:
            try:
                found.append(ListedMatch.model_validate_json(line))
            except ValidationError as error:
                text = "The server lists its journal in a way that is not known here: they differ in version."
                raise RecordUnreadable(text) from error
            if len(found) > MOST_LISTED:
                raise RecordUnreadable(f"The journal has more than {MOST_LISTED} matches.")
    return sorted(found, key=lambda match: (match.started_ms or 0, match.id))


@asynccontextmanager
async def ask_journal(
    *arguments: str, journal: str | None, typed: str | None = None
) -> AsyncIterator[Iterable[str]]:
    """Ask the server's program for something of its journal; give the lines of its answer.

    The answer goes through a file without a name, so that a long one is never in memory as a whole.

    Raises:
        RecordUnreadable: it refused; the text is what it said.

    """
    command = [sys.executable, "-m", "racing_demon_server", "journal", *arguments]
    if journal is not None:
        command += ["--journal", journal]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as answer:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE if typed is not None else asyncio.subprocess.DEVNULL,
            stdout=answer,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, complaint = await process.communicate(typed.encode() if typed is not None else None)
        finally:
            if process.returncode is None:  # nobody waits for the answer any more
                process.kill()
                await process.wait()
        if process.returncode != 0:
            raise RecordUnreadable(_complaint(complaint.decode(errors="replace")))
        answer.seek(0)
        yield answer


def _complaint(text: str) -> str:
    """Return what the server's program said, without its name before it."""
    said = text[-MOST_SAID:].strip().splitlines() or ["The server's journal could not be read."]
    return said[-1].partition(": ")[2] if said[-1].startswith("racing-demon-server: ") else said[-1]


@contextlib.contextmanager
def _opened(path: str) -> Iterator[IO[str]]:
    if path == STDIN:
        yield sys.stdin
        return
    try:
        file = open(path, encoding="utf-8")  # noqa: SIM115 - closed below, so that only opening is excused
    except OSError as error:
        hint = (
            "; a match is two numbers, like 12.1: racing-demon record list shows all"
            if path.isdigit()
            else ""
        )
        raise RecordUnreadable(f"{path} cannot be read: {error.strerror or error}{hint}") from error
    with file:
        yield file


def _told(lines: Iterable[str], source: str) -> Iterator[str]:
    """Yield whole lines; what is cut off, or cannot be read, is said with where it came from."""
    kept = ""
    try:
        for line in lines:
            if line.startswith(BEGINNINGS) and _is_half(kept):
                _tell_cut(source, "in its middle, before something was written behind it,")
            elif kept:
                yield kept
            kept = line
    except UnicodeDecodeError as error:
        if error.reason != CUT_LETTER:
            raise RecordUnreadable(f"{source} cannot be read: it is no text, so it is no record.") from error
        if kept:
            yield kept
        kept = "{"  # what was before the letter that is cut off went with it
    except OSError as error:
        raise RecordUnreadable(f"{source} cannot be read: {error.strerror or error}") from error
    if not kept.endswith("\n") and _is_half(kept):
        _tell_cut(source, "at its end")
    elif kept:
        yield kept


def _is_half(line: str) -> bool:
    """Tell whether a line is the beginning of an object whose end was never written."""
    if not line.startswith("{"):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def _tell_cut(source: str, where: str) -> None:
    name = "standard input" if source == STDIN else source
    sys.stderr.write(
        f"The record of {name} {where} stops in the middle of a line: that line is left out, what came after "
        "it was never written, and a hand that was being played then is not proven.\n"
    )
