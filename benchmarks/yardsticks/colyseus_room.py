"""The room of Colyseus that is measured beside ours: how it is installed, started and entered.

Colyseus is a well-known server of rooms for Node, with a state that all clients are kept in step with. Its
room here (``colyseus/server.mjs``) has the same messages as a table of ours, and as many piles, but no rules.
"""

import hashlib
import http.client
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmarks.yardsticks.entering import Socket
from benchmarks.yardsticks.script import SEATS, Recorder

FOLDER: Final = Path(__file__).parent / "colyseus"
INSTALL_SECONDS: Final = 180
JOIN_ROOM, ROOM_STATE = 10, 14


class NotThere(Exception):
    """Colyseus cannot be run here; the text says why, and what to do."""


@cache
def installed() -> Path:
    """Return the folder that Colyseus is installed in, by npm and the versions of the lock file; once.

    Raises:
        NotThere: Node or npm is missing, or the packages cannot be had.

    """
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        raise NotThere(f"no {' and no '.join(missing)} here; install Node 20 or newer to have it measured")
    lock = (FOLDER / "package-lock.json").read_bytes()
    cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cached / "racing-demon-bench" / f"colyseus-{hashlib.sha256(lock).hexdigest()[:12]}"
    done = folder / ".installed"
    if not done.exists():
        sys.stderr.write(f"        npm installs Colyseus in {folder}, once\n")
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(FOLDER / name, folder)
        # Not "npm ci": it refuses a lock file that lacks packages for other systems. Colyseus asks for
        # Node 22 and runs on 20; the other transport that it could use is in no registry.
        options = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        try:
            subprocess.run(  # noqa: S603
                ["npm", "install", *options],  # noqa: S607
                cwd=folder,
                check=True,
                capture_output=True,
                timeout=INSTALL_SECONDS,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise NotThere(f"npm cannot install it: {error}") from error
        done.touch()
    return folder


def colyseus(mode: str) -> list[str]:
    """Return the command for Colyseus in a mode of ``server.mjs``; it has as many piles as a table of ours.

    Raises:
        NotThere: it cannot be run.

    """
    board = Recorder().table.view.board
    assert board is not None
    return ["node", str(FOLDER / "server.mjs"), str(installed()), mode, str(len(board.piles))]


def sit_at_colyseus(url: str, tables: int, members: int = SEATS) -> list[Socket]:
    """Return the sockets of a number of rooms, each of which has its state."""
    found = list[Socket]()
    for _ in range(tables):
        room = _reserve(url, "create/table")
        places = [room, *(_reserve(url, f"joinById/{room['roomId']}") for _ in range(members - 1))]
        found += [_enter(url, place) for place in places]
    return found


def _enter(url: str, place: dict[str, Any]) -> Socket:
    """Take a place; return the socket, once it has the room's state."""
    entered = Socket(url, f"{place['processId']}/{place['roomId']}?sessionId={place['sessionId']}")
    frame = entered.data()
    if frame[0] != JOIN_ROOM:
        raise ConnectionError(f"Colyseus lets nobody in: {frame!r}")
    entered.send(bytes([JOIN_ROOM]))
    while entered.data()[0] != ROOM_STATE:
        pass
    return entered


def _reserve(url: str, path: str) -> dict[str, Any]:
    """Return the place that Colyseus keeps for somebody who asks for it."""
    host = url.removeprefix("ws://").partition("/")[0]
    connection = http.client.HTTPConnection(host, timeout=30)
    try:
        connection.request("POST", f"/matchmake/{path}", "{}", {"Content-Type": "application/json"})
        answer = json.load(connection.getresponse())
    finally:
        connection.close()
    if "sessionId" not in answer:
        raise ConnectionError(f"Colyseus reserves no place: {answer}")
    return dict(answer)
