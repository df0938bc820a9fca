"""Moments and titles are what another program counts in the same records.

``RACING_DEMON_MATCHES`` says of how many matches; ``RACING_DEMON_SEED`` is the first of their numbers.
"""

import os
import random
import sys
from typing import Any, Final

from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import Summarizer
from racing_demon_protocol.records.titles import EveningHand, titles
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.levels import LEVELS as LEVEL_OF
from tests.lab.moments.recount import counted
from tests.lab.moments.title_recount import Played, given
from tests.support.bot_matches import Person
from tests.support.recordings import recording, seed_of

MATCHES: Final = int(os.environ.get("RACING_DEMON_MATCHES", "2"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "0"))
LEVELS: Final = ("easy", "medium", "hard")
GAMES: Final[tuple[dict[str, Any], ...]] = (
    {"game": "racing-demon"},
    {"game": "classic", "reserve_card": -1, "king_bonus": 5},
)
ROUNDS: Final = (1, 1, 2) if MATCHES > 2 else (1,)
"""How many hands a match may have."""


def test_moments_and_titles_are_counted_alike() -> None:
    """In matches of bots and people all moments and notes are equal; so are the titles after each of them."""
    hands = moments = titled = 0
    evening: list[tuple[EveningHand, Played]] = []
    for number in range(SEED, SEED + MATCHES):
        if number % 3 == 0:
            evening = []
        rng = random.Random(number // 3)
        seats = rng.randint(2, 3 if MATCHES <= 2 else 8)
        skills = [rng.choice(LEVELS) for _ in range(seats)]
        people = frozenset(range(rng.randint(1, seats)))
        rules = rng.choice(GAMES)
        late = {0: Handicap(delay_s=rng.randint(1, 20), points=3)} if rng.random() < 0.3 else {}
        rng = random.Random(number)
        options = Options(hands=rng.choice(ROUNDS), stall_rule=rng.choice(("rotate", "none")), **rules)
        players = [Person(seat, LEVEL_OF[skills[seat]], random.Random(f"{number}/{seat}")) for seat in people]
        record = recording(seed_of(number), skills[len(people) :], options, handicaps=late, people=players)
        notes: dict[int, HandNotes] = {}
        summarizer = Summarizer(noting=notes.__setitem__)
        (summary,) = [made for entry in record.entries for made in summarizer.apply(entry)]
        names = {seat: str(seat) for seat in range(seats)}
        for hand, other in zip(summary.hands, counted(record), strict=True):
            own, winners = notes[hand.hand], summary.winners if hand is summary.hands[-1] else ()
            told = [tuple(row) for row in own.moments]
            assert told == other.moments, number
            found = own.up, own.first, own.patience, own.opened
            assert found == (other.up, other.first, other.patience, other.opened), number
            asked = frozenset(map(str, people))
            played = EveningHand(number, names, asked, hand, own, bool(winners), winners)
            evening.append((played, Played(number, other, winners)))
            hands += 1
            moments += len(told)
        after = {int(name): (title, value) for name, title, value in titles([each for each, _ in evening])}
        assert after == given([each for _, each in evening], people), number
        titled += len(after)
    sys.stdout.write(f"{hands} hands with {moments} moments, {titled} titles: all equal\n")
    assert moments
