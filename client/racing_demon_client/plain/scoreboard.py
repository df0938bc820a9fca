"""Standings as a table for people, and as CSV and JSON for programs."""

import csv
import datetime as dt
import io
from collections.abc import Mapping
from typing import Any, Final

from racing_demon_protocol.formatting import counted, printable, span
from racing_demon_protocol.records.format import json_line
from racing_demon_protocol.records.ratings import Rating
from racing_demon_protocol.records.standings import Corrected, Key, Standing, Standings

NAME_WIDTH: Final = 15
FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")

Ratings = Mapping[Key, Rating]


def as_table(standings: Standings, ratings: Ratings) -> list[str]:
    """Return standings as lines of 80 characters, the best player first."""
    head = (
        f"{'player':{NAME_WIDTH}}{'won/of':>8}{'hands':>6}{'a hand':>7}{'out':>4}{'races':>10}{'by':>7}"
        f"{'plays/m':>8}{'row':>6}{'rating':>8}"
    )
    lines = [head, *(_line(row, ratings.get(row.key)) for row in standings.rows)]
    unfinished = f", and the hands of {standings.unfinished} that did not end" if standings.unfinished else ""
    lines += [
        "",
        f"matches: {standings.matches}{unfinished}",
        "a hand: average points per hand; out: times out; races: won-lost;",
        "by: median margin of lost races; row: matches won in a row, now/most;",
        "rating: a cautious estimate of strength; (easy) and the like: a bot's level",
    ]
    if not (standings.matches or standings.unfinished):
        lines = ["No finished hand matches."]
    if standings.on_trust:
        lines += [
            "",
            f"{counted(standings.on_trust, 'hand')} on identical deals: how far players came whose plays",
            "were not recorded is the server's word",
        ]
    if standings.corrected:
        lines += ["", "corrections:", *(f"  {_told(each)}" for each in standings.corrected)]
    return lines


def as_csv(standings: Standings, ratings: Ratings) -> str:
    """Return standings as comma-separated values with a header."""
    rows = [_fields(row, ratings.get(row.key)) for row in standings.rows]
    text = io.StringIO()
    names = list(_fields(Standing(Key("")), None))
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        # A spreadsheet must not interpret a name as a formula.
        name = str(row["player"])
        writer.writerow({**row, "player": f"'{name}" if name.startswith(FORMULA_SIGNS) else name})
    return text.getvalue()


def as_json(standings: Standings, ratings: Ratings) -> str:
    """Return standings as one JSON object."""
    return json_line(
        {
            "matches": standings.matches,
            "unfinished": standings.unfinished,
            "on_trust": standings.on_trust,
            "players": [_fields(row, ratings.get(row.key)) for row in standings.rows],
            "corrections": [each._asdict() for each in standings.corrected],
        }
    )


def _line(row: Standing, rating: Rating | None) -> str:
    name = printable(row.key.name)
    if row.key.bot:
        name = f"{name[: NAME_WIDTH - len(row.key.bot) - 4]} ({printable(row.key.bot)})"
    margin = "-" if row.lost_by_ms is None else span(round(row.lost_by_ms * 1_000))
    ordinal = "-" if rating is None else f"{rating.ordinal:.1f}"
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
    }


def _told(corrected: Corrected) -> str:
    at = dt.datetime.fromtimestamp(corrected.at_ms / 1_000, dt.UTC)
    return printable(f"{corrected.id}: {corrected.what}, by {corrected.by} on {at:%Y-%m-%d}: {corrected.why}")
