"""Big letters."""

from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.terminal.drawing.banner import draw_banner
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.style.ink import Mark, Role
from tests.support.effort import examples

WORDS = ["DEMON!", *map(str, range(31))]


def lines(canvas: Canvas) -> list[str]:
    """Return the rows of a picture."""
    return canvas.text().split("\n")


def test_a_word() -> None:
    """Letters are five dots high, and a dot is two cells wide where there is room."""
    canvas = Canvas(24, 7)
    draw_banner(canvas, "N1", (0, 0, 24, 7), "#")
    expected = """
   ##      ##    ##
   ####    ##  ####
   ##  ##  ##    ##
   ##    ####    ##
   ##      ##  ######
"""
    assert ["", *expected.strip("\n").split("\n"), ""] == lines(canvas)


def test_where_room_is_short_a_dot_is_one_cell() -> None:
    """A word that would not fit becomes narrow."""
    canvas = Canvas(12, 5)
    draw_banner(canvas, "10", (0, 0, 12, 5), "#")
    expected = """
  #   ###
 ##  #   #
  #  #   #
  #  #   #
 ###  ###
"""
    assert expected.strip("\n").split("\n") == lines(canvas)


@examples(200)
@given(st.sampled_from(WORDS), st.integers(0, 9), st.integers(0, 9), st.integers(38, 200), st.integers(5, 60))
def test_words_stay_within_their_area(word: str, x: int, y: int, width: int, height: int) -> None:
    """Every word that is ever shown fits into every area it is shown in, and is in the middle of it."""
    canvas = Canvas(x + width + 9, y + height + 9)
    draw_banner(canvas, word, (x, y, width, height), "#")
    dots = [(column, row) for row, line in enumerate(lines(canvas)) for column in marked(line)]
    assert all(x <= column < x + width and y <= row < y + height for column, row in dots)
    left, right = min(dots)[0] - x, x + width - 1 - max(dots)[0]
    top = min(row for _, row in dots) - y
    bottom = y + height - 1 - max(row for _, row in dots)
    assert abs(top - bottom) <= 1
    assert abs(left - right) <= 3 or word[0] in "1!"


def marked(line: str) -> list[int]:
    """Return the columns of a row that are drawn."""
    return [column for column, sign in enumerate(line) if sign == "#"]


def test_words_differ() -> None:
    """No word looks like another one."""
    pictures = set()
    for word in WORDS:
        canvas = Canvas(80, 10)
        draw_banner(canvas, word, (0, 0, 80, 10), "#")
        pictures.add(canvas.text())
    assert len(WORDS) == len(pictures)


def test_its_ink_is_its_own() -> None:
    """What is drawn is a strong banner, and nothing else is touched."""
    canvas = Canvas(40, 5)
    draw_banner(canvas, "7", (0, 0, 40, 5), "#")
    inks = {ink for y in range(5) for text, ink in canvas.runs(y) if "#" in text}
    assert {Role.BANNER | Mark.STRONG} == inks
