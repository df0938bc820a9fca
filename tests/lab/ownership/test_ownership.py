"""The protocol of ownership, played at random in virtual time: safe with all guards, and with none less."""

import itertools
import sys
from collections import Counter
from typing import Final

import pytest

from tests.lab.ownership.model import play
from tests.lab.ownership.store import Guards, Wrong
from tests.support.effort import amount, more_when_long

RUNS: Final = amount(16, 600, "RACING_DEMON_RUNS")
MAX_RUNS: Final = 400
"""In so many runs at most the lack of a guard must show."""
SECONDS: Final = 40.0


@more_when_long
def test_with_all_guards_nothing_told_is_lost_and_every_table_goes_on() -> None:
    """Nodes are killed, paused and cut off, the store fails over: one writer a table, and no event twice."""
    total: Counter[str] = Counter()
    for seed in range(RUNS):
        total.update(play(seed, SECONDS)._asdict())
    sys.stdout.write(f"\n{RUNS} runs: {dict(total)}\n")
    assert total["told"] > RUNS
    assert total["taken"] > RUNS


@pytest.mark.long
def test_a_store_that_fails_over_fences_no_living_node() -> None:
    """Nodes that all lose the store at times, and nothing else, take none of them for dead."""
    for seed in range(RUNS // 4):
        assert play(seed, SECONDS, is_rough=False).fenced == 0


@pytest.mark.long
@pytest.mark.parametrize("guard", Guards._fields)
def test_without_a_guard_something_goes_wrong(guard: str) -> None:
    """Each guard is needed: without it an invariant breaks in one of the runs."""
    guards = Guards()._replace(**{guard: False})
    for seed in itertools.count():
        assert seed < MAX_RUNS
        try:
            play(seed, SECONDS, guards, is_rough=guard != "is_patient")
        except Wrong:
            break
