"""Crash reports: a sentence for the player, and a file with the details."""

import contextlib
import os
import traceback
from pathlib import Path
from typing import Final

from platformdirs import user_state_path

from .files import replace_file

__all__ = ["crash_message"]

ELSEWHERE: Final = (
    "At a table of somebody else your seat stays yours, and its points too: "
    "you can watch it on, or join it again."
)
MEANING: Final = {
    "alone": "The deal that you were playing is lost; the statistics of those before are kept.",
    "practised": "The table was one of your own, and ended with it.",
    "replayed": "The record is as it was: you can play it back again.",
    "watched": "The table goes on without you: you can watch it again.",
}
"""What a crash means, by how the table was opened."""
OWN_SERVER: Final = "The table was on a server of your own, and stopped with it for everybody."


def crash_message(how: str = "", *, ends_with_us: bool = False) -> str:
    """Save the current exception to a file and return the message for the player.

    Args:
        how: how the table was opened, as in ``Opened``; empty if unknown.
        ends_with_us: whether the table was on a local server.

    """
    own = os.environ.get("RACING_DEMON_STATE")
    path = (Path(own) if own else user_state_path("racing-demon", appauthor=False)) / "fault.txt"
    meaning = OWN_SERVER if ends_with_us else MEANING.get(how, ELSEWHERE)
    told = f"Something is wrong in this program, and it had to stop. {meaning}"
    with contextlib.suppress(OSError):  # the message matters more than the file
        replace_file(path, traceback.format_exc().encode(errors="replace"))
        told += f" What went wrong is written down in {path}: please report it."
    return told
