"""The players' command line: syntax, ``--help``, the values of arguments, and whether they fit together."""

import argparse
import contextlib
import datetime as dt
import functools
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar
from urllib.parse import urlsplit

from racing_demon_client.sources import PRACTICE_HANDS
from racing_demon_protocol import argument_types
from racing_demon_protocol.constants import MAX_NAME_LENGTH, MAX_PASSPHRASE_LENGTH, MAX_SEATS, MAX_TEXT_LENGTH
from racing_demon_protocol.enums import BotLevel

if TYPE_CHECKING:
    from racing_demon_protocol.wire.presets import Preset

_Value = TypeVar("_Value")


def _argument(read: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """Return a parser whose error message argparse shows."""

    @functools.wraps(read)
    def typed(text: str) -> _Value:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return typed


parse_port = _argument(argument_types.port)
parse_seats = _argument(argument_types.seats)
parse_seed = _argument(argument_types.seed)
parse_speed = _argument(argument_types.speed)
parse_tunnel_address = _argument(argument_types.tunnel_address)


def parse_date(text: str) -> dt.date:
    """Parse a date."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date: write one like 2026-11-01") from None


def parse_date_or_game(text: str) -> dt.date | str:
    """Parse a date, or a game's name where the date may be omitted; a name does not start with a digit."""
    return text.lower() if text[:1].isalpha() else parse_date(text)


def _between(text: str, *, least: int, most: int) -> int:
    try:
        number = int(text[:8])
    except ValueError:
        number = most + 1
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: give a number from {least} to {most}")
    return number


parse_points = functools.partial(_between, least=-10_000, most=10_000)
"""Parse the points that a correction adds."""
parse_match_number = functools.partial(_between, least=1, most=1_000_000)
"""Parse the number of a match in a file."""
parse_hand_number = functools.partial(_between, least=1, most=1_000)
"""Parse the number of a hand in a match."""


def _short(text: str, *, most: int) -> str:
    """Return a text short enough for a message; arguments may contain surrogates."""
    if not 1 <= len(text) <= most or any("\ud800" <= char <= "\udfff" for char in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: write 1 to {most} characters")
    return text


parse_reason = functools.partial(_short, most=MAX_TEXT_LENGTH)
"""Parse the reason for a correction."""
parse_name = functools.partial(_short, most=MAX_NAME_LENGTH)
"""Parse a player's name."""
parse_code = functools.partial(_short, most=16)
"""Parse a table's code."""


def parse_names(text: str) -> tuple[str, ...]:
    """Parse players' names, separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def parse_day(text: str) -> int:
    """Parse a date, a time or a number of days ago; return milliseconds since 1970."""
    try:
        if text.endswith("d"):
            at = dt.datetime.now(dt.UTC) - dt.timedelta(days=int(text[:-1][:6]))
        else:
            at = dt.datetime.fromisoformat(text)
        return int(at.timestamp() * 1_000)  # without a time zone, local time
    except (ValueError, OverflowError, OSError):
        wanted = "write a date like 2026-11-01, a time like 2026-11-01T20:15, or days ago like 30d"
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: {wanted}") from None


def parse_passphrase(text: str) -> str:
    """Parse a passphrase; empty for none."""
    return _short(text, most=MAX_PASSPHRASE_LENGTH) if text else ""


def parse_named_code(text: str) -> str:
    """Parse a table's code that was given without an address."""
    if any(char.isspace() or not char.isprintable() for char in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a table's code, like BCDF")
    return parse_code(text)


def parse_server(text: str) -> tuple[str, ...]:
    """Parse a server's address, with or without scheme, port and path, or a link to one of its pages.

    Returns:
        the addresses at which it may be: the last name of a path may be a table's code.

    """
    from racing_demon_client.links import parse_link  # noqa: PLC0415 - --help does not need it

    try:
        servers = parse_link(text).servers
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return tuple(_verified(server or text) for server in servers)


def _verified(text: str) -> str:
    """Return a server's address that was read from an argument, unless it is invalid."""
    why = _wrong_address(text)
    if why:
        example = "write one like ws://192.168.1.5:5252, or ws://[fe80::1]:5252"
        raise argparse.ArgumentTypeError(f"{text!r} is not a server's address: {why}; {example}")
    return text


def _wrong_address(text: str) -> str:
    """Return why an address is invalid; empty if it is valid."""
    if not text or any(char.isspace() or not char.isprintable() for char in text):
        return "it holds a space or a control character" if text else "it is empty"
    scheme, is_whole, _ = text.rpartition("://")
    if is_whole and scheme.lower() not in {"ws", "wss"}:
        return "it begins with neither ws:// nor wss://"
    try:
        parts = urlsplit(text if is_whole else f"ws://{text}")
    except ValueError:
        return "its brackets do not match"
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        return "its port is no number from 1 to 65535"
    return "" if parts.hostname else "it names no host"


def parse_authority(text: str) -> str:
    """Parse the file of a certificate authority."""
    import ssl  # noqa: PLC0415 - few name one

    try:
        ssl.create_default_context(cafile=text)
    except ssl.SSLError:
        raise argparse.ArgumentTypeError(f"{text} holds no certificate in PEM format") from None
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text} cannot be read: {error.strerror}") from None
    return text


@_argument
def parse_broker(text: str) -> str:
    """Parse a broker's address. Error messages never contain its password."""
    from racing_demon_protocol.discovery.broker_address import parse_broker  # noqa: PLC0415 - few use a broker

    parse_broker(text, os.environ)
    return text


DIALLING: Final = ("host", "join", "watch", "tables", "replay", "scores", "link", "you", "presets")
"""The commands that may connect to a server elsewhere."""

EXAMPLES = """examples:
  racing-demon                                 the first screen: play now, host, join, watch
  racing-demon learn                           learn the game in a minute, by playing it
  racing-demon play                            play a match against three bots
  racing-demon play --game classic --bots 5    play Nerts against five bots
  racing-demon play --watch --bots 8           watch eight bots
  racing-demon host                            open a table for the network
  racing-demon host --preset nerts             the game to 100 points; racing-demon presets lists all
  racing-demon join                            join the table on this network, or choose one
  racing-demon join BCDF                       join the table with this code
  racing-demon join http://192.168.1.5:5252/BCDF
  racing-demon watch http://192.168.1.5:5252/BCDF
  racing-demon tables                          list the tables on this network
  racing-demon tables wss://example.org        list the tables of a server, or of all its servers
  racing-demon join wss://example.org          take a free seat at one of them
  racing-demon play --watch --json > match.jsonl && racing-demon verify match.jsonl
  racing-demon replay match.jsonl              play the record back
  racing-demon scores                          show the standings over all matches
  racing-demon solo clock --daily              play alone: today's deal, the same for everybody
  racing-demon rules clock                     show a game's rules; racing-demon games lists all games
  racing-demon settings                        edit your colors, keys and signs in a commented file

exit codes: 0 done, 1 nothing found, or not valid, 2 wrong arguments, 3 a file cannot be used,
4 no server, or it refused or ended the table, 5 an error in this program, 130 interrupted, 143 ended
"""

POSITIONS = """where the table is:
  racing-demon {0}                               on this network: the only one, or one of a list
  racing-demon {0} BCDF                          on this network, with this code
  racing-demon {0} http://192.168.1.5:5252/BCDF   by the link that its host sees
  racing-demon {0} ws://192.168.1.5:5252 BCDF     at a server's address
  racing-demon {0} wss://cards.example.org        at a server: the only one, or one of a list
"""
OWN_SEAT = """
A link with seat= in it, from the page or from the host, brings your seat from another device.
"""

RECORDS = """examples:
  racing-demon record list                              list the matches in this machine's journal
  racing-demon record export 3.1 --to match.jsonl       one match, for replay, verify and scores anywhere
  racing-demon record export all --to evening.jsonl     all matches in one file
  racing-demon record export old.jsonl --to new.jsonl   a record from --record, in the newest format
  racing-demon record correct 3.1 --seat 2 --points -5 --why "a card too many in hand 3"
  racing-demon record correct match.jsonl --void --why "a try-out"

docs/records.md describes the file.
"""

REPLAY = """examples:
  racing-demon replay                          the last match in this machine's journal
  racing-demon replay match.jsonl              a match in a file; ? shows all keys
  racing-demon replay match.jsonl --at h2 --speed 4 --seat Ann
  racing-demon replay 3.1 --plain              line by line; without a terminal, as fast as possible
  racing-demon replay https://HOST/match/LINK  a match at a server, by the link to its page

A position is h2 (hand 2), e120 (event 120), 1:30 (a time in the hand), or +10 or -10 (seconds).
"""

YOU = """examples:
  racing-demon you http://192.168.1.5:5252               your name there, and your devices
  racing-demon you http://192.168.1.5:5252 --trust 17    a device that was added by a code is as the others
  racing-demon you cards.example.org --rename Annabel    another name, with all results

To be Ann on this machine, see racing-demon link.
"""

SCORES = """examples:
  racing-demon scores                          all matches in this machine's journal
  racing-demon scores --since 30d --no-bots    the last thirty days, without the bots' lines
  racing-demon scores --names Ann,Bob --json   only matches that Ann and Bob played without others
  racing-demon scores --preset nerts --people  only Nerts, and only hands without bots
  racing-demon scores --season autumn          the season of that name; see docs/records.md
  racing-demon scores *.jsonl --csv            the matches in these files
  racing-demon scores --server 192.168.1.5     what the server of a table remembers
"""

SOLO = """examples:
  racing-demon solo fooliana                   a new deal, with unlimited undo
  racing-demon solo clock --daily              today's deal, the same for everybody
  racing-demon solo clock --daily 2026-11-01   the deal of another day
  racing-demon solo fooliana --deal autumn     a named deal, to share with friends
  racing-demon solo racing-demon --option turn=1 --plain
  racing-demon solo --statistics               how often you have played and won
"""

SETTINGS = """examples:
  racing-demon settings                        create the file if needed, and open it with $EDITOR
  EDITOR=nano racing-demon settings            open it with this editor
  racing-demon settings --path                 only print where the file is

Set RACING_DEMON_CONFIG to keep the file in another folder.
exit codes: 0 done, 1 the editor failed, 2 wrong arguments, 3 the file cannot be written or understood
"""

PASSPHRASE = "RACING_DEMON_PASSPHRASE"  # noqa: S105 - the name of a variable


class _Parser(argparse.ArgumentParser):
    """An argument parser that keeps the lines of examples, and prints no control characters."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with 2."""
        from racing_demon_protocol.formatting import printable  # noqa: PLC0415 - --help does not need it

        super().error(printable(message))


class _Version(argparse.Action):
    """``--version``: which build this is, is found out only when somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print the version and the build, and leave."""
        from racing_demon_protocol.build import version  # noqa: PLC0415

        sys.stdout.write(f"{parser.prog} {version()}\n")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands.

    In its result, ``complain`` reports an error with the command's usage.
    """
    program = _Parser(
        prog="racing-demon",
        description="Play Racing Demon in the terminal, two to eight players at a table.",
        epilog=EXAMPLES,
    )
    program.add_argument("--ascii", action="store_true", help="use only ASCII characters")
    program.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = program.add_subparsers(dest="command", metavar="[COMMAND]")
    _add_play(commands.add_parser("play", help="play against bots"))
    _add_learn(commands.add_parser("learn", help="learn the game in a minute, by playing it"))
    _add_host(commands.add_parser("host", help="open a table for the network, and take a seat"))
    _add_join(
        commands.add_parser("join", help="take a seat at a table", epilog=POSITIONS.format("join") + OWN_SEAT)
    )
    _add_watch(commands.add_parser("watch", help="watch a table", epilog=POSITIONS.format("watch")))
    _add_tables(commands.add_parser("tables", help="list the tables on this network, or those of a server"))
    verify = commands.add_parser("verify", help="check a record: commitments, deals, plays and scores")
    verify.add_argument("file", help="a record, or a match in this machine's journal; - for standard input")
    _add_journal(verify)
    _add_record_commands(
        commands.add_parser("record", help="list, export or correct records", epilog=RECORDS)
    )
    _add_replay(commands.add_parser("replay", help="play a record back", epilog=REPLAY))
    _add_scores(commands.add_parser("scores", help="show the standings over all matches", epilog=SCORES))
    _add_link(
        commands.add_parser("link", help="be somebody whom a server knows, by a code of another device")
    )
    _add_you(commands.add_parser("you", help="see who a server knows you as, and change that", epilog=YOU))
    _add_solo(commands.add_parser("solo", help="play a game alone", epilog=SOLO))
    games = commands.add_parser("games", help="list the games")
    games.add_argument("--json", action="store_true", help="print one JSON object per line")
    presets = commands.add_parser("presets", help="list the presets: well-known ways to play, and your own")
    text = "a server's address, for the presets that it has besides"
    presets.add_argument("url", nargs="?", type=parse_server, help=text)
    commands.add_parser("options", help="list the options of a table, with their values and defaults")
    rules = commands.add_parser("rules", help="show the rules of a game")
    rules.add_argument("game", type=str.lower, metavar="GAME", help="see: racing-demon games")
    rules.add_argument("--ascii", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    settings = commands.add_parser("settings", help="edit your settings", epilog=SETTINGS)
    settings.add_argument("--path", action="store_true", help="only print where the file is")
    for each in (program, *(commands.choices[name] for name in DIALLING)):
        text = "also trust servers whose certificate this authority has signed"
        each.add_argument("--ca", type=parse_authority, metavar="FILE", default=argparse.SUPPRESS, help=text)
    for each in (program, *commands.choices.values()):
        each.set_defaults(complain=each.error)  # so that the error shows this command's usage
    return program


def today() -> dt.date:
    """Return today's date in local time."""
    return dt.datetime.now().astimezone().date()


# Commands.


def _add_play(play: argparse.ArgumentParser) -> None:
    add = play.add_argument
    _add_table(play, bots=3, hands=PRACTICE_HANDS)
    add("--watch", action="store_true", help="watch bots play; works without a terminal")
    text = "how many times faster bots think (default 1; without a terminal 50)"
    add("--speed", type=parse_speed, help=text)
    add("--seed", type=parse_seed, help="up to 64 hexadecimal digits that repeat the same deals")
    _add_keeping(play, "normal, and none where only bots play")
    add("--json", action="store_true", help="with --watch: print a record, one JSON object per line")


def _add_learn(learn: argparse.ArgumentParser) -> None:
    learn.add_argument(
        "game", nargs="?", choices=("racing-demon", "classic"), default="racing-demon", help="which game"
    )
    _add_name(learn)
    _add_record(learn)
    _add_output(learn)


def _add_host(host: argparse.ArgumentParser) -> None:
    add = host.add_argument
    _add_table(host, bots=0, hands=5)
    add("--port", type=parse_port, help="the port (default: 5252, or any free one if that is taken)")
    _add_keeping(host, "full")
    _add_passphrase(host)
    text = "open the table on a server that is already running"
    add("--server", type=parse_server, metavar="URL", help=text)
    text = "let others join over the internet, through cloudflared or tailscale, whichever is installed"
    add("--internet", action="store_true", help=text)
    text = "let them join through this tunnel: cloudflared, tailscale, or a command with {port} for the port"
    add("--tunnel", metavar="COMMAND", help=text)
    text = "the tunnel's public address, if its command does not print it"
    add("--tunnel-address", type=parse_tunnel_address, metavar="URL", help=text)
    text = "open another table, not the one that you have left here; with --journal, if its server still runs"
    add("--new", action="store_true", help=text)
    text = "do not announce the table on the network"
    add("--no-announce", dest="announce", action="store_false", help=text)
    add("--no-web", dest="web", action="store_false", help="do not serve the page for browsers")


def _add_join(join: argparse.ArgumentParser) -> None:
    _add_place(join)
    _add_name(join)
    _add_record(join)


def _add_watch(watch: argparse.ArgumentParser) -> None:
    _add_place(watch)
    watch.add_argument("--json", action="store_true", help="print a record, one JSON object per line")
    text = "watch through the broker at mqtt://HOST:PORT; then give CODE or NODE/CODE"
    watch.add_argument("--mqtt", type=parse_broker, metavar="URL", help=text)


def _add_tables(tables: argparse.ArgumentParser) -> None:
    add = tables.add_argument
    add("url", nargs="?", metavar="ADDRESS", help="a server, like wss://cards.example.org")
    add("--json", action="store_true", help="print one JSON object per line")
    add("--mqtt", type=parse_broker, metavar="URL", help="list the tables at the broker mqtt://HOST:PORT")


def _add_solo(solo: argparse.ArgumentParser) -> None:
    add = solo.add_argument
    add("game", type=str.lower, nargs="?", default="", metavar="GAME", help="see: racing-demon games")
    deal = solo.add_mutually_exclusive_group()
    deal.add_argument("--seed", type=parse_seed, help="up to 64 hexadecimal digits that repeat the same deal")
    deal.add_argument(
        "--daily",
        nargs="?",
        type=parse_date_or_game,
        const=today(),
        metavar="DATE",
        help="the deal of today, or of a date like 2026-11-01; the same for everybody",
    )
    text = "the deal of this name; the same for everybody"
    deal.add_argument("--deal", type=parse_name, metavar="NAME", help=text)
    text = "show how often you have played and won each game"
    deal.add_argument("--statistics", action="store_true", help=text)
    add("--json", action="store_true", help="with --statistics: print one JSON object")
    text = "change an option of the game, like turn=1"
    add("--option", action="append", default=[], metavar="NAME=VALUE", help=text)
    solo.set_defaults(preset=None, hands=1, target=None, bots=1, watch=False, casual=False)
    _add_name(solo)
    _add_record(solo)
    _add_output(solo)


def _add_record_commands(record: argparse.ArgumentParser) -> None:
    subcommands = record.add_subparsers(dest="what", metavar="list|export|correct", required=True)
    listing = subcommands.add_parser("list", help="list the matches in this machine's journal")
    listing.add_argument("--json", action="store_true", help="print one JSON object per line")
    _add_journal(listing)
    export = subcommands.add_parser("export", help="write matches to one portable file", epilog=RECORDS)
    text = "matches in the journal, or record files"
    export.add_argument("sources", nargs="+", metavar="ID|FILE|all", help=text)
    export.add_argument("--to", metavar="FILE", help="the file to write (default: standard output)")
    _add_journal(export)
    text = "append a correction; the record itself stays unchanged"
    correct = subcommands.add_parser("correct", help=text, epilog=RECORDS)
    add = correct.add_argument
    add("source", metavar="ID|FILE", help="a match in the journal, or a record file")
    add("--why", required=True, type=parse_reason, help="the reason, which everybody can read")
    add("--seat", type=parse_seats, help="the seat whose points change, counted from 1")
    add("--points", type=parse_points, default=0, help="the points to add, like 5 or -5")
    add("--hand", type=parse_hand_number, help="the hand that the correction concerns")
    add("--void", action="store_true", help="the match does not count")
    _add_name(correct)
    _add_journal(correct)


def _add_replay(replay: argparse.ArgumentParser) -> None:
    add = replay.add_argument
    text = "a record, a match in the journal, or a link to a match (default: the journal's last match)"
    add("source", nargs="?", metavar="FILE|ID|LINK", help=text)
    add("--at", metavar="POSITION", help="start at h2 (hand 2), e120 (event 120) or 1:30")
    text = "how many times faster to play (default 1; without a terminal 1000)"
    add("--speed", type=parse_speed, help=text)
    add("--paused", action="store_true", help="start paused")
    text = "the seat from which to watch: its number from 1, or the player's name"
    add("--seat", type=parse_name, help=text)
    text = "which match of a file with several (default 1)"
    add("--match", type=parse_match_number, default=1, metavar="N", help=text)
    _add_output(replay)
    _add_journal(replay)


def _add_scores(scores: argparse.ArgumentParser) -> None:
    add = scores.add_argument
    add("files", nargs="*", metavar="FILE", help="record files (default: this machine's journal)")
    add("--server", type=parse_server, metavar="URL", help="the standings that this server shows")
    text = "only matches since a date like 2026-11-01, or 30d for 30 days"
    add("--since", type=parse_day, metavar="DATE", help=text)
    add("--until", type=parse_day, metavar="DATE", help="only matches before a date")
    text = "only matches in which these people and bots played"
    add("--names", type=parse_names, default=(), metavar="A,B", help=text)
    add("--season", metavar="NAME", help="only matches of a season, whose days are in seasons.toml")
    add("--game", type=str.lower, help="only matches of this game; see: racing-demon games")
    text = "only matches by this preset's rules; see: racing-demon presets"
    add("--preset", type=str.lower, help=text)
    hands = scores.add_mutually_exclusive_group()
    text = "only hands that people played among themselves"
    hands.add_argument("--people", dest="with_bots", action="store_false", default=None, help=text)
    text = "only hands in which a bot played, or stood in for somebody"
    hands.add_argument("--with-bots", dest="with_bots", action="store_true", default=None, help=text)
    add("--no-bots", dest="bots", action="store_false", help="leave out the bots' lines")
    form = scores.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print comma-separated values")
    form.add_argument("--json", action="store_true", help="print one JSON object")
    _add_journal(scores)


def _add_link(link: argparse.ArgumentParser) -> None:
    link.add_argument(
        "url", help="the link that the other device or the lobby shows, or the server's address"
    )
    link.add_argument("code", nargs="?", help="the code, if it is not in the link")
    link.add_argument("--yes", action="store_true", help="you are who the link or --name says: do not ask")
    _add_name(link)


def _add_you(you: argparse.ArgumentParser) -> None:
    you.add_argument("url", type=parse_server, help="the server's address, or a link to it")
    change = you.add_mutually_exclusive_group()
    change.add_argument("--rename", type=parse_name, metavar="NAME", help="be called NAME there")
    text = "let a device that was added by a code be as the others"
    change.add_argument("--trust", type=int, metavar="DEVICE", help=text)
    change.add_argument("--remove", type=int, metavar="DEVICE", help="let a device be yours no longer")
    text = "let the server forget you for good; it asks twice"
    change.add_argument("--forget", action="store_true", help=text)
    you.add_argument("--yes", action="store_true", help="with --forget: do not ask")
    text = "who you are, of several people (default: who played there last)"
    you.add_argument("--name", type=parse_name, help=text)


# What several commands take.


def _add_journal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--journal", metavar="FILE", help="the journal (default: this machine's)")


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", nargs="?", help="the link that the host sees, or the server's address")
    parser.add_argument("code", nargs="?", type=parse_code, help="the table's code")
    _add_passphrase(parser)
    _add_output(parser)


def _add_table(parser: argparse.ArgumentParser, *, bots: int, hands: int) -> None:
    add = parser.add_argument
    _add_name(parser)
    played = parser.add_mutually_exclusive_group()
    played.add_argument("--game", type=str.lower, default="racing-demon", help="see: racing-demon games")
    text = "a well-known way to play, like nerts; see: racing-demon presets"
    played.add_argument("--preset", type=str.lower, help=text)
    text = f"number of hands in a match (default {hands}, or the preset's)"
    add("--hands", type=int, help=text)
    parser.set_defaults(usual_hands=hands)
    add(
        "--target",
        type=int,
        help="a total that ends the match early: of points, or of hands won with match_score=hands",
    )
    add("--casual", action="store_true", help="the matches count in no standings and ratings")
    add("--bots", type=parse_seats, default=bots, help=f"number of bots (default {bots})")
    text = "how well the bots play (default medium)"
    add("--level", choices=[*BotLevel], default=BotLevel.MEDIUM, help=text)
    text = "any other option of the table, like call_out=shout; see: racing-demon options"
    add("--option", action="append", default=[], metavar="NAME=VALUE", help=text)
    _add_record(parser)
    _add_output(parser)


def _add_keeping(parser: argparse.ArgumentParser, usual: str) -> None:
    text = "what plays survive: a power failure (full), a crash of the server (normal), nothing (none)"
    parser.add_argument("--durability", choices=("full", "normal", "none"), help=f"{text}; default {usual}")
    text = "where the table is kept (default: in your data folder)"
    parser.add_argument("--journal", metavar="FILE", help=text)


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    # Without SUPPRESS, a subcommand's default would override a value given before it.
    add("--ascii", action="store_true", default=argparse.SUPPRESS, help="use only ASCII characters")
    add("--plain", action="store_true", help="plain text, line by line, as for screen readers")


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", type=parse_name, help="your name at the table")


def _add_record(parser: argparse.ArgumentParser) -> None:
    text = "write a record of the match, which `verify` can check"
    parser.add_argument("--record", metavar="FILE", help=text)


def _add_passphrase(parser: argparse.ArgumentParser) -> None:
    text = f"the table's passphrase; safer in the environment variable {PASSPHRASE}"
    default = os.environ.get(PASSPHRASE, "")
    parser.add_argument("--passphrase", type=parse_passphrase, default=default, help=text)


MAX_BOTS: Final = MAX_SEATS - 1
"""All seats but the player's."""

TRUTHS: Final = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the arguments; exit for ``--help`` or after an error."""
    arguments, unknown = parser().parse_known_args(argv)
    complain = vars(arguments).pop("complain")
    if unknown:
        complain(f"unrecognized arguments: {' '.join(unknown)}")
    arguments.command = arguments.command or "welcome"
    if arguments.command in {"join", "watch"}:
        _find_place(arguments)
    if arguments.command == "tables" and arguments.url is not None:
        _find_server(arguments)
    if arguments.command == "link":
        _find_person(arguments)
    arguments.is_named = getattr(arguments, "name", None) is not None
    if getattr(arguments, "name", "") is None:
        arguments.name = _own_name()
    _verify(arguments)
    if arguments.command in {"play", "host"} or (arguments.command == "solo" and arguments.game):
        arguments.options = _options(arguments)
    return arguments


def _verify(arguments: argparse.Namespace) -> None:
    """Exit with an error if a command's arguments do not go together."""
    if arguments.command == "solo":
        _find_game(arguments)
    if arguments.command == "record":
        _verify_correction(arguments)
    if arguments.command == "scores":
        _verify_selection(arguments)
    if arguments.command in {"play", "host"}:
        _verify_bots(arguments)
        _verify_journal(arguments)
    if arguments.command == "host" and arguments.server is not None:
        _verify_server(arguments)


def _find_place(arguments: argparse.Namespace) -> None:
    """Split a table's link into address and code, and perhaps the token of a seat."""
    url, code, arguments.seat, arguments.otherwise = arguments.url, arguments.code, "", None
    if getattr(arguments, "mqtt", None) is not None:
        if url is None or code is not None:
            _fail("with --mqtt URL, name the table by its code alone, or as NODE/CODE")
        arguments.url, arguments.code = None, url
        return
    if url is None:
        return
    from racing_demon_client.links import LOCALHOST, parse_link  # noqa: PLC0415 - --help does not need it

    try:
        link = parse_link(url)
        if code is not None:
            link = link.with_code(parse_link(code).code or code)
        arguments.seat, arguments.otherwise = link.seat, link.otherwise
        if code is not None or (link.address and link.code):
            arguments.url, arguments.code = _verified(link.address or url), parse_code(link.code)
        elif any(sign in link.address for sign in ".:/") or link.address.lower() == LOCALHOST:
            arguments.url = _verified(link.address)
        else:
            arguments.url, arguments.code = None, parse_named_code(link.code or link.address)
    except (argparse.ArgumentTypeError, ValueError) as error:
        _fail(str(error))


def _find_server(arguments: argparse.Namespace) -> None:
    """Take the server's address out of what may be the link to one of its pages."""
    if arguments.mqtt is not None:
        _fail("name a server's address or a broker's, not both")
    try:
        arguments.url = parse_server(arguments.url)
    except argparse.ArgumentTypeError as error:
        _fail(str(error))


def _find_person(arguments: argparse.Namespace) -> None:
    """Split the link for another device of a person into address, code and name."""
    from racing_demon_client.links import parse_link  # noqa: PLC0415 - --help does not need it

    try:
        link = parse_link(arguments.url)
        arguments.url = parse_server(arguments.url)
    except (argparse.ArgumentTypeError, ValueError) as error:
        _fail(str(error))
    arguments.code = arguments.code or link.device
    if not arguments.code:
        _fail("name the code, too: racing-demon link URL CODE --name NAME")
    arguments.name = arguments.name or link.name or None


def _find_game(arguments: argparse.Namespace) -> None:
    """Find the game to play solo, even where ``--daily`` without a date has taken its name."""
    if isinstance(arguments.daily, str):
        if arguments.game:
            _fail(f"{arguments.daily!r} is not a date: write one like 2026-11-01")
        arguments.game, arguments.daily = arguments.daily, today()
    if not arguments.statistics and not arguments.game:
        _fail("name a game: racing-demon solo GAME; racing-demon games lists them")


def _verify_correction(arguments: argparse.Namespace) -> None:
    """Exit with an error if a correction changes nothing."""
    changes = arguments.what != "correct" or arguments.void
    if not (changes or (arguments.seat is not None and arguments.points)):
        _fail("say what is to change: --seat N and --points N, or --void")


def _verify_journal(arguments: argparse.Namespace) -> None:
    """Exit with an error if there is to be a journal, and none."""
    if arguments.durability == "none" and arguments.journal is not None:
        _fail("--durability none keeps no journal, but --journal names one: leave one of them out")


def _verify_server(arguments: argparse.Namespace) -> None:
    """Exit with an error if something is asked for that only a server of one's own does."""
    of_own = {
        "--port": arguments.port is not None,
        "--journal": arguments.journal is not None,
        "--durability": arguments.durability is not None,
        "--internet": arguments.internet,
        "--tunnel": arguments.tunnel is not None,
        "--tunnel-address": arguments.tunnel_address is not None,
        "--new": arguments.new,
        "--no-announce": not arguments.announce,
        "--no-web": not arguments.web,
    }
    if given := [name for name, is_given in of_own.items() if is_given]:
        _fail(f"--server opens the table on a server that runs: leave out {', '.join(given)}")


def _verify_bots(arguments: argparse.Namespace) -> None:
    """Exit with an error if there are more bots than free seats, or no players at all."""
    sits = arguments.command == "host" or not watches(arguments)
    if sits and arguments.bots > MAX_BOTS:
        _fail("--bots 8: one of the eight seats at the table is yours, so seven is the most")
    if not sits and not arguments.bots:
        _fail("--bots 0: only bots play where nobody sits down, so there must be some")


def watches(arguments: argparse.Namespace) -> bool:
    """Return whether ``play`` is for bots alone: by request, or because there is no terminal."""
    from racing_demon_client.streams import is_terminal  # noqa: PLC0415 - --help needs no streams

    return arguments.watch or arguments.json or not is_terminal()


def _options(arguments: argparse.Namespace) -> Any:
    """Return the table's options from the arguments; exit with an error if they are invalid."""
    from pydantic import ValidationError  # noqa: PLC0415 - --help needs no models

    from racing_demon_client.shared.option_text import explained  # noqa: PLC0415
    from racing_demon_protocol.errors import InvalidGame  # noqa: PLC0415
    from racing_demon_protocol.games import declare  # noqa: PLC0415
    from racing_demon_protocol.wire.options import Options  # noqa: PLC0415
    from racing_demon_protocol.wire.presets import usual_options  # noqa: PLC0415

    if arguments.preset is None:
        hands = arguments.usual_hands if arguments.hands is None else arguments.hands
        values: dict[str, Any] = {"game": arguments.game, "hands": hands, "target": arguments.target}
    else:
        given = {"hands": arguments.hands, "target": arguments.target}
        values = _preset(arguments.preset, getattr(arguments, "server", None)) | {
            name: value for name, value in given.items() if value is not None
        }
    is_practice = arguments.command in {"play", "solo"} and not (arguments.watch or arguments.json)
    values["hints"] = is_practice  # alone against bots, hints disturb nobody
    if arguments.casual:
        values["casual"] = True
    for text in arguments.option:
        name, equals, value = text.partition("=")
        if not equals:
            _fail(f"--option {text}: write NAME=VALUE")
        with contextlib.suppress(ValueError):  # otherwise it is a word
            value = json.loads(TRUTHS.get(value, value))
        values[name.replace("-", "_")] = value
    try:
        usual = {} if arguments.preset else usual_options(arguments.game).model_dump()
        options = Options.model_validate(usual | values)
        declare(options, max(1, arguments.bots))
    except ValidationError as error:
        _fail(explained(error))
    except InvalidGame as error:
        _fail(str(error))
    return options


def _verify_selection(arguments: argparse.Namespace) -> None:
    """Exit with an error if the matches of no game, no preset or two periods are asked for."""
    from racing_demon_protocol.errors import InvalidGame  # noqa: PLC0415 - --help needs no games
    from racing_demon_protocol.games import game_named  # noqa: PLC0415
    from racing_demon_protocol.wire.presets import PRESETS  # noqa: PLC0415

    of_records = arguments.files or arguments.names or arguments.csv or arguments.journal
    if arguments.server is not None and (of_records or arguments.with_bots is not None):
        _fail(
            "--server shows the server's own standings: leave out files, --journal, --names, --people, "
            "--with-bots and --csv"
        )
    if arguments.season is not None and not arguments.since is arguments.until is None:
        _fail("--season names a period: leave out --since and --until")
    if arguments.preset is not None:
        _named_preset(arguments.preset, PRESETS)
    if arguments.game is not None:
        try:
            game_named(arguments.game)
        except InvalidGame as error:
            _fail(str(error))


def _preset(name: str, server: str | None) -> dict[str, Any]:
    """Return the options that a preset sets: a well-known one, one's own, or one of the server.

    Exit with an error if there is none of this name.
    """
    import asyncio  # noqa: PLC0415 - --help needs no presets

    from racing_demon_client.errors import ConnectionFailed  # noqa: PLC0415
    from racing_demon_client.net.server_query import fetch_presets  # noqa: PLC0415
    from racing_demon_client.saved_presets import saved_presets  # noqa: PLC0415
    from racing_demon_protocol.wire.presets import PRESETS  # noqa: PLC0415

    presets = PRESETS | saved_presets()[0]
    if name not in presets and server is not None:
        try:
            presets |= asyncio.run(fetch_presets(server))
        except ConnectionFailed as error:
            _fail(str(error))
    return _named_preset(name, presets).options.model_dump(exclude_unset=True)


def _named_preset(name: str, known: Mapping[str, "Preset"]) -> "Preset":
    """Return the preset of a name; exit with an error if there is none."""
    if name not in known:
        _fail(f"There is no preset {name!r}. There are: {', '.join(known)}.")
    return known[name]


def _fail(text: str) -> NoReturn:
    from racing_demon_protocol.formatting import printable  # noqa: PLC0415 - --help does not need it

    for line in f"racing-demon: {text}\nSee racing-demon --help.".splitlines():
        sys.stderr.write(printable(line) + "\n")
    sys.exit(2)


def _own_name() -> str:
    """Return the name from the settings, or the login name."""
    from racing_demon_client.errors import SettingsRefused  # noqa: PLC0415 - --help needs no settings
    from racing_demon_client.settings import load, login_name, settings_path  # noqa: PLC0415

    try:
        return load(settings_path()).name or login_name()
    except SettingsRefused as error:
        _fail(str(error))
