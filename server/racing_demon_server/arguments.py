"""Arguments of the command lines: types raise ``ArgumentTypeError`` with a sentence that argparse prints."""

import functools
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from racing_demon_protocol import argument_types as arguments
from racing_demon_protocol.constants import WEBSOCKET_PATH

SHORTEST_CODE, LONGEST_CODE = 4, 16
"""The wire has room for so many letters of a table's code."""

LAST_PORT = 65_535
SCHEMES = ("postgresql://", "postgres://")
"""How the URL of a database begins."""
LONGEST_NODE = 30
"""The longest node name to which processes can add their numbers."""

_Value = TypeVar("_Value")


def _argument(read: Callable[[str], _Value]) -> Callable[[str], _Value]:
    @functools.wraps(read)
    def typed(text: str) -> _Value:
        try:
            return read(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return typed


def parser_of(command: str, description: str, examples: str) -> ArgumentParser:
    """Return the parser of a command; examples end its help, as they are written."""
    return ArgumentParser(
        prog=command, description=description, epilog=examples, formatter_class=RawDescriptionHelpFormatter
    )


def fail(code: int, why: object) -> int:
    """Say why a command failed, and return its exit code."""
    sys.stderr.write(f"racing-demon-server: {why}\n")
    return code


port = _argument(arguments.port)
seed = _argument(arguments.seed)
speed = _argument(arguments.speed)


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
    from .sharding import MOST_PROCESSES  # noqa: PLC0415

    return number(1, MOST_PROCESSES)(text)


@_argument
def journal(text: str) -> Path | str:
    """Return the file of a journal, or the URL of its database."""
    if not text.startswith(SCHEMES):
        return Path(text)
    if ":" in text.partition("://")[2].rpartition("@")[0] or "password=" in text:
        raise ValueError(
            "no password belongs in the URL, where all users of this machine can read it: "
            "put it in the file ~/.pgpass, or in another that PGPASSFILE names"
        )
    return text


@_argument
def database(text: str) -> str:
    """Return the URL of a database."""
    named = journal(text)
    if isinstance(named, Path):
        raise ValueError("this is not the URL of a database: write one like postgresql://USER@HOST/DATABASE")
    return named


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


def node(text: str) -> str:
    """Return the name of a server."""
    import re  # noqa: PLC0415

    from racing_demon_protocol.discovery.directory import NODE  # noqa: PLC0415 - nor a name there

    if re.fullmatch(NODE, text) is None:
        raise ArgumentTypeError(f"{text!r} is not allowed: write 1 to 32 small letters and digits")
    return text


def add_cluster_options(parser: ArgumentParser) -> None:
    """Add the options of servers that share a database."""
    parser.add_argument(
        "--cluster-key",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="a file of 32 bytes or more that masks the seeds of running hands in a database; if given "
        "several times, the first masks and all unmask",
    )
    parser.add_argument(
        "--allow-no-standby",
        action="store_true",
        help="accept a database without a synchronous standby: plays are lost if its host dies",
    )
    parser.add_argument(
        "--inside",
        default="",
        metavar="HOST:PORT",
        help="the address at which other servers of the cluster reach this one",
    )
    parser.add_argument(
        "--lease",
        type=duration,
        default=2.0,
        metavar="TIME",
        help="how long a server of the cluster may be silent before others take over its tables (default 2s)",
    )
    parser.add_argument(
        "--drain",
        type=duration,
        default=600.0,
        metavar="TIME",
        help="how long a stopping server of a cluster waits for hands to end before others take over its "
        "tables in mid-hand (default 10m)",
    )


def add_relay_option(parser: ArgumentParser) -> None:
    """Add the option of a relay for spectators."""
    parser.add_argument(
        "--relay",
        type=_relayed,
        metavar="URL",
        help="hold no tables, but show those of the server at ws://HOST:PORT/v1 or wss://... to spectators",
    )


def is_owned(given: Namespace) -> bool:
    """Return whether a client starts this server for one table."""
    return given.stop_with_stdin or given.until_table_ends is not None


def against_relay(given: Namespace) -> Iterator[str]:
    """Yield what contradicts ``--relay``."""
    needless = {
        "--journal": given.journal,
        "--cluster-key": given.cluster_key,
        "--processes": given.processes > 1,
        "--mqtt": given.mqtt,
        "--seed": given.seed,
        "--lan": given.lan,
        "--list-tables": given.list_tables,
        "--stop-with-stdin": given.stop_with_stdin,
        "--until-table-ends": given.until_table_ends is not None,
    }
    for name, value in needless.items():
        if value:
            yield f"{name} cannot be combined with --relay: a relay has no tables of its own"


def _relayed(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"ws", "wss"} or not parts.hostname:
        raise ArgumentTypeError("this is not the URL of a server: write one like ws://HOST:5252/v1")
    return parts._replace(path=parts.path if parts.path.strip("/") else WEBSOCKET_PATH).geturl()


def against_processes(given: Namespace) -> Iterator[str]:
    """Yield why several processes are not possible."""
    if sys.platform == "win32":
        yield "--processes works only on Linux and macOS: on Windows, processes cannot share a port"
    for name, is_given in {
        "--stop-with-stdin": given.stop_with_stdin,
        "--until-table-ends": given.until_table_ends is not None,
    }.items():
        if is_given:
            yield f"--processes cannot be combined with {name}, which is for a single process"
    if given.port + given.processes > LAST_PORT:
        yield f"--port is too high: the processes use the ports after it, and {LAST_PORT} is the last one"
    if len(given.node or "") > LONGEST_NODE:
        rule = f"each process adds its number, so at most {LONGEST_NODE} letters and digits"
        yield f"--node is too long: {rule}"
