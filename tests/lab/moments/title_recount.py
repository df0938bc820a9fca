"""Titles of an evening, given again from hands that another program has counted, by `docs/records.md`.

It first writes down a number for everybody under every title, hand by hand, and only then asks who was best.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import accumulate, groupby, pairwise
from typing import Final, NamedTuple

from tests.lab.moments.recount import Counted

EARNED: Final = {
    "comeback": (max, 5),
    "fastest": (min, None),
    "closest": (min, None),
    "streak": (max, 3),
    "races": (max, 3),
    "unlucky": (max, 2),
    "helpful": (max, 3),
    "patience": (max, 5_000_000),
    "steady": (min, None),
    "outs": (max, 2),
    "early": (max, 2),
    "best_hand": (max, 1),
    "climber": (max, 3),
    "cards": (max, 3),
    "last_word": (max, 1),
}
"""In their order: whether the greatest or the smallest number has the title, and the least that counts."""
FOLDED: Final = {"fastest": min, "closest": min} | dict.fromkeys(
    ("comeback", "streak", "patience", "best_hand", "climber", "last_word", "own_best"), max
)
"""What is told of somebody's numbers under a title: the smallest, the greatest, and otherwise their sum."""
OWN: Final = (("own_best", 3), ("builder", 2), ("busy", 5))


class Played(NamedTuple):
    """A hand of an evening at which everybody keeps their seat."""

    match: int
    hand: Counted
    winners: tuple[int, ...]
    """Of its match, if the hand was the last of one that was played out."""


def given(evening: Sequence[Played], people: Set[int]) -> dict[int, tuple[str, int]]:
    """Return the title of each person, and its number."""
    numbers = _numbers(evening)
    titles: dict[int, tuple[str, int]] = {}
    for title, (best, least) in EARNED.items():
        found = numbers[title]
        if not found:
            continue
        top = best(found.values())
        alone = [seat for seat, number in found.items() if number == top]
        if len(alone) == 1 and alone[0] in people - titles.keys() and (least is None or top >= least):
            titles[alone[0]] = title, top
    for place, seat in enumerate(sorted(people - titles.keys())):
        turned = [OWN[(place + step) % len(OWN)] for step in range(len(OWN))]
        own = ((title, numbers[title].get(seat, 0), least) for title, least in turned)
        fitting = [(title, number) for title, number, least in own if number >= least]
        titles[seat] = fitting[0] if fitting else ("company", numbers["company"].get(seat, 0))
    return titles


def _numbers(evening: Sequence[Played]) -> dict[str, dict[int, int]]:
    """Return the number that everybody has under each title."""
    many: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for title, seat, number in [*_of_hands(evening), *_of_matches(evening), *_of_rows(evening)]:
        many[title][seat].append(number)
    numbers: dict[str, dict[int, int]] = defaultdict(dict)
    for title, found in many.items():
        fold = FOLDED.get(title, sum)
        numbers[title] = {seat: fold(some) for seat, some in found.items()}
    return numbers


def _of_hands(evening: Sequence[Played]) -> Iterator[tuple[str, int, int]]:
    for _, hand, _ in evening:
        if hand.out is not None:
            yield "fastest", hand.out, hand.elapsed_ms
            yield "outs", hand.out, 1
        if hand.first is not None:
            yield "early", hand.first, 1
        for winner, loser, late_us in hand.races:
            yield "races", winner, 1
            if late_us is not None:
                yield "closest", winner, late_us
                if late_us < 100_000:
                    yield "unlucky", loser, 1
        yield from (("helpful", seat, cards) for seat, cards in hand.opened.items())
        yield from (("patience", seat, us) for seat, us in hand.patience.items())
        yield from (("busy", seat, plays) for seat, plays in hand.plays.items())
        for seat, cards in hand.up.items():
            yield "cards", seat, cards
            yield "builder", seat, cards
        for seat, points in hand.points.items():
            yield "best_hand", seat, points
            yield "own_best", seat, points
            yield "company", seat, 1
    yield from (("last_word", seat, points) for seat, points in evening[-1].hand.points.items())


def _of_matches(evening: Sequence[Played]) -> Iterator[tuple[str, int, int]]:
    for _, hands in groupby(evening, key=lambda each: each.match):
        played = list(hands)
        if len(played[-1].winners) != 1:
            continue
        (winner,) = played[-1].winners
        seats = {seat for each in played for seat in each.hand.points}
        course = {seat: list(accumulate(each.hand.points.get(seat, 0) for each in played)) for seat in seats}
        behind = [max(totals) - own for own, *totals in zip(course[winner], *course.values(), strict=True)]
        yield "comeback", winner, max(behind)


def _of_rows(evening: Sequence[Played]) -> Iterator[tuple[str, int, int]]:
    """Yield what follows from somebody's hands one after the other."""
    for seat in {seat for each in evening for seat in each.hand.points}:
        leads = [each.hand.points.get(seat) == max(each.hand.points.values()) for each in evening]
        runs = [len(list(run)) for leading, run in groupby(leads) if leading]
        yield "streak", seat, max(runs, default=0)
        own = [each.hand.points[seat] for each in evening if seat in each.hand.points]
        yield from (("climber", seat, after - before) for before, after in pairwise(own))
        if len(own) >= 3:
            yield "steady", seat, max(own) - min(own)
