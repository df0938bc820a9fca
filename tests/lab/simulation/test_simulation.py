"""Matches in virtual time while everything goes wrong that can: lines, disk, clock, and the server itself."""

import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from racing_demon_server.journal import table_journal
from tests.lab.simulation.network import Faults
from tests.lab.simulation.simulator import World, simulate

pytestmark = pytest.mark.long

HANDS: Final = int(os.environ.get("RACING_DEMON_HANDS", "100"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
EVERY: Final = 1_000
"""After so many hands the long run says how far it is."""
ENOUGH: Final = 30
"""In so many hands everything goes wrong at least once."""

SHORT: Final = {"game": "classic", "reserve": 3, "columns": 5}
AWAY: Final = {"call_out": "shout", "grace_ms": 3_000, "pause_after_ms": 1_000, "turn": 1}
WORLDS: Final = (
    World(players=3, hands=12, options={**SHORT, "turn": 1}),
    World(players=2, hands=10, options={**SHORT, "time_limit_ms": 8_000}, bots=("hard", "medium")),
    World(players=2, hands=6, options={**SHORT, **AWAY}, fault_seconds=6.0, absences=True),
    World(players=2, hands=12, options=SHORT, faults=Faults(delay=0.3, jitter=0.1)),
    World(players=4, hands=8, options={**SHORT, "turn": 1, "call_out": "shout", "grace_ms": 500}),
    World(
        players=3,
        hands=8,
        options={**SHORT, "stall_rule": "rotate", "watch_delay_ms": 700},
        fault_seconds=0.7,
    ),
    World(players=5, hands=6, options={**SHORT, "turn": 1, "pause_after_ms": 1_000}, think_seconds=0.1),
    World(players=3, hands=1, options={"turn": 1}, fault_seconds=5.0),
)
"""Seeds take turns at them."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Let the server say nothing of disks that take nothing: they are meant to."""
    log = logging.getLogger("racing_demon_server")
    before = log.level
    log.setLevel(logging.CRITICAL)
    yield
    log.setLevel(before)


@pytest.fixture(autouse=True)
def _short_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let restarts begin with snapshots of all moments between hands, and lobbies be folded all the time."""
    monkeypatch.setattr(table_journal, "MAX_EVENTS", 20)


def world_of(seed: int) -> World:
    """Return what is played with a seed."""
    return WORLDS[seed % len(WORLDS)]


def test_matches_survive_whatever_goes_wrong(tmp_path: Path) -> None:
    """Every mirror is sound after every event and right in the end, and all that is told can have been so."""
    hands = events = commands = refusals = proven = counted = left_out = 0
    faults: Counter[str] = Counter()
    seed, begun = SEED, time.monotonic()
    while hands < HANDS:
        try:
            ran = simulate(seed, world_of(seed), tmp_path)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        if (hands + ran.hands) // EVERY > hands // EVERY:
            sys.stderr.write(f"{hands} hands, seed {seed}, {time.monotonic() - begun:.0f} s\n")
        hands += ran.hands
        events += ran.findings.events
        commands += ran.findings.commands
        refusals += ran.findings.refusals
        proven, counted, left_out = proven + ran.proven, counted + ran.counted, left_out + ran.left_out
        faults.update(ran.occurred)
        seed += 1
    sys.stdout.write(
        f"\n{hands} hands, seeds {SEED} to {seed - 1}: {events} events, {commands} commands, "
        f"{refusals} refused; {proven} proofs; {counted} contributions, {left_out} left out; "
        f"{dict(faults)}\n"
    )
    if hands >= ENOUGH:  # a seed that is looked into has less
        assert faults["crash"] > 0
        assert faults["cut"] > 0
        assert proven > hands
        assert counted > left_out > 0


def test_a_seed_is_the_same_again(tmp_path: Path) -> None:
    """Whatever was sent and heard, and when, is the same to the byte."""
    for seed in range(len(WORLDS) - 1):
        world = world_of(seed)._replace(hands=2)
        assert simulate(seed, world, tmp_path) == simulate(seed, world, tmp_path), seed
