"""The command that shows, writes and edits the settings."""

import argparse
import asyncio
import os
import shlex
import sys
from pathlib import Path

from racing_demon_client.settings import load, save, settings_path
from racing_demon_client.streams import is_terminal, write
from racing_demon_protocol.formatting import printable


async def settings(arguments: argparse.Namespace) -> int:
    """Write a settings file if there is none, print its path, and open it in an editor on request."""
    path = settings_path()
    if arguments.path:
        write(str(path))
        return 0
    if path.exists():
        write(f"your settings: {printable(str(path))}")
    else:
        save(path)
        write(f"your settings, with their defaults: {printable(str(path))}")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not is_terminal():
        return 0
    if not editor:
        write("Open this file with any text editor. If EDITOR names yours, this command opens it.")
        return 0
    if not await _edited(editor, path):
        return 1
    load(path)  # report mistakes now, not when the next game starts
    return 0


async def _edited(editor: str, path: Path) -> bool:
    """Open a file in the user's editor; return whether that worked."""
    try:
        process = await asyncio.create_subprocess_exec(*shlex.split(editor), str(path))
        failed = await process.wait()
        why = f"it ended with {failed}" if failed else ""
    except (OSError, ValueError) as error:  # ValueError: an unclosed quotation mark
        why = str(error)
    if why:
        text = f"the editor {editor!r} failed: {why}. Open the file yourself, or set EDITOR to another one."
        sys.stderr.write(f"racing-demon: {printable(text)}\n")
    return not why
