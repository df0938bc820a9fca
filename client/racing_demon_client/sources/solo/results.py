"""Results of solo games, in sentences."""

import datetime as dt
from collections.abc import Iterator, Mapping

from racing_demon_client.shared.message_text import duration

from .place import SoloClient
from .statistics import Score
from .table import SoloTable


def win_text(client: SoloClient) -> str:
    """Return how long a win took, compared with earlier ones."""
    took, before = client.elapsed_ms, client.before
    text = f"Won in {duration(took)}"
    yesterday = None if client.day is None else before.days.get(client.day - dt.timedelta(days=1))
    if yesterday is not None:
        text += f" (the day before: {duration(yesterday)})"
    if before.best_ms is None:
        return f"{text}: your first win."
    if took < before.best_ms:
        return f"{text}: your best time."
    return f"{text}; your best is {duration(before.best_ms)}."


def progress_text(table_: SoloTable) -> str:
    """Return the player's progress, such as ``49 of 52 done``."""
    seat = table_.view.hand_seats[0]
    return f"{table_.rules.progress(table_.board, seat)} of {table_.rules.goal(seat)} done"


def loss_text(client: SoloClient) -> str:
    """Return that no further play is possible, and the game's result."""
    return f"No play is left that helps: {progress_text(client.table)}."


def score_lines(known: Mapping[str, Score]) -> Iterator[str]:
    """Yield the statistics of all games as a table, the most played first."""
    if not known:
        yield "You have not played alone yet. racing-demon games lists the games."
        return
    yield f"{'game':22} {'played':>6} {'won':>5} {'':>5} {'in a row':>8} {'most':>5} {'best':>7}"
    for game, score in sorted(known.items(), key=lambda each: -each[1].played):
        share = f"{100 * score.won // max(1, score.played)} %"
        best = "-" if score.best_ms is None else duration(score.best_ms)
        counts = f"{game:22} {score.played:>6} {score.won:>5} {share:>5}"
        yield f"{counts} {score.streak:>8} {score.longest:>5} {best:>7}"
