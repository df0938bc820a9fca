"""The command ``racing-demon-server journal``: lists, exports, corrects, checks and copies journals."""

import argparse
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.records.format import Correction, correction_problem
from racing_demon_server.arguments import fail, is_confirmed, parser_of
from racing_demon_server.arguments import journal as journal_named
from racing_demon_server.journal.sqlite.database import default_path, journals_of, practice_path, reading

from .check import FindUnrestorable, check
from .interface import JournalMissing, JournalPart, JournalReader, JournalUnusable, UrlJournals
from .matches import Match, export, matches
from .reader import UnknownContents, corrections_of
from .sqlite.backup import backup, restore
from .sqlite.lock_file import numbered
from .sqlite.retention import prune

MAX_CHARACTERS = 65_536
MAX_IN_MEMORY = 16 * 1024 * 1024
"""A longer record is buffered in a file until its reader has it."""

EXAMPLES = """examples:
  racing-demon-server journal list                       list the matches in this machine's journal
  racing-demon-server journal export 3.1 > match.jsonl   write one match as a record, for racing-demon verify
  racing-demon-server journal backup FILE --to COPY      copy the journal, even while a server runs
  racing-demon-server journal restore COPY --to FILE     put the copy back; FILE must not exist
  racing-demon-server journal check FILE                 check that the journal is complete and consistent
  racing-demon-server journal prune FILE --before 90d    delete matches that ended 90 days ago or earlier

If a server runs several processes, list, export and correct use all journals: process 2 has match 2-3.1.

exit codes: 0 done, 1 the journal has faults, 2 wrong arguments, 3 the journal cannot be used
"""


class ServerParts(NamedTuple):
    """What a command needs of a server.

    Attributes:
        unrestorable: restores the open tables as a server does, for checks.
        results: yields the lines that say how the matches of some journals count, given the first.

    """

    unrestorable: FindUnrestorable
    results: Callable[[Path | str, Sequence[JournalPart]], Iterator[str]]


def main(argv: Sequence[str], server: ServerParts, others: Sequence[UrlJournals]) -> int:
    """Run the command, and return the exit code.

    Args:
        argv: the arguments.
        server: what it needs of a server.
        others: open journals that are no files.

    """
    arguments = _parser(others).parse_args(argv)
    try:
        code = _do(arguments, server, others)
        sys.stdout.flush()  # report a failed write now, not at exit
        return code
    except JournalUnusable as error:
        return fail(3, error)
    except UnknownContents as error:
        return fail(1, f"the journal contains something unknown: {error}.")
    except BrokenPipeError:  # the reader has closed the pipe
        sys.stderr.close()
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else it would fail again at exit
        return 0


def _do(arguments: argparse.Namespace, server: ServerParts, others: Sequence[UrlJournals]) -> int:
    unrestorable = server.unrestorable
    match arguments.command:
        case "backup" | "restore" | "prune" if isinstance(arguments.file, str):
            raise JournalUnusable(_opener(others).ADVICE[arguments.command])
        case "backup":
            backup(arguments.file, arguments.to)
        case "restore":
            restore(arguments.file, arguments.to, unrestorable)
        case "check":
            return _check(next(_parts(arguments.file, arguments, others)), unrestorable)
        case "prune":
            return _prune(arguments.file, arguments.before, dry_run=arguments.dry_run, asks=not arguments.yes)
        case "list" | "numbered":
            return (_list if arguments.command == "list" else _list_numbered)(arguments, others)
        case "results":
            for line in server.results(arguments.journal, list(_parts(arguments.journal, arguments, others))):
                sys.stdout.write(f"{line}\n")
        case "correct":
            return _correct(_parts(arguments.journal, arguments, others), arguments.journal, arguments.id)
        case _:
            return _export(_parts(arguments.journal, arguments, others), arguments.journal, arguments.id)
    return 0


def _parts(
    journal: Path | str, arguments: argparse.Namespace, others: Sequence[UrlJournals]
) -> Iterator[JournalPart]:
    """Yield the journals of a server: of each process, or the one that a URL names."""
    if isinstance(journal, str):
        yield _opener(others).journal(journal, arguments)
    else:
        for prefix, path in journals_of(journal):
            yield JournalPart(prefix, partial(reading, path), path.stem)


def _opener(others: Sequence[UrlJournals]) -> UrlJournals:
    if not others:
        raise JournalUnusable("Nothing is installed here that opens a journal by its URL.")
    return others[0]


def _check(part: JournalPart, unrestorable: FindUnrestorable) -> int:
    with part.opened() as journal:
        report = check(journal, unrestorable)
    wrong = [*report.faults, *report.waiting]
    for fault in wrong:
        sys.stdout.write(f"not valid: {fault}\n")
    if not wrong:
        sys.stdout.write(
            f"valid: {pluralize(report.tables, 'table')}, {pluralize(report.hands, 'hand')}, "
            f"{pluralize(report.events, 'event')}; nothing is missing\n"
        )
    return 1 if wrong else 0


def _prune(path: Path, before: datetime, *, dry_run: bool, asks: bool) -> int:
    """Delete old matches; at a terminal ask first, because this cannot be undone."""
    moment = round(before.timestamp() * 1_000)

    def old() -> str:
        matches = pluralize(prune(path, moment, dry_run=True).matches, "match", "matches")
        return f"{matches} that ended before {before:%Y-%m-%d %H:%M}"

    if dry_run:
        sys.stdout.write(f"would be deleted: {old()}\n")
        return 0
    if asks and not is_confirmed(lambda: f"Delete {old()} for good?"):
        sys.stdout.write("nothing is deleted\n")
        return 0
    pruned = prune(path, moment)
    for why in pruned.kept:
        sys.stdout.write(f"not deleted: {why}\n")
    deleted = pluralize(pruned.matches, "match", "matches")
    free = pluralize(pruned.free, "byte")
    sys.stdout.write(f"deleted: {deleted}; {free} of the file can be used for new ones\n")
    return 1 if pruned.kept else 0


def _moment(text: str) -> datetime:
    """Return the time of a date, or of a number of days ago."""
    with contextlib.suppress(ValueError, OverflowError):
        if text.endswith("d") and text[:-1].isdecimal():
            return datetime.now(UTC) - timedelta(days=int(text[:-1]))
        return datetime.fromisoformat(text).astimezone()
    raise argparse.ArgumentTypeError(f"{text!r} is neither a date like 2026-11-01 nor days ago like 90d")


def _list(arguments: argparse.Namespace, others: Sequence[UrlJournals]) -> int:
    """List the matches of a journal; or of hosts and of practice, each with its journal, if there is one.

    Raises:
        JournalUnusable: one cannot be used, or there is none.

    """
    if not arguments.all:
        _write_list(_parts(arguments.journal, arguments, others), None, as_json=arguments.json)
        return 0
    missing = []
    practised = [path for path in numbered(practice_path()) if path.exists()]
    for journal in (*practised, default_path()):
        try:
            _write_list(_parts(journal, arguments, others), journal, as_json=arguments.json)
        except JournalMissing as error:
            missing.append(error)
    if missing and not practised:
        raise missing[-1]
    return 0


def _list_numbered(arguments: argparse.Namespace, others: Sequence[UrlJournals]) -> int:
    """List the journals with matches that earlier versions gave to who hosted while another host did."""
    for path in list(numbered(default_path()))[1:]:
        with contextlib.suppress(JournalUnusable):  # a stray file, which no command reads
            if path.exists() and any(True for _ in _matches(_parts(path, arguments, others))):
                sys.stdout.write(f"{path}\n")
    return 0


def _write_list(parts: Iterable[JournalPart], path: Path | None, *, as_json: bool) -> None:
    for journal, match in _matches(parts):
        if as_json:
            row = {**match.as_json(), "corrections": len(corrections_of(journal, match.key))}
            row |= {} if path is None else {"journal": str(path)}
            line = json.dumps(row, ensure_ascii=False)
        else:
            line = _line_of(match) if path is None else f"{_line_of(match)}  in {path}"
        sys.stdout.write(line + "\n")


def _matches(parts: Iterable[JournalPart]) -> Iterator[tuple[JournalReader, Match]]:
    """Yield the matches of all processes of a server, each with its journal.

    No transaction is open between two matches, so that a slow reader of the output cannot make the journal's
    log grow.
    """
    for part in parts:
        with part.opened() as journal:
            for match in list(matches(journal, part.prefix)):
                yield journal, match


def _line_of(match: Match) -> str:
    began = datetime.fromtimestamp(match.started_ms / 1_000, UTC).astimezone()
    how = "" if match.finished else "  not finished"
    names = ", ".join(
        f"{name} (bot)" if seat in match.bots else name for seat, name in sorted(match.seats.items())
    )
    what = f"{match.game}, {pluralize(match.hands, 'hand')}"
    return f"{match.id:8} {began:%Y-%m-%d %H:%M}  {match.table.code}  {what}: {names}{how}"


def _export(parts: Iterable[JournalPart], path: Path | str, wanted: str) -> int:
    count = 0
    for journal, match in _matches(parts):
        if wanted in {"all", match.id}:
            count += 1
            _write_record(journal, match)
    if not count and wanted != "all":
        return _missing(path, wanted)
    return 0


def _write_record(journal: JournalReader, match: Match) -> None:
    """Write a match's record after reading all of it, because the reader of the output may be slow."""
    with tempfile.SpooledTemporaryFile(MAX_IN_MEMORY, "w+", encoding="utf-8", newline="") as record:
        with journal.moment():
            record.writelines(line + "\n" for line in export(journal, match))
        record.seek(0)
        shutil.copyfileobj(record, sys.stdout)


def _correct(parts: Iterable[JournalPart], path: Path | str, wanted: str) -> int:
    """Append the correction that standard input gives as a line, also while a server runs."""
    try:
        correction = Correction.model_validate_json(sys.stdin.readline(MAX_CHARACTERS))
    except ValidationError:
        return fail(2, "this is not a correction; racing-demon record correct writes one.")
    for part in parts:
        with part.opened() as journal:
            match = next((match for match in matches(journal, part.prefix) if match.id == wanted), None)
        if match is not None:
            if objection := _objection(match, correction):
                return fail(1, objection)
            with part.opened(write=True) as journal:
                journal.correct(match.key, correction.model_dump_json())
            return 0
    return _missing(path, wanted)


def _objection(match: Match, correction: Correction) -> str:
    """Return why a correction does not apply to a match; empty if it does."""
    if match.ended_ms is None:
        return f"Match {match.id} is not over yet: correct it when it is, or when its table is closed."
    return correction_problem(correction, match.id, match.seats, match.hands)


def _missing(path: Path | str, wanted: str) -> int:
    return fail(1, f"there is no match {wanted} in {path}; racing-demon record list shows all.")


def _parser(others: Sequence[UrlJournals]) -> argparse.ArgumentParser:
    text = "Manage the journal, in which a server keeps its tables."
    parser = parser_of("racing-demon-server journal", text, EXAMPLES)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in (("backup", "copy a journal while a server uses it"), ("restore", "put a copy back")):
        command = commands.add_parser(name, help=text)
        command.add_argument("file", type=journal_named)
        command.add_argument("--to", type=Path, metavar="FILE", required=True)
    command = commands.add_parser("check", help="check a journal")
    command.add_argument("file", type=journal_named, metavar="FILE|URL")
    for other in others:
        other.add_check_options(command)
    command = commands.add_parser("prune", help="delete old matches, even while a server uses the journal")
    command.add_argument("file", type=journal_named)
    command.add_argument(
        "--before",
        type=_moment,
        metavar="DATE",
        required=True,
        help="a date like 2026-11-01, or 90d for 90 days ago",
    )
    command.add_argument("--dry-run", action="store_true", help="only say how many would be deleted")
    command.add_argument("--yes", action="store_true", help="do not ask, also at a terminal")
    commands.add_parser("numbered", help="list the numbered journals of earlier versions, which have matches")
    for name, text in (
        ("list", "list the matches"),
        ("export", "write one match or all as JSON lines"),
        ("results", "write how the matches count in standings, as JSON lines: for racing-demon scores"),
        ("correct", "append a correction from standard input, as written by racing-demon record correct"),
    ):
        command = commands.add_parser(name, help=text)
        books = command.add_mutually_exclusive_group() if name == "list" else command
        books.add_argument("--journal", type=journal_named, metavar="FILE|URL", default=default_path())
        if name == "list":
            books.add_argument(
                "--all", action="store_true", help="the matches of practice on this machine, too"
            )
            command.add_argument("--json", action="store_true", help="one JSON object a line, for programs")
        elif name != "results":
            or_all = ", or all" if name == "export" else ""
            command.add_argument("id", help=f"the match's id from the list{or_all}")
    return parser
