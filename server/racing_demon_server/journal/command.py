"""The command ``racing-demon-server journal``: copies, checks, lists and exports what was played."""

import argparse
import contextlib
import json
import sqlite3
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from .matches import Match, export, matches
from .reading import UnknownContents
from .schema import JournalUnusable, default_path, open_journal
from .upkeep import backup, check, restore

__all__ = ["main"]

EXAMPLES = """examples:
  racing-demon-server journal list                       the matches of this machine's journal
  racing-demon-server journal export 3.1 > match.jsonl   one as a record, for racing-demon verify
  racing-demon-server journal backup FILE --to COPY      a copy, also while a server runs
  racing-demon-server journal restore COPY --to FILE     put it back; FILE must not be there
  racing-demon-server journal check FILE                 is all of it there, and does it fit together?

exit codes: 0 done, 1 what is in the file is not right, 2 wrong arguments, 3 the file cannot be used
"""


def main(argv: Sequence[str]) -> int:
    """Do what is asked, and return the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        return _do(arguments)
    except JournalUnusable as error:
        sys.stderr.write(f"racing-demon-server: {error}\n")
        return 3
    except UnknownContents as error:
        sys.stderr.write(f"racing-demon-server: something in the journal is not understood: {error}.\n")
        return 1
    except sqlite3.Error as error:
        sys.stderr.write(f"racing-demon-server: the journal cannot be read: {error}.\n")
        return 3
    except BrokenPipeError:  # whoever reads has seen enough
        sys.stderr.close()
        return 0


def _do(arguments: argparse.Namespace) -> int:
    match arguments.command:
        case "backup":
            backup(arguments.file, arguments.to)
            return 0
        case "restore":
            restore(arguments.file, arguments.to)
            return 0
        case "check":
            return _check(arguments.file)
        case "list":
            return _list(arguments.journal, as_json=arguments.json)
        case _:
            return _export(arguments.journal, arguments.id)


def _check(path: Path) -> int:
    report = check(path)
    for fault in report.faults:
        sys.stdout.write(f"not right: {fault}\n")
    if not report.faults:
        sys.stdout.write(
            f"right: {report.tables} tables, {report.hands} hands, {report.events} events; "
            "nothing is missing\n"
        )
    return 1 if report.faults else 0


def _list(path: Path, *, as_json: bool) -> int:
    with contextlib.closing(open_journal(path)) as db:
        db.execute("BEGIN")
        for match in matches(db):
            sys.stdout.write(
                (json.dumps(match.as_json(), ensure_ascii=False) if as_json else _told(match)) + "\n"
            )
    return 0


def _told(match: Match) -> str:
    began = datetime.fromtimestamp(match.started_ms / 1_000, UTC).astimezone()
    how = "" if match.finished else "  not finished"
    names = ", ".join(
        f"{name} (bot)" if seat in match.bots else name for seat, name in sorted(match.seats.items())
    )
    what = f"{match.game}, {match.hands} hands"
    return f"{match.id:8} {began:%Y-%m-%d %H:%M}  {match.table.code}  {what}: {names}{how}"


def _export(path: Path, wanted: str) -> int:
    found = 0
    with contextlib.closing(open_journal(path)) as db:
        db.execute("BEGIN")
        for match in list(matches(db)):
            if wanted in {"all", match.id}:
                found += 1
                for line in export(db, match):
                    sys.stdout.write(line + "\n")
    if not found and wanted != "all":
        sys.stderr.write(f"racing-demon-server: there is no match {wanted} in {path}; see journal list.\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="racing-demon-server journal",
        description="Look after the journal, in which a server keeps its tables.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in (("backup", "copy a journal while a server writes it"), ("restore", "put a copy back")):
        command = commands.add_parser(name, help=text)
        command.add_argument("file", type=Path)
        command.add_argument("--to", type=Path, metavar="FILE", required=True)
    command = commands.add_parser("check", help="check a journal")
    command.add_argument("file", type=Path)
    for name, text in (("list", "list the matches"), ("export", "write a match, or all, as JSON lines")):
        command = commands.add_parser(name, help=text)
        command.add_argument("--journal", type=Path, metavar="FILE", default=default_path())
        if name == "list":
            command.add_argument("--json", action="store_true", help="one JSON object a line, for programs")
        else:
            command.add_argument("id", help="the match's id, as the list has it, or all")
    return parser
