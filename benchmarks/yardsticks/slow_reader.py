"""A client that reads nothing for some seconds, while much happens: does it see the right board then?"""

import base64
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

from benchmarks.yardsticks.colyseus_room import FOLDER, NotThere, colyseus, enter, installed, reserve
from benchmarks.yardsticks.entering import Socket, sit_down, watch
from benchmarks.yardsticks.loading import Kind, Load, background, ours, program
from benchmarks.yardsticks.rows import Row
from benchmarks.yardsticks.script import SEATS, Step
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.server import Snapshot

SECONDS: Final = 4.0
BUFFER: Final = 4_096
QUIET_SECONDS: Final = 2.0
"""If nothing comes for this long, nothing more will."""


def slow_readers(script: Sequence[Step], rounds: int) -> list[Row]:
    """Let a client of each server read nothing for some seconds, and count what it sees wrongly then."""
    here = [_wrong_here(script) for _ in range(rounds)]
    section = f"Slow reader: one who reads nothing for {SECONDS:g} s, while deals follow one another"
    rows = [Row(section, "ours: piles that are wrong in the end", "", here, at_most=0)]
    try:
        there = [_wrong_there(script) for _ in range(rounds)]
    except NotThere as error:
        sys.stderr.write(f"        Colyseus is left out: {error}\n")
        return rows
    return [*rows, Row(section, "Colyseus: piles that are wrong in the end", "", there)]


def _wrong_here(script: Sequence[Step]) -> int:
    with program(*ours(send_buffer=BUFFER)) as server:
        sockets, codes = sit_down(server.url, 1)
        (slow,) = watch(server.url, codes, 1, buffer=BUFFER)
        with background(Load(steps=script[:1], seconds=3_600), sockets):
            time.sleep(SECONDS)
        (fresh,) = watch(server.url, codes, 1)
        right, view = _view(fresh), _view(slow)
        try:
            while view.seq < right.seq:
                message = decode_server(slow.data())
                if isinstance(message, Event):
                    view.apply(message)
        except ConnectionError:  # it was cut off, and comes back as any client does
            slow.close()
            (slow,) = watch(server.url, codes, 1)
            view = _view(slow)
        for each in (*sockets, slow, fresh):
            each.close()
    return _differences(_cards(view), _cards(right))


def _view(looker: Socket) -> TableState:
    snapshot = decode_server(looker.newest)
    assert isinstance(snapshot, Snapshot)
    return TableState.from_snapshot(snapshot)


def _cards(view: TableState) -> list[list[int]]:
    return [] if view.board is None else [list(pile) for pile in view.board.cards]


def _differences(some: Sequence[object], others: Sequence[object]) -> int:
    return abs(len(some) - len(others)) + sum(one != other for one, other in zip(some, others, strict=False))


def _wrong_there(script: Sequence[Step]) -> int:
    with program(*colyseus("deals")) as server:
        room = reserve(server.url, "create/table")
        path = f"joinById/{room['roomId']}"
        places = [room, *(reserve(server.url, path) for _ in range(SEATS - 1))]
        sockets = [enter(server.url, place)[0] for place in places]
        slow, frames = enter(server.url, reserve(server.url, path), buffer=BUFFER)
        with background(Load(steps=script, kind=Kind.COLYSEUS, seconds=3_600), sockets):
            time.sleep(SECONDS)
        slow.socket.settimeout(QUIET_SECONDS)
        try:
            while True:
                frames.append(slow.data())
        except (TimeoutError, ConnectionError):
            pass
        fresh, whole = enter(server.url, reserve(server.url, path))
        for each in (*sockets, slow, fresh):
            each.close()
    return _differences(_decoded(frames), _decoded(whole))


def _decoded(frames: Sequence[bytes]) -> Any:
    lines = "\n".join(base64.b64encode(frame).decode() for frame in frames)
    command = ["node", str(FOLDER / "decode.mjs"), str(installed())]
    found = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)  # noqa: S603
    piles = json.loads(found.stdout)["piles"]
    if not piles:
        raise ValueError("Colyseus shows no piles")
    return piles
