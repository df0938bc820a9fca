"""How well bots play: the levels by name, and one that adapts to the person who is behind."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from typing import Final

from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.table.state import TableState


@dataclass(frozen=True, slots=True)
class Level:
    """How well a bot plays.

    Attributes:
        play_ms: the median time from seeing a play to making it, in milliseconds.
        turn_ms: the same for turning the stock.
        overlooks: the probability of overlooking a play.
        looks_ahead: whether it finds moves that only prepare a play to the foundations.
        plans: whether it keeps cards that it may still need, in games for which there are plans.
        least_ms: the least time from seeing a play to making it: it never wins a place that somebody takes
            sooner.
        deals: how many deals it imagines to foresee what a play leads to, where each plays alone.

    """

    play_ms: int
    turn_ms: int
    overlooks: float
    looks_ahead: bool
    plans: bool = False
    least_ms: int = 0
    deals: int = 0

    def in_hand(self, view: TableState, seat: int) -> "Level":
        """Return the level of a seat's bot in the hand that a table plays: always this one."""
        return self


STEPS: Final[dict[str, Level]] = {
    BotLevel.BEGINNER: Level(play_ms=4_500, turn_ms=1_000, overlooks=0.5, looks_ahead=False, least_ms=3_000),
    BotLevel.EASY: Level(play_ms=2_800, turn_ms=600, overlooks=0.35, looks_ahead=False),
    BotLevel.MEDIUM: Level(play_ms=2_000, turn_ms=1_200, overlooks=0.1, looks_ahead=False),
    BotLevel.HARD: Level(play_ms=1_150, turn_ms=700, overlooks=0.0, looks_ahead=True, deals=1),
    BotLevel.EXPERT: Level(play_ms=650, turn_ms=350, overlooks=0.0, looks_ahead=True, plans=True, deals=8),
}
"""The fixed levels in the order of their keys, each faster than the one before, and than the slowest."""
SLOWEST: Final = Level(play_ms=12_000, turn_ms=1_500, overlooks=0.6, looks_ahead=False, least_ms=6_000)
"""The weakest that an adaptive bot gets, for children."""
# A new step moves the strength of adaptive bots in running matches: it is counted in places of this scale.
SCALE: Final = (SLOWEST, *STEPS.values())
"""The scale of an adaptive bot's strength, which may lie between two levels."""
FIRST_STRENGTH: Final = float(SCALE.index(STEPS[BotLevel.EASY]))
"""An adaptive bot begins as an easy one; docs/host.md and docs/server.md say so."""
FIRST_STEP: Final = 1.0
"""The first step by which a won or lost hand changes the strength."""
MIN_STEP: Final = 0.25
"""The step is halved each time the winner changes, but not below this."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Plays as well as one person at the table: the one with the fewest points so far.

    It gets stronger after each hand that the person won, weaker after each that they lost, and never changes
    within a hand. All this follows from the tally, so it is the same after a restart, and with any snapshot.
    """

    def in_hand(self, view: TableState, seat: int) -> Level:
        """Return the level of a seat's bot in the hand that a table plays."""
        return between_levels(strength(view, seat))


Skill = Level | Adaptive
"""A bot's level, or what finds one for each hand."""

LEVELS: Final[dict[str, Skill]] = {**STEPS, BotLevel.ADAPTIVE: Adaptive()}
"""The levels by their names on the wire."""


def followed(view: TableState) -> int | None:
    """Return the seat of the person whom adaptive bots follow; ``None`` if only bots have cards.

    Of equal totals that of the lowest seat counts. A person who leaves during a hand is followed until its
    end.
    """
    people = [seat for seat in view.hand_seats if not view.seats[seat].bot]
    totals = {seat: sum(own for own, _ in _against(view, seat, seat)) for seat in people}
    return min(people, key=lambda seat: (totals[seat], seat), default=None)


def strength(view: TableState, seat: int) -> float:
    """Return an adaptive bot's place on the scale in a table's hand, from 0."""
    person = followed(view)
    if person is None:
        return FIRST_STRENGTH
    place, step, before = FIRST_STRENGTH, FIRST_STEP, 0
    for own, theirs in _against(view, seat, person):
        winner = (theirs > own) - (theirs < own)
        if winner and winner == -before:
            step = max(step / 2, MIN_STEP)
        place = min(max(place + winner * step, 0.0), len(SCALE) - 1.0)
        before = winner or before
    return place


def between_levels(place: float) -> Level:
    """Return the level at a place on the scale."""
    below, above = list(pairwise(SCALE))[min(int(place), len(SCALE) - 2)]
    share = place - SCALE.index(below)

    def between(one: float, other: float) -> float:
        return one + (other - one) * share

    return Level(
        play_ms=round(exp(between(log(below.play_ms), log(above.play_ms)))),
        turn_ms=round(exp(between(log(below.turn_ms), log(above.turn_ms)))),
        overlooks=between(below.overlooks, above.overlooks),
        looks_ahead=above.looks_ahead if share == 1 else below.looks_ahead,
        plans=above.plans if share == 1 else below.plans,
        least_ms=round(between(below.least_ms, above.least_ms)),
        deals=above.deals if share == 1 else below.deals,
    )


def _against(view: TableState, seat: int, other: int) -> Iterable[tuple[int, int]]:
    """Yield the points of two seats in each hand that both have played, in order."""
    for result in view.results:
        points = dict(zip(result.seats, result.points, strict=True))
        if seat in points and other in points:
            yield points[seat], points[other]
