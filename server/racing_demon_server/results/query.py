"""Questions about results, as an address asks them, and why there may be no answer."""

from collections.abc import Mapping
from typing import Final, NamedTuple

MAX_PAGES: Final = 1_000
"""The last page of standings that anybody may ask for."""
MAX_NAME: Final = 40
"""The most characters of a game's or a preset's name."""
QUARTER_MS: Final = 15 * 60_000
"""Times are rounded down to quarters of an hour, as local midnights are: each time has sums of its own."""
MAX_MS: Final = 2**53
"""No time is later: stores and JSON have room for that many milliseconds."""


class Filter(NamedTuple):
    """Which matches count; empty fields allow all.

    Attributes:
        game: the game.
        preset: the preset that the options belong to.
        since_ms: the earliest start, in milliseconds since 1970.
        until_ms: what the start comes before.

    """

    game: str = ""
    preset: str = ""
    since_ms: int | None = None
    until_ms: int | None = None


ALL: Final = Filter()
"""Allows all matches."""


class StandingsQuery(NamedTuple):
    """A question for standings.

    Attributes:
        only: the matches that count.
        page: the number of the page, from 1.
        people: whether bots are left out.

    """

    only: Filter = ALL
    page: int = 1
    people: bool = False

    @classmethod
    def of(cls, values: Mapping[str, str]) -> "StandingsQuery":
        """Return the question that an address asks, by the names of its fields.

        Raises:
            ValueError: a value is wrong.

        """
        since, until = (_time(values[name]) if name in values else None for name in ("since_ms", "until_ms"))
        game, preset = (values.get(name, "")[:MAX_NAME] for name in ("game", "preset"))
        if not (game + preset).isprintable():
            raise ValueError("no game and no preset is called that")
        only = Filter(game, preset, since, until)
        page = int(values.get("page", "1"))
        return cls(only, min(max(page, 1), MAX_PAGES), values.get("people") == "1")


def _time(text: str) -> int:
    time_ms = int(text)
    if abs(time_ms) > MAX_MS:
        raise ValueError("no match was played at that time")
    return time_ms // QUARTER_MS * QUARTER_MS


class TooManyQuestions(Exception):
    """Too many people ask at once."""


class ResultsUnusable(Exception):
    """The file of the results could not be opened."""


class RecordGone(Exception):
    """There is no more of a record: somebody was forgotten meanwhile, or its events were deleted."""


class TableOpen(Exception):
    """A record would tell the code of a table that is open, and in no list."""


class Stopping(Exception):
    """The server is stopping: what is missing is made after its next start."""
