"""The canvas: cells, inks, and what a pointer hits."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from racing_demon_client.terminal.drawing.canvas import Canvas, Hit
from racing_demon_client.terminal.style.ink import Mark, Role
from tests.support.desks import rows_of
from tests.support.effort import examples

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
    canvas.put(3, 0, "c", Role.KEY | Mark.STRONG)
    assert list(canvas.runs(0)) == [(" ", 0), ("ab", Role.KEY), ("c", Role.KEY | Mark.STRONG), ("  ", 0)]


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
    canvas.touch(Hit(1, 1, 4, 4, pile=7))
    canvas.touch(Hit(2, 2, 1, 2, pile=7, index=0))
    hits = {
        (x, y): canvas.hit(x, y) for x, y in [(0, 1), (1, 1), (4, 4), (5, 4), (4, 5), (2, 2), (2, 3), (2, 4)]
    }
    assert [at for at, hit in hits.items() if hit is None] == [(0, 1), (5, 4), (4, 5)]
    assert [at for at, hit in hits.items() if hit is not None and hit.index == 0] == [(2, 2), (2, 3)]
