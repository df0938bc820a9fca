"""The terminal of the tests and benchmarks shows what programs write."""

from benchmarks.screen import Screen

WRITTEN = "\x1b[?2026h\x1b[2;3H\x1b[38;5;231;48;5;233mA♠ up\x1b[0m\r\nnext\x1b[?2026l".encode()


def test_sequences_come_in_pieces() -> None:
    """Where a piece ends amid a sequence or a sign, the same is shown, and the paint ends as well."""
    for cut in range(len(WRITTEN)):
        screen = Screen(20, 4)
        for piece in (WRITTEN[:cut], WRITTEN[cut:]):
            screen.feed(piece)
        assert screen.text.split() == ["A♠", "up", "next"], cut
        assert not screen.is_painting, cut
