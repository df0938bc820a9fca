"""The command ``racing-demon-server``: runs a server for tables."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from racing_demon_protocol import __version__
from racing_demon_protocol.constants import DEFAULT_PORT

from .arguments import (
    LONGEST_CODE,
    SHORTEST_CODE,
    add_cluster_options,
    add_relay_option,
    against_processes,
    against_relay,
    fail,
    is_owned,
    journal,
    limit,
    network,
    node,
    number,
    parser_of,
    port,
    processes,
    seed,
    speed,
)
from .durability import Durability

if TYPE_CHECKING:
    from racing_demon_server.journal.interface import JournalReader, StoredTable

    from .settings import ServerSettings

ADVICE = "Name another file with --journal FILE, or keep no journal with --durability none."

EXAMPLES = """examples:
  racing-demon-server                          serve the whole network on port 5252
  racing-demon-server --host 127.0.0.1         serve this machine only
  racing-demon-server --port 0                 use any free port, and print it

  racing-demon-server journal --help           back up, check, list and export matches
  racing-demon-server cluster --help           servers that share a database: status, drain, fence

exit codes: 0 stopped normally, 1 cannot listen, 2 wrong arguments, 3 cannot use the journal,
4 fenced: another server has taken over its tables, 130 interrupted while starting
"""


def main(argv: Sequence[str] | None = None, *, loaded: Callable[[], None] = lambda: None) -> int:
    """Run the server until it stops, and return the exit code.

    Args:
        argv: the arguments; ``None`` for those of the process.
        loaded: called when everything is loaded.

    Raises:
        KeyboardInterrupt: Ctrl-C ended a command of the journal, or the server before it listened.

    """
    argv = list(sys.argv[1:] if argv is None else argv)
    if argv[:1] == ["journal"]:
        from racing_demon_server.journal.cli import main as journals  # noqa: PLC0415 - it needs no server

        loaded()
        return journals(argv[1:], _unrestorable)
    if argv[:1] == ["cluster"]:
        return _cluster(argv[1:])
    parser = _parser()
    arguments = parser.parse_args(argv)
    if contradiction := next(_contradictions(arguments), None):
        parser.error(contradiction)
    gc.disable()  # loaded modules stay; collecting them would take a tenth of the start
    from racing_demon_server.ops.optional_imports import without_modules  # noqa: PLC0415 - a --help needs no server

    with without_modules("rich"):  # structlog uses it for tracebacks, which our logs format themselves
        from .ops import logs  # noqa: PLC0415
    from racing_demon_cluster.seed_encryption import read_keys  # noqa: PLC0415
    from racing_demon_server.journal.interface import JournalUnusable  # noqa: PLC0415

    from .app import on_a_loop, run  # noqa: PLC0415
    from .settings import OWN_PROXIES, ServerSettings  # noqa: PLC0415
    from .workers import Inherited, serve_all, warn_of_others  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    loaded()
    logs.set_up(arguments.log_level, arguments.log_format)
    try:
        journal_path, keys = _journal(arguments), read_keys(arguments.cluster_key)
    except JournalUnusable as error:
        return _unusable(error, arguments.journal)
    same = ("host", "port", "seed", "inside", "durability", "code_letters", "bot_speed")
    settings = ServerSettings(
        **{name: getattr(arguments, name) for name in (*same, "metrics_public", "homeassistant", "web")},
        journal=journal_path,
        needs_players=arguments.until_table_ends is not None,
        relay=arguments.relay or "",
        cluster_keys=keys,
        lease_seconds=arguments.lease,
        drain_seconds=arguments.drain,
        needs_standby=not arguments.allow_no_standby,
        mqtt_url=arguments.mqtt or "",
        node=arguments.node or "",
        public_urls=tuple(arguments.public_url),
        announces=_announces(arguments),
        lists_tables=_announces(arguments) if arguments.list_tables is None else arguments.list_tables,
        proxies=(*OWN_PROXIES, *arguments.proxy),
        relays=tuple(arguments.relays),
        hosts=tuple(arguments.name),
        **dict(arguments.limit),
    )
    if not isinstance(journal_path, str):
        warn_of_others(journal_path, arguments.processes)

    def serve_one(
        settings: ServerSettings, announce: Callable[[str], None], inherited: Inherited | None
    ) -> int:
        serving = run(
            settings,
            announce,
            inherited,
            stop_with_stdin=arguments.stop_with_stdin,
            until_table_ends=arguments.until_table_ends,
        )
        return _code(settings, lambda: on_a_loop(settings, serving))

    if arguments.processes == 1:
        return serve_one(settings, _announce, None)
    return _code(settings, lambda: serve_all(settings, arguments.processes, serve_one, _announce))


def _unrestorable(journal: "JournalReader") -> "Sequence[tuple[StoredTable, Exception]]":
    """Return the tables of a journal that a server cannot restore, and why."""
    from racing_demon_server.tables.registry import unrestorable  # noqa: PLC0415 - only checks need a server

    return unrestorable(journal)


def _cluster(argv: Sequence[str]) -> int:
    try:
        from racing_demon_cluster.cli import main as cluster  # noqa: PLC0415 - psycopg is an extra
    except ImportError:
        return fail(3, "a cluster needs pip install 'racing-demon[cluster]'.")
    return cluster(argv)


def _contradictions(given: argparse.Namespace) -> Iterator[str]:
    """Yield what is wrong with arguments that are right one by one."""
    if given.relay is not None:
        yield from against_relay(given)
    if given.processes > 1:
        yield from against_processes(given)
    if given.durability is Durability.NONE and given.journal is not None:
        yield "--durability none keeps no journal, but --journal names one: leave one of them out"
    is_database = isinstance(given.journal, str)
    if is_database and not given.cluster_key:
        yield "a journal in a database needs --cluster-key FILE to mask the seeds of running hands"
    if is_database and given.processes > 1:
        yield "--processes cannot be combined with a database: start one server per core, each with a --node"
    if not is_database and (given.cluster_key or given.allow_no_standby):
        yield "--cluster-key and --allow-no-standby need a journal in a database"
    of_broker = {
        "--node": given.node,
        "--homeassistant": given.homeassistant,
        "--public-url": given.public_url,
    }
    if given.mqtt is None and not is_database:
        yield from (
            f"{name} needs a broker: name one with --mqtt URL" for name, value in of_broker.items() if value
        )


def _announces(arguments: argparse.Namespace) -> bool:
    """Tell whether to announce the tables on the local network.

    An announcement gives every table's code to everybody there. So it is on by default only for servers of
    the local network: not with a name, a proxy or a public URL, and not for a server that a client
    started, which is told whether to.
    """
    if arguments.lan is not None:
        return bool(arguments.lan)
    from .network_interfaces import is_private  # noqa: PLC0415 - a --help needs none

    asked = arguments.name, arguments.proxy, arguments.public_url, arguments.relay
    return not any(asked) and not is_owned(arguments) and is_private(arguments.host)


def _code(settings: "ServerSettings", serve: Callable[[], int | None]) -> int:
    """Serve, and return the exit code."""
    from racing_demon_server.journal.interface import Fenced, JournalUnusable  # noqa: PLC0415

    try:
        return serve() or 0
    except OSError as error:
        where = error.filename or f"{settings.host}:{settings.port}"
        why = f"cannot listen on {where}: {error.strerror}."
        advice = (
            "Another server may be running there. Choose another port with --port, or 0 for any free one."
        )
        return fail(1, f"{why}\n{advice}")
    except JournalUnusable as error:
        return _unusable(error, settings.journal)
    except Fenced as error:
        return fail(
            4,
            f"{error}: another server considered this one dead and took over its tables. "
            "Nothing is lost. Start this server again.",
        )


def _unusable(error: Exception, journal: Path | str | None) -> int:
    has_advice = isinstance(journal, str) or "--journal" in str(error)
    return fail(3, error if has_advice else f"{error} {ADVICE}")


def _journal(arguments: argparse.Namespace) -> Path | str | None:
    """Return the journal's file, or the URL of its database."""
    from racing_demon_server.journal.sqlite.database import default_path  # noqa: PLC0415
    from racing_demon_server.journal.sqlite.lock_file import first_free  # noqa: PLC0415

    if arguments.durability is Durability.NONE or arguments.relay is not None:
        return None
    if arguments.journal is not None:
        named: Path | str = arguments.journal
        return named
    # Clients that host tables on one machine each get a file; a permanent server has its own.
    return first_free(default_path()) if is_owned(arguments) else default_path()


def _announce(url: str) -> None:
    sys.stdout.write(f"racing-demon-server: listening on {url}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("racing-demon-server", "Run a server for tables of Racing Demon.", EXAMPLES)
    add = parser.add_argument
    add("--version", action="version", version=f"%(prog)s {__version__}")
    add("--host", default="0.0.0.0", help="address to listen on (default: all)")  # noqa: S104
    add(
        "--port",
        type=port,
        default=DEFAULT_PORT,
        help=f"port to listen on, 0 for any free one (default {DEFAULT_PORT})",
    )
    add(
        "--processes",
        type=processes,
        default=1,
        metavar="N",
        help="run N processes, one per core, each also on its own port after this one; players are "
        "redirected to the process that has their table (default 1; see docs/server.md)",
    )
    add("--seed", type=seed, help="up to 64 hexadecimal digits that determine every deal")
    add(
        "--journal",
        type=journal,
        metavar="FILE|URL",
        help="where tables are kept: a file (default: in your data folder), or a PostgreSQL database like "
        "postgresql://USER@HOST/DATABASE",
    )
    add_cluster_options(parser)
    add_relay_option(parser)
    add(
        "--durability",
        type=Durability,
        choices=list(Durability),
        default=Durability.FULL,
        help="what plays survive: a power failure (full, the default), a crash of the server (normal), "
        "nothing (none)",
    )
    add(
        "--code-letters",
        type=number(SHORTEST_CODE, LONGEST_CODE),
        default=8,
        metavar="N",
        help=f"letters in a table's code, {SHORTEST_CODE} to {LONGEST_CODE}: short codes are easy to type, "
        "long ones hard to guess (default 8)",
    )
    add("--bot-speed", type=speed, default=1.0, help="how many times faster bots think (default 1)")
    add("--log-level", choices=["debug", "info", "warning", "error"], default="warning")
    add("--log-format", choices=["text", "json"], default="text")
    add(
        "--lan",
        action=argparse.BooleanOptionalAction,
        help="announce tables on the local network, so that players find them without an address (default: "
        "on at a private address or all addresses, without --name, --proxy and --public-url)",
    )
    add("--no-web", dest="web", action="store_false", help="do not serve the page on which browsers play")
    add(
        "--list-tables",
        action=argparse.BooleanOptionalAction,
        help="list the open tables to browsers (default: as for --lan)",
    )
    add("--metrics-public", action="store_true", help="serve /metrics to everybody, not only to this machine")
    add(
        "--mqtt",
        type=_broker,
        metavar="URL",
        help="publish all tables to the broker at mqtt://USER@HOST:PORT or mqtts://...; see docs/mqtt.md",
    )
    add("--node", type=node, help="this server's name at the broker or in the cluster (default: random)")
    add(
        "--homeassistant",
        action="store_true",
        help="let Home Assistant discover the tables through the broker",
    )
    add(
        "--public-url",
        action="append",
        default=[],
        metavar="URL",
        help="the address at which players can join, published to the broker; may be given several times",
    )
    add(
        "--limit",
        action="append",
        type=limit,
        default=[],
        metavar="NAME=NUMBER",
        help="change a limit, such as connections_per_address=500; may be given several times",
    )
    add(
        "--proxy",
        action="append",
        type=network,
        default=[],
        metavar="NETWORK",
        help="trust proxies in this network, like 172.31.252.2, to name the client's address (those on this "
        "machine are always trusted)",
    )
    add(
        "--relays",
        action="append",
        type=network,
        default=[],
        metavar="NETWORK",
        help="trust relays (--relay) in this network to say how many watch there, and who asks for a table",
    )
    add(
        "--name",
        action="append",
        default=[],
        metavar="HOST",
        help="answer only requests for this host name or an address",
    )
    add("--stop-with-stdin", action="store_true", help="stop when standard input ends")
    add(
        "--until-table-ends",
        type=str.upper,
        nargs="?",
        const="",
        metavar="CODE",
        help="stop when the table that is opened first, or the one with this code in the journal, has ended: "
        "its opener has left, or nobody has been there for some minutes",
    )
    return parser


def _broker(text: str) -> str:
    """Return the URL of a broker. Errors do not repeat it, because it may contain a password."""
    from racing_demon_protocol.discovery.broker_address import parse_broker  # noqa: PLC0415 - most need no broker
    from racing_demon_server.mqtt.broker_connection import tls_context  # noqa: PLC0415

    try:
        tls_context(parse_broker(text, os.environ))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    except OSError as error:
        raise argparse.ArgumentTypeError(f"the certificate file cannot be used: {error.strerror}") from None
    return text
