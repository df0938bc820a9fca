"""Crash reports: a sentence for the player, and a file with the details."""

import contextlib
import traceback
from typing import Final

from .files import replace_file, state_folder

ELSEWHERE: Final = (
    "If you were at somebody else's table, you keep your seat and its points: join it again to play on."
)
MEANING: Final = {
    "alone": "Your deal is lost. Your statistics are kept.",
    "practiced": "It was your own table, and it ended too.",
    "replayed": "The record has not changed. You can play it back again.",
    "watched": "The table continues without you. You can watch it again.",
}
"""What a crash means, by how the table was opened."""
HOSTED: Final = "Your table is still open for a few minutes, and the others stay: host again to go on."


def crash_message(how: str = "", *, ends_with_us: bool = False) -> str:
    """Save the current exception to a file and return the message for the player.

    Args:
        how: how the table was opened, as in ``Opened``; empty if unknown.
        ends_with_us: whether the table was on a local server.

    """
    path = state_folder() / "fault.txt"
    meaning = HOSTED if ends_with_us else MEANING.get(how, ELSEWHERE)
    text = f"This program failed because of an error in it. {meaning}"
    with contextlib.suppress(OSError):  # the message matters more than the file
        replace_file(path, traceback.format_exc().encode(errors="replace"))
        text += f" The details are in {path}. Please report them."
    return text
