"""Moments, and what titles need, are what another program counts in the same records.

``RACING_DEMON_MATCHES`` says of how many matches; ``RACING_DEMON_SEED`` is the first of their numbers.
"""

import os
import random
import sys
from typing import Final

from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import Summarizer
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import Options
from tests.lab.moments.recount import counted
from tests.support.recordings import recording, seed_of

MATCHES: Final = int(os.environ.get("RACING_DEMON_MATCHES", "2"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "0"))
LEVELS: Final = ("easy", "medium", "hard")
GAMES: Final = ("racing-demon", "classic")


def test_moments_are_counted_alike() -> None:
    """In matches of bots with any handicaps all moments and all other notes of their hands are equal."""
    hands = moments = 0
    for number in range(SEED, SEED + MATCHES):
        rng = random.Random(number)
        levels = [rng.choice(LEVELS) for _ in range(rng.randint(2, 4 if MATCHES < 10 else 8))]
        options = Options(game=GAMES[number % 2], hands=1, stall_rule=rng.choice(("rotate", "none")))
        late = {0: Handicap(delay_s=rng.randint(1, 20))} if rng.random() < 0.3 else {}
        record = recording(seed_of(number), levels, options, handicaps=late)
        notes: dict[int, HandNotes] = {}
        summarizer = Summarizer(noting=notes.__setitem__)
        for entry in record.entries:
            summarizer.apply(entry)
        for own, other in zip(notes.values(), counted(record), strict=True):
            told = [tuple(row) for row in own.moments]
            assert told == other.moments, number
            assert (own.up, own.first, own.patience, own.opened) == other[1:], number
            hands += 1
            moments += len(told)
    sys.stdout.write(f"{hands} hands with {moments} moments: all equal\n")
    assert moments
