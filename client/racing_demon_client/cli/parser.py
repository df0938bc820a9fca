"""The syntax of the players' command line: commands, arguments and ``--help``."""

import argparse
import datetime as dt
import os
from typing import Any, NoReturn

from racing_demon_client import arguments
from racing_demon_client.arguments import port, seats, seed, speed
from racing_demon_protocol import __version__
from racing_demon_protocol.reasons import BotLevel

EXAMPLES = """examples:
  racing-demon                                 the first screen: practice, host, join, watch
  racing-demon play                            play a match against three bots
  racing-demon play --game classic --bots 5    play the classic game against five bots
  racing-demon play --watch --bots 8           watch eight bots
  racing-demon host                            open a table for the network
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

exit codes: 0 done, 1 failed, 2 wrong arguments, 130 interrupted
"""

PLACES = """where the table is:
  racing-demon {0}                               on this network: the only one, or one of a list
  racing-demon {0} BCDF                          on this network, with this code
  racing-demon {0} http://192.168.1.5:5252/BCDF   by the link that its host sees
  racing-demon {0} ws://192.168.1.5:5252 BCDF     at a server's address
  racing-demon {0} wss://cards.example.org        at a server: the only one, or one of a list
"""

RECORDS = """examples:
  racing-demon record list                              list the matches in this machine's journal
  racing-demon record export 3.1 --to match.jsonl       one match, for replay, verify and scores anywhere
  racing-demon record export all --to evening.jsonl     all matches in one file
  racing-demon record export old.jsonl --to new.jsonl   a record from --record, in the newest format
  racing-demon record correct 3.1 --seat 2 --points -5 --why "a card too many in hand 3"
  racing-demon record correct match.jsonl --void --why "a try-out"

docs/record.md describes the file.
"""

REPLAY = """examples:
  racing-demon replay                          the last match in this machine's journal
  racing-demon replay match.jsonl              a match in a file; ? shows all keys
  racing-demon replay match.jsonl --at h2 --speed 4 --seat Ann
  racing-demon replay 3.1 --plain              line by line; without a terminal, as fast as possible

A place is h2 (hand 2), e120 (event 120), 1:30 (a time in the hand), or +10 or -10 (seconds).
"""

SCORES = """examples:
  racing-demon scores                          all matches in this machine's journal
  racing-demon scores --since 30d --no-bots    the last thirty days, without the bots' lines
  racing-demon scores --names Ann,Bob --json   only matches that Ann and Bob played without others
  racing-demon scores *.jsonl --csv            the matches in these files
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
exit codes: 0 done, 1 the file cannot be written, edited or understood, 2 wrong arguments
"""

RAW = argparse.RawDescriptionHelpFormatter

PASSPHRASE = "RACING_DEMON_PASSPHRASE"  # noqa: S105 - the name of a variable


class _Parser(argparse.ArgumentParser):
    """An argument parser that prints no control characters from the command line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with 2."""
        from racing_demon_protocol.text import printable  # noqa: PLC0415 - --help does not need it

        super().error(printable(message))


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands.

    In its result, ``complain`` reports an error with the command's usage.
    """
    program = _Parser(
        prog="racing-demon",
        description="Play Racing Demon in the terminal, two to eight players at a table.",
        epilog=EXAMPLES,
        formatter_class=RAW,
    )
    program.add_argument("--ascii", action="store_true", help="use only ASCII characters")
    program.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = program.add_subparsers(dest="command", metavar="[COMMAND]")

    play = commands.add_parser("play", help="play against bots")
    _add_table(play, bots=3, hands=arguments.PRACTICE_HANDS)
    play.add_argument("--watch", action="store_true", help="watch bots play; works without a terminal")
    play.add_argument(
        "--speed", type=speed, help="how many times faster bots think (default 1; without a terminal 50)"
    )
    play.add_argument("--seed", type=seed, help="up to 64 hexadecimal digits that repeat the same deals")
    _add_keeping(play, "none")
    play.add_argument(
        "--json", action="store_true", help="with --watch: print a record, one JSON object per line"
    )

    host = commands.add_parser("host", help="open a table for the network, and take a seat")
    _add_table(host, bots=0, hands=5)
    host.add_argument("--port", type=port, help="the port (default: 5252, or any free one if that is taken)")
    _add_keeping(host, "full")
    _add_passphrase(host)
    host.add_argument(
        "--server",
        type=arguments.address,
        metavar="URL",
        help="open the table on a server that is already running",
    )
    host.add_argument(
        "--no-announce",
        dest="announce",
        action="store_false",
        help="do not announce the table on the network",
    )
    host.add_argument("--no-web", dest="web", action="store_false", help="do not serve the page for browsers")

    for name, text in (("join", "take a seat at a table"), ("watch", "watch a table")):
        command = commands.add_parser(name, help=text, epilog=PLACES.format(name), formatter_class=RAW)
        command.add_argument("url", nargs="?", help="the link that the host sees, or the server's address")
        command.add_argument("code", nargs="?", type=arguments.code, help="the table's code")
        _add_passphrase(command)
        _add_output(command)
        if name == "watch":
            command.add_argument(
                "--json", action="store_true", help="print a record, one JSON object per line"
            )
            command.add_argument(
                "--mqtt",
                type=arguments.broker,
                metavar="URL",
                help="watch through the broker at mqtt://HOST:PORT; then give CODE or NODE/CODE",
            )
        else:
            _add_name(command)
            _add_record(command)

    tables = commands.add_parser("tables", help="list the tables on this network, or those of a server")
    tables.add_argument("url", nargs="?", metavar="ADDRESS", help="a server, like wss://cards.example.org")
    tables.add_argument("--json", action="store_true", help="print one JSON object per line")
    tables.add_argument(
        "--mqtt",
        type=arguments.broker,
        metavar="URL",
        help="list the tables at the broker mqtt://HOST:PORT",
    )

    verify = commands.add_parser("verify", help="check a record: commitments, deals, plays and scores")
    verify.add_argument("file", help="a record, or a match in this machine's journal; - for standard input")
    _add_journal(verify)
    _add_records(commands)

    _add_games(commands)
    settings = commands.add_parser(
        "settings", help="edit your settings", epilog=SETTINGS, formatter_class=RAW
    )
    settings.add_argument("--path", action="store_true", help="only print where the file is")
    for each in (program, *commands.choices.values()):
        each.set_defaults(complain=each.error)  # so that the error shows this command's usage
    return program


def _add_games(commands: Any) -> None:
    """Add the commands around games: list them, show their rules, play solo."""
    solo = commands.add_parser("solo", help="play a game alone", epilog=SOLO, formatter_class=RAW)
    solo.add_argument(
        "game", type=str.lower, nargs="?", default="", metavar="GAME", help="see: racing-demon games"
    )
    deal = solo.add_mutually_exclusive_group()
    deal.add_argument("--seed", type=seed, help="up to 64 hexadecimal digits that repeat the same deal")
    deal.add_argument(
        "--daily",
        nargs="?",
        type=arguments.date_or_game,
        const=today(),
        metavar="DATE",
        help="the deal of today, or of a date like 2026-11-01; the same for everybody",
    )
    deal.add_argument(
        "--deal", type=arguments.name, metavar="NAME", help="the deal of this name; the same for everybody"
    )
    deal.add_argument(
        "--statistics", action="store_true", help="show how often you have played and won each game"
    )
    solo.add_argument("--json", action="store_true", help="with --statistics: print one JSON object")
    solo.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change an option of the game, like turn=1",
    )
    solo.set_defaults(hands=1, target=None, bots=1, watch=False)
    _add_name(solo)
    _add_record(solo)
    _add_output(solo)

    games = commands.add_parser("games", help="list the games")
    games.add_argument("--json", action="store_true", help="print one JSON object per line")

    rules = commands.add_parser("rules", help="show the rules of a game")
    rules.add_argument("game", type=str.lower, metavar="GAME", help="see: racing-demon games")
    rules.add_argument("--ascii", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def today() -> dt.date:
    """Return today's date in local time."""
    return dt.datetime.now().astimezone().date()


def _add_records(commands: Any) -> None:
    """Add the commands around records."""
    record = commands.add_parser(
        "record", help="list, export or correct records", epilog=RECORDS, formatter_class=RAW
    )
    subcommands = record.add_subparsers(dest="what", metavar="list|export|correct", required=True)
    listing = subcommands.add_parser("list", help="list the matches in this machine's journal")
    listing.add_argument("--json", action="store_true", help="print one JSON object per line")
    _add_journal(listing)
    export = subcommands.add_parser(
        "export", help="write matches to one portable file", epilog=RECORDS, formatter_class=RAW
    )
    export.add_argument(
        "sources", nargs="+", metavar="ID|FILE|all", help="matches in the journal, or record files"
    )
    export.add_argument("--to", metavar="FILE", help="the file to write (default: standard output)")
    _add_journal(export)
    correct = subcommands.add_parser(
        "correct",
        help="append a correction; the record itself stays unchanged",
        epilog=RECORDS,
        formatter_class=RAW,
    )
    correct.add_argument("source", metavar="ID|FILE", help="a match in the journal, or a record file")
    correct.add_argument(
        "--why", required=True, type=arguments.reason, help="the reason, which everybody can read"
    )
    correct.add_argument("--seat", type=seats, help="the seat whose points change, counted from 1")
    correct.add_argument("--points", type=arguments.points, default=0, help="the points to add, like 5 or -5")
    correct.add_argument("--hand", type=arguments.hand_number, help="the hand that the correction concerns")
    correct.add_argument("--void", action="store_true", help="the match does not count")
    _add_name(correct)
    _add_journal(correct)

    replay = commands.add_parser("replay", help="play a record back", epilog=REPLAY, formatter_class=RAW)
    replay.add_argument(
        "source",
        nargs="?",
        metavar="FILE|ID",
        help="a record, or a match in the journal (default: the last match)",
    )
    replay.add_argument("--at", metavar="PLACE", help="start at h2 (hand 2), e120 (event 120) or 1:30")
    replay.add_argument(
        "--speed", type=speed, help="how many times faster to play (default 1; without a terminal 1000)"
    )
    replay.add_argument("--paused", action="store_true", help="start paused")
    replay.add_argument(
        "--seat",
        type=arguments.name,
        help="the seat from which to watch: its number from 1, or the player's name",
    )
    replay.add_argument(
        "--match",
        type=arguments.match_number,
        default=1,
        metavar="N",
        help="which match of a file with several (default 1)",
    )
    _add_output(replay)
    _add_journal(replay)

    scores = commands.add_parser(
        "scores", help="show the standings over all matches", epilog=SCORES, formatter_class=RAW
    )
    scores.add_argument(
        "files", nargs="*", metavar="FILE", help="record files (default: this machine's journal)"
    )
    scores.add_argument(
        "--since",
        type=arguments.day,
        metavar="DATE",
        help="only matches since a date like 2026-11-01, or 30d for 30 days",
    )
    scores.add_argument("--until", type=arguments.day, metavar="DATE", help="only matches before a date")
    scores.add_argument(
        "--names",
        type=arguments.names,
        default=(),
        metavar="A,B",
        help="only matches in which these people and bots played",
    )
    scores.add_argument("--no-bots", dest="bots", action="store_false", help="leave out the bots' lines")
    form = scores.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print comma-separated values")
    form.add_argument("--json", action="store_true", help="print one JSON object")
    _add_journal(scores)


def _add_journal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--journal", metavar="FILE", help="the journal (default: this machine's)")


def _add_table(parser: argparse.ArgumentParser, *, bots: int, hands: int) -> None:
    _add_name(parser)
    parser.add_argument("--game", type=str.lower, default="racing-demon", help="see: racing-demon games")
    parser.add_argument(
        "--hands", type=int, default=hands, help=f"number of hands in a match (default {hands})"
    )
    parser.add_argument("--target", type=int, help="a total of points that ends the match early")
    parser.add_argument("--bots", type=seats, default=bots, help=f"number of bots (default {bots})")
    parser.add_argument(
        "--level",
        choices=[*BotLevel],
        default=BotLevel.MEDIUM,
        help="how well the bots play (default medium)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other option of the table, like call_out=shout or out_bonus=20",
    )
    _add_record(parser)
    _add_output(parser)


def _add_keeping(parser: argparse.ArgumentParser, usual: str) -> None:
    parser.add_argument(
        "--durability",
        choices=("full", "normal", "none"),
        help=f"what plays survive: a power failure (full), a crash of the server (normal), nothing (none); "
        f"default {usual}",
    )
    parser.add_argument(
        "--journal", metavar="FILE", help="where the table is kept (default: in your data folder)"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    # Without SUPPRESS, a subcommand's default would override a value given before it.
    parser.add_argument(
        "--ascii", action="store_true", default=argparse.SUPPRESS, help="use only ASCII characters"
    )
    parser.add_argument(
        "--plain", action="store_true", help="plain text, line by line, as for screen readers"
    )


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", type=arguments.name, help="your name at the table")


def _add_record(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--record", metavar="FILE", help="write a record of the match, which `verify` can check"
    )


def _add_passphrase(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--passphrase",
        type=arguments.passphrase,
        default=os.environ.get(PASSPHRASE, ""),
        help=f"the table's passphrase; safer in the environment variable {PASSPHRASE}",
    )
