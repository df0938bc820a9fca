"""Titles of an evening: one each, earned by who was best alone, and none that hurts."""

import random
from collections import Counter
from typing import Final

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import HandSummary
from racing_demon_protocol.records.titles import OWN, RULES, EveningHand, Title, titles

NAMES: Final = ("Ann", "Ben", "Cyn", "Dan", "Eve", "Fay", "Gus", "Hal")
NOTHING: Final = HandNotes()


def hand(
    points: tuple[int, ...],
    *,
    number: int = 1,
    out: int | None = None,
    races: tuple[tuple[int, int, int, int | None], ...] = (),
    notes: HandNotes = NOTHING,
    winners: tuple[int, ...] = (),
    bots: frozenset[str] = frozenset(),
) -> EveningHand:
    """Return a hand with these points, by seat."""
    names = dict(enumerate(NAMES[: len(points)]))
    summary = HandSummary(
        hand=number,
        reason=EndReason.OUT,
        out=out,
        elapsed_ms=100_000 + number,
        points=dict(enumerate(points)),
        plays=dict.fromkeys(names, 20),
        races=races,
    )
    people = frozenset(names.values()) - bots
    return EveningHand(1, names, people, summary, notes, is_last=bool(winners), winners=winners)


def test_who_was_best_alone_has_earned_it() -> None:
    """The winner who was far behind, the one who lost by a hair, and who has nothing of that."""
    close = ((0, 1, 9, 40_000), (0, 1, 9, 60_000), (2, 0, 9, 5_000))
    found = titles([hand((0, 20, 4)), hand((30, 1, 4), number=2, races=close, winners=(0,))])
    assert found == [
        Title("Ann", "comeback", 20),
        Title("Cyn", "closest", 5_000),
        Title("Ben", "unlucky", 2),
    ]


def test_a_tie_is_nobodys_and_bots_get_none() -> None:
    """Where two were equally good, or a bot was best, people get what says something of them alone."""
    equal = titles([hand((10, 10), notes=HandNotes(up={0: 9, 1: 9}))])
    assert [each.title for each in equal] == ["own_best", "builder"]
    beside = titles([hand((5, 30), out=1, bots=frozenset({"Ben"}))])
    assert beside == [Title("Ann", "own_best", 5)]


def test_everybody_has_one_title_whatever_the_evening_was() -> None:
    """Over evenings of any kind: one title a person, and nobody is told a number below nothing."""
    rng, known = random.Random(52), {rule.name for rule in (*RULES, *OWN)}
    met = Counter[str]()
    for _ in range(200):
        seats = rng.randint(1, 8)
        hands = []
        for number in range(rng.randint(1, 6)):
            seat = range(seats)
            races = [
                (rng.choice(seat), rng.choice(seat), 9, rng.choice((None, rng.randrange(400_000))))
                for _ in range(rng.randint(0, 9))
            ]
            notes = HandNotes(
                up={each: rng.randint(0, 12) for each in seat},
                first=rng.choice((None, *seat)),
                patience={each: rng.randrange(20_000_000) for each in seat},
                opened={each: rng.randint(0, 9) for each in seat},
            )
            points = tuple(rng.randint(-26, 30) for _ in seat)
            out = rng.choice((None, *seat))
            hands.append(hand(points, number=number, out=out, races=tuple(races), notes=notes))
        found = titles(hands)
        assert sorted(each.name for each in found) == list(NAMES[:seats])
        assert all(each.title in known and each.value >= 0 for each in found)
        met.update(each.title for each in found)
    assert len(met) > 12
    assert titles([]) == []
