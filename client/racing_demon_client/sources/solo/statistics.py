"""Solo statistics: deals played and won for each game, in a small file in the state folder.

Only programs write this file. Invalid entries are ignored, and no problem with it ends a game.
"""

import contextlib
import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from racing_demon_client.files import read_entries, replace_file, state_folder

LARGEST_FILE: Final = 1024 * 1024
MOST_GAMES: Final = 500
MOST_DAYS: Final = 400
LONGEST_MS: Final = 100 * 24 * 3_600_000

Count = Annotated[int, Field(strict=True, ge=0, le=10**9)]
Milliseconds = Annotated[int, Field(strict=True, ge=0, le=LONGEST_MS)]
Name = Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[a-z0-9-]+$")]


class Score(BaseModel):
    """The statistics of one game."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    played: Count = 0
    """Deals with at least one play."""
    won: Count = 0
    streak: Count = 0
    """The current streak of won deals."""
    longest: Count = 0
    """The longest streak."""
    best_ms: Milliseconds | None = None
    """The fastest win."""
    days: dict[dt.date, Milliseconds] = {}
    """The best times of daily deals."""

    def with_deal(self, won: bool, elapsed_ms: int, day: dt.date | None) -> "Score":
        """Return the statistics with one more deal.

        Args:
            won: whether it was won.
            elapsed_ms: how long it took.
            day: the date of a daily deal.

        """
        elapsed_ms = min(elapsed_ms, LONGEST_MS)
        streak = self.streak + 1 if won else 0
        best, days = self.best_ms, dict(self.days)
        if won:
            best = elapsed_ms if best is None else min(best, elapsed_ms)
            if day is not None:
                days[day] = min(elapsed_ms, days.get(day, elapsed_ms))
        return Score(
            played=self.played + 1,
            won=self.won + won,
            streak=streak,
            longest=max(self.longest, streak),
            best_ms=best,
            days=dict(sorted(days.items())[-MOST_DAYS:]),
        )


class GameStatistics(BaseModel):
    """One game's line in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: Name
    score: Score


def statistics_path() -> Path:
    """Return the path of the file, next to the recent tables."""
    return state_folder() / "solo.json"


def scores(path: Path) -> Mapping[str, Score]:
    """Return the statistics of each game, without invalid entries."""
    found: dict[str, Score] = {}
    for raw in read_entries(path, LARGEST_FILE)[:MOST_GAMES]:
        with contextlib.suppress(ValidationError):
            entry = GameStatistics.model_validate_json(json.dumps(raw))
            found.setdefault(entry.game, entry.score)
    return found


def note(path: Path, game: str, *, won: bool, elapsed_ms: int, day: dt.date | None = None) -> Score:
    """Count a deal, and return its game's statistics."""
    known = dict(scores(path))
    score = known.pop(game, Score()).with_deal(won, elapsed_ms, day)
    entries = [GameStatistics(game=name, score=each) for name, each in [(game, score), *known.items()]]
    data = json.dumps([entry.model_dump(mode="json") for entry in entries[:MOST_GAMES]], indent=1)
    # A full disk or a read-only home must not end the game.
    with contextlib.suppress(OSError):
        replace_file(path, data.encode())
    return score
