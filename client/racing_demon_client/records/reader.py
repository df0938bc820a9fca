"""Read records: from files, standard input, and the journal of a server on this machine.

Only the server's own program reads its journal, so the client runs it as a subprocess. Reading a thousand
records takes long, so their digests are cached in this machine's cache folder.
"""

import asyncio
import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Annotated, Final, NamedTuple

from platformdirs import user_cache_path
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from racing_demon_client.errors import NotText, RecordUnreadable
from racing_demon_client.files import detect_encoding, replace_file, state_folder
from racing_demon_client.net.local_server import end_process
from racing_demon_client.net.results import MATCH_LINK, fetch_record
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.records.format import MAX_LINE_LENGTH, Record, read_records
from racing_demon_protocol.records.summary import VERSION, MatchSummary, summarize

STDIN: Final = "-"
ALL: Final = "all"
"""Stands for every match of the journal."""
ID: Final = re.compile(r"([0-9]{1,2}-)?[0-9]{1,18}\.[0-9]{1,18}", re.ASCII)
"""A match's name in a journal: table number and match number, preceded by the worker's number from 1 on."""
BEGINNINGS: Final = ('{"message": "record"', '{"message": "correction"')
"""How lines begin that are appended to a file whose last line may be truncated."""
CUT_LETTER: Final = ("unexpected end of data", "truncated data")
"""Python's messages for a text that ends within a character."""
MAX_ERROR_TEXT: Final = 2_000
MAX_LISTED: Final = 1_000_000


class ListedMatch(BaseModel):
    """A match in the journal, as the server lists it."""

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
    journal: str | None = None
    """The journal's file, if several were listed."""


def is_file(source: str) -> bool:
    """Return whether a source is a file, and not a match of the journal or all of them."""
    return not (ID.fullmatch(source) or source == ALL) or Path(source).exists()


@asynccontextmanager
async def open_lines(source: str, journal: str | None) -> AsyncIterator[Iterator[str]]:
    """Yield the lines of a file, of a match at a server by its link, or of a match in the journal.

    Raises:
        RecordUnreadable: it does not exist or cannot be read.

    """
    if MATCH_LINK.match(source):
        yield iter((await fetch_record(source)).splitlines(keepends=True))
    elif is_file(source):
        with _opened(source) as lines:
            yield _whole_lines(_bounded(lines), source)
    else:
        async with run_journal_command("export", source, journal=journal) as lines:
            yield _whole_lines(lines, source)


def read_file(path: str, damaged: Callable[[str], None] | None = None) -> Iterator[Record]:
    """Yield the records of a file.

    Args:
        path: the file.
        damaged: is told of each line that cannot be read, which is an error without it.

    Raises:
        RecordUnreadable: the file cannot be read.
        InvalidRecord: a line does not belong to a record.

    """
    with _opened(path) as lines:
        yield from read_records(_whole_lines(_bounded(lines), path), damaged)


def report_damage(source: str, why: str) -> None:
    """Say that a record is damaged, and what is not read of it."""
    sys.stderr.write(
        f"The record of {_named(source)} is damaged. {why} What follows there up to the next table is "
        "left out; what is whole is read.\n"
    )


async def list_matches(journal: str | None, *, practice: bool = False) -> list[ListedMatch]:
    """Return the journal's matches, oldest first.

    Args:
        journal: the journal; ``None`` for that of hosts on this machine.
        practice: whether those of practice on this machine belong to them.

    Raises:
        RecordUnreadable: there is no journal, or it cannot be read.

    """
    if journal is None:
        await name_older_journals()
    matches: list[ListedMatch] = []
    async with run_journal_command("list", "--json", *["--all"] * practice, journal=journal) as lines:
        for line in lines:
            try:
                matches.append(ListedMatch.model_validate_json(line))
            except ValidationError as error:
                text = (
                    "The server lists its journal in an unknown format: client and server differ in version."
                )
                raise RecordUnreadable(text) from error
            if len(matches) > MAX_LISTED:
                raise RecordUnreadable(f"The journal has more than {MAX_LISTED} matches.")
    return sorted(matches, key=lambda match: (match.started_ms or 0, match.id))


class JournalResults(NamedTuple):
    """How a journal's matches count.

    Attributes:
        knows_players: whether its server remembers players, so that nobody's name matters.
        matches: the matches, with the players' names of now.

    """

    knows_players: bool
    matches: list[MatchSummary]


async def journal_results(journal: str | None) -> JournalResults:
    """Return how the matches in the journal count, as its server's standings have them.

    Raises:
        RecordUnreadable: there is no journal, or it cannot be read.

    """
    if journal is None:
        await name_older_journals()
    async with run_journal_command("results", journal=journal) as lines:
        try:
            first, *others = lines
            knows_players = bool(json.loads(first)["players"])
            return JournalResults(knows_players, [MatchSummary.model_validate_json(line) for line in others])
        except (ValueError, KeyError, TypeError) as error:  # a ValidationError is a ValueError
            text = "The server tells its results in an unknown format: client and server differ in version."
            raise RecordUnreadable(text) from error


async def name_older_journals() -> None:
    """Say once on this machine which journals of earlier versions no command reads by itself, and how to."""
    told = state_folder() / "older-journals-named"
    if told.exists():
        return
    try:
        async with run_journal_command("numbered", journal=None) as lines:
            found = [line.rstrip("\n") for line in lines]
    except RecordUnreadable:
        return  # said with the next command
    if found:
        sys.stderr.write(
            "An earlier version kept other matches apart, where two servers ran at the same time. They are "
            "not among those of journal.sqlite; these commands list them:\n"
        )
    for path in found:
        sys.stderr.write(f"  racing-demon record list --journal {printable(shlex.quote(path))}\n")
    with suppress(OSError):
        replace_file(told, b"")


@asynccontextmanager
async def run_journal_command(
    *arguments: str, journal: str | None, typed: str | None = None
) -> AsyncIterator[Iterable[str]]:
    """Run a journal command of the server's program and yield the lines of its answer.

    The answer goes through an unnamed temporary file, so that it is never in memory as a whole.

    Raises:
        RecordUnreadable: the program failed; the text is what it said.

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
            _, errors = await process.communicate(typed.encode() if typed is not None else None)
        finally:
            await end_process(process)  # the caller may no longer need the answer
        if process.returncode != 0:
            raise RecordUnreadable(_last_error(errors.decode(errors="replace")))
        answer.seek(0)
        yield answer


def _last_error(text: str) -> str:
    """Return the error message of the server's program, without the program's name."""
    said = text[-MAX_ERROR_TEXT:].strip().splitlines() or ["The server's journal could not be read."]
    return said[-1].partition(": ")[2] if said[-1].startswith("racing-demon-server: ") else said[-1]


@contextlib.contextmanager
def _opened(path: str) -> Iterator[IO[str]]:
    if path == STDIN:
        yield _as_text(sys.stdin.buffer)
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below; only opening it is guarded
    except OSError as error:
        hint = (
            "; a match is two numbers, like 12.1: racing-demon record list shows all"
            if path.isdigit()
            else ""
        )
        raise RecordUnreadable(f"{path} cannot be read: {error.strerror or error}{hint}") from error
    with file:
        yield _as_text(file)


def _as_text(file: IO[bytes]) -> IO[str]:
    """Return a file as text in its own encoding."""
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # type: ignore[type-var]
    return io.TextIOWrapper(buffered, encoding=detect_encoding(buffered.peek(2)[:2]))


def _bounded(file: IO[str]) -> Iterator[str]:
    """Yield the lines of a file; of a line that is too long, only enough to show that."""
    return iter(lambda: file.readline(MAX_LINE_LENGTH + 2), "")


def _whole_lines(lines: Iterable[str], source: str) -> Iterator[str]:
    """Yield whole lines; report where truncated or unreadable ones come from."""
    kept = ""
    try:
        for line in lines:
            if line.startswith(BEGINNINGS) and _is_half(kept):
                _report_cut(source, "in its middle, before something was written behind it,")
            elif kept:
                yield kept
            kept = line
    except UnicodeDecodeError as error:
        if error.reason not in CUT_LETTER:
            raise NotText(
                f"{source} cannot be read: it is not text, or damaged, so it proves nothing."
            ) from error
        if kept:
            yield kept
        kept = "{"  # the text before the truncated character is lost, too
    except OSError as error:
        raise RecordUnreadable(f"{source} cannot be read: {error.strerror or error}") from error
    if not kept.endswith("\n") and _is_half(kept):
        _report_cut(source, "at its end")
    elif kept:
        yield kept


def _is_half(line: str) -> bool:
    """Return whether a line is the beginning of an object that was never completed."""
    if not line.startswith("{"):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def _report_cut(source: str, where: str) -> None:
    sys.stderr.write(
        f"The record of {_named(source)} {where} stops in the middle of a line: that line is left out, what "
        "came after it was never written, and a hand that was being played then is not proven.\n"
    )


def _named(source: str) -> str:
    return "standard input" if source == STDIN else printable(source)


MAX_CACHED: Final = 100_000
MAX_CACHE_BYTES: Final = 512 * 2**20
DIGESTS: Final = TypeAdapter(tuple[MatchSummary, ...])


def cache_path() -> Path:
    """Return the path of the cache."""
    return user_cache_path("racing-demon", appauthor=False) / "digests"


def file_cache_key(path: str) -> str:
    """Return a key for a verified file in its present state; it changes with the file.

    Raises:
        OSError: there is no such file.

    """
    state = os.stat(path)
    return cache_key(f"proven\0{os.path.realpath(path)}\0{state.st_size}\0{state.st_mtime_ns}")


def cache_key(text: str) -> str:
    """Return a short key for a text and the current version of digests."""
    return hashlib.sha256(f"{VERSION}\0{text}".encode(errors="surrogateescape")).hexdigest()[:32]


class DigestCache:
    """The cached digests, one record per line with its key first.

    Args:
        path: the file.

    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._texts: dict[str, str] = {}
        self._is_new = False
        with suppress(OSError, UnicodeDecodeError):
            if path.stat().st_size <= MAX_CACHE_BYTES:
                lines = path.read_text(encoding="utf-8").splitlines()
                self._texts = {key: text for key, _, text in (line.partition(" ") for line in lines)}

    def get(self, key: str) -> tuple[MatchSummary, ...] | None:
        """Return the digests under a key; ``None`` if there are no valid ones."""
        try:
            return DIGESTS.validate_json(self._texts[key])
        except (KeyError, ValidationError):
            return None

    def compute(self, key: str, records: Iterable[Record], *, verified: bool) -> tuple[MatchSummary, ...]:
        """Compute the digests of records, verified ones or all, and store them under a key.

        Raises:
            InvalidRecord: a record contradicts itself or, if it is verified, is not valid.

        """
        made = tuple(summarize(records, verified=verified))
        self._texts.pop(key, None)
        self._texts[key] = DIGESTS.dump_json(made).decode()
        self._is_new = True
        return made

    def drop(self, key: str) -> None:
        """Remove the digests under a key: what was said when they were made will be said again."""
        self._texts.pop(key, None)

    def save(self) -> None:
        """Write the cache; a failure only means computing the digests again."""
        if self._is_new:
            latest = list(self._texts.items())[-MAX_CACHED:]
            with suppress(OSError):
                replace_file(self._path, "".join(f"{key} {text}\n" for key, text in latest).encode())
