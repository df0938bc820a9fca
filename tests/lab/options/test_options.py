"""Every combination of options can be played to the end, or is refused with a sentence."""

import random
import sys
from collections import Counter
from typing import Any, Final

import pytest

from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS
from tests.lab.options.combinations import SHORT, Combination, draw, try_out, values_of
from tests.support.effort import amount, more_when_long, usually

PAIRS: Final = amount(24, 1_000, "RACING_DEMON_PAIRS")
"""How many combinations are drawn."""
SEED: Final = amount(0, 0, "RACING_DEMON_SEED")
CHANGES: Final = [
    (name, value) for name in Options.model_fields if name != "game" for value in values_of(name)[:3]
]


@more_when_long
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


@pytest.mark.parametrize("name", usually(3, PRESETS))
def test_every_preset_takes_every_option(name: str) -> None:
    """With any one option changed, a hand of a preset is played or refused."""
    rng = random.Random(name)
    changes = CHANGES if amount(0, 1) else rng.sample(CHANGES, 5)
    for option, value in changes:
        options: dict[str, Any] = {
            **PRESETS[name].options.model_dump(exclude_unset=True),
            **SHORT,
            option: value,
        }
        outcome = try_out(Combination({**options, "hands": 1}, 3, rng.randbytes(32)))
        assert not outcome.problems, (option, value, outcome.problems)


@pytest.mark.parametrize("game", usually(5, GAMES))
def test_bots_bring_every_game_to_its_end(game: str) -> None:
    """Even where no time limit is set and nobody can win."""
    outcome = try_out(Combination({"game": game, **SHORT}, 2 if GAMES[game].max_seats > 1 else 1, bytes(32)))
    assert (outcome.problems, outcome.hands) == ([], 1)
