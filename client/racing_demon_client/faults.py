"""When this program itself is wrong: a sentence for the player, the details for whoever mends it."""

import contextlib
import os
import traceback
from pathlib import Path

from platformdirs import user_state_path

from .files import replace_file

__all__ = ["told_fault"]


def told_fault() -> str:
    """Keep the exception that is being handled in a file, and return what to tell the player."""
    own = os.environ.get("RACING_DEMON_STATE")
    path = (Path(own) if own else user_state_path("racing-demon", appauthor=False)) / "fault.txt"
    told = (
        "Something is wrong in this program, and it had to stop. Your seat stays yours, and its points too. "
        "You can watch the table on, or join it again."
    )
    with contextlib.suppress(OSError):  # without a place to keep it there is still the sentence
        replace_file(path, traceback.format_exc().encode(errors="replace"))
        told += f" What went wrong is written down in {path}: please report it."
    return told
