"""The player's small files: the texts they may contain, and how they are written."""

import codecs
import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

from platformdirs import user_state_path

from racing_demon_protocol.formatting import is_printable


def state_folder() -> Path:
    """Return the folder for state files; ``RACING_DEMON_STATE`` overrides it."""
    own = os.environ.get("RACING_DEMON_STATE")
    return Path(own) if own else user_state_path("racing-demon", appauthor=False)


def shown(text: str) -> str:
    """Return a text unchanged if it is safe to print.

    Raises:
        ValueError: it contains control or invisible characters.

    """
    if not all(map(is_printable, text)):
        raise ValueError("not printable")
    return text


def detect_encoding(beginning: bytes) -> str:
    """Return the encoding of a text, by its byte order mark; without one it is UTF-8.

    PowerShell writes UTF-16 when its output is sent to a file.
    """
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16-le" if beginning.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    return "utf-8"


def first_bytes(path: str) -> bytes:
    """Return the first two bytes of a file."""
    with open(path, "rb") as file:
        return file.read(2)


def open_for_append(path: str) -> BinaryIO:
    """Open a file for appending lines; complete its last line if it is truncated.

    Raises:
        OSError: the file cannot be opened, or its last line cannot be completed.

    """
    file = open(path, "ab")  # noqa: SIM115 - the caller closes it
    try:
        if os.path.isfile(path) and os.path.getsize(path):
            with open(path, "rb") as lines:
                end = "\n".encode(detect_encoding(lines.read(2)))
                lines.seek(-min(len(end), os.path.getsize(path)), os.SEEK_END)
                file.write(b"" if lines.read() == end else end)
    except BaseException:
        file.close()
        raise
    return file


def read_entries(path: Path, most_bytes: int) -> list[object]:
    """Return the entries of a JSON list; none if the file is missing, larger than a limit, or damaged."""
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
        entries = json.loads(data) if len(data) <= most_bytes else []
    except (OSError, ValueError, RecursionError):
        return []
    return entries if isinstance(entries, list) else []


def replace_file(path: Path, data: bytes) -> None:
    """Write a file atomically: readers see the old or the new content, never a part.

    Creates missing folders, follows symbolic links, and keeps the mode of an existing file.

    Raises:
        OSError: the file cannot be written; the old one is unchanged.

    """
    path = Path(os.path.realpath(path))  # settings are often symbolic links into a dotfiles repository
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # without it a power cut may leave an empty file under the new name
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(path, name)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
