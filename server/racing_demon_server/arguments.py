"""Arguments of the command lines: types raise ``ArgumentTypeError`` with a sentence that argparse prints."""

import functools
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from racing_demon_protocol import argument_types as arguments
from racing_demon_protocol.formatting import printable

if TYPE_CHECKING:
    from racing_demon_protocol.wire.presets import Preset

MIN_CODE_LETTERS, MAX_CODE_LETTERS = 4, 16
"""The most letters that a table's code has on the wire."""

LAST_PORT = 65_535
MAX_DAYS = 36_500
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,63}", re.ASCII)
MAX_LINES = 10_000
"""The most lines of a list of words."""
MAX_NODE_LETTERS = 30
"""The longest node name to which processes can add their numbers."""
MAX_BASE_PATH = 100
"""The most characters of a path that becomes part of every link and its QR code."""

_Value = TypeVar("_Value")


def _argument(read: Callable[[str], _Value]) -> Callable[[str], _Value]:
    @functools.wraps(read)
    def typed(text: str) -> _Value:
        try:
            return read(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return typed


class _Parser(ArgumentParser):
    """An argument parser that says what is wrong in a sentence: logs of services have room for no more."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with 2."""
        self.exit(2, f"{self.prog}: error: {printable(message)}\n")


def parser_of(command: str, description: str, examples: str) -> ArgumentParser:
    """Return the parser of a command; its help ends with the examples, unformatted."""
    return _Parser(
        prog=command, description=description, epilog=examples, formatter_class=RawDescriptionHelpFormatter
    )


def fail(code: int, why: object) -> int:
    """Print why a command failed, and return its exit code."""
    sys.stderr.write(f"racing-demon-server: {why}\n")
    return code


def is_confirmed(question: Callable[[], str]) -> bool:
    """Ask at a terminal whether to do what cannot be undone; a script has decided, and is not asked."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    sys.stdout.write(f"{question()} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


port = _argument(arguments.port)
seed = _argument(arguments.seed)
speed = _argument(arguments.speed)
tunnel_address = _argument(arguments.tunnel_address)


def number(least: int, most: int) -> Callable[[str], int]:
    """Return the type of whole numbers between two."""

    @_argument
    def typed(text: str) -> int:
        if not (text.isdecimal() and len(text) <= len(str(most)) and least <= int(text) <= most):
            raise ValueError(f"{text!r} is not allowed: give a number from {least} to {most:,}")
        return int(text)

    return typed


def processes(text: str) -> int:
    """Return the number of processes."""
    from .sharding import MAX_PROCESSES  # noqa: PLC0415

    return number(1, MAX_PROCESSES)(text)


@_argument
def web_origin(text: str) -> str:
    """Return the origin of a site: scheme, host and port, as browsers compare them."""
    if re.fullmatch(r"https?://[a-z0-9.-]+(:\d{1,5})?/?", text.lower()) is None:
        raise ValueError(f"{text!r} is not the origin of a site: write one like https://club.example.org")
    return text.lower().rstrip("/")


@_argument
def base_path(text: str) -> str:
    """Return the path below which the pages are, without a slash behind it; empty for the root."""
    path = text.rstrip("/")
    if re.fullmatch(r"(/(?!\.)[\w.~-]+)*", path, re.ASCII) is None or len(path) > MAX_BASE_PATH:
        raise ValueError(
            f"{text!r} is not a path below which pages can be: write one like /games/cards, of letters, "
            f"digits and -._~, and of at most {MAX_BASE_PATH} characters"
        )
    return path


@_argument
def journal(text: str) -> Path | str:
    """Return the file of a journal, or the URL of its database."""
    if "://" not in text:
        return Path(text)
    if ":" in text.partition("://")[2].rpartition("@")[0] or "password=" in text:
        raise ValueError(
            "no password belongs in the URL, where all users of this machine can read it: "
            "put it in the file ~/.pgpass, or in another that PGPASSFILE names"
        )
    return text


def duration(text: str) -> float:
    """Return the seconds of a time like 2s, 500ms or 10m."""
    number = text.rstrip("hms")
    unit = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0}.get(text[len(number) :])
    if unit is None or not number.replace(".", "", 1).isdecimal() or not float(number):
        raise ArgumentTypeError(f"{text!r} is not a time: write one like 2s, 500ms or 10m")
    return float(number) * unit


@_argument
def limit(text: str) -> tuple[str, float]:
    """Return the name and the value of a changed limit."""
    from .settings import limit as parsed  # noqa: PLC0415

    return parsed(text)


@_argument
def presets(text: str) -> "tuple[tuple[Preset, ...], tuple[str, ...]]":
    """Return the presets in a folder, and a sentence for each file that holds none that could be played."""
    from racing_demon_protocol.errors import CommandRefused, InvalidPreset  # noqa: PLC0415
    from racing_demon_protocol.wire.saved_presets import (  # noqa: PLC0415
        MAX_BYTES,
        MAX_SAVED,
        is_preset_file,
        read_preset,
    )

    from .match.commands import verify_options  # noqa: PLC0415 - a --help needs no games

    try:
        paths = sorted(path for path in Path(text).iterdir() if is_preset_file(path.name))
    except OSError as error:
        raise ValueError(f"{text} cannot be read: {error.strerror}") from None
    found: list[Preset] = []
    wrong: list[str] = []
    for path in paths:
        if len(found) == MAX_SAVED:
            wrong.append(f"{path}: only the first {MAX_SAVED} presets of a folder are shown.")
            continue
        try:
            if not path.is_file():  # a folder, or a pipe, whose opening would wait for a writer
                raise InvalidPreset("It is no file.")
            with path.open("rb") as file:
                preset = read_preset(path.stem, file.read(MAX_BYTES + 1))
            verify_options(preset.options)
        except (InvalidPreset, CommandRefused) as error:
            wrong.append(f"{path}: {error}")
        except OSError as error:
            wrong.append(f"{path} cannot be read: {error.strerror}.")
        else:
            found.append(preset)
    return tuple(found), tuple(wrong)


def network(text: str) -> str:
    """Return the address of a network."""
    import ipaddress  # noqa: PLC0415

    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is not a network: write one like 172.31.252.2 or 10.0.0.0/30"
        ) from None
    return text


def header_name(text: str) -> str:
    """Return the name of a header."""
    if not HEADER.fullmatch(text):
        raise ArgumentTypeError(f"{text!r} is not the name of a header: write one like X-Remote-User")
    return text


def lines_of(path: str) -> tuple[str, ...]:
    """Return the lines of a file, such as one of words."""
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            lines = tuple(islice(file, MAX_LINES + 1))
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentTypeError(f"{path!r} cannot be read: {error}") from None
    if len(lines) > MAX_LINES:
        raise ArgumentTypeError(f"{path!r} has more than {MAX_LINES} lines")
    return lines


def node(text: str) -> str:
    """Return the name of a server."""
    from racing_demon_protocol.discovery.directory import NODE  # noqa: PLC0415 - nor a name there

    if re.fullmatch(NODE, text) is None:
        raise ArgumentTypeError(f"{text!r} is not allowed: write 1 to 32 small letters and digits")
    return text


@_argument
def days(text: str) -> int:
    """Return a number of days, as in ``90d``."""
    number = text.removesuffix("d")
    if not (number.isdecimal() and 0 < int(number) <= MAX_DAYS):
        raise ValueError(f"{text!r} is not allowed: give days, like 90d, up to {MAX_DAYS}d")
    return int(number)


def is_owned(given: Namespace) -> bool:
    """Return whether a client has started this server for one table."""
    return given.stop_with_stdin or given.until_table_ends is not None


def against_identity(given: Namespace) -> Iterator[str]:
    """Yield why nobody can sign in at a proxy."""
    if bool(given.identity_header) != bool(given.identity_proxy):
        yield "--identity-header and --identity-proxy need each other: no proxy is believed unasked"


def against_base_path(given: Namespace) -> Iterator[str]:
    """Yield why all pages cannot be below a path."""
    if given.base_path and given.lan:
        yield "--base-path cannot be combined with --lan: an announcement leads to the root of a server"
    if given.base_path and (given.tunnel is not None or given.tunnel_port is not None):
        yield "--base-path cannot be combined with a tunnel, whose whole address is the server's"


def against_processes(given: Namespace) -> Iterator[str]:
    """Yield why several processes are not possible."""
    if sys.platform == "win32":
        yield "--processes works only on Linux and macOS: on Windows, processes cannot share a port"
    for name, is_given in {
        "--stop-with-stdin": given.stop_with_stdin,
        "--until-table-ends": given.until_table_ends is not None,
        "--control": given.control is not None,
        "--tunnel": given.tunnel is not None,
        "--tunnel-port": given.tunnel_port is not None,
    }.items():
        if is_given:
            yield f"--processes cannot be combined with {name}, which is for a single process"
    if given.port + given.processes > LAST_PORT:
        yield f"--port is too high: the processes use the ports after it, and {LAST_PORT} is the last one"
    if len(given.node or "") > MAX_NODE_LETTERS:
        rule = f"each process adds its number, so at most {MAX_NODE_LETTERS} letters and digits"
        yield f"--node is too long: {rule}"
