"""The commands around records: list, export, correct, verify, replay and score."""

import argparse
import contextlib
import csv
import datetime as dt
import io
import itertools
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from racing_demon_client.errors import NotText, RecordFailed, RecordUnreadable
from racing_demon_client.files import detect_encoding, first_bytes, open_for_append
from racing_demon_client.records.reader import (
    DigestCache,
    cache_path,
    file_cache_key,
    is_file,
    journal_results,
    list_matches,
    open_lines,
    read_file,
    report_damage,
    run_journal_command,
)
from racing_demon_client.records.recorder import explained_write_errors
from racing_demon_client.saved_people import folded
from racing_demon_client.seasons import find_season, seasons_path
from racing_demon_client.shared.message_text import Write
from racing_demon_client.shared.seat_text import handicap_text
from racing_demon_client.streams import is_ascii_only, is_terminal, wants_terminal, write
from racing_demon_protocol.errors import DamagedRecord, InvalidRecord
from racing_demon_protocol.formatting import format_duration, join_words, pluralize, printable
from racing_demon_protocol.records.format import (
    Correction,
    Record,
    correction_problem,
    json_line,
    read_messages,
    read_records,
    record_lines,
    section_line,
)
from racing_demon_protocol.records.ratings import Rating
from racing_demon_protocol.records.standings import (
    AppliedCorrection,
    HandicappedMatch,
    Key,
    Standing,
    Standings,
    TeamStanding,
    select_hands,
    select_matches,
    standings,
)
from racing_demon_protocol.records.summary import MatchSummary, summarize
from racing_demon_protocol.records.verify import HandName, VerificationReport, verify

from .loading import terminal_program

if TYPE_CHECKING:
    from racing_demon_client.net.results import ServerStandings, StandingsRow
    from racing_demon_client.records.timeline import Timeline


async def record(arguments: argparse.Namespace) -> int:
    """List, export or correct records."""
    return await {"list": _list, "export": _export, "correct": _correct}[arguments.what](arguments)


async def _list(arguments: argparse.Namespace) -> int:
    """List the journal's matches, one per line."""
    matches = await list_matches(arguments.journal)
    for match in matches:
        names = ", ".join(match.seats[seat] for seat in sorted(match.seats))
        state = "" if match.finished else ", not finished"
        state += ", corrected" if match.corrections else ""
        hands = pluralize(match.hands, "hand")
        line = f"{match.id:8} {_day(match.started_ms)}  {match.game}, {hands}{state}: {names}"
        write(json_line(match.model_dump(mode="json")) if arguments.json else printable(line))
    if not matches:
        sys.stderr.write("The journal has no match yet.\n")
    return 0


def _day(at_ms: int | None) -> str:
    """Return a time in the local notation."""
    if at_ms is None:
        return "at an unknown time"
    return f"{dt.datetime.fromtimestamp(at_ms / 1_000, dt.UTC).astimezone():%Y-%m-%d %H:%M}"


async def _export(arguments: argparse.Namespace) -> int:
    """Write records to one portable file."""
    number = 0
    with _output(arguments.to) as write_line:
        for source in arguments.sources:
            async with open_lines(source, arguments.journal) as lines:
                number += _write_records(lines, source, write_line)
        if not number:
            raise RecordUnreadable("There is no match to export.")
    if arguments.to is not None:
        sys.stderr.write(f"records of {pluralize(number, 'table')} are in {printable(arguments.to)}\n")
    return 0


def _write_records(lines: Iterator[str], source: str, write_line: Write) -> int:
    """Write a source's records in the newest format; return how many there were."""
    number = 0
    try:
        for number, each in enumerate(read_records(lines, partial(report_damage, source)), 1):  # noqa: B007
            for line in record_lines(each):
                write_line(line)
    except NotText as error:  # a stray file hides no other
        sys.stderr.write(f"{printable(str(error))}\n")
    except InvalidRecord as error:
        raise RecordUnreadable(f"{source} cannot be exported: {error}") from error
    return number


@contextlib.contextmanager
def _output(path: str | None) -> Iterator[Write]:
    """Yield a function that writes lines to standard output, or to a new file.

    The file appears under its name only when it is complete.
    """
    if path is None:
        yield write
        return
    _verify_new(path)  # fail before doing any work
    part = f"{path}.{os.getpid()}.part"
    try:
        with explained_write_errors(path):
            with open(part, "x", encoding="utf-8") as file:

                def write_line(line: str) -> None:
                    file.write(line + "\n")

                yield write_line
            _verify_new(path)
            os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


def _verify_new(path: str) -> None:
    """Refuse to overwrite a file."""
    if os.path.lexists(path):
        raise RecordFailed(path, "the file exists, and was not changed; name another file")


async def _correct(arguments: argparse.Namespace) -> int:
    """Append a correction to a record."""
    correction = Correction(
        at_ms=time.time_ns() // 1_000_000,
        by=arguments.name,
        why=arguments.why,
        hand=arguments.hand,
        seat=None if arguments.seat is None else arguments.seat - 1,
        points=arguments.points,
        void=arguments.void,
    )
    line = section_line(correction)
    if is_file(arguments.source):
        _check(arguments.source, correction)
        with explained_write_errors(arguments.source), open_for_append(arguments.source) as file:
            file.write(f"{line}\n".encode(detect_encoding(first_bytes(arguments.source))))
            file.flush()
            os.fsync(file.fileno())
    else:
        async with run_journal_command(
            "correct", arguments.source, journal=arguments.journal, typed=line + "\n"
        ):
            pass
    write(f"{printable(arguments.source)} is corrected; racing-demon scores shows it")
    return 0


def _check(path: str, correction: Correction) -> None:
    """Refuse a correction that does not fit the last match of a file.

    Raises:
        RecordUnreadable: there is no match, or no such player or hand; the text says what there is.

    """
    last = next(iter(deque(summarize(read_file(path)), maxlen=1)), None)
    if last is None:
        raise RecordUnreadable(f"{path} has no match that can be corrected.")
    seats = {player.seat: player.name for player in last.players}
    hands = max((hand.hand for hand in last.hands), default=0)
    if objection := correction_problem(correction, last.id or path, seats, hands):
        raise RecordUnreadable(objection)


async def verify_record(arguments: argparse.Namespace) -> int:
    """Verify a record and print what it proves."""
    try:
        async with open_lines(arguments.file, arguments.journal) as lines:
            verdict = verify(read_messages(lines))
    except DamagedRecord as error:
        write(f"damaged: {error} Nothing is proven, and nothing is said against it.")
        return 1
    except InvalidRecord as error:
        write(f"not valid: {error}")
        return 1
    if verdict.skipped:
        verbs = ("is", "was") if verdict.skipped == 1 else ("are", "were")
        hands = pluralize(verdict.skipped, "hand")
        write(f"{hands} {verbs[0]} incomplete in this record, and {verbs[1]} not checked")
    if verdict.unproven:
        write(f"not proven, so not counted by racing-demon scores: {_named(verdict.unproven)}")
    if not verdict.hands:
        write("nothing to check: this record contains no complete hand")
        return 1
    write(
        f"valid: {pluralize(verdict.hands, 'hand')}, {pluralize(verdict.plays, 'play')}; every commitment is "
        "kept, every card follows from its seed, every play was legal, and the scores add up"
    )
    _write_reservations(verdict)
    return 0


def _write_reservations(verdict: VerificationReport) -> None:
    """Print what a valid record does not prove."""
    if verdict.known_deals:
        hands = pluralize(verdict.known_deals, "hand")
        write(f"a known deal: everybody could know the cards of {hands} from the start")
    if verdict.server_only:
        write(
            f"no player contributed to the shuffle of {pluralize(verdict.server_only, 'hand')}: only the "
            "server vouches that it did not choose these cards"
        )
    for what, names in (
        ("sat out when the hand was redrawn", verdict.redrawn),
        ("left out of the shuffle", verdict.left_out),
        ("could have chosen between two deals together with the server", verdict.choosers),
    ):
        if names:
            write(f"{what}: {_counted_hands(names)}")
    if verdict.unseen:
        write(
            f"on identical deals: this record holds no play on {pluralize(verdict.unseen, 'layout')}, "
            "whether there was none or the server told none; only how far the player came is known, as the "
            "server told it"
        )


def _counted_hands(names: Iterable[str]) -> str:
    """Return players with the numbers of their hands, as words."""
    return ", ".join(
        f"{printable(name)} in {pluralize(hands, 'hand')}" for name, hands in Counter(names).items()
    )


def _named(hands: Iterable[HandName]) -> str:
    """Return hands by their matches, as words."""
    numbers: dict[str, list[str]] = {}
    for match, hand in hands:
        numbers.setdefault(match, []).append(str(hand))
    return "; ".join(
        f"{'hand' if len(each) == 1 else 'hands'} {', '.join(each)} of match {printable(match)}"
        for match, each in numbers.items()
    )


async def scores(arguments: argparse.Namespace) -> int:
    """Print standings over all matches of this machine's server, or of some files."""
    since_ms, until_ms = arguments.since, arguments.until
    if arguments.season is not None:
        season = find_season(arguments.season, seasons_path())
        since_ms, until_ms = season.since_ms, season.until_ms
    if arguments.server is not None:
        return await _server_scores(arguments, since_ms, until_ms)
    if arguments.files:
        cache, knows_players = DigestCache(cache_path()), False
        try:
            digests = _file_digests(arguments.files, cache)
        finally:
            cache.save()
    else:
        knows_players, digests = await journal_results(arguments.journal)
    chosen = [
        summary
        for summary in digests
        if arguments.game in {None, summary.game} and arguments.preset in {None, summary.preset}
    ]
    matches = select_matches(chosen, since_ms=since_ms, until_ms=until_ms, names=arguments.names)
    if arguments.with_bots is not None:
        matches = select_hands(matches, with_bots=arguments.with_bots)
    from racing_demon_protocol.records.ratings import ratings  # noqa: PLC0415 - its library is an optional dependency

    # A server rates all matches whichever it shows, and so does its journal.
    table, rated = standings(matches), ratings(matches if arguments.files else select_matches(digests))
    if not arguments.bots:
        table.rows = [row for row in table.rows if not row.key.bot]
    if arguments.csv:
        sys.stdout.write(as_csv(table, rated))
    elif arguments.json:
        write(as_json(table, rated, knows_players=knows_players))
    else:
        for line in as_table(table, rated, knows_players=knows_players):
            write(line)
    return 0


async def _server_scores(arguments: argparse.Namespace, since_ms: int | None, until_ms: int | None) -> int:
    """Print the standings that a server shows, page by page."""
    from racing_demon_client.links import server_url  # noqa: PLC0415 - few ask a server
    from racing_demon_client.net.introductions import identity_at  # noqa: PLC0415
    from racing_demon_client.net.results import fetch_standings  # noqa: PLC0415
    from racing_demon_client.net.server_query import find_server  # noqa: PLC0415

    wanted = {
        "game": arguments.game,
        "preset": arguments.preset,
        "since_ms": since_ms,
        "until_ms": until_ms,
        "people": None if arguments.bots else 1,
    }
    query = {name: value for name, value in wanted.items() if value is not None}
    address = await find_server(arguments.server)
    own = await identity_at(server_url(address))
    token = "" if own is None else own.token
    page = pages = 1
    rows: list[StandingsRow] = []
    last: ServerStandings | None = None
    while page <= min(pages, MAX_PAGES):
        last = await fetch_standings(address, {**query, "page": page}, token)
        if last is None:
            raise RecordUnreadable(
                f"The server at {address} shows no standings, or only to players whom it remembers; "
                "who runs it decides with --standings. If it knows you on another device: racing-demon link."
            )
        rows += last.rows
        page, pages = page + 1, last.pages
    assert last is not None
    found = last.model_copy(update={"rows": rows})
    if arguments.json:
        write(found.model_dump_json(exclude={"page", "pages"}))
    else:
        for line in server_table(found, "" if own is None else own.player):
            write(line)
    return 0


def server_table(found: "ServerStandings", own: str) -> list[str]:
    """Return a server's standings as lines of 80 characters, the best player first.

    Args:
        found: the standings.
        own: this user's id there, whose row is marked; empty for a guest.

    """
    head = (
        f"{'player':{NAME_WIDTH}}{'won/of':>8}{'hands':>6}{'a hand':>8}{'out':>5}{'races':>11}{'rating':>8}"
    )
    lines = [head]
    if not found.rows:
        return ["No finished hand matches.", *_left_out(found.casual)]
    for row in found.rows:
        is_own = own != "" and row.player == own
        end = YOU if is_own else f" ({printable(row.bot)})" if row.bot else ""
        name = _name_cell(printable(row.name), end)
        average = f"{row.points / row.hands:.1f}" if row.hands else "-"
        rating = "-" if row.rating is None else f"{row.rating:.1f}{'?' if row.provisional else ''}"
        lines.append(
            f"{name:{NAME_WIDTH}}{f'{row.wins}/{row.matches}':>8}{row.hands:>6}"
            f"{average:>8}{row.outs:>5}{f'{row.races_won}-{row.races_lost}':>11}{rating:>8}"
        )
        if row.met_ms is not None:  # others have the name
            lines.append(f"  first met {dt.datetime.fromtimestamp(row.met_ms / 1_000).astimezone():%Y-%m-%d}")
    unfinished = f", and the hands of {found.unfinished} that did not end" if found.unfinished else ""
    lines += [
        "",
        f"matches: {found.matches}{unfinished}",
        *_left_out(found.casual),
        *_unrated(found.early),
        "a hand: average points per hand; out: times out; races: won-lost;",
        "rating: a cautious estimate of strength; ?: before ten matches against five people",
    ]
    for team in found.teams:
        names = printable(join_words(team.players))
        lines.append(f"team {names}: won {team.wins} of {team.matches}, {team.points} points")
    return lines


def _name_cell(name: str, end: str) -> str:
    """Return a name with what is behind it, in the width that there is: the name is cut first."""
    return name[: max(1, NAME_WIDTH - 1 - len(end))] + end[: NAME_WIDTH - 2]


async def replay(arguments: argparse.Namespace) -> int:
    """Replay a record in the terminal or in plain text."""
    from racing_demon_client.plain.replay import MAX_SPEED  # noqa: PLC0415
    from racing_demon_client.plain.replay import replay as show_events  # noqa: PLC0415
    from racing_demon_client.records.timeline import Timeline  # noqa: PLC0415
    from racing_demon_client.sources.opened_table import ReplayedTable  # noqa: PLC0415 - standings need no tables
    from racing_demon_client.sources.replay import ReplayClient  # noqa: PLC0415

    source, journal = arguments.source, arguments.journal
    if not source:
        source, journal = await _latest(journal)
    try:
        async with open_lines(source, journal) as lines:
            records = read_records(lines, partial(report_damage, source))
            timeline = Timeline(_chosen_record(records, arguments.match))
    except InvalidRecord as error:
        raise RecordUnreadable(f"{source} cannot be played back: {error}") from error
    unseen = MAX_SPEED if not sys.stdout.isatty() else 1.0
    client = ReplayClient(timeline, speed=arguments.speed or unseen, paused=arguments.paused)
    if arguments.at is not None:
        client.seek_to(arguments.at)
    seat = None if arguments.seat is None else _seat(timeline, arguments.seat)
    if wants_terminal(arguments):
        return await terminal_program()(ReplayedTable(client), arguments, watched=seat)
    typed = sys.stdin if is_terminal() else None
    if typed is not None:
        write("? lists the commands.")
    await show_events(client, write, typed, seat=seat, ascii_only=is_ascii_only(arguments))
    return 0


async def _latest(journal: str | None) -> tuple[str, str | None]:
    """Return the last match, and its journal: if none is named, what was practised last counts, too."""
    matches = await list_matches(journal, practice=journal is None)
    if not matches:
        raise RecordUnreadable("The journal has no match yet; name a record's file: racing-demon replay FILE")
    return matches[-1].id, matches[-1].journal or journal


def _chosen_record(records: Iterator[Record], number: int) -> Record:
    """Return one of a file's records by its number, from 1."""
    found = next(itertools.islice(records, number - 1, None), None)
    if found is None:
        text = f"there is no record number {number} in it" if number > 1 else "there is no match in it"
        raise InvalidRecord(f"{text}.")
    return found


def _seat(timeline: "Timeline", text: str) -> int:
    """Return a seat by its number, from 1, or by its player's name."""
    from racing_demon_client.sources.replay import InvalidPosition  # noqa: PLC0415

    names = {state.name.lower(): seat for seat, state in timeline.view_at(timeline.start).seats.items()}
    if text.lower() in names:
        return names[text.lower()]
    if text.isascii() and text.isdigit() and int(text[:4]) - 1 in names.values():
        return int(text[:4]) - 1
    raise InvalidPosition(f"Nobody is called {text!r} there: {', '.join(names)}.")


def _file_digests(paths: list[str], cache: DigestCache) -> list[MatchSummary]:
    """Return the digests of the matches in files. What is damaged is named, and hides nothing that is whole.

    Raises:
        RecordUnreadable: there is no such file, one is not valid, or all that there is is damaged.

    """
    summaries: list[MatchSummary] = []
    unread: list[str] = []
    for path in paths:
        try:
            key = file_cache_key(path)
        except OSError as error:
            raise RecordUnreadable(f"{path} cannot be read: {error.strerror}") from error
        try:
            summaries += _digests_of(path, key, cache)
        except DamagedRecord as error:
            unread.append(f"{path} is damaged, and cannot be counted: {error}")
        except InvalidRecord as error:
            raise RecordUnreadable(f"{path} is not valid, and cannot be counted: {error}") from error
        except RecordUnreadable as error:
            unread.append(str(error))
    if unread and not summaries:
        raise RecordUnreadable(unread[0])
    for why in unread:
        sys.stderr.write(f"{printable(why)}\n")
    return summaries


def _digests_of(path: str, key: str, cache: DigestCache) -> tuple[MatchSummary, ...]:
    """Return the digests of what is whole in a file.

    Raises:
        DamagedRecord: nothing is.

    """
    damages: list[str] = []
    found = cache.get(key) or cache.compute(key, read_file(path, damages.append), verified=True)
    if damages:
        cache.drop(key)  # the next time it is said again
        if not found:
            raise DamagedRecord(damages[0])
    for why in damages:
        report_damage(path, why)
    return found


NAME_WIDTH: Final = 15
YOU: Final = " (you)"
BY_NAME: Final = "Players are told apart by their names alone: nothing here says who is who."
MAX_PAGES: Final = 100
"""The most pages of standings that a server is asked for."""
FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")

Ratings = Mapping[Key, Rating]


def as_table(standings: Standings, ratings: Ratings, *, knows_players: bool = False) -> list[str]:
    """Return standings as lines of 80 characters, the best player first.

    Args:
        standings: the standings.
        ratings: the ratings.
        knows_players: whether a server remembered who its players are: otherwise each name is a player.

    """
    head = (
        f"{'player':{NAME_WIDTH}}{'won/of':>8}{'hands':>6}{'a hand':>7}{'out':>4}{'races':>10}{'by':>7}"
        f"{'plays/m':>8}{'row':>6}{'rating':>8}"
    )
    names = Counter(folded(row.key.name) for row in standings.rows if not row.key.bot)
    lines = [head]
    for row in standings.rows:
        lines.append(_line(row, ratings.get(row.key.identity)))
        if row.key.player and names[folded(row.key.name)] > 1:
            lines.append(f"  player {row.key.player}")
    unfinished = f", and the hands of {standings.unfinished} that did not end" if standings.unfinished else ""
    lines += [
        "",
        f"matches: {standings.matches}{unfinished}",
        *_left_out(standings.casual),
        *_unrated(standings.early),
        "a hand: average points per hand; out: times out; races: won-lost;",
        "by: median margin of lost races; row: matches won in a row, now/most;",
        "rating: a cautious estimate of strength; (easy) and the like: a bot's level;",
        "?: provisional, before ten matches against five people",
        *([] if knows_players else [BY_NAME]),
    ]
    if not (standings.matches or standings.unfinished):
        lines = ["No finished hand matches.", *_left_out(standings.casual)]
    if standings.on_trust:
        lines += [
            "",
            f"{pluralize(standings.on_trust, 'hand')} on identical deals: how far players came whose plays",
            "were not recorded is the server's word",
        ]
    if standings.teams:
        lines += ["", *_team_lines(standings.teams)]
    if standings.handicapped:
        lines += [
            "",
            "with handicaps, and not rated:",
            *(f"  {_handicaps_line(each)}" for each in standings.handicapped),
        ]
    if standings.corrected:
        lines += ["", "corrections:", *(f"  {_correction_line(each)}" for each in standings.corrected)]
    return lines


def as_csv(standings: Standings, ratings: Ratings) -> str:
    """Return standings as comma-separated values with a header.

    Teams come after the players: the last column has their names. Without teams there is no such column.
    """
    rows = [_fields(row, ratings.get(row.key.identity)) for row in standings.rows]
    text = io.StringIO()
    names = list(_fields(Standing(Key("")), None))
    if standings.teams:
        names.append("team")
        rows += [{**_team_fields(row), "team": _team_text(row)} for row in standings.teams]
    writer = csv.DictWriter(text, names, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        # A spreadsheet must not interpret a name as a formula.
        words = {name: str(row[name]) for name in ("player", "team") if name in row}
        quoted = {name: f"'{word}" for name, word in words.items() if word.startswith(FORMULA_SIGNS)}
        writer.writerow(row | quoted)
    return text.getvalue()


def as_json(standings: Standings, ratings: Ratings, *, knows_players: bool = False) -> str:
    """Return standings as one JSON object. See :func:`as_table`."""
    return json_line(
        {
            "matches": standings.matches,
            "unfinished": standings.unfinished,
            "casual": standings.casual,
            "early": standings.early,
            "on_trust": standings.on_trust,
            "by": "player" if knows_players else "name",
            "players": [_fields(row, ratings.get(row.key.identity)) for row in standings.rows],
            "teams": [_team_fields(row) for row in standings.teams],
            "handicapped": [
                {"id": match.id, "players": [{"player": name, **dict(own)} for name, own in match.players]}
                for match in standings.handicapped
            ],
            "corrections": [each._asdict() for each in standings.corrected],
        }
    )


def _left_out(casual: int) -> list[str]:
    """Return the line that says how many casual matches do not count; none without such a match."""
    return [f"not counted: {pluralize(casual, 'casual match', 'casual matches')}"] if casual else []


def _unrated(early: int) -> list[str]:
    """Return the line that says how many matches were ended early; none without such a match."""
    return [f"ended early, and not rated: {pluralize(early, 'match', 'matches')}"] if early else []


def _team_lines(rows: Sequence[TeamStanding]) -> list[str]:
    """Return the standings of teams as lines."""
    lines = [f"{'won/of':>8}{'hands':>6}{'a hand':>7}  team"]
    for row in rows:
        won = f"{row.wins}/{row.matches}"
        lines.append(f"{won:>8}{row.hands:>6}{row.points_a_hand:>7.1f}  {_team_text(row)}")
    return lines


def _team_text(row: TeamStanding) -> str:
    """Return the names of a team's players."""
    return printable(join_words([_player_text(key) for key in row.players]))


def _player_text(key: Key) -> str:
    """Return a player's name, with the level of a bot."""
    return f"{key.name} ({key.bot})" if key.bot else key.name


def _team_fields(row: TeamStanding) -> dict[str, Any]:
    return {
        "players": [{"player": printable(key.name), "bot": printable(key.bot)} for key in row.players],
        "matches": row.matches,
        "wins": row.wins,
        "hands": row.hands,
        "points": row.points,
        "points_a_hand": round(row.points_a_hand, 3),
    }


def _line(row: Standing, rating: Rating | None) -> str:
    name = printable(row.key.name)
    if row.key.bot:
        name = f"{name[: NAME_WIDTH - len(row.key.bot) - 4]} ({printable(row.key.bot)})"
    margin = "-" if row.lost_by_ms is None else format_duration(round(row.lost_by_ms * 1_000))
    ordinal = "-" if rating is None else f"{rating.ordinal:.1f}{'?' if rating.is_provisional else ''}"
    return (
        f"{name[: NAME_WIDTH - 1]:{NAME_WIDTH}}{f'{row.wins}/{row.matches}':>8}{row.hands:>6}"
        f"{row.points_a_hand:>7.1f}{row.outs:>4}{f'{row.races_won}-{row.races_lost}':>10}{margin:>7}"
        f"{row.plays_a_minute:>8.1f}{f'{row.streak}/{row.longest}':>6}{ordinal:>8}"
    )


def _fields(row: Standing, rating: Rating | None) -> dict[str, Any]:
    return {
        "player": printable(row.key.name),
        "bot": printable(row.key.bot),
        "matches": row.matches,
        "wins": row.wins,
        "hands": row.hands,
        "points": row.points,
        "points_a_hand": round(row.points_a_hand, 3),
        "outs": row.outs,
        "races_won": row.races_won,
        "races_lost": row.races_lost,
        "won_by_ms": None if row.won_by_ms is None else round(row.won_by_ms, 3),
        "lost_by_ms": None if row.lost_by_ms is None else round(row.lost_by_ms, 3),
        "plays": row.plays,
        "plays_a_minute": round(row.plays_a_minute, 3),
        "streak": row.streak,
        "longest_streak": row.longest,
        "rating": None if rating is None else round(rating.ordinal, 3),
        "rating_estimate": None if rating is None else round(rating.estimate, 3),
        "rating_doubt": None if rating is None else round(rating.doubt, 3),
        "rating_provisional": None if rating is None else rating.is_provisional,
    }


def _handicaps_line(match: HandicappedMatch) -> str:
    players = [f"{name} {handicap_text(handicap)}" for name, handicap in match.players]
    return printable(f"{match.id}: {'; '.join(players) or 'nobody in the end'}")


def _correction_line(corrected: AppliedCorrection) -> str:
    at = dt.datetime.fromtimestamp(corrected.at_ms / 1_000, dt.UTC)
    return printable(f"{corrected.id}: {corrected.what}, by {corrected.by} on {at:%Y-%m-%d}: {corrected.why}")


COMMANDS: Final[dict[str, Callable[[argparse.Namespace], Coroutine[Any, Any, int]]]] = {
    "record": record,
    "replay": replay,
    "scores": scores,
    "verify": verify_record,
}
