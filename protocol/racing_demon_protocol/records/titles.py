"""Titles of an evening: what each person at a table was best at, over its matches since it was opened.

Whoever alone was best of all, bots included, has earned a title; at most one each, and only people. Who has
earned none gets one that says something of them alone. No title says that somebody was worse than others.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from .notes import HandNotes
from .summary import HandSummary

CLOSE_US: Final = 100_000
"""A race that was lost by less was bad luck."""
LEAST_HANDS: Final = 3
"""In fewer hands nobody is steady."""


class EveningHand(NamedTuple):
    """A hand of an evening.

    Attributes:
        match: the number of its match.
        names: who had each seat, by whatever tells people apart.
        people: which of these are people.
        summary: the hand.
        notes: what else is known of it.
        is_last: whether it was the last of a match that was played to its end.
        winners: the seats that won that match.

    """

    match: int
    names: Mapping[int, str]
    people: frozenset[str]
    summary: HandSummary
    notes: HandNotes = HandNotes()
    is_last: bool = False
    winners: tuple[int, ...] = ()


class Title(NamedTuple):
    """A title: whose, which, and how much of it: points, hands, cards, or a time."""

    name: str
    title: str
    value: int


Hands = Sequence[EveningHand]
Values = dict[str, int]


def _points(hand: EveningHand) -> Values:
    """Return the points of everybody in a hand, with those of handicaps."""
    extra = {seat: handicap.points for seat, handicap in hand.summary.handicaps.items()}
    return {
        hand.names[seat]: points + extra.get(seat, 0)
        for seat, points in hand.summary.points.items()
        if seat in hand.names
    }


def _of(hand: EveningHand, seats: Mapping[int, int]) -> Values:
    return {hand.names[seat]: number for seat, number in seats.items() if seat in hand.names}


def _added(parts: Iterable[Values]) -> Values:
    sums: Values = {}
    for part in parts:
        for name, number in part.items():
            sums[name] = sums.get(name, 0) + number
    return sums


def _greatest(parts: Iterable[Values]) -> Values:
    greatest: Values = {}
    for part in parts:
        for name, number in part.items():
            greatest[name] = max(greatest.get(name, number), number)
    return greatest


def _negative(values: Values) -> Values:
    return {name: -number for name, number in values.items()}


def _fastest(hands: Hands) -> Values:
    parts = [
        _of(each, {each.summary.out: -each.summary.elapsed_ms})
        for each in hands
        if each.summary.out is not None
    ]
    return _greatest(parts)


def _comeback(hands: Hands) -> Values:
    """Return by how many points each winner was once behind in a match that is over."""
    deficits: list[Values] = []
    totals: dict[int, list[Values]] = {}
    for hand in hands:
        course = totals.setdefault(hand.match, [])
        course.append(_added([*course[-1:], _points(hand)]))
        if hand.is_last and len(hand.winners) == 1 and hand.winners[0] in hand.names:
            winner = hand.names[hand.winners[0]]
            behind = max(max(total.values()) - total.get(winner, 0) for total in course)
            deficits.append({winner: behind})
    return _greatest(deficits)


def _races(hands: Hands) -> Values:
    return _added(_of(each, {race[0]: 1}) for each in hands for race in each.summary.races)


def _closest(hands: Hands) -> Values:
    return _greatest(
        _of(each, {winner: -late_us})
        for each in hands
        for winner, _, _, late_us in each.summary.races
        if late_us is not None
    )


def _patience(hands: Hands) -> Values:
    return _greatest(_of(each, each.notes.patience) for each in hands)


def _helpful(hands: Hands) -> Values:
    return _added(_of(each, each.notes.opened) for each in hands)


def _steady(hands: Hands) -> Values:
    points = list(map(_points, hands))
    played = _added(dict.fromkeys(each, 1) for each in points)
    best, worst = _greatest(points), _negative(_greatest(map(_negative, points)))
    return {name: worst[name] - best[name] for name, count in played.items() if count >= LEAST_HANDS}


def _unlucky(hands: Hands) -> Values:
    return _added(
        _of(each, {loser: 1})
        for each in hands
        for _, loser, _, late_us in each.summary.races
        if late_us is not None and late_us < CLOSE_US
    )


def _best_hand(hands: Hands) -> Values:
    return _greatest(map(_points, hands))


def _outs(hands: Hands) -> Values:
    return _added(_of(each, {each.summary.out: 1}) for each in hands if each.summary.out is not None)


def _early(hands: Hands) -> Values:
    return _added(_of(each, {each.notes.first: 1}) for each in hands if each.notes.first is not None)


def _leaders(hand: EveningHand) -> list[str]:
    points = _points(hand)
    best = max(points.values(), default=0)
    return [name for name, own in points.items() if own == best]


def _streak(hands: Hands) -> Values:
    """Return in how many hands in a row each was best, alone or with others."""
    running: Values = {}
    longest: Values = {}
    for hand in hands:
        leaders = _leaders(hand)
        running = {name: running.get(name, 0) + 1 for name in leaders}
        longest = _greatest([longest, running])
    return longest


def _climber(hands: Hands) -> Values:
    """Return by how many points each has done better than in the hand before."""
    gains: list[Values] = []
    last: Values = {}
    for points in map(_points, hands):
        gains.append({name: own - last[name] for name, own in points.items() if name in last})
        last |= points
    return _greatest(gains)


def _last_word(hands: Hands) -> Values:
    return _points(hands[-1])


def _cards(hands: Hands) -> Values:
    return _added(_of(each, each.notes.up) for each in hands)


def _played(hands: Hands) -> Values:
    return _added(dict.fromkeys(_points(each), 1) for each in hands)


def _plays(hands: Hands) -> Values:
    return _added(_of(each, each.summary.plays) for each in hands)


class _Rule(NamedTuple):
    """How a title is found: the most of something, at least so much of it, and what is told of that."""

    name: str
    most: Callable[[Hands], Values]
    least: int | None = 1


RULES: Final = (
    _Rule("comeback", _comeback, 5),
    _Rule("fastest", _fastest, None),
    _Rule("closest", _closest, None),
    _Rule("streak", _streak, 3),
    _Rule("races", _races, 3),
    _Rule("unlucky", _unlucky, 2),
    _Rule("helpful", _helpful, 3),
    _Rule("patience", _patience, 5_000_000),
    _Rule("steady", _steady, None),
    _Rule("outs", _outs, 2),
    _Rule("early", _early, 2),
    _Rule("best_hand", _best_hand),
    _Rule("climber", _climber, 3),
    _Rule("cards", _cards, 3),
    _Rule("last_word", _last_word),
)
"""The titles that somebody earns who alone was best, the rarest first."""

OWN: Final = (
    _Rule("own_best", _best_hand, 3),
    _Rule("builder", _cards, 2),
    _Rule("busy", _plays, 5),
    _Rule("company", _played),
)
"""What is told of somebody alone; the last one always fits."""


def titles(hands: Hands) -> list[Title]:
    """Return the titles of an evening: one for each person, those that were earned first.

    Args:
        hands: the hands of the evening, in their order.

    """
    if not hands:
        return []
    given: dict[str, Title] = {}
    people = sorted(set[str]().union(*(hand.people & set(hand.names.values()) for hand in hands)))
    for rule in RULES:
        values = rule.most(hands)
        best = max(values.values(), default=0)
        names = [name for name, number in values.items() if number == best]
        is_earned = len(names) == 1 and (rule.least is None or best >= rule.least)
        if is_earned and names[0] in people and names[0] not in given:
            given[names[0]] = Title(names[0], rule.name, abs(best))
    rest = [name for name in people if name not in given]
    own = [(rule, rule.most(hands)) for rule in OWN]
    for number, name in enumerate(rest):
        turned = [*own[number % (len(own) - 1) : -1], *own[: number % (len(own) - 1)], own[-1]]
        fitting = ((rule, values[name]) for rule, values in turned if name in values)
        given[name] = next(
            (Title(name, rule.name, value) for rule, value in fitting if value >= (rule.least or 0)),
            Title(name, OWN[-1].name, own[-1][1].get(name, 0)),
        )
    return list(given.values())
