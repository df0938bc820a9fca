"""Every combination of options can be played to the end, or is refused with a sentence."""

import os
import random
import sys
from collections import Counter
from typing import Any, Final

import pytest

from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS
from tests.lab.options.combinations import SHORT, Combination, draw, try_out, values_of

pytestmark = pytest.mark.long

PAIRS: Final = int(os.environ.get("RACING_DEMON_PAIRS", "1000"))
"""How many combinations are drawn."""
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "0"))
CHANGES: Final = [
    (name, value) for name in Options.model_fields if name != "game" for value in values_of(name)[:3]
]


def test_any_combination_is_played_or_refused() -> None:
    """Its match keeps all invariants, its record is verified, and games.json deals its cards."""
    told = Counter[str]()
    for number in range(SEED, SEED + PAIRS):
        asked = draw(random.Random(number))
        outcome = try_out(asked)
        assert not outcome.problems, (number, asked.options, asked.bots, outcome.problems)
        told[(outcome.refusal and "refused") or "played"] += 1
        told["hands"] += outcome.hands
    sys.stdout.write(f"{PAIRS} combinations from {SEED} on: {dict(told)}\n")
    assert told["played"] > told["refused"]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_takes_every_option(name: str) -> None:
    """With any one option changed, a hand of a preset is played or refused."""
    rng = random.Random(name)
    for option, value in CHANGES:
        options: dict[str, Any] = {
            **PRESETS[name].options.model_dump(exclude_unset=True),
            **SHORT,
            option: value,
        }
        outcome = try_out(Combination({**options, "hands": 1}, 3, rng.randbytes(32)))
        assert not outcome.problems, (option, value, outcome.problems)
