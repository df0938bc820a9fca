"""Finds the servers that run on this machine, for an operator who names none."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from racing_demon_protocol.formatting import pluralize
from racing_demon_server.journal.sqlite.database import default_path

from .control_socket import ENDING, NotRunning, RequestFailed, request

SERVICES: Final = Path("/var/lib/racing-demon")
"""Where the unit of ``deploy/`` lets a server keep its files; each of several has a folder beside it."""


class ServerUnclear(Exception):
    """Nobody has said which server is meant. The text says what there is."""


def find_server() -> Path:
    """Return the journal, or the ``--control``, of the server that runs here; ask if there are several.

    Where none runs, it is the journal that a server would take.

    Raises:
        ServerUnclear: there are several, and nobody to ask, or only others may see what there is.

    """
    services, usual = SERVICES, default_path()
    sockets = {journal: socket for socket, journal in _sockets([*_folders(services), usual.parent])}
    if len(sockets) == 1:
        return next(iter(sockets))
    running = {journal: what for journal, socket in sockets.items() if (what := _described(socket))}
    if len(running) > 1:
        return _chosen(running)
    hidden = [
        each for each in services.parent.glob(f"{services.name}*") if not os.access(each, os.R_OK | os.X_OK)
    ]
    if not running and hidden:
        raise ServerUnclear(f"Only root may look into {hidden[0]}: use sudo.")
    journals = [*running, services / usual.name, usual]
    return next((each for each in journals if each in running or each.exists()), usual)


def _folders(services: Path) -> Iterator[Path]:
    """Yield the folders in which services keep their files, as far as they may be seen."""
    for folder in sorted(services.parent.glob(f"{services.name}*")):
        if folder.is_dir() and os.access(folder, os.R_OK | os.X_OK):
            yield folder
            yield from sorted(each for each in folder.iterdir() if each.is_dir())


def _sockets(folders: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """Yield the sockets in some folders, each with the journal by which all processes are asked."""
    for folder in folders:
        for socket in sorted(folder.glob(f"*{ENDING}")):
            if socket.is_socket():
                journal = socket.with_name(socket.name.removesuffix(ENDING))
                yield socket, journal.with_stem(re.sub(r"-process-\d+$", "", journal.stem))


def _described(socket: Path) -> str:
    """Return what the server at a socket has; empty if it has ended without removing that."""
    try:
        return pluralize(len(request(socket, command="tables")["tables"]), "table")
    except NotRunning:
        return ""
    except RequestFailed:
        return "does not answer"


def _chosen(running: dict[Path, str]) -> Path:
    """Let whoever sits at the terminal choose a server."""
    journals = list(running)
    rows = [f"  {number}  {each}  {running[each]}" for number, each in enumerate(journals, 1)]
    lines = "\n".join(["several servers run here:", *rows])
    if not sys.stdin.isatty():
        raise ServerUnclear(f"{lines}\nName one with --journal FILE.")
    sys.stderr.write(f"{lines}\nwhich one? ")
    sys.stderr.flush()
    answer = sys.stdin.readline().strip()
    if not (answer.isdecimal() and 0 < int(answer) <= len(journals)):
        raise ServerUnclear(f"There is no server {answer!r} in this list.")
    return journals[int(answer) - 1]
