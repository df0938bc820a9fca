"""The titles of an evening as lines, in the words of the page."""

from collections.abc import Callable, Sequence
from typing import Annotated, Final

from pydantic import BaseModel, Field

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.formatting import format_duration, pluralize

from .analysis_text import seconds_text
from .message_text import MessageText, duration

HEADLINE: Final = "Titles of the evening"

Number = Annotated[int, Field(ge=-(2**53), le=2**53)]


class SeatTitle(BaseModel):
    """A title, as a server sends it: whose, which, and how much of it."""

    seat: Annotated[int, Field(ge=0, lt=MAX_SEATS)]
    title: Annotated[str, Field(max_length=200)]
    value: Number


def _counted(unit: str, what: str, pattern: str = "{}") -> Callable[[int], tuple[str, str]]:
    """Return the words of a title whose number counts something."""
    return lambda value: (what, pattern.format(pluralize(value, unit)))


TITLES: Final[dict[str, Callable[[int], tuple[str, str]]]] = {
    "fastest": lambda ms: ("Fastest hand", f"out after {duration(ms)}"),
    "comeback": _counted("point", "Biggest comeback", "won from {} behind"),
    "races": _counted("race", "Most races won"),
    "closest": lambda us: ("Closest race", f"won by {format_duration(us)}"),
    "patience": lambda us: ("Patience", f"waited {seconds_text(us)} for one card, and got it up"),
    "helpful": _counted("card", "Opened most for others"),
    "steady": lambda points: (
        "Steady",
        f"all hands within {pluralize(points, 'point')}" if points else "the same points in each hand",
    ),
    "unlucky": _counted("race", "Unlucky", "{} lost by less than 0.1 s"),
    "best_hand": _counted("point", "Best hand"),
    "outs": _counted("hand", "Out most often"),
    "early": _counted("hand", "Quick start", "first card up in {}"),
    "streak": lambda hands: ("On a run", f"most points in {hands} hands in a row"),
    "climber": _counted("point", "Biggest leap", "{} more than the hand before"),
    "last_word": _counted("point", "Last word", "best of the last hand with {}"),
    "cards": _counted("card", "Most cards up"),
    "own_best": _counted("point", "A hand to remember"),
    "builder": _counted("card", "Builder", "{} up tonight"),
    "busy": _counted("play", "Busy hands"),
    "company": _counted("hand", "Kept at it", "{} tonight"),
}
"""What each title is called, and what is told of its number."""


def title_lines(titles: Sequence[SeatTitle], words: MessageText) -> list[str]:
    """Return the titles of the evening, a line each below their headline; those that are known here."""
    lines = []
    for seat, title, value in ((each.seat, each.title, each.value) for each in titles):
        if title in TITLES:
            what, how = TITLES[title](value)
            lines.append(f"{words.player_name(seat)}: {what} ({how})")
    return [f"{HEADLINE}:", *lines] if lines else []
