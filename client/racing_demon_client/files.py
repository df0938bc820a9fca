"""Small files of the player's: what texts may stand in them, and how they are written."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

__all__ = ["open_behind", "replace_file", "shown"]


def shown(text: str) -> str:
    """Return a text that a screen can show as it is.

    Raises:
        ValueError: something in it could steer a terminal, or is not to be seen.

    """
    if not text.isprintable():
        raise ValueError("not printable")
    return text


def open_behind(path: str) -> BinaryIO:
    """Open a file to write lines behind those that it has; the last of them may lack its end.

    Raises:
        OSError: it cannot be opened, or the end of its last line not be written.

    """
    file = open(path, "ab")  # noqa: SIM115 - the caller's
    try:
        if os.path.isfile(path) and os.path.getsize(path):
            with open(path, "rb") as lines:
                lines.seek(-1, os.SEEK_END)
                file.write(b"" if lines.read() == b"\n" else b"\n")
    except BaseException:
        file.close()
        raise
    return file


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that whoever reads it sees the old one or the new one, and never a part.

    Folders that are missing are made. A link stays a link, and a file that was there keeps its mode.

    Raises:
        OSError: the file cannot be written; it is as it was.

    """
    path = Path(os.path.realpath(path))  # settings are often links into a collection of such files
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # else a power cut may leave the new name with nothing behind it
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(path, name)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
