"""How far this user is in a lesson, on disk: it can be left, and taken up again."""

import json
from contextlib import suppress
from pathlib import Path

from .files import read_entries, replace_file, state_folder

MAX_BYTES = 1_000


def lesson_path() -> Path:
    """Return the file that says how far the lesson is."""
    return state_folder() / "lesson.json"


def load_step(path: Path, game: str) -> int:
    """Return the step of a game's lesson to begin with, from 0."""
    match read_entries(path, MAX_BYTES):
        case [str(kept), int(at)] if kept == game and at > 0:
            return at
    return 0


def save_step(path: Path, game: str, at: int) -> None:
    """Save the step of a game's lesson, if that can be written; 0 for one that begins anew."""
    with suppress(OSError):
        if at:
            replace_file(path, json.dumps([game, at]).encode())
        else:
            path.unlink(missing_ok=True)
