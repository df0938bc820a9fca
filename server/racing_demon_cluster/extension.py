"""What this package adds to the command ``racing-demon-server``.

Nothing here imports psycopg or a server before it is needed: most servers need neither.
"""

import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_server.arguments import duration

if TYPE_CHECKING:
    from racing_demon_server.journal.interface import JournalPart
    from racing_demon_server.players.store import PlayersStore
    from racing_demon_server.results.store import ResultsStore
    from racing_demon_server.server import Server
    from racing_demon_server.settings import ServerSettings
    from racing_demon_server.setup_check import Finding

COMMAND: Final = "cluster"
NO_DRIVER: Final = (
    "A journal in PostgreSQL needs psycopg: install it with pip install 'racing-demon[cluster]'."
)
ADVICE: Final = {
    "backup": "Back up a database with its own tools: pg_dump, or pg_basebackup with its log.",
    "restore": "Restore a database with its own tools: pg_restore, into an empty database.",
    "prune": "In a database the servers delete old matches themselves: give them --keep-matches.",
}
"""What to do where a command of the journal is for files only."""


def add_options(parser: ArgumentParser) -> None:
    """Add the options of servers that share a database, and of relays."""
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
    parser.add_argument(
        "--relay",
        type=_relayed,
        metavar="URL",
        help="hold no tables, but show those of the server at ws://HOST:PORT/v1 or wss://... to spectators",
    )


def contradictions(given: Namespace) -> Iterator[str]:
    """Yield the contradictions between arguments."""
    if given.relay is not None:
        yield from _against_relay(given)
    is_database = isinstance(given.journal, str)
    if is_database and not given.cluster_key:
        yield "a journal in a database needs --cluster-key FILE to mask the seeds of running hands"
    if is_database and given.processes > 1:
        yield "--processes cannot be combined with a database: start one server per core, each with a --node"
    if is_database and (given.tunnel is not None or given.tunnel_port is not None):
        yield "a tunnel cannot be combined with a database: its servers would not know who is invited"
    if not is_database and (given.cluster_key or given.allow_no_standby):
        yield "--cluster-key and --allow-no-standby need a journal in a database"


def server(settings: "ServerSettings", given: Namespace) -> "Server | None":
    """Return the server of the arguments; ``None`` for an ordinary one.

    Raises:
        JournalUnusable: a key cannot be used, or there is no driver for the database.

    """
    if given.relay is not None:
        from .relay.server import RelayServer  # noqa: PLC0415

        return RelayServer(settings, given.relay)
    if not isinstance(given.journal, str):
        return None
    from racing_demon_server.journal.interface import JournalUnusable  # noqa: PLC0415

    from .seed_encryption import read_keys  # noqa: PLC0415
    from .settings import ClusterSettings  # noqa: PLC0415

    keys = read_keys(given.cluster_key)
    try:
        from .server import ClusterServer  # noqa: PLC0415 - psycopg is an extra
    except ImportError:
        raise JournalUnusable(NO_DRIVER) from None
    return ClusterServer(
        settings,
        ClusterSettings(
            database=given.journal,
            keys=keys,
            needs_standby=not given.allow_no_standby,
            inside=given.inside,
            lease_seconds=given.lease,
            drain_seconds=given.drain,
        ),
    )


def check(given: Namespace) -> "Iterator[Finding]":
    """Yield what is right and wrong with the database that a journal's URL names."""
    if not isinstance(given.journal, str):
        return
    from racing_demon_server.journal.interface import JournalUnusable  # noqa: PLC0415
    from racing_demon_server.setup_check import Finding, Verdict  # noqa: PLC0415

    from .seed_encryption import read_keys  # noqa: PLC0415

    try:
        from .postgres.connection import check_database  # noqa: PLC0415 - psycopg is an extra
    except ImportError:
        yield Finding(Verdict.PROBLEM, "database", NO_DRIVER)
        return
    try:
        read_keys(given.cluster_key)
        yield from check_database(given.journal, time.time(), needs_standby=not given.allow_no_standby)
    except JournalUnusable as error:
        yield Finding(Verdict.PROBLEM, "database", str(error))


def add_check_options(parser: ArgumentParser) -> None:
    """Add what ``journal check`` needs for a database."""
    parser.add_argument("--cluster-key", action="append", type=Path, default=[], metavar="FILE")


def journal(url: str, given: Namespace) -> "JournalPart":
    """Return the journal in a database.

    Raises:
        JournalUnusable: a key cannot be used, or there is no driver for the database.

    """
    from racing_demon_server.journal.interface import JournalPart, JournalUnusable  # noqa: PLC0415

    from .seed_encryption import ClusterKeys, read_keys  # noqa: PLC0415

    keys = ClusterKeys(read_keys(getattr(given, "cluster_key", [])))
    try:
        from .postgres.store import reading  # noqa: PLC0415 - psycopg is an extra
    except ImportError:
        raise JournalUnusable(NO_DRIVER) from None
    return JournalPart("", lambda **_: reading(url, keys), "")


def results(url: str) -> "tuple[ResultsStore, PlayersStore]":
    """Return the results and the players in a database, for reading.

    Raises:
        JournalUnusable: there is no driver for the database.

    """
    from racing_demon_server.journal.interface import JournalUnusable  # noqa: PLC0415

    try:
        from .players import ListedPlayers  # noqa: PLC0415 - psycopg is an extra
        from .postgres.schema import NOBODY  # noqa: PLC0415
        from .results import PostgresResults  # noqa: PLC0415
    except ImportError:
        raise JournalUnusable(NO_DRIVER) from None
    return PostgresResults(url, NOBODY), ListedPlayers(url, NOBODY)


def main(argv: Sequence[str]) -> int:
    """Run the command ``racing-demon-server cluster``, and return the exit code."""
    try:
        from .cli import main as run  # noqa: PLC0415 - psycopg is an extra
    except ImportError:
        from racing_demon_server.arguments import fail  # noqa: PLC0415

        return fail(3, "a cluster needs pip install 'racing-demon[cluster]'.")
    return run(argv)


def _against_relay(given: Namespace) -> Iterator[str]:
    """Yield what contradicts ``--relay``."""
    needless = {
        "--journal": given.journal,
        "--cluster-key": given.cluster_key,
        "--processes": given.processes > 1,
        "--mqtt": given.mqtt,
        "--webhook": given.webhook,
        "--seed": given.seed,
        "--lan": given.lan,
        "--list-tables": given.list_tables,
        "--control": given.control,
        "--stop-with-stdin": given.stop_with_stdin,
        "--until-table-ends": given.until_table_ends is not None,
        "--tunnel": given.tunnel is not None,
        "--tunnel-port": given.tunnel_port is not None,
    }
    for name, value in needless.items():
        if value:
            yield f"{name} cannot be combined with --relay: a relay has no tables of its own"


def _relayed(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"ws", "wss"} or not parts.hostname:
        raise ArgumentTypeError("this is not the URL of a server: write one like ws://HOST:5252/v1")
    return parts._replace(path=parts.path if parts.path.strip("/") else WEBSOCKET_PATH).geturl()
