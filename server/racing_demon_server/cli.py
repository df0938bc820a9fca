"""The command ``racing-demon-server``: runs a server for tables."""

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from racing_demon_protocol.constants import DEFAULT_PORT
from racing_demon_protocol.loading import uncollected

from .arguments import (
    MAX_CODE_LETTERS,
    MIN_CODE_LETTERS,
    against_base_path,
    against_identity,
    against_processes,
    base_path,
    days,
    fail,
    header_name,
    is_owned,
    journal,
    limit,
    lines_of,
    network,
    node,
    number,
    parser_of,
    port,
    presets,
    processes,
    seed,
    speed,
    tunnel_address,
    web_origin,
)
from .enums import Durability, StandingsAccess
from .extension import Extension, load_extensions

if TYPE_CHECKING:
    from racing_demon_server.journal.interface import JournalPart, JournalReader, StoredTable

    from .players.store import PlayersStore
    from .results.store import ResultsStore
    from .settings import ServerSettings
    from .setup_check import Finding

log = logging.getLogger("racing_demon_server")

TUNNEL_KEY = "RACING_DEMON_TUNNEL_KEY"
"""The variable that hands on the secret of the invitations: other users can read arguments."""
MODERATION = frozenset(
    {
        "ban",
        "bans",
        "close",
        "host",
        "kick",
        "mute",
        "new-tables",
        "players",
        "reports",
        "say",
        "tables",
        "tunnel",
        "unban",
        "unmute",
    }
)
"""The operator's commands for a running server."""
HOST_ADVICE = "Open the table at that server with --server ADDRESS, or name another file with --journal FILE."
ADVICE = "Name another file with --journal FILE, or keep no journal with --durability none."

EXAMPLES = """examples:
  racing-demon-server                          serve the whole network on port 5252
  racing-demon-server --host 127.0.0.1         serve this machine only
  racing-demon-server --port 0                 use any free port, and print it

  racing-demon-server --check                  say what is wrong with the setup, and start nothing

  racing-demon-server tables                   list the tables of a server that runs; close ends one
  racing-demon-server ban ADDRESS --for 7d     refuse an address for a time; bans lists them, unban lifts one
  racing-demon-server reports                  list what people have reported

  racing-demon-server journal --help           back up, check, list and export matches
  racing-demon-server cluster --help           servers that share a database: status, drain, fence

exit codes: 0 stopped normally, 1 cannot listen, or --check has found a problem, 2 wrong arguments, 3 cannot
use the journal, 4 fenced: another server has taken over its tables, 5 cannot start the tunnel, 6 fenced: a
newer start under its own name has them, 130 interrupted while starting
"""


def main(
    argv: Sequence[str] | None = None, *, loaded: Callable[[], None] = lambda: None, is_admin: bool = False
) -> int:
    """Run the server until it stops, and return the exit code.

    Args:
        argv: the arguments; ``None`` for those of the process.
        loaded: called when everything is loaded.
        is_admin: whether it was called ``rd-admin``, which has the operator's commands and runs no server.

    Raises:
        KeyboardInterrupt: Ctrl-C ended a command of the journal, or the server before it listened.

    """
    argv = list(sys.argv[1:] if argv is None else argv)
    extensions = load_extensions()
    if argv[:1] == ["journal"]:
        with uncollected():
            from racing_demon_server.journal.cli import ServerParts  # noqa: PLC0415 - it needs no server
            from racing_demon_server.journal.cli import main as journals  # noqa: PLC0415

        loaded()
        return journals(argv[1:], ServerParts(_unrestorable, partial(_results, extensions)), extensions)
    for extension in extensions:
        if argv[:1] == [extension.COMMAND]:
            return extension.main(argv[1:])
    if is_admin or (argv and argv[0] in MODERATION):
        with uncollected():
            from racing_demon_server.moderation.cli import main as moderate  # noqa: PLC0415 - it needs no server

        loaded()
        return moderate(argv, is_admin=is_admin)
    parser = _parser(extensions)
    arguments = parser.parse_args(argv)
    if contradiction := next(_contradictions(arguments, extensions), None):
        parser.error(contradiction)
    with uncollected():
        with without_modules("rich"):  # structlog uses it for tracebacks, which our logs format themselves
            from .ops import logs  # noqa: PLC0415 - a --help needs no server
        from . import processes, server  # noqa: F401, PLC0415 - before the collector works again

    loaded()
    logs.set_up(arguments.log_level, arguments.log_format)
    return _code(arguments, lambda: _serve(arguments, extensions))


@contextmanager
def without_modules(*names: str) -> Iterator[None]:
    """Hide modules from a library that can do without them, while it is imported.

    Modules that are already loaded stay, and all can be imported afterwards. The import system treats
    ``None`` as a missing module.
    """
    hidden = [name for name in names if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def _serve(arguments: argparse.Namespace, extensions: Sequence[Extension]) -> int:
    """Run the server of the arguments, in one process or several."""
    from racing_demon_server.journal.sqlite.database import players_of, results_of  # noqa: PLC0415

    from .processes import Inherited, serve_all, warn_of_others  # noqa: PLC0415
    from .server import Server, TableServer, run, run_on_loop  # noqa: PLC0415
    from .settings import ServerSettings  # noqa: PLC0415

    def serve(server: Server, announce: Callable[[str], None], inherited: Inherited | None = None) -> int:
        serving = run(server, announce, inherited, stop_with_stdin=arguments.stop_with_stdin)
        return _code(arguments, lambda: run_on_loop(server.settings, serving))

    def serve_tables(
        settings: ServerSettings, announce: Callable[[str], None], inherited: Inherited | None = None
    ) -> int:
        is_owned, until_table_ends = arguments.stop_with_stdin, arguments.until_table_ends
        server = TableServer(settings, is_owned=is_owned, until_table_ends=until_table_ends)
        return serve(server, announce, inherited)

    settings = _settings(arguments)
    if arguments.check:
        return _check(settings, arguments, extensions)
    for why in arguments.presets[1]:
        log.warning("a file among the presets is passed over", extra={"why": why})
    for extension in extensions:
        if (server := extension.server(settings, arguments)) is not None:
            return serve(server, _announce)
    journal = _journal(arguments)
    if journal is not None:
        results, players = results_of(journal), players_of(journal)
        settings = replace(settings, journal=journal, results=results, players=players)
    warn_of_others(settings.journal, arguments.processes)
    # Whoever practises is told if that is not the usual journal, and a server in place of this one takes it.
    is_chosen = arguments.stop_with_stdin and arguments.journal is None
    announce = partial(_announce, chosen=journal if is_chosen else None)
    if arguments.processes == 1:
        return serve_tables(settings, announce)
    return serve_all(settings, arguments.processes, serve_tables, announce)


def _check(settings: "ServerSettings", arguments: argparse.Namespace, extensions: Sequence[Extension]) -> int:
    """Print what is right and wrong with the setup; return 1 if it cannot work."""
    import asyncio  # noqa: PLC0415 - the server has its own loop
    import time  # noqa: PLC0415

    from .setup_check import Finding, Verdict, check_setup  # noqa: PLC0415

    def show(finding: "Finding") -> None:
        sys.stdout.write(f"{finding.verdict:8} {finding.about}: {finding.text}\n")
        sys.stdout.flush()
        verdicts.add(finding.verdict)

    async def run() -> None:
        async for finding in check_setup(settings, journal, time.time_ns() // 1_000_000):
            show(finding)

    verdicts = set[Verdict]()
    journal = None if isinstance(arguments.journal, str) else _journal(arguments)
    asyncio.run(run())
    for why in arguments.presets[1]:
        show(Finding(Verdict.WARNING, "presets", why))
    for extension in extensions:
        for finding in extension.check(arguments):
            show(finding)
    return int(Verdict.PROBLEM in verdicts)


def _settings(arguments: argparse.Namespace) -> "ServerSettings":
    """Return the settings of the arguments, without a journal."""
    from .settings import OWN_PROXIES, ServerSettings  # noqa: PLC0415

    port, owned = arguments.tunnel_port, is_owned(arguments)
    same = ("host", "port", "seed", "durability", "code_letters", "bot_speed")
    return ServerSettings(
        **{
            name: getattr(arguments, name)
            for name in (*same, "metrics_public", "homeassistant", "web", "base_path")
        },
        needs_players=arguments.until_table_ends is not None,
        mqtt_url=arguments.mqtt or "",
        node=arguments.node or "",
        control=arguments.control,
        public_urls=tuple(arguments.public_url),
        announces=_announces(arguments),
        presets=arguments.presets[0],
        lists_tables=_announces(arguments) if arguments.list_tables is None else arguments.list_tables,
        proxies=(*OWN_PROXIES, *arguments.proxy),
        relays=tuple(arguments.relays),
        identity_header=arguments.identity_header or "",
        identity_proxies=tuple(arguments.identity_proxy),
        hosts=tuple(arguments.name),
        tunnel_port=0 if arguments.tunnel is not None and port is None else port,
        tunnel_command=_tunnel_command(arguments),
        tunnel_address=arguments.tunnel_address or "",
        tunnel_key=_tunnel_key(),
        embeds=tuple(arguments.embed),
        webhook_url=arguments.webhook or "",
        webhook_secret=arguments.webhook_secret,
        webhook_names=arguments.webhook_names,
        standings=arguments.standings or (StandingsAccess.PLAYERS if owned else StandingsAccess.OFF),
        forbidden_names=tuple(arguments.forbidden_names),
        keep_days=arguments.keep_matches,
        remembers_people=owned,
        **dict(arguments.limit),
    )


def _tunnel_command(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the command line of the tunnel; empty if the server starts none.

    Raises:
        NoTunnel: there is no such program.

    """
    if arguments.tunnel is None:
        return ()
    from .tunnel_program import tunnel_command  # noqa: PLC0415 - few have one

    return tunnel_command(arguments.tunnel, arguments.tunnel_address or "")


def _tunnel_key() -> bytes:
    """Return the secret of the invitations that whoever starts the server has kept; empty if none was."""
    try:
        return bytes.fromhex(os.environ.pop(TUNNEL_KEY, ""))
    except ValueError:
        return b""


def _unrestorable(journal: "JournalReader") -> "Sequence[tuple[StoredTable, Exception]]":
    """Return the tables of a journal that a server cannot restore, and why."""
    from racing_demon_server.tables.registry import unrestorable  # noqa: PLC0415 - only checks need a server

    return unrestorable(journal)


def _results(
    extensions: Sequence[Extension], journal: "Path | str", parts: "Sequence[JournalPart]"
) -> Iterator[str]:
    """Yield how the matches of a journal count: first whether its players are known, then each match."""
    from racing_demon_server.results.of_journal import stores_of, summaries  # noqa: PLC0415

    def by_url(url: str) -> "tuple[ResultsStore, PlayersStore]":
        return extensions[0].results(url)

    with stores_of(journal, by_url) as (results, players):
        yield json.dumps({"players": players is not None})
        for summary in summaries(parts, results, players):
            yield summary.model_dump_json(exclude_defaults=True)


def _contradictions(given: argparse.Namespace, extensions: Sequence[Extension]) -> Iterator[str]:
    """Yield the contradictions between arguments."""
    for extension in extensions:
        yield from extension.contradictions(given)
    if given.processes > 1:
        yield from against_processes(given)
    yield from against_base_path(given)
    yield from against_identity(given)
    has_end = given.tunnel is not None or given.tunnel_port is not None
    if given.tunnel_address and not has_end:
        yield "--tunnel-address needs --tunnel, or --tunnel-port, where the tunnel ends"
    if has_end and not (given.tunnel or given.tunnel_address):
        yield "--tunnel-port needs --tunnel-address: without its name, nobody is answered"
    if given.durability is Durability.NONE and given.journal is not None:
        yield "--durability none keeps no journal, but --journal names one: leave one of them out"
    has_journal_file = given.durability is not Durability.NONE and not isinstance(given.journal, str)
    if given.control is not None and has_journal_file:
        yield "--control is for servers without a journal file: the operator's commands find others by that"
    if given.webhook is not None and given.webhook_secret is None:
        yield "--webhook needs --webhook-secret FILE: its receiver must be able to tell who asks"
    if given.webhook is None and (given.webhook_secret is not None or given.webhook_names):
        yield "--webhook-secret and --webhook-names need --webhook URL"
    if given.mqtt is None and not isinstance(given.journal, str):
        for_broker = {
            "--node": given.node,
            "--homeassistant": given.homeassistant,
        }
        yield from (
            f"{name} needs a broker: name one with --mqtt URL" for name, value in for_broker.items() if value
        )


def _announces(arguments: argparse.Namespace) -> bool:
    """Return whether to announce the tables on the local network.

    An announcement gives every table's code to everybody there. So it is on by default only for servers of
    the local network: not with a name, a proxy, a public URL or a base path, and not for a server that a
    client started, which decides by an option.
    """
    if arguments.lan is not None:
        return bool(arguments.lan)
    from .network_interfaces import is_private  # noqa: PLC0415 - a --help needs none

    asked = arguments.name, arguments.proxy, arguments.public_url, arguments.base_path
    return not any(asked) and not is_owned(arguments) and is_private(arguments.host)


def _code(given: argparse.Namespace, serve: Callable[[], int | None]) -> int:
    """Serve, and return the exit code."""
    from racing_demon_server.journal.interface import Fenced, JournalUnusable, Superseded  # noqa: PLC0415

    from .tunnel_program import NoTunnel  # noqa: PLC0415

    try:
        return serve() or 0
    except OSError as error:
        where = error.filename or f"{given.host}:{given.port}"
        why = f"cannot listen on {where}: {error.strerror}."
        advice = (
            "Another server may be running there. Choose another port with --port, or 0 for any free one."
        )
        return fail(1, f"{why}\n{advice}")
    except JournalUnusable as error:
        return _unusable(error, given.journal)
    except NoTunnel as error:
        return fail(5, error)
    except Superseded as error:
        return fail(
            6,
            f"{error}: a server with the same --node was started after this one, and has its tables. "
            "Nothing is lost. Each server needs a name of its own.",
        )
    except Fenced as error:
        return fail(
            4,
            f"{error}: another server considered this one dead and took over its tables. "
            "Nothing is lost. Start this server again.",
        )


def _unusable(error: Exception, journal: Path | str | None) -> int:
    has_advice = isinstance(journal, str) or "--journal" in str(error)
    return fail(3, error if has_advice else f"{error} {ADVICE}")


def _journal(arguments: argparse.Namespace) -> Path | None:
    """Return the journal's file.

    Raises:
        JournalTaken: another server has the one that a host needs.
        JournalUnusable: it is a URL, which no extension opens.

    """
    from racing_demon_server.journal.interface import JournalUnusable  # noqa: PLC0415
    from racing_demon_server.journal.sqlite.database import default_path, practice_path  # noqa: PLC0415
    from racing_demon_server.journal.sqlite.lock_file import (  # noqa: PLC0415
        JournalTaken,
        first_free,
        wait_until_free,
    )

    if arguments.durability is Durability.NONE:
        return None
    if isinstance(arguments.journal, str):
        raise JournalUnusable("Nothing is installed here that keeps a journal at a URL.")
    if isinstance(arguments.journal, Path):
        return arguments.journal
    if arguments.stop_with_stdin:  # practice must never keep a host from the host's own file
        return first_free(practice_path())
    path = default_path()
    if arguments.until_table_ends is not None:  # another file would split the evenings of a host
        try:
            wait_until_free(path)
        except JournalTaken:
            raise JournalTaken(f"Another server uses the journal {path}. {HOST_ADVICE}") from None
    return path


def _announce(url: str, chosen: Path | None = None) -> None:
    """Say where the server listens, and which journal it has chosen.

    It serves even if nobody reads its output, or that cannot be written.
    """
    journal = f" with the journal {chosen}" if chosen is not None and str(chosen).isprintable() else ""
    try:
        sys.stdout.write(f"racing-demon-server: listening on {url}{journal}\n")
        sys.stdout.flush()
    except OSError:
        # What is still in the buffer must go somewhere, or Python complains at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    from .ops.service_manager import notify  # noqa: PLC0415 - a --help needs none

    notify("READY=1")


class _Version(argparse.Action):
    """``--version``: which build this is, is found out only when somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print the version and the build, and leave."""
        from racing_demon_protocol.build import version  # noqa: PLC0415

        sys.stdout.write(f"{parser.prog} {version()}\n")
        parser.exit()


def _parser(extensions: Sequence[Extension]) -> argparse.ArgumentParser:
    parser = parser_of("racing-demon-server", "Run a server for tables of Racing Demon.", EXAMPLES)
    add = parser.add_argument
    add("--version", action=_Version, nargs=0, help="show program's version number and exit")
    add("--host", default="0.0.0.0", help="address to listen on (default: all of IPv4)")  # noqa: S104
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
    add(
        "--control",
        type=Path,
        metavar="FILE",
        help="where the operator's commands reach a server whose journal is a database, or that has none; "
        "give them this file with --journal",
    )
    for extension in extensions:
        extension.add_options(parser)
    add(
        "--durability",
        type=Durability,
        choices=list(Durability),
        default=Durability.FULL,
        help="what plays survive: a power failure (full, the default), a crash of the server (normal), "
        "nothing (none)",
    )
    add(
        "--keep-matches",
        type=days,
        metavar="DAYS",
        help="delete the events of matches that ended this many days ago or earlier, like 90d: replays are "
        "gone then, results remain (default: keep them)",
    )
    add(
        "--standings",
        type=StandingsAccess,
        choices=list(StandingsAccess),
        help="who may see the standings: nobody (off, the default), players whom the server remembers, each "
        "those with whom they have finished a match (players, the default for a table that racing-demon host "
        "opens), or everybody who reaches the server (open)",
    )
    add(
        "--forbidden-names",
        type=lines_of,
        default=(),
        metavar="FILE",
        help="words that no name may have, one a line: whoever has one is called Player (default: none)",
    )
    add(
        "--code-letters",
        type=number(MIN_CODE_LETTERS, MAX_CODE_LETTERS),
        default=8,
        metavar="N",
        help=f"letters in a table's code, {MIN_CODE_LETTERS} to {MAX_CODE_LETTERS}: short codes are easy to "
        "type, long ones hard to guess (default 8)",
    )
    add("--bot-speed", type=speed, default=1.0, help="how many times faster bots think (default 1)")
    add("--log-level", choices=["debug", "info", "warning", "error"], default="warning")
    add("--log-format", choices=["text", "json"], default="text")
    add(
        "--lan",
        action=argparse.BooleanOptionalAction,
        help="announce tables on the local network, so that players find them without an address (default: "
        "on at a private address or all addresses, without --name, --proxy, --public-url and --base-path)",
    )
    add("--no-web", dest="web", action="store_false", help="do not serve the page on which browsers play")
    add(
        "--base-path",
        type=base_path,
        default="",
        metavar="PATH",
        help="serve everything below this path, like /games/cards, behind a proxy that passes it on; see "
        "docs/deploy.md",
    )
    add(
        "--embed",
        action="extend",
        nargs="+",
        type=web_origin,
        default=[],
        metavar="ORIGIN",
        help="let pages of these sites, such as https://club.example.org, show tables in a frame; nobody can "
        "play there",
    )
    add(
        "--list-tables",
        action=argparse.BooleanOptionalAction,
        help="list the open tables to browsers (default: as for --lan)",
    )
    add(
        "--presets",
        type=presets,
        default=((), ()),
        metavar="FOLDER",
        help="show the presets in this folder to everybody who opens a table; see docs/server.md",
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
        "--webhook",
        type=_webhook,
        metavar="URL",
        help="tell this http or https address how matches go; see docs/webhook.md",
    )
    add(
        "--webhook-secret",
        type=_webhook_secret,
        metavar="FILE",
        help="the secret that signs what the webhook tells; make one with (umask 077; echo "
        "whsec_$(openssl rand -base64 32) > FILE)",
    )
    add("--webhook-names", action="store_true", help="tell it the names of the players, too")
    add(
        "--public-url",
        action="append",
        default=[],
        metavar="URL",
        help="the address at which players can join, for links and a broker; one of wss or https says that "
        "its host is reached with TLS alone; may be given several times",
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
        "--identity-header",
        type=header_name,
        metavar="NAME",
        help="the header in which --identity-proxy says who has signed in there: each is a player",
    )
    add(
        "--identity-proxy",
        action="append",
        type=network,
        default=[],
        metavar="NETWORK",
        help="believe --identity-header from proxies in this network, and from nobody else; such a proxy "
        "must drop the header that its clients send",
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
    add(
        "--tunnel",
        metavar="COMMAND",
        help="start this tunnel from the internet, and end it with the server: cloudflared, tailscale, auto "
        "for either, or a command in which {port} stands for the port; see docs/server.md",
    )
    add(
        "--tunnel-port",
        type=port,
        metavar="PORT",
        help="listen at this port of this machine, 0 for any free one, for a tunnel from the internet: who "
        "comes through it is not local, and needs an invitation; see docs/server.md",
    )
    add(
        "--tunnel-address",
        type=tunnel_address,
        metavar="URL",
        help="the public address of the tunnel, like https://name.example",
    )
    add("--check", action="store_true", help="say what is wrong with this setup, and start nothing")
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


def _webhook(text: str) -> str:
    """Return the URL of a webhook. Errors do not repeat it, because its path may be secret."""
    from racing_demon_server.webhook.endpoint import Endpoint  # noqa: PLC0415 - few have one

    try:
        Endpoint.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is not the address of a receiver: {error}") from None
    return text


def _webhook_secret(text: str) -> Path:
    """Return the file of a webhook's secret."""
    from racing_demon_server.webhook.endpoint import read_secret  # noqa: PLC0415

    try:
        read_secret(Path(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return Path(text)


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
