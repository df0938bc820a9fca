"""The canvas: cells, inks, and what a pointer hits."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from racing_demon_client.terminal.drawing.canvas import Canvas, HitArea, draw_banner
from racing_demon_client.terminal.style import Highlight, Role
from tests.support.effort import examples
from tests.support.view_models import rows_of

SIGNS = "ab ♠│漢한e\u0301"
texts = st.text(SIGNS, max_size=12)
puts = st.lists(st.tuples(st.integers(-8, 24), st.integers(-1, 4), texts, st.sampled_from(Role)), max_size=8)


def painted(strokes: list[tuple[int, int, str, Role]]) -> Canvas:
    """Return a small canvas with texts written on it, one over the other."""
    canvas = Canvas(20, 4)
    for x, y, text, ink in strokes:
        canvas.put(x, y, text, ink)
    return canvas


def test_a_fresh_canvas_is_blank() -> None:
    """Nothing is written yet, and nothing answers to the pointer."""
    canvas = Canvas(3, 2)
    assert rows_of(canvas) == ["   ", "   "]
    assert canvas.text() == "\n"
    assert canvas.hit(0, 0) is None


def test_put_returns_the_column_behind_the_text() -> None:
    """Texts can be written one behind the other, in cells and not in signs."""
    canvas = Canvas(12, 1)
    assert canvas.put(canvas.put(1, 0, "a漢b"), 0, "7♠c") == 8
    assert rows_of(canvas) == [" a漢b7♠c    "]


def test_what_falls_outside_is_cut_off() -> None:
    """Texts beyond an edge lose what is beyond; the column behind them is told all the same."""
    canvas = Canvas(4, 2)
    assert canvas.put(-2, 0, "abcd") == 2
    assert canvas.put(2, 1, "abcd") == 6
    assert canvas.put(0, 2, "abc") == 3
    assert canvas.put(-4, 0, "abc") == -1
    assert canvas.put(9, 0, "abc") == 12
    canvas.put(0, -1, "abc")
    assert rows_of(canvas) == ["cd  ", "  ab"]


def test_marks_share_a_cell_with_their_sign() -> None:
    """A combining mark takes no cell, also behind a wide sign; one without a sign is dropped."""
    canvas = Canvas(5, 1)
    assert canvas.put(0, 0, "\u0301e\u0301漢\u0301") == 3
    assert rows_of(canvas) == ["e\u0301漢\u0301  "]


def test_runs_are_of_one_ink() -> None:
    """A row comes as stretches of text, and the inks differ from one to the next."""
    canvas = Canvas(6, 1)
    canvas.put(1, 0, "ab", Role.KEY)
    canvas.put(3, 0, "c", Role.KEY | Highlight.STRONG)
    assert list(canvas.runs(0)) == [(" ", 0), ("ab", Role.KEY), ("c", Role.KEY | Highlight.STRONG), ("  ", 0)]


def test_a_rule_goes_up_to_its_end() -> None:
    """A line covers its first column and not its last."""
    canvas = Canvas(5, 1)
    canvas.rule(0, 1, 4, "-")
    assert canvas.text() == " ---"


@examples(100)
@given(puts)
def test_every_row_is_as_wide_as_the_canvas(strokes: list[tuple[int, int, str, Role]]) -> None:
    """Whatever is written over whatever else, also over halves of wide signs, no row changes its width."""
    assert {20} == {cell_len(row) for row in rows_of(painted(strokes))}


@examples(100)
@given(puts, puts)
def test_spans_cover_all_differences(
    first: list[tuple[int, int, str, Role]], second: list[tuple[int, int, str, Role]]
) -> None:
    """Rows that differ in text or ink have a span, within the canvas; rows that do not have none."""
    one, other = painted(first), painted(second)
    spans = {span.y: span for span in one.spans_unlike(other)}
    unlike = {y for y in range(4) if list(one.runs(y)) != list(other.runs(y))}
    assert unlike <= spans.keys()
    assert all(span.x >= 0 and span.x + span.width <= 20 and span.width > 0 for span in spans.values())
    assert not list(one.spans_unlike(painted(first)))


def test_a_span_reaches_from_the_first_to_the_last_difference() -> None:
    """One span a row, no longer than it must be; a new ink alone is a difference too."""
    one, other = Canvas(9, 3), Canvas(9, 3)
    one.put(2, 1, "a")
    one.put(6, 1, "b")
    one.put(4, 2, " ", Role.BACK)
    assert list(one.spans_unlike(other)) == [(2, 1, 5), (4, 2, 1)]


def test_later_hits_lie_over_earlier_ones() -> None:
    """A card answers before its column does; edges belong to what is inside."""
    canvas = Canvas(9, 9)
    canvas.touch(HitArea(1, 1, 4, 4, pile=7))
    canvas.touch(HitArea(2, 2, 1, 2, pile=7, index=0))
    hits = {
        (x, y): canvas.hit(x, y) for x, y in [(0, 1), (1, 1), (4, 4), (5, 4), (4, 5), (2, 2), (2, 3), (2, 4)]
    }
    assert [at for at, hit in hits.items() if hit is None] == [(0, 1), (5, 4), (4, 5)]
    assert [at for at, hit in hits.items() if hit is not None and hit.index == 0] == [(2, 2), (2, 3)]


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
    assert {Role.BANNER | Highlight.STRONG} == inks
