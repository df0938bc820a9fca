"""The commands of ``racing-demon``, one function each. They return the program's exit code."""

import argparse
import contextlib
import os
import socket
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any, Final

from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.messages.client import AddBot, Start
from racing_demon_protocol.record import read, verify

from .connection import Client
from .errors import ConnectionFailed, RecordFailed
from .local import local_server
from .plain.session import attend, take_part
from .plain.words import printable
from .recorder import Recorder

__all__ = ["COMMANDS"]

WATCHED_TALLY_MS: Final = 5_000
"""The pause between the hands of a match that only bots play; --speed shortens it."""

UNSEEN_SPEED: Final = 50.0
"""How much faster bots think by default where no terminal shows them."""

GREETING: Final = "Enter deals. ? shows what can be typed."


def write(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def is_ascii_only(arguments: argparse.Namespace) -> bool:
    """Tell whether suits are written as letters: as asked for, or as the terminal needs it."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    # In the C locale Python writes UTF-8 all the same, whatever the terminal can show.
    return arguments.ascii or locale in {"C", "POSIX"} or "utf" not in (sys.stdout.encoding or "").lower()


async def play(arguments: argparse.Namespace) -> int:
    """Play against bots on a server of one's own, or let only bots play."""
    seen = sys.stdin.isatty() and sys.stdout.isatty()
    watch = arguments.watch or arguments.json or not seen
    arguments.speed = arguments.speed or (1.0 if sys.stdout.isatty() else UNSEEN_SPEED)
    async with local_server(seed=arguments.seed, bot_speed=arguments.speed) as url:
        if watch:
            return await _watch_bots(url, arguments)
        async with await Client.create(url, arguments.name, arguments.options) as client:
            await _add_bots(client, min(arguments.bots, 7), arguments.level)
            write(GREETING)
            await _take_part(client, arguments)
    return 0


async def _watch_bots(url: str, arguments: argparse.Namespace) -> int:
    options = arguments.options
    pauses = {
        "countdown_ms": int(options.countdown_ms / arguments.speed),
        "tally_ms": int(min(options.tally_ms, WATCHED_TALLY_MS) / arguments.speed),
    }
    options = options.model_copy(update=pauses)
    async with await Client.create(url, arguments.name, options, seated=False) as client:
        await _add_bots(client, max(1, arguments.bots), arguments.level)
        await client.send(Start(counter=client.next_counter()))
        await _attend(client, arguments, record=arguments.record)
    return 0


async def host(arguments: argparse.Namespace) -> int:
    """Open a table for the network, on a server of one's own or another, and sit down at it."""
    async with contextlib.AsyncExitStack() as stack:
        if arguments.server is not None:
            own = _full(arguments.server)
            urls = [own]
        else:
            port = await _network_server(stack, arguments.port)
            own = f"ws://127.0.0.1:{port}/v1"
            urls = [f"ws://{address}:{port}" for address in _addresses()]
        client = await stack.enter_async_context(await Client.create(own, arguments.name, arguments.options))
        await _add_bots(client, arguments.bots, arguments.level)
        code = printable(client.code)
        write(f"table {code} is open. Others join with:")
        for url in urls:
            write(f"  racing-demon join {url} {code}")
        write(GREETING)
        await _take_part(client, arguments)
    return 0


async def _network_server(stack: contextlib.AsyncExitStack, port: int) -> str:
    """Start a server for the whole network and return its port: the wanted one, or any free one."""
    everywhere = "0.0.0.0"  # noqa: S104 - a table for the network is what the user asked for
    try:
        url = await stack.enter_async_context(local_server(host=everywhere, port=port))
    except ConnectionFailed:
        url = await stack.enter_async_context(local_server(host=everywhere, port=0))
        write(f"port {port} is taken, so the table is on another")
    return url.rpartition(":")[2].partition("/")[0]


async def join(arguments: argparse.Namespace) -> int:
    """Take a seat at a table and play."""
    async with await Client.join(_full(arguments.url), arguments.code, arguments.name) as client:
        write("Enter: ready. ? shows what can be typed.")
        await _take_part(client, arguments)
    return 0


async def watch(arguments: argparse.Namespace) -> int:
    """Watch a table until its match is over."""
    async with await Client.watch(_full(arguments.url), arguments.code) as client:
        await _attend(client, arguments)
    return 0


async def verify_file(arguments: argparse.Namespace) -> int:
    """Check a record and say what it proves."""
    try:
        with _opened(arguments.file) as lines:
            verdict = verify(read(lines))
    except InvalidRecord as error:
        write(f"not right: {error}")
        return 1
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"racing-demon: {arguments.file} cannot be read: {error}\n")
        return 1
    if verdict.skipped:
        write(f"{verdict.skipped} hands are not whole in this record, and were not checked")
    if not verdict.hands:
        write("nothing to check: no hand in this record is whole, from its deal to its end")
        return 1
    write(
        f"right: {verdict.hands} hands, {verdict.plays} plays; every commitment is kept, every card is "
        "its seed's, every play was legal, and the scores add up"
    )
    return 0


async def games(arguments: argparse.Namespace) -> int:
    """List the games."""
    for game in GAMES.values():
        write(f"{game.name:14} {game.title} ({game.source})")
    return 0


async def _take_part(client: Client, arguments: argparse.Namespace) -> None:
    """Play in plain text, and keep the record if that was asked for."""
    with _recorder(arguments.record) as recorder:
        await take_part(client, write, recorder=recorder, ascii_only=is_ascii_only(arguments))


async def _attend(client: Client, arguments: argparse.Namespace, *, record: str | None = None) -> None:
    """Follow a match in plain text, or as a record on standard output; keep the record if asked for."""
    if arguments.json:
        await attend(client, None, recorder=Recorder(write))
    else:
        with _recorder(record) as recorder:
            await attend(client, write, recorder=recorder, ascii_only=is_ascii_only(arguments))


@contextlib.contextmanager
def _recorder(path: str | None) -> Iterator[Recorder | None]:
    if path is None:
        yield None
        return
    try:
        file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed below, so that only opening is excused
    except OSError as error:
        raise _record_failed(path, error) from error

    def keep(line: str) -> None:
        try:
            print(line, file=file, flush=True)
        except OSError as error:
            raise _record_failed(path, error) from error

    try:
        yield Recorder(keep)
    finally:
        with contextlib.suppress(OSError):  # each line was flushed, so nothing can be lost here
            file.close()


def _record_failed(path: str, error: OSError) -> RecordFailed:
    return RecordFailed(path, error.strerror or "unknown reason")


async def _add_bots(client: Client, number: int, level: str) -> None:
    for _ in range(number):
        await client.ask(AddBot(counter=client.next_counter(), level=level))


def _full(url: str) -> str:
    """Complete an address as people write it: without scheme, port or path."""
    scheme, _, rest = url.rpartition("://")
    place, _, path = rest.partition("/")
    if not place.rpartition(":")[2].isdigit():
        place += ":5252"
    return f"{scheme or 'ws'}://{place}/{path or 'v1'}"


def _addresses() -> Iterable[str]:
    """Return this machine's addresses on its networks; looking sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: only the route is looked up
            return [str(probe.getsockname()[0])]
        except OSError:
            return ["127.0.0.1"]


@contextlib.contextmanager
def _opened(file: str) -> Iterator[Iterable[str]]:
    if file == "-":
        yield sys.stdin
    else:
        with open(file, encoding="utf-8") as lines:
            yield lines


COMMANDS: dict[str, Callable[[argparse.Namespace], Coroutine[Any, Any, int]]] = {
    "play": play,
    "host": host,
    "join": join,
    "watch": watch,
    "verify": verify_file,
    "games": games,
}
