"""Densities: which one fits a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.terminal.style.densities import DENSITIES, SMALLEST, choose
from tests.support.effort import examples

sides = st.integers(1, 300)


def test_the_three_sizes() -> None:
    """Every density is what the smallest terminal that it is made for gets."""
    names = [choose("auto", *size).name for size in [(80, 24), (120, 40), (190, 58), (200, 60)]]
    assert names == ["small", "medium", "large", "large"]


def test_one_cell_less_is_the_next_density() -> None:
    """Width and height must both suffice."""
    sizes = [(119, 40), (120, 39), (189, 58), (190, 57), (79, 99)]
    assert [choose("auto", *size).name for size in sizes] == ["small", "small", "medium", "medium", "small"]


@examples(100)
@given(st.sampled_from(["auto", "small", "medium", "large", "no such"]), sides, sides)
def test_what_is_asked_for_is_given_where_it_fits(wanted: str, width: int, height: int) -> None:
    """A density that fits is taken when it is wanted; else it is the roomiest that does."""
    chosen, auto = choose(wanted, width, height), choose("auto", width, height)
    asked = DENSITIES.get(wanted)
    fits = asked is not None and asked.size[0] <= width and asked.size[1] <= height
    assert chosen is (asked if fits else auto)
    if width >= SMALLEST[0] and height >= SMALLEST[1]:
        assert chosen.size[0] <= width
        assert chosen.size[1] <= height


def test_more_room_is_used() -> None:
    """From one density to the next nothing shrinks but the footer."""
    for smaller, larger in [("small", "medium"), ("medium", "large")]:
        one, other = DENSITIES[smaller], DENSITIES[larger]
        for name in ("size", "side", "pitch", "card", "fan", "slot", "backs", "player"):
            assert getattr(one, name) <= getattr(other, name), name
