"""Evenings of people of different skill, and the titles that each of them gets.

python -m tests.lab.moments.evenings [EVENINGS]
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Final

from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import Summarizer
from racing_demon_protocol.records.titles import EveningHand, Title, titles
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.levels import LEVELS
from tests.support.bot_matches import Person
from tests.support.recordings import recording, seed_of

SKILLS: Final = ("easy", "medium", "hard")
EVENINGS: Final = 200
MAX_PLAYERS: Final = 6
GAMES: Final = ("racing-demon", "classic")


def evening(number: int, matches: int = 2) -> tuple[dict[str, str], list[EveningHand]]:
    """Return the skill of each person of an evening, and its hands."""
    rng = random.Random(number)
    skills = [rng.choice(SKILLS) for _ in range(rng.randint(2, MAX_PLAYERS))]
    names = {seat: f"{skill} {seat}" for seat, skill in enumerate(skills)}
    options = Options(game=rng.choice(GAMES), hands=rng.randint(1, 3))
    hands: list[EveningHand] = []
    for match in range(matches):
        seed = seed_of(number * 100 + match)
        people = [
            Person(seat, LEVELS[skill], random.Random(f"{number}/{match}/{seat}"))
            for seat, skill in enumerate(skills)
        ]
        notes: dict[int, HandNotes] = {}
        summarizer = Summarizer(noting=notes.__setitem__)
        record = recording(seed, (), options, people=people)
        (summary,) = [made for entry in record.entries for made in summarizer.apply(entry)]
        hands += [
            EveningHand(
                *(match, names, frozenset(names.values()), hand, notes[hand.hand]),
                is_last=hand is summary.hands[-1],
                winners=summary.winners,
            )
            for hand in summary.hands
        ]
    return dict(zip(names.values(), skills, strict=True)), hands


def found(evenings: int) -> Iterator[tuple[dict[str, str], list[Title]]]:
    """Yield the skills of the people of each evening, and their titles."""
    for number in range(evenings):
        skills, hands = evening(number)
        yield skills, titles(hands)


def main() -> None:
    """Tell which titles people of each skill get, and whether somebody has none."""
    evenings = int(sys.argv[1]) if len(sys.argv) > 1 else EVENINGS
    by_skill, without, people = Counter[tuple[str, str]](), 0, Counter[str]()
    for skills, given in found(evenings):
        without += len(skills) - len({title.name for title in given})
        people.update(skills.values())
        by_skill.update((title.title, skills[title.name]) for title in given)
    lines = [f"{evenings} evenings, {people.total()} people, {without} of them without a title"]
    lines.append(f"{'':12}" + "".join(f"{skill:>10}" for skill in SKILLS))
    for title in sorted({title for title, _ in by_skill}, key=lambda each: -by_skill[each, "hard"]):
        shares = (by_skill[title, skill] / max(1, people[skill]) for skill in SKILLS)
        lines.append(f"{title:12}" + "".join(f"{share:>10.1%}" for share in shares))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
