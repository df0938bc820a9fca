"""The commands of ``racing-demon``, one function each. They return the program's exit code."""

import argparse
import asyncio
import contextlib
import datetime as dt
import functools
import getpass
import json
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence, Set
from itertools import chain
from pathlib import Path
from typing import Any, Final

from racing_demon_client.discovery.finder import (
    NO_TABLES,
    as_json,
    empty_list_text,
    find_tables,
    resolve_table,
    table_line,
)
from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.files import open_for_append
from racing_demon_client.links import is_own_device, qr_lines, server_url, table_link
from racing_demon_client.net.local_server import JournalConfig
from racing_demon_client.net.server_query import fetch_presets, find_server, is_server
from racing_demon_client.plain.session import attend, take_part, way_back
from racing_demon_client.plain.solo import play_alone
from racing_demon_client.records.recorder import Recorder, explained_write_errors
from racing_demon_client.saved_presets import saved_presets
from racing_demon_client.settings import load, save, settings_path
from racing_demon_client.shared.invitation import Invitation
from racing_demon_client.shared.option_text import GROUPS, options_text, values_text
from racing_demon_client.shared.rules_text import rules_of
from racing_demon_client.sources import tables
from racing_demon_client.sources.known_people import absent
from racing_demon_client.sources.opened_table import LoneTable, OpenedTable, WatchedTable
from racing_demon_client.sources.solo import load_scores, score_lines, statistics_path
from racing_demon_client.sources.tables import (
    ADDRESSES_SECONDS,
    Bots,
    Hosting,
    Question,
    TableAddress,
)
from racing_demon_client.streams import (
    can_draw,
    is_ascii_only,
    is_terminal,
    read_line,
    wants_terminal,
    write,
    write_error,
)
from racing_demon_protocol.constants import MAX_PASSPHRASE_LENGTH
from racing_demon_protocol.engine.specification import Game, Racing
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused, InvalidGame
from racing_demon_protocol.formatting import join_words, printable
from racing_demon_protocol.games import GAMES, game_named
from racing_demon_protocol.wire.messages.client import (
    ForgetMe,
    ListDevices,
    PlayerRequest,
    RemoveDevice,
    Rename,
    Start,
    TrustDevice,
)
from racing_demon_protocol.wire.messages.server import DeviceRow, Devices, Identified
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS

from .arguments import watches
from .loading import terminal_program

WATCHED_TALLY_MS: Final = 5_000
"""The pause between hands of a match of bots; --speed shortens it."""

NO_TERMINAL_SPEED: Final = 50.0
"""The bots' default speed-up when no terminal shows them."""

INVITATION_SECONDS: Final = 1.0
"""The interval at which the invitation over the internet is looked at."""

Opening = Callable[..., contextlib.AbstractAsyncContextManager[OpenedTable]]
"""Opens a table at an address."""

GREETING: Final = "Enter deals. ? lists the commands."
JOINED: Final = "Press Enter when you are ready. ? lists the commands."


async def play(arguments: argparse.Namespace) -> int:
    """Play against bots on a local server, or let only bots play."""
    speed = arguments.speed or (1.0 if sys.stdout.isatty() else NO_TERMINAL_SPEED)
    watching = watches(arguments)
    options = _with_shorter_pauses(arguments.options, speed) if watching else arguments.options
    bots = Bots(arguments.bots, arguments.level, speed)
    journal = _journal_config(arguments, "none")
    if watching:
        opening = tables.watch_bots(arguments.name, options, bots, seed=arguments.seed, journal=journal)
        async with opening as opened:
            await opened.client.send(Start(counter=opened.client.next_counter()))
            await _attend(opened, arguments)
        return 0
    is_default = arguments.durability is None and arguments.journal is None
    wanted = None if is_default else journal
    async with tables.practice(arguments.name, options, bots, seed=arguments.seed, journal=wanted) as opened:
        await _take_part(opened, arguments, [*([opened.note] if opened.note else []), GREETING])
    return 0


async def learn(arguments: argparse.Namespace) -> int:
    """Learn a game at a table on a local server."""
    async with tables.learn(arguments.name, arguments.game) as opened:
        await _take_part(opened, arguments, [])
    return 0


def _journal_config(arguments: argparse.Namespace, usual: str) -> JournalConfig:
    """Return how a local server stores the table; naming a file implies storing it."""
    durability = arguments.durability or (usual if arguments.journal is None else "full")
    return JournalConfig(durability, arguments.journal)


def _with_shorter_pauses(options: Options, speed: float) -> Options:
    """Return options with pauses shortened for fast bots; slow bots do not lengthen them."""
    quicker = max(1.0, speed)
    pauses = {
        "countdown_ms": int(options.countdown_ms / quicker),
        "tally_ms": int(min(options.tally_ms, WATCHED_TALLY_MS) / quicker),
    }
    return options.model_copy(update=pauses)


async def host(arguments: argparse.Namespace) -> int:
    """Open a table for the network, on a local server or another, and take a seat."""
    table = arguments.name, arguments.options, Bots(arguments.bots, arguments.level), arguments.passphrase
    ask = _ask if is_terminal() else None
    if arguments.server is not None:
        opening = tables.host_on_server(
            await find_server(arguments.server), *table, is_typed=arguments.is_named, ask=ask
        )
    else:
        journal = _journal_config(arguments, "full")
        hosting = Hosting(
            arguments.port,
            arguments.announce,
            arguments.web,
            journal,
            not arguments.new,
            arguments.tunnel or ("auto" if arguments.internet else ""),
            arguments.tunnel_address or "",
        )
        opening = tables.host(*table, hosting, is_typed=arguments.is_named, ask=ask)
    async with opening as opened:
        code = printable(opened.client.code)
        lines = [opened.note] if opened.note else []
        links = _links(opened)
        lines.append(f"table {code} is open. {_invitation(links)}")
        lines += [f"  racing-demon join {link}" for link in links]
        outward = [link for link in links if not is_own_device(link)]
        if outward and not arguments.plain:  # screen readers should not read a QR code aloud
            lines += qr_lines(outward[0], ascii_only=is_ascii_only(arguments))
        await _take_part(opened, arguments, [*lines, GREETING])
    return 0


def _links(opened: OpenedTable) -> list[str]:
    """Return the links at which others join now."""
    return [
        table_link(printable(address), printable(opened.client.code))
        for address in opened.current_addresses()
    ]


def _invitation(links: Sequence[str]) -> str:
    if not links:
        return "This machine is not on a network, so nobody else can reach it."
    return "Others open a link in a browser, or join with it:"


async def _report_network_changes(opened: OpenedTable) -> None:
    """Tell where others join whenever this machine has come into another network."""
    links = _links(opened)
    while True:
        await asyncio.sleep(ADDRESSES_SECONDS)
        before, links = links, _links(opened)
        if links != before:
            write(f"the network has changed. {_invitation(links)}")
            for link in links:
                write(f"  racing-demon join {link}")


async def _report_invitations(opened: OpenedTable, *, shows_qr: bool, ascii_only: bool) -> None:
    """Tell where others join over the internet whenever that changes, and who may need a link to return.

    Such a link opens a seat, so it is shown on request.
    """
    told: Invitation | None = None
    link: str | None = None
    told_of: Set[int] = frozenset()
    while True:
        invitation = opened.current_invitation()
        if invitation is not None and invitation != told:
            was_open, told = told is not None, invitation
            before, link = link, invitation.link
            if link is not None and link != before:
                write("Over the internet, others open this link in a browser, or join with it:")
                write(f"  racing-demon join {printable(link)}")
                for line in qr_lines(link, ascii_only=ascii_only) if shows_qr else ():
                    write(line)
            if invitation.note:
                write(printable(invitation.note))
            if was_open and invitation.link is None and not invitation.trouble:
                write("Over the internet, nobody can join any more.")
        away = {each.seat: each for each in opened.who_can_return()}
        for seat in away.keys() - told_of:
            write(way_back(away[seat]))
        told_of = away.keys()
        await asyncio.sleep(INVITATION_SECONDS)


async def _report_known_people(opened: OpenedTable) -> None:
    """Tell whom the server knows, for whom the host may have come with another address."""
    if opened.people is None:
        return
    with contextlib.suppress(ConnectionFailed):
        seats = opened.client.view.seats.values()
        known = absent(await opened.people.all(), (state.name for state in seats))
        if known:
            names = printable(join_words([each.name for each in known]))
            write(
                f"The server knows {names}. Who comes with a new phone, or finds the address new, is somebody"
            )
            write(
                f"else to it: type people {printable(known[0].name)} for a code that makes them themselves."
            )


async def join(arguments: argparse.Namespace) -> int:
    """Take a seat at a table and play."""
    ask = _ask if is_terminal() else None
    opening = functools.partial(tables.join, name=arguments.name, is_typed=arguments.is_named, ask=ask)
    async with contextlib.AsyncExitStack() as stack:
        opened = await _open_meant(stack, opening, arguments, write, sits=True)
        if opened is None:
            return 2
        notes = [opened.note] if opened.note else []
        await _take_part(opened, arguments, [*notes, JOINED])
    return 0


async def _ask(question: Question) -> bool:
    """Ask until the answer is valid; the end of the input is a no."""
    how = "Type y or n, and press Enter."
    for line in (question.text, f"  y  {question.yes}", f"  n  {question.no}", how):
        write(printable(line))
    while typed := await read_line(sys.stdin):
        answer = typed.strip().lower()
        if answer in {"y", "yes", "n", "no"}:
            return answer.startswith("y")
        write(how)
    return False


async def watch(arguments: argparse.Namespace) -> int:
    """Watch a table until its match is over."""
    if arguments.mqtt is not None:
        from racing_demon_client.sources import broker  # noqa: PLC0415 - its library is an optional dependency

        async with broker.watch(arguments.mqtt, arguments.code) as onlooker:
            await _attend(WatchedTable(onlooker), arguments)
        return 0
    say = write_error if arguments.json else write
    async with contextlib.AsyncExitStack() as stack:
        opened = await _open_meant(stack, tables.watch, arguments, say)
        if opened is None:
            return 2
        await _attend(opened, arguments)
    return 0


async def _open_meant(
    stack: contextlib.AsyncExitStack,
    opening: Opening,
    arguments: argparse.Namespace,
    say: Callable[[str], None],
    *,
    sits: bool = False,
) -> OpenedTable | None:
    """Open the table that is meant, read in the other way if nothing is where its address leads first.

    Returns:
        ``None`` if there are several tables and the user chose none.

    """

    async def opened(url: str | None, code: str | None) -> OpenedTable | None:
        found = await resolve_table(url, code, say, asks=is_terminal(), sits=sits)
        if found is None:
            return None
        table = TableAddress(*found, arguments.passphrase, arguments.seat)
        return await stack.enter_async_context(_with_passphrase(opening, table))

    first, other = (arguments.url, arguments.code), arguments.otherwise
    if other is None:
        return await opened(*first)
    if arguments.code is None and not await is_server(arguments.url):
        return await opened(*other)
    try:
        return await opened(*first)
    except (ConnectionFailed, CommandRefused) as error:
        if not tables.is_missing(error) or not await is_server(other[0]):
            raise
    return await opened(other[0], other[1] or None)


@contextlib.asynccontextmanager
async def _with_passphrase(opening: Opening, table: TableAddress) -> AsyncIterator[OpenedTable]:
    """Open a table; if it needs a passphrase and there is a terminal, ask for it once."""
    async with contextlib.AsyncExitStack() as stack:
        try:
            opened = await stack.enter_async_context(opening(table))
        except CommandRefused as error:
            if error.reason is not Reason.BAD_PASSPHRASE or not is_terminal():
                raise
            write(printable(error.text))
            asked = await asyncio.to_thread(getpass.getpass, "passphrase: ")
            table = table._replace(passphrase=asked[:MAX_PASSPHRASE_LENGTH])
            opened = await stack.enter_async_context(opening(table))
        yield opened


async def list_tables(arguments: argparse.Namespace) -> int:
    """List the network's tables, or those of a server or at a broker."""
    if arguments.mqtt is not None:
        from racing_demon_client.sources import broker  # noqa: PLC0415

        lines = [
            broker.as_json(listed) if arguments.json else printable(broker.table_line(listed))
            for listed in await broker.tables(arguments.mqtt)
        ]
        nothing = "The broker lists no tables at the moment."
    else:
        if arguments.url is not None:
            from racing_demon_client.net.server_query import fetch_tables  # noqa: PLC0415

            address = await find_server(arguments.url)
            found, nothing = await fetch_tables(address), empty_list_text(address)
        else:
            write_error("looking for tables on this network...")
            found, nothing = await find_tables(), NO_TABLES
        lines = [as_json(table) if arguments.json else table_line(table) for table in found]
    for line in lines:
        write(line)
    if not lines:
        write_error(nothing)
    return 0 if lines else 1


async def solo(arguments: argparse.Namespace) -> int:
    """Play a game solo, or show its statistics."""
    if arguments.statistics:
        return statistics(arguments)
    client = tables.alone(
        arguments.name, arguments.options, seed=arguments.seed, day=arguments.daily, deal=arguments.deal
    )
    with _recorder(arguments.record) as recorder:
        if wants_terminal(arguments):
            await _run_terminal(LoneTable(client), arguments, None)
        else:
            await play_alone(client, write, ascii_only=is_ascii_only(arguments))
        if recorder is not None:  # the last deal, without undone plays
            for message in client.ended().log():
                recorder.record(message, client.view)
    return 0


async def link(arguments: argparse.Namespace) -> int:
    """Let this machine be another device of somebody whom a server knows."""
    from racing_demon_client.net.introductions import link_device  # noqa: PLC0415 - done once a server

    if not (arguments.yes or _is_confirmed(f"Are you {printable(arguments.name)}? [y/N] ")):
        sys.stderr.write("racing-demon: this machine is nobody's device yet; --yes answers in advance\n")
        return 1
    url = server_url(await find_server(arguments.url))
    known = await link_device(url, arguments.name, arguments.code)
    write(f"This machine is a device of {printable(known.name)} now, wherever you sit down by that name.")
    write("The other devices show it, and can trust or remove it.")
    write("Until one of them, or whoever runs the server, trusts it, it sees what guests see.")
    return 0


async def you(arguments: argparse.Namespace) -> int:
    """Show who a server knows this user as, or change that."""
    from racing_demon_client.net.introductions import ask_as  # noqa: PLC0415 - done once a server

    url = server_url(await find_server(arguments.url))
    name = arguments.name if arguments.is_named else ""
    request: PlayerRequest = ListDevices()
    if arguments.rename is not None:
        request = Rename(name=arguments.rename)
    elif arguments.trust is not None:
        request = TrustDevice(device=arguments.trust)
    elif arguments.remove is not None:
        request = RemoveDevice(device=arguments.remove)
    elif arguments.forget:
        known, _ = await ask_as(url, name, request)
        if not (arguments.yes or _is_forgetting_confirmed(printable(known.name))):
            write_error("nobody is forgotten; --yes answers in advance")
            return 1
        request = ForgetMe()
    known, answer = await ask_as(url, name, request)
    if arguments.forget:
        write(f"The server has forgotten {printable(known.name)}.")
    elif isinstance(answer, Identified):
        write(f"You are {printable(answer.name)} now, at every table that you sit down at from now on.")
    elif isinstance(answer, Devices):
        write(f"You are {printable(known.name)}, on these devices:")
        for each in answer.devices:
            write(f"  {each.device}  {_device_text(each, is_own=each.device == known.device)}")
    return 0


def _device_text(device: DeviceRow, *, is_own: bool) -> str:
    """Return what is known of a device."""
    added = dt.datetime.fromtimestamp(device.added_ms / 1_000).astimezone()
    notes = [f"{printable(device.label) or '?'}, added {added:%Y-%m-%d}"]
    notes += ["this machine"] * is_own
    notes += ["nobody trusts it yet: it sees what guests see"] * device.is_new
    return ", ".join(notes)


def _is_forgetting_confirmed(name: str) -> bool:
    """Return whether the user says twice that the server is to forget them."""
    write(
        f"The server forgets {name}: the name, all devices, and what {name} has said, also in the records of "
        'old matches. It stays that somebody played: results show "A former player", with the points. '
        "Backups, and what others have recorded or remember, are out of reach."
    )
    return _is_confirmed("Go on? [y/N] ") and _is_confirmed(
        f"Nothing brings that back: who comes again is somebody new. Really forget {name}? [y/N] "
    )


def _is_confirmed(question: str) -> bool:
    """Return whether the user says yes."""
    try:
        return input(question).strip().casefold() in {"y", "yes"}
    except EOFError:
        return False


async def welcome(arguments: argparse.Namespace) -> int:
    """Show the welcome screen, from which every table can be reached."""
    if not can_draw():
        sys.stderr.write(
            "racing-demon: this needs a terminal. racing-demon --help lists the commands that do not.\n"
        )
        return 2
    return await terminal_program()(None, arguments)


async def _take_part(opened: OpenedTable, arguments: argparse.Namespace, greeting: list[str]) -> None:
    """Play in the terminal or in plain text, and write the record if requested."""
    with _recorder(arguments.record) as recorder:
        if wants_terminal(arguments):
            await _run_terminal(opened, arguments, recorder)
            return
        for line in greeting:
            write(line)
        is_ascii = is_ascii_only(arguments)
        telling = [
            asyncio.create_task(_report_network_changes(opened)),
            asyncio.create_task(_report_known_people(opened)),
            asyncio.create_task(
                _report_invitations(opened, shows_qr=not arguments.plain, ascii_only=is_ascii)
            ),
        ]
        try:
            await take_part(opened, write, recorder=recorder, ascii_only=is_ascii)
        finally:
            for task in telling:
                task.cancel()


async def _attend(opened: OpenedTable, arguments: argparse.Namespace) -> None:
    """Watch a match in the terminal, in plain text, or as a record on standard output."""
    if arguments.json:
        await attend(opened.client, None, recorder=Recorder(write))
        return
    with _recorder(getattr(arguments, "record", None)) as recorder:
        if wants_terminal(arguments):
            await _run_terminal(opened, arguments, recorder)
        else:
            await attend(opened.client, write, recorder=recorder, ascii_only=is_ascii_only(arguments))


async def _run_terminal(
    opened: OpenedTable, arguments: argparse.Namespace, recorder: Recorder | None
) -> None:
    if code := await terminal_program()(opened, arguments, recorder):
        sys.exit(code)  # which a host's table outlives


@contextlib.contextmanager
def _recorder(path: str | None) -> Iterator[Recorder | None]:
    if path is None:
        yield None
        return
    with explained_write_errors(path):
        file = open_for_append(path)  # repeating the command appends to the file

    def write_line(line: str) -> None:
        with explained_write_errors(path):
            file.write(line.encode() + b"\n")
            file.flush()

    try:
        yield Recorder(write_line)
    finally:
        with contextlib.suppress(OSError):  # every line has been flushed already
            file.close()


RACED: Final = {
    Racing.SHARED: "shared",
    Racing.IDENTICAL: "same deal",
    Racing.REFLEX: "quick hands",
    Racing.TOGETHER: "two together",
    Racing.SOLO: "one player",
}


async def games(arguments: argparse.Namespace) -> int:
    """List the games."""
    if arguments.json:
        for game in GAMES.values():
            write(json.dumps(_row(game), ensure_ascii=False))
        return 0
    rows = [("name", "packs", "skill", "to race", "title")]
    rows += [
        (game.name, str(game.packs), str(game.skill), RACED[game.racing], game.title)
        for game in GAMES.values()
    ]
    for line in _table(rows, shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize):
        write(line)
    return 0


async def presets(arguments: argparse.Namespace) -> int:
    """List the presets: the well-known ones, the user's own, and those of a server."""
    own, wrong = saved_presets()
    those = {} if arguments.url is None else await fetch_presets(await find_server(arguments.url))
    for preset in (PRESETS | own | those).values():
        write(f"{preset.name}: {printable(preset.title)}")
        if preset.name in PRESETS:
            write(f"  {preset.text}")
            write(f"  Source: {preset.source}.")
        else:
            write(f"  {printable(preset.text or options_text(preset.options))}")
    for text in wrong:
        write_error(printable(text))
    return 0


async def options(_: argparse.Namespace) -> int:
    """List the options of tables, by what they are about."""
    width = min(shutil.get_terminal_size().columns, 100)
    for group, texts in GROUPS.items():
        write(f"{group}:")
        for name, text in texts.items():
            default = json.dumps(Options.model_fields[name].default)
            write(f"  {name}={default.strip(chr(34))}")
            about = (text.meaning, f"Values: {values_text(name)}.")
            for line in chain.from_iterable(textwrap.wrap(part, width - 6) for part in about):
                write(f"      {line}")
    return 0


def _table(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield rows as lines; a narrow terminal cuts the last column."""
    wide = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    for row in rows:
        line = "".join(cell.ljust(size) for cell, size in zip(row, wide, strict=True)).rstrip()
        yield line if len(line) <= width else line[: width - 3] + "..."


def _row(game: Game) -> dict[str, object]:
    return {
        "name": game.name,
        "title": game.title,
        "packs": game.packs,
        "cards": game.deck_size,
        "skill": game.skill,
        "racing": str(game.racing),
        "source": game.source,
    }


async def rules(arguments: argparse.Namespace) -> int:
    """Print the rules of a game."""
    try:
        game = game_named(arguments.game)
    except InvalidGame as error:
        sys.stderr.write(f"racing-demon: {error}\n")
        return 2
    for line in rules_of(game):
        write(line)
    return 0


def statistics(arguments: argparse.Namespace) -> int:
    """Print how often each game was played solo, and won."""
    scores = load_scores(statistics_path())
    if arguments.game:
        scores = {name: score for name, score in scores.items() if name == arguments.game}
    if arguments.json:
        write(json.dumps({name: score.model_dump(mode="json") for name, score in scores.items()}))
        return 0
    for line in score_lines(scores):
        write(line)
    return 0


async def settings(arguments: argparse.Namespace) -> int:
    """Write a settings file if there is none, print its path, and open it in an editor on request."""
    path = settings_path()
    if arguments.path:
        write(str(path))
        return 0
    if path.exists():
        write(f"your settings: {printable(str(path))}")
    else:
        save(path)
        write(f"your settings, with their defaults: {printable(str(path))}")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not is_terminal():
        return 0
    if not editor:
        write("Open this file with any text editor. If EDITOR names yours, this command opens it.")
        return 0
    if not await _edited(editor, path):
        return 1
    load(path)  # report mistakes now, not when the next game starts
    return 0


async def _edited(editor: str, path: Path) -> bool:
    """Open a file in the user's editor; return whether that worked."""
    try:
        process = await asyncio.create_subprocess_exec(*shlex.split(editor), str(path))
        failed = await process.wait()
        why = f"it ended with {failed}" if failed else ""
    except (OSError, ValueError) as error:  # ValueError: an unclosed quotation mark
        why = str(error)
    if why:
        text = f"the editor {editor!r} failed: {why}. Open the file yourself, or set EDITOR to another one."
        sys.stderr.write(f"racing-demon: {printable(text)}\n")
    return not why


COMMANDS: dict[str, Callable[[argparse.Namespace], Coroutine[Any, Any, int]]] = {
    "play": play,
    "learn": learn,
    "host": host,
    "join": join,
    "watch": watch,
    "tables": list_tables,
    "games": games,
    "presets": presets,
    "options": options,
    "rules": rules,
    "solo": solo,
    "link": link,
    "you": you,
    "welcome": welcome,
    "settings": settings,
}
