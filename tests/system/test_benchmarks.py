"""The benchmarks load; what they measure, no test asks."""

import importlib
from pathlib import Path

import pytest
from benchmarks.screen import Screen

FOLDER = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = [path.stem for path in sorted(FOLDER.glob("*.py")) if "ArgumentParser(" in path.read_text("utf-8")]
WRITTEN = "\x1b[?2026h\x1b[2;3H\x1b[38;5;231;48;5;233mA♠ up\x1b[0m\r\nnext\x1b[?2026l".encode()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_benchmark_finds_all_that_it_imports(program: str) -> None:
    """The harness of the tests is theirs, too."""
    importlib.import_module(f"benchmarks.{program}")


def test_sequences_come_in_pieces() -> None:
    """Where a piece ends amid a sequence or a sign, nothing of it is shown, and no paint is lost."""
    whole = Screen(20, 4)
    (frame,) = whole.feed(WRITTEN, 1)
    assert frame.size == len(WRITTEN)
    for cut in range(1, len(WRITTEN)):
        screen = Screen(20, 4)
        paints = [*screen.feed(WRITTEN[:cut], 1), *screen.feed(WRITTEN[cut:], 2)]
        assert (whole.text, [frame.size]) == (screen.text, [paint.size for paint in paints]), cut
