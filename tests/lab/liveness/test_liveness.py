"""No table hangs: whatever has happened, those who are connected can finish the hand and play the next.

``RACING_DEMON_TABLES`` says how many tables to begin with, and ``RACING_DEMON_SEED`` with which seed.
"""

import os
import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.lab.liveness.explorer import RandomTable, explore
from tests.support.effort import amount, more_when_long
from tests.support.tables import SECOND

TABLES: Final = amount(8, 100, "RACING_DEMON_TABLES")
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "0"))
STEPS: Final = 60
"""From each table so many others are made, by one step each."""

GAMES: list[dict[str, Any]] = [
    {"game": "classic", "reserve": 1, "columns": 4, "turn": 1},
    {"game": "classic", "reserve": 1, "columns": 4, "call_out": "shout"},
    {"game": "classic", "reserve": 1, "columns": 5, "call_out": "shout", "turn": 1},
    {"game": "classic", "reserve": 2, "columns": 4, "stall_rule": "rotate"},
    {"game": "classic", "reserve": 20, "columns": 1, "redeals": 0},
    {"game": "demon-a", "time_limit_ms": 20_000},
    {"game": "sympathy"},
]
"""Games in which somebody is out soon, with every kind of end."""


def options_of(rng: random.Random) -> dict[str, Any]:
    """Return the options of some table."""
    return {
        **rng.choice(GAMES),
        "hands": rng.choice((1, 3)),
        "countdown_ms": rng.choice((0, 3_000)),
        "tally_ms": rng.choice((0, 20_000)),
        "grace_ms": rng.choice((1_000, 5_000)),
        "pause_after_ms": rng.choice((None, 500, 2_000, 10_000)),
        "late_join": rng.random() < 0.8,
        "on_leave": rng.choice(("freeze", "forfeit")),
    }


def random_tables(count: int) -> Iterator[RandomTable]:
    """Yield tables, in states that chance finds, at which somebody is connected."""
    known: set[str] = set()
    for seed in range(SEED, SEED + count):
        rng = random.Random(seed)
        for random_table in explore(RandomTable(seed, **options_of(rng)), STEPS, rng, known):
            if random_table.connected():
                yield random_table


@more_when_long
def test_those_who_are_connected_can_always_go_on() -> None:
    """From every state that chance finds, timers and their commands lead to the hand's end, or the next."""
    for random_table in random_tables(TABLES):
        random_table.lead_on()
        random_table.restarted().lead_on()


@pytest.mark.long
def test_chance_finds_every_phase() -> None:
    """Among the states of a hundred tables are all phases, a pause, and a grace that somebody misses."""
    kinds = {random_table.kind()[:3] for random_table in random_tables(100)}
    assert {(phase, False, False) for phase in Phase} <= kinds
    assert (Phase.PLAYING, True, True) in kinds
    assert (Phase.GRACE, False, True) in kinds


def called() -> RandomTable:
    """Return a table at which somebody who is out has called, and cards may still land."""
    random_table = RandomTable(0, game="classic", reserve=1, columns=4, call_out="shout", grace_ms=5_000)
    random_table.send(random_table.table.view.host, cl.Start)
    random_table.wait(3 * SECOND)
    while not random_table.is_out(0):
        random_table.play()
    random_table.send(0, cl.Call)
    assert Phase.GRACE is random_table.table.view.phase
    return random_table


@pytest.mark.long
def test_a_pause_in_the_grace_of_an_old_journal_ends_by_itself() -> None:
    """Servers could once pause a hand in its grace for ever: taken up again, it ends."""
    random_table = called()
    random_table.log.append((ev.Paused(seq=random_table.table.view.seq + 1), random_table.now))
    random_table.restart()
    assert random_table.table.view.paused
    random_table.wait(10 * SECOND)
    assert not random_table.table.view.paused
    random_table.wait(10 * SECOND)
    assert Phase.GRACE is not random_table.table.view.phase


@pytest.mark.long
def test_a_host_ends_the_pause_of_an_old_journal() -> None:
    """The host's word lets a hand go on in whichever phase it was paused."""
    random_table = called()
    random_table.log.append((ev.Paused(seq=random_table.table.view.seq + 1), random_table.now))
    random_table.restart()
    random_table.blink()
    random_table.send(random_table.table.view.host, cl.Pause, paused=False)
    assert not random_table.table.view.paused
