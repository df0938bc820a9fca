"""Presets: each can be told from the others, and leaves alone what does not matter to the game."""

from itertools import combinations
from pathlib import Path

from racing_demon_client.shared.rules_text import number
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.presets import PRESETS, nearest_preset, preset_of, usual_options

README = Path(__file__).parents[3] / "README.md"


def test_each_preset_is_the_nearest_to_itself_alone() -> None:
    """No two presets are the same game."""
    for preset in PRESETS.values():
        assert nearest_preset(preset.options) is preset
        assert not preset.deviations(preset.options)
    assert all(one.deviations(other.options) for one, other in combinations(PRESETS.values(), 2))


def test_the_default_table_belongs_to_the_first_preset() -> None:
    """The Klondike race remains what a table plays of itself; Nerts stands next."""
    assert list(PRESETS)[:2] == ["klondike", "nerts"]
    assert preset_of(usual_options()) is PRESETS["klondike"]


def test_presets_are_told_in_one_sentence() -> None:
    """Each has a sentence, with what going out is worth, and a source."""
    for preset in PRESETS.values():
        assert preset.text.endswith(".")
        assert preset.text.count(". ") == 0
        assert preset.source
        bonus = declare(preset.options, 2).scoring.out_bonus
        assert f"{number(bonus) if bonus else 'bonus'} for going out" in preset.text


def test_the_readme_states_the_usual_bonus() -> None:
    """What going out adds at a table for which nobody chose anything."""
    bonus = number(declare(usual_options(), 2).scoring.out_bonus)
    assert f"adds a bonus of {bonus}." in " ".join(README.read_text("utf-8").split())
