"""The benchmark's terminal shows the same however what was written to it is cut into pieces."""

from benchmarks.screen import Screen

WRITTEN = "\x1b[?2026h\x1b[2;3H\x1b[38;5;231;48;5;233mA♠ up\x1b[0m\r\nnext\x1b[?2026l".encode()


def test_sequences_come_in_pieces() -> None:
    """Where a piece ends amid a sequence or a sign, nothing of it is shown, and no paint is lost."""
    whole = Screen(20, 4)
    (frame,) = whole.feed(WRITTEN, 1)
    assert frame.size == len(WRITTEN)
    for cut in range(1, len(WRITTEN)):
        screen = Screen(20, 4)
        paints = [*screen.feed(WRITTEN[:cut], 1), *screen.feed(WRITTEN[cut:], 2)]
        assert (whole.text, [frame.size]) == (screen.text, [paint.size for paint in paints]), cut
