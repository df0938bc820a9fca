"""The operator's commands: tables of a running server, bans, players, a tunnel, and reports."""

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from racing_demon_protocol.constants import MAX_NOTICE_LENGTH
from racing_demon_protocol.formatting import is_printable, pluralize, printable
from racing_demon_server.arguments import fail, is_confirmed, parser_of, tunnel_address
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.sqlite.database import (
    bans_of,
    default_path,
    journals_of,
    reports_of,
    shared_bans_of,
)
from racing_demon_server.journal.sqlite.lock_file import is_taken, lock_of, numbered

from .bans import (
    ADDRESS,
    KICK,
    KICK_SECONDS,
    MAX_REASON_BYTES,
    MUTE,
    ServerBan,
    add_ban,
    ban_subject,
    lift_bans,
    read_bans,
)
from .control_socket import NotRunning, RequestFailed, control_socket_of, holding, request
from .finding import ServerUnclear, find_server
from .reports import Person, StoredReport, mark_done, read_reports

UNITS: Final = {"m": 60, "h": 3_600, "d": 86_400}
MAX_SECONDS: Final = 3_660 * UNITS["d"]

PROGRAM: Final = "racing-demon-server"
ADMIN: Final = "rd-admin"
"""The short name of these commands, under which they find the server."""
BY_JOURNAL: Final = (
    "The commands find the server by its journal: name it with --journal, as for the server; for a server\n"
    "with --control, name that file"
)
BY_ITSELF: Final = (
    "The commands find the server that runs here, as a service or as yours, and ask which one if there are\n"
    "several; --journal FILE names one. journal --help and cluster --help have the other commands"
)
EXAMPLES: Final = f"""examples:
  racing-demon-server tables                             list the tables of the server that runs
  racing-demon-server tables KQXW                        list who is at a table, and from where
  racing-demon-server close KQXW --reason "spam"         end a table, and tell everybody there why
  racing-demon-server close --all                        end all tables of this server
  racing-demon-server close --all --cluster              end those of all servers of its cluster
  racing-demon-server new-tables off                     let nobody open a table until new-tables on
  racing-demon-server say "Restart at 22:30"             tell everybody at all tables something
  racing-demon-server ban 203.0.113.0/24 --for 7d        refuse a network's connections for a week
  racing-demon-server ban k3xw7q2m --for 7d              refuse a player, by any device
  racing-demon-server ban k3xw7q2m/17                    refuse one device of a player
  racing-demon-server mute k3xw7q2m --for 2h             let nobody hear what a player says
  racing-demon-server kick KQXW 2                        take the seat 2 at a table
  racing-demon-server host KQXW 2                        make the player of the seat 2 the table's host
  racing-demon-server bans                               list who is banned or muted
  racing-demon-server unban 203.0.113.0/24               lift a ban
  racing-demon-server players                            list the players whom the server remembers
  racing-demon-server players k3xw7q2m --into p9d4tz6b   let two players be one, with all their results
  racing-demon-server players k3xw7q2m --name "Anna"     change a player's name
  racing-demon-server players k3xw7q2m --code            let another device be this player's, by a code
  racing-demon-server players k3xw7q2m                   list a player's devices
  racing-demon-server players k3xw7q2m --trust 17        trust a device that was added by a code
  racing-demon-server players k3xw7q2m --undo 17         remove a stranger's device, with what it has played
  racing-demon-server players k3xw7q2m --split           let a player who was merged be somebody else again
  racing-demon-server players k3xw7q2m --forget          forget a player; results show a former player
  racing-demon-server players --clear 90d                forget who was away so long, and played with nobody
  racing-demon-server tunnel --table KQXW                let others join that host's table over the internet
  racing-demon-server tunnel --close --table KQXW        let them no longer
  racing-demon-server reports                            list what people have reported
  racing-demon-server reports --done 06450a1b2c3d4e5f6       mark a report as done

{BY_JOURNAL}. Only the user who runs the server, and root, can use them.

exit codes: 0 done, 1 no server is running there, or there is no such table, ban or
report, 2 wrong arguments, 3 the bans or reports cannot be used
"""


def main(argv: Sequence[str], *, is_admin: bool = False) -> int:
    """Run a command, and return the exit code.

    Args:
        argv: the arguments.
        is_admin: whether it was called ``rd-admin``, and so finds the server by itself.

    """
    arguments = _parser(is_admin=is_admin).parse_args(argv)
    try:
        if arguments.journal is None:
            arguments.journal = find_server() if is_admin else default_path()
        return int(arguments.run(arguments))
    except ServerUnclear as error:
        return fail(2, error)
    except JournalUnusable as error:
        return fail(3, error)
    except OSError as error:
        return fail(3, f"{error.filename} cannot be used: {error.strerror}.")
    except RequestFailed as error:
        return fail(1, error)
    except NotRunning:
        advice = "Name the journal of the server with --journal FILE."
        return fail(1, f"no server is running with the journal {arguments.journal}. {advice}")


def _verify_used(journal: Path) -> None:
    """Verify that some server reads and writes what is kept beside a journal, or its control file.

    Raises:
        RequestFailed: none ever did.

    """
    traces = journal, lock_of(journal), control_socket_of(journal), bans_of(journal), reports_of(journal)
    if not any(path.exists() for path in traces):
        raise RequestFailed(
            f"no server was ever started with the journal {journal}, so nothing is there, and nothing has "
            "changed. Name the journal of the server, or its --control, with --journal FILE."
        )


def _ask_all(journal: Path, **asked: Any) -> Iterator[Mapping[str, Any]]:
    """Ask all processes of a server. What one gives is held until the next is asked.

    Raises:
        NotRunning: none runs.
        RequestFailed: one refuses, or cannot be reached.

    """
    answered = False
    for _, path in journals_of(journal):
        try:
            with holding(control_socket_of(path), **asked) as answer:
                answered = True
                yield answer
        except NotRunning:
            continue
    if not answered:
        raise NotRunning


# Tables.


def _tables(arguments: argparse.Namespace) -> int:
    if arguments.code:
        return _table(arguments)
    answers = _ask_all(arguments.journal, command="tables")
    tables = [table for answer in answers for table in answer["tables"]]
    rows = [["code", "game", "host", "people", "bots", "watching", "phase", "since"]]
    for table in sorted(tables, key=lambda each: each["opened"]):
        host = printable(table["host"]) or "-"
        counts = table["people"], table["bots"], table["spectators"]
        row = table["code"], table["game"], host, *counts, table["phase"], _moment(table["opened"])
        rows.append(list(map(str, row)))
    _print_rows(rows if tables else [["no tables are open"]])
    return 0


def _table(arguments: argparse.Namespace) -> int:
    for answer in _ask_all(arguments.journal, command="table", code=arguments.code):
        if (table := answer["table"]) is not None:
            rows = [["seat", "who", "address", "player"]]
            for each in table["there"]:
                address = "a bot" if each.get("bot") else _address(each["address"])
                who = printable(each["who"]), address, each.get("player", "")
                rows.append([str(each.get("seat", "-")), *who])
            _print_rows(rows)
            return 0
    return fail(1, f"there is no table {arguments.code}.")


def _address(address: str | None) -> str:
    return "away" if address is None else address or "this machine"


def _close(arguments: argparse.Namespace) -> int:
    if arguments.all is (arguments.code is not None):
        return fail(2, "name one table, or all of them with --all.")
    if arguments.cluster and not arguments.all:
        return fail(2, "--cluster goes with --all.")
    if arguments.all:
        return _close_all(arguments)
    asked = {"command": "close", "code": arguments.code, "reason": arguments.reason}
    if any(answer["closed"] for answer in _ask_all(arguments.journal, **asked)):
        sys.stdout.write(f"the table {arguments.code} is closed\n")
        return 0
    return fail(1, f"there is no table {arguments.code}.")


def _close_all(arguments: argparse.Namespace) -> int:
    whose = "all servers of the cluster" if arguments.cluster else "this server"
    if not (arguments.yes or is_confirmed(lambda: f"End all tables of {whose} for good?")):
        sys.stdout.write("no table is closed\n")
        return 0
    asked = {"text": arguments.reason, "everywhere": arguments.cluster}
    answers = list(_ask_all(arguments.journal, command="close_all", **asked))
    sys.stdout.write(f"closed: {pluralize(sum(answer['closed'] for answer in answers), 'table')}\n")
    _say_who_else(answers, "close theirs", "--cluster closes those of all")
    return 0


def _say_who_else(answers: Sequence[Mapping[str, Any]], does: str, otherwise: str) -> None:
    """Say what other servers of a cluster do, if there are any: the same in a moment, or nothing."""
    if any(answer["shared"] for answer in answers):
        sys.stdout.write(f"all other servers of the cluster {does} in a moment\n")
    elif any(answer["has_others"] for answer in answers):
        sys.stdout.write(f"this server alone; {otherwise}\n")


def _new_tables(arguments: argparse.Namespace) -> int:
    asked = {"text": arguments.whether, "everywhere": not arguments.here}
    answers = list(_ask_all(arguments.journal, command="new_tables", **asked))
    said = (
        "tables can be opened again"
        if arguments.whether == "on"
        else "nobody opens a table from now on; open ones are played on"
    )
    sys.stdout.write(f"{said}\n")
    _say_who_else(answers, "do the same", "without --here it is for all")
    return 0


def _say(arguments: argparse.Namespace) -> int:
    asked = {"text": arguments.text, "everywhere": not arguments.here}
    answers = list(_ask_all(arguments.journal, command="say", **asked))
    tables, heard, older = (sum(answer[key] for answer in answers) for key in ("tables", "heard", "older"))
    people = pluralize(heard, "player or spectator", "players and spectators")
    sys.stdout.write(f"told: {people} at {pluralize(tables, 'table')}\n")
    if older:
        sys.stdout.write(f"not told, because their programs are too old: {older}\n")
    _say_who_else(answers, "tell theirs", "without --here it is for all")
    return 0


# Bans.


def _ban(arguments: argparse.Namespace) -> int:
    return _forbid(arguments, "", arguments.seconds, "banned")


def _mute(arguments: argparse.Namespace) -> int:
    return _forbid(arguments, MUTE, arguments.seconds, "muted")


def _kick(arguments: argparse.Namespace) -> int:
    if arguments.seat is None:
        try:
            arguments.subject = ban_subject(arguments.who)
        except ValueError as error:
            return fail(2, f"{error}. At a table, name its code and the seat.")
        return _forbid(arguments, KICK, KICK_SECONDS, "kicked, and kept out")
    code = arguments.who.upper()
    asked = {"command": "kick", "code": code, "seat": arguments.seat, "reason": arguments.reason}
    for answer in _ask_all(arguments.journal, **asked):
        if (kicked := answer["kicked"]) is not None:
            sys.stdout.write(f"{printable(kicked)} is kicked from the table {code}\n")
            return 0
    return fail(1, f"there is no table {code}.")


def _host(arguments: argparse.Namespace) -> int:
    asked = {"command": "host", "code": arguments.code, "seat": arguments.seat}
    for answer in _ask_all(arguments.journal, **asked):
        if (host := answer["host"]) is not None:
            sys.stdout.write(f"{printable(host)} is the host of the table {arguments.code}\n")
            return 0
    return fail(1, f"there is no table {arguments.code}.")


def _forbid(arguments: argparse.Namespace, sort: str, seconds: int, what: str) -> int:
    """Keep somebody out for some time, or quiet; ``what`` they are then."""
    _verify_used(arguments.journal)
    kind, subject = arguments.subject
    now = int(time.time())
    try:
        if kind != ADDRESS:
            subject = _canonical(arguments.journal, subject)
        until = now + seconds
        ban = ServerBan(kind=f"{sort}{kind}", subject=subject, made=now, until=until, reason=arguments.reason)
        shared = _ask_first(arguments.journal, command="ban", ban=ban.model_dump())
        is_shared = shared is not None and shared["kept"]
        if not is_shared:
            add_ban(bans_of(arguments.journal), ban)
    except ValueError as error:
        return fail(1, error)
    where = ", at all servers of the cluster" if is_shared else ""
    sys.stdout.write(f"{subject} is {what} until {_moment(ban.until)}{where}\n")
    return 0 if is_shared else _reload(arguments.journal)


def _canonical(journal: Path, subject: str) -> str:
    """Return a player, or a player's device, as connections are known: by who they were merged into.

    Raises:
        ValueError: the server that runs there does not know the player, or the device.

    """
    player, _, device = subject.partition("/")
    try:
        answers = list(_ask_all(journal, command="devices", player=player))
    except NotRunning:
        return subject
    answer = next((each for each in answers if each["devices"] is not None), None)
    if answer is None:
        raise ValueError(f"there is no player {player}; racing-demon-server players lists all.")
    if device and int(device) not in (row["device"] for row in answer["devices"]):
        raise ValueError(f"{player} has no device {device}; racing-demon-server players {player} lists all.")
    return f"{answer['canonical']}/{device}" if device else str(answer["canonical"])


def _unban(arguments: argparse.Namespace) -> int:
    return _allow(arguments, "", "banned")


def _unmute(arguments: argparse.Namespace) -> int:
    return _allow(arguments, MUTE, "muted")


def _allow(arguments: argparse.Namespace, sort: str, what: str) -> int:
    """Lift a ban, or let somebody speak again; ``what`` they are no longer."""
    _verify_used(arguments.journal)
    kind, subject = arguments.subject
    shared = _ask_first(arguments.journal, command="unban", kind=f"{sort}{kind}", subject=subject) or {}
    own = lift_bans(bans_of(arguments.journal), f"{sort}{kind}", subject, int(time.time()))
    if not (own or shared.get("lifted")):
        return fail(1, f"{subject} is not {what}; racing-demon-server bans lists who is.")
    sys.stdout.write(f"{subject} is no longer {what}\n")
    return _reload(arguments.journal) if own else 0


def _ask_first(journal: Path, **asked: Any) -> Mapping[str, Any] | None:
    """Ask one process of a server; ``None`` if none runs."""
    try:
        return next(iter(_ask_all(journal, **asked)))
    except NotRunning:
        return None


def _reload(journal: Path) -> int:
    """Let the server read the bans anew, if it runs; 1 if one runs that cannot be told."""
    try:
        closed = sum(answer["disconnected"] for answer in _ask_all(journal, command="reload_bans"))
    except NotRunning:
        if is_taken(journal):
            return fail(1, f"the server that has {journal} cannot be told: it reads the bans when it starts.")
        sys.stdout.write(
            f"no server runs with the journal {journal}: the next one that does reads the bans\n"
        )
        return 0
    if closed:
        sys.stdout.write(f"closed: {pluralize(closed, 'connection')}\n")
    return 0


def _bans(arguments: argparse.Namespace) -> int:
    _verify_used(arguments.journal)
    now = time.time()
    files = bans_of(arguments.journal), shared_bans_of(arguments.journal)
    bans = [ban for file in files for ban in read_bans(file) if ban.until > now]
    rows = [["kind", "banned", "since", "until", "reason"]]
    for ban in sorted(bans, key=lambda each: each.until):
        moments = _moment(ban.made), _moment(ban.until)
        rows.append([printable(ban.kind), printable(ban.subject), *moments, printable(ban.reason)])
    _print_rows(rows if bans else [["nobody is banned"]])
    return 0


# Reports.


def _reports(arguments: argparse.Namespace) -> int:
    _verify_used(arguments.journal)
    folder = reports_of(arguments.journal)
    if arguments.done is not None:
        if not mark_done(folder, arguments.done):
            return fail(1, f"there is no report {printable(arguments.done)}, or it is done already.")
        sys.stdout.write(f"the report {arguments.done} is done\n")
        return 0
    lines = [
        line
        for name, is_done, report in read_reports(folder, done=arguments.all)
        for line in _report_lines(name, is_done, report)
    ]
    sys.stdout.writelines(f"{line}\n" for line in lines or ["there are no reports"])
    return 0


def _report_lines(name: str, is_done: bool, report: StoredReport | None) -> Iterator[str]:
    """Yield the lines that show a report."""
    if report is None:
        yield f"{printable(name)}  cannot be read"
        return
    done = "  done" if is_done else ""
    yield f"{printable(name)}  {_moment(report.at)}  table {printable(report.table)}{done}"
    about = "the table" if report.about is None else _person(report.about)
    yield f"  {_person(report.by)} about {about}: {printable(report.text)}"
    for line in report.chat:
        yield f"    {_moment(line.at)}  {printable(line.who)}: {printable(line.text)}"


def _person(person: Person) -> str:
    return f"{printable(person.who)} ({_address(person.address)})"


# Players.


def _players(arguments: argparse.Namespace) -> int:
    if arguments.table is not None:
        arguments.journal = _journal_with(arguments.table, arguments.journal)
    if arguments.code:
        return _confirm_player(arguments)
    if arguments.split is not None:
        return _split_player(arguments)
    if arguments.clear is not None:
        return _clear_players(arguments)
    if arguments.player is not None:
        return _change_player(arguments)
    answers = _ask_all(arguments.journal, command="players")
    # Each process has all of them.
    found = {player["id"]: player for answer in answers for player in answer["players"]}
    players = sorted(found.values(), key=lambda each: -each["seen"])
    if arguments.json:
        sys.stdout.writelines(f"{json.dumps(player)}\n" for player in players)
        return 0
    rows = [["id", "name", "devices", "last seen", "now"]]
    for player in players:
        facts = player["id"], printable(player["name"]), str(player["devices"]), _moment(player["seen"])
        rows.append([*facts, player["merged_into"]])
    _print_rows(rows if players else [["no players are remembered"]])
    return 0


def _journal_with(code: str, path: Path) -> Path:
    """Return the journal of the server that has a table: hosts of earlier versions took numbered files.

    Raises:
        NotRunning: no server has it.

    """
    for journal in numbered(path):
        try:
            if request(control_socket_of(journal), command="table", code=code)["table"] is not None:
                return journal
        except NotRunning:
            continue
    raise NotRunning


def _tunnel(arguments: argparse.Namespace) -> int:
    journal = arguments.journal
    if arguments.table is not None:
        journal = _journal_with(arguments.table, journal)
    if arguments.seats:
        if arguments.table is None:
            return fail(2, "name the table with --table.")
        answer = request(control_socket_of(journal), command="seat_links", code=arguments.table)
        sys.stdout.writelines(f"{json.dumps(seat)}\n" for seat in answer["seats"])
        return 0
    tunnel = None if arguments.close else arguments.tunnel
    request(control_socket_of(journal), command="tunnel", tunnel=tunnel, address=arguments.address or "")
    said = (
        "the tunnel is closed" if arguments.close else "the tunnel is starting: the lobby shows its address"
    )
    sys.stdout.write(f"{said}\n")
    return 0


def _confirm_player(arguments: argparse.Namespace) -> int:
    if arguments.player is None:
        return fail(2, "name the player whose device it is: racing-demon-server players lists all.")
    asked = {"command": "confirm_player", "player": arguments.player, "hold": arguments.hold}
    for answer in _ask_all(arguments.journal, **asked):
        if (confirmed := answer["confirmed"]) is not None:
            sys.stdout.write(json.dumps(confirmed) + "\n" if arguments.json else _code_text(confirmed))
            if arguments.hold:
                sys.stdout.flush()
                with suppress(KeyboardInterrupt):
                    sys.stdin.read()
            return 0
    return fail(1, f"there is no player {printable(arguments.player)}.")


def _code_text(confirmed: Mapping[str, Any]) -> str:
    """Return how the code for a player's device is used."""
    name, code, seconds = printable(confirmed["name"]), confirmed["code"], confirmed["seconds"]
    return (
        f"the code is {code}: it is valid for {pluralize(seconds, 'second')}, once\n"
        f"on the device, open the server's page /you, and enter the name {name} and the code\n"
    )


def _change_player(arguments: argparse.Namespace) -> int:
    changes = {name: getattr(arguments, name) for name in ("into", "undo", "trust", "name")}
    asked = {name: value for name, value in changes.items() if value is not None}
    if arguments.end_code:
        asked["end_code"] = True
    if not (asked or arguments.forget):
        return _list_devices(arguments)
    question = f"Forget {printable(arguments.player)} with all devices for good?"
    if arguments.forget and not _may_forget(arguments, question):
        return 0
    asked |= {"command": "change_player", "player": arguments.player}
    if any(answer["changed"] for answer in _ask_all(arguments.journal, **asked)):
        sys.stdout.write("done\n")
        return 0
    if arguments.trust is not None:
        return fail(1, f"{printable(arguments.player)} has no device {arguments.trust}.")
    if arguments.undo is not None:
        return fail(
            1, f"{printable(arguments.player)} has no device {arguments.undo}, and no seat taken with it."
        )
    return fail(1, f"there is no player {printable(arguments.player)}.")


def _may_forget(arguments: argparse.Namespace, question: str) -> bool:
    """Ask whoever sits at a terminal, unless ``--yes`` says so."""
    if arguments.yes or is_confirmed(lambda: question):
        return True
    sys.stdout.write("nobody is forgotten\n")
    return False


def _split_player(arguments: argparse.Namespace) -> int:
    if arguments.player is None:
        return fail(2, "name the player: racing-demon-server players lists all.")
    asked = {"command": "split_player", "player": arguments.player, "devices": arguments.split}
    for answer in _ask_all(arguments.journal, **asked):
        if answer["split"] is not None:
            sys.stdout.write(f"the devices are those of the player {answer['split']} now\n")
            return 0
    return fail(1, f"there is no player {printable(arguments.player)}.")


def _clear_players(arguments: argparse.Namespace) -> int:
    if arguments.player is not None:
        return fail(2, "--clear is for all players: name none.")
    if not _may_forget(arguments, "Forget all who were away for so long for good?"):
        return 0
    asked = {"command": "clear_players", "seconds": int(arguments.clear), "played": arguments.played}
    cleared = sum(answer["cleared"] for answer in _ask_all(arguments.journal, **asked))
    sys.stdout.write(f"{pluralize(cleared, 'player')} forgotten\n")
    return 0


def _list_devices(arguments: argparse.Namespace) -> int:
    for answer in _ask_all(arguments.journal, command="devices", player=arguments.player):
        if (devices := answer["devices"]) is None:
            continue
        if arguments.json:
            sys.stdout.writelines(f"{json.dumps(device)}\n" for device in devices)
            return 0
        rows = [["device", "called", "added", "last seen", "how"]]
        for device in devices:
            added, seen = _moment(device["added"]), _moment(device["seen"])
            how = "by a code, not trusted" if not device["trusted"] else "trusted"
            rows.append([str(device["device"]), printable(device["label"]), added, seen, how])
        _print_rows(rows if devices else [["this player has no devices"]])
        return 0
    return fail(1, f"there is no player {printable(arguments.player)}.")


# Arguments and output.


def _moment(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _print_rows(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True))
        sys.stdout.write(f"{line.rstrip()}\n")


def _subject(text: str) -> tuple[str, str]:
    """Return the kind and the subject of a ban."""
    try:
        return ban_subject(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _seconds(text: str) -> int:
    """Return the seconds of a time like 7d."""
    match = re.fullmatch(r"([1-9][0-9]{0,5})([mhd])", text)
    seconds = int(match[1]) * UNITS[match[2]] if match else 0
    if not 0 < seconds <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: write one like 30m, 12h or 7d")
    return seconds


def _reason(text: str) -> str:
    """Return a reason that fits into a close frame, behind its sentence."""
    if len(text.encode()) > MAX_REASON_BYTES or not all(map(is_printable, text)):
        raise argparse.ArgumentTypeError(f"the reason must be one line of at most {MAX_REASON_BYTES} bytes")
    return text


def _notice(text: str) -> str:
    """Return what the operator says to everybody."""
    if not 0 < len(text) <= MAX_NOTICE_LENGTH or not all(map(is_printable, text)):
        raise argparse.ArgumentTypeError(f"this must be one line of at most {MAX_NOTICE_LENGTH} characters")
    return text


WITH_TABLE: Final = "ask the server that has this table, of all that use journals like FILE"


def _parser(*, is_admin: bool) -> argparse.ArgumentParser:
    description = "Tables of a server that runs, bans, players, a tunnel, and reports."
    program, examples, found = PROGRAM, EXAMPLES, "the journal in your data folder"
    if is_admin:
        program, examples = (
            ADMIN,
            EXAMPLES.replace(f"  {PROGRAM} ", f"  {ADMIN} ").replace(BY_JOURNAL, BY_ITSELF),
        )
        found = "that of the server that runs here; it asks if there are several"
    parser = parser_of(program, description, examples)
    commands = parser.add_subparsers(dest="command", required=True)

    def add(name: str, text: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        command.add_argument(
            "--journal",
            type=Path,
            metavar="FILE",
            help=f"the journal of the server, or its --control (default: {found})",
        )
        return command

    def add_reason(command: argparse.ArgumentParser) -> None:
        text = "what they are told, in a few words"
        command.add_argument("--reason", type=_reason, default="", metavar="TEXT", help=text)

    tables = add("tables", "list the tables of the server that runs, or who is at one", _tables)
    tables.add_argument("code", nargs="?", type=str.upper, metavar="CODE", help="list who is at this table")
    close = add("close", "end a table, and tell everybody there why", _close)
    close.add_argument("code", nargs="?", type=str.upper, metavar="CODE", help="the table's code")
    close.add_argument("--all", action="store_true", help="end all tables of this server")
    close.add_argument(
        "--cluster", action="store_true", help="with --all: end those of all servers of its cluster, too"
    )
    close.add_argument("--yes", action="store_true", help="with --all: do not ask at a terminal")
    add_reason(close)
    _add_orders(add)
    kick = add("kick", "take somebody's seat, for a minute at least", _kick)
    text = "a table's code, with a seat behind it; or a player, a device or an address, at all tables"
    kick.add_argument("who", metavar="WHO", help=text)
    kick.add_argument("seat", nargs="?", metavar="SEAT", help="the seat's number, or the name there")
    add_reason(kick)
    host = add("host", "make somebody the host of their table, who had it, perhaps", _host)
    host.add_argument("code", type=str.upper, metavar="CODE", help="the table's code")
    host.add_argument("seat", metavar="SEAT", help="the seat's number, or the name there")
    ban = add("ban", "refuse an address, a player or a device for a time", _ban)
    mute = add("mute", "let nobody hear what a player, a device or an address says, for a time", _mute)
    unban = add("unban", "lift a ban", _unban)
    unmute = add("unmute", "let somebody be heard again", _unmute)
    for command in (ban, mute, unban, unmute):
        text = (
            "a player, like k3xw7q2m, a player's device, like k3xw7q2m/17, an address, or a network like "
            "203.0.113.0/24"
        )
        command.add_argument("subject", type=_subject, metavar="WHO", help=text)
    for command in (ban, mute):
        command.add_argument(
            "--for",
            dest="seconds",
            type=_seconds,
            default=_seconds("7d"),
            metavar="TIME",
            help="how long, like 30m, 12h or 7d (default: 7d)",
        )
        add_reason(command)
    add("bans", "list who is banned or muted", _bans)
    _add_players(add("players", "list the players whom the server remembers, or change one", _players))
    tunnel = add("tunnel", "open a tunnel to a table that racing-demon host has opened, or close it", _tunnel)
    tunnel.add_argument(
        "tunnel", nargs="?", default="auto", metavar="COMMAND", help="which one, as for the server's --tunnel"
    )
    tunnel.add_argument("--close", action="store_true", help="close it")
    tunnel.add_argument(
        "--seats", action="store_true", help="write the links to the seats of those who are away, as JSON"
    )
    tunnel.add_argument(
        "--address",
        type=tunnel_address,
        metavar="URL",
        help="its public address, if it does not print it",
    )
    tunnel.add_argument("--table", type=str.upper, metavar="CODE", help=WITH_TABLE)
    reports = add("reports", "list what people have reported, with the last lines of chat", _reports)
    reports.add_argument("--all", action="store_true", help="list those that are done, too")
    reports.add_argument("--done", metavar="ID", help="mark this report as done")
    return parser


def _add_orders(
    add: Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser],
) -> None:
    opening = add("new-tables", "let nobody open a table until you say so, or a restart", _new_tables)
    opening.add_argument("whether", choices=["off", "on"])
    say = add("say", "tell everybody at all tables something", _say)
    say.add_argument("text", type=_notice, metavar="TEXT", help="what, in one line")
    for command in (opening, say):
        text = "only at this server; without it also at all others of its cluster"
        command.add_argument("--here", action="store_true", help=text)


def _add_players(players: argparse.ArgumentParser) -> None:
    players.add_argument(
        "player", nargs="?", metavar="ID", help="the player whose devices are listed, or who is changed"
    )
    change = players.add_mutually_exclusive_group()
    change.add_argument("--into", metavar="ID", help="let this be the same player, with all results")
    change.add_argument("--name", metavar="NAME", help="change the name")
    change.add_argument("--code", action="store_true", help="make a code that lets a device be this player's")
    change.add_argument("--end-code", action="store_true", help="end that code, if nobody has used it yet")
    text = "remove a device that is somebody else's, and take from the player what was played with it"
    change.add_argument("--undo", type=int, metavar="DEVICE", help=text)
    text = "let a device that was added by a code see and change what the player may"
    change.add_argument("--trust", type=int, metavar="DEVICE", help=text)
    text = "let these devices, with what was played on them, be another player's; none: undo --into"
    change.add_argument("--split", type=int, nargs="*", metavar="DEVICE", help=text)
    change.add_argument("--forget", action="store_true", help="forget the player with all devices")
    text = "forget all who were not seen for so long, and never finished a hand with another player"
    change.add_argument("--clear", type=_seconds, metavar="TIME", help=text)
    players.add_argument("--played", action="store_true", help="with --clear: also those who did")
    text = "forget without asking; only at a terminal is anything asked"
    players.add_argument("--yes", action="store_true", help=text)
    players.add_argument("--hold", action="store_true", help="with --code: end it with standard input")
    players.add_argument("--json", action="store_true", help="write JSON, one line for each player")
    players.add_argument("--table", type=str.upper, metavar="CODE", help=WITH_TABLE)
