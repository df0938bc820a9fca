"""The picture of the analysis: it fits any terminal, whatever the players are called."""

from itertools import product

import pytest
from rich.cells import cell_len

from racing_demon_client.records.timeline import Timeline
from racing_demon_client.terminal.drawing.pages.analysis import draw_analysis
from racing_demon_client.terminal.drawing.pages.frame import Page
from racing_demon_client.terminal.style.glyphs import ASCII, UNICODE
from tests.support.desks import HOSTILE, SIZES, rows_of
from tests.support.recordings import recording_of


def page_of(name: str, focus: int | None, names: tuple[str, ...] = ()) -> Page:
    """Return what is known after a match, in which the players may be called otherwise."""
    timeline = Timeline(recording_of(name))
    view = timeline.view_at(len(timeline))
    for seat, other in enumerate(names):
        if seat in view.seats:
            view.seats[seat] = view.seats[seat].model_copy(update={"name": other})
    return Page(view=view, seat=focus, focus=focus, analysis=timeline.analysis_at(len(timeline)))


@pytest.mark.parametrize("first", range(0, len(HOSTILE), 8))
def test_names_do_not_break_the_picture(first: int) -> None:
    """Each row is as wide as the terminal, and holds nothing that could steer it."""
    page = page_of("eight", 3, HOSTILE[first : first + 8])
    for size, glyphs in product([*SIZES, (40, 10), (20, 5)], (UNICODE, ASCII)):
        for row in rows_of(draw_analysis(page, size, glyphs)):
            assert size[0] == cell_len(row), (size, glyphs, row)
            assert "\x1b" not in row, (size, glyphs)
            assert "\u202e" not in row, (size, glyphs)


def test_the_own_hand_comes_first() -> None:
    """A player's own analysis is told in full, everybody else's in a line."""
    text = "\n".join(rows_of(draw_analysis(page_of("eight", 3), (120, 40), UNICODE)))
    assert "The last hand, as you played it:" in text
    assert text.count("in stock and waste") == 1
    assert text.count(" buried") == 7


def test_before_the_first_hand_there_is_none() -> None:
    """Where no hand is over yet the picture says what will be there."""
    page = Page(view=page_of("eight", None).view, seat=None)
    assert "After each hand" in "\n".join(rows_of(draw_analysis(page, (80, 24), UNICODE)))
