"""After every event of a record, the page's replay shows the table that the terminal's replay shows.

``RACING_DEMON_MATCHES`` says how many matches of each kind, and ``RACING_DEMON_SEED`` which is the first.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_client.records.timeline import Timeline
from racing_demon_protocol.engine.mechanics.script import Script
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.format import (
    Header,
    Record,
    TimedMessage,
    next_state,
    read_records,
    record_lines,
)
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.base import WireModel
from racing_demon_protocol.wire.messages.events import Dealt
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from tests.lab.comebacks.test_comebacks import Evening
from tests.lab.liveness.explorer import RandomTable
from tests.lab.options.combinations import draw
from tests.support.nodes import TOOLS, node
from tests.support.recordings import recording
from tests.support.records import record as told

pytestmark = pytest.mark.long

MATCHES: Final = int(os.environ.get("RACING_DEMON_MATCHES", "60"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "0"))
SEEK_EVERY: Final = 7
"""The terminal also seeks to a place after so many events, and finds the same there."""
STEPS: Final = 120

Shown = dict[str, Any]

NAMED: Final[dict[str, tuple[list[str], dict[str, Any], Mapping[int, Handicap]]]] = {
    "a race": (["hard", "medium", "easy"], {"hands": 2}, {}),
    "teams": (["hard", "medium", "easy", "medium"], {"hands": 2, "teams": 2, "match_score": "hands"}, {}),
    "handicaps": (
        ["hard", "easy"],
        {"game": "classic", "hands": 3, "handicap": "auto", "king_bonus": 5},
        {0: Handicap(heap=4, delay_s=3, points=-5), 1: Handicap(heap=-3, points=7)},
    ),
    "identical deals": (["hard", "medium"], {"game": "demon-a", "hands": 1}, {}),
    "rotated stocks": (["medium", "easy"], {"hands": 1, "stall_rule": "rotate"}, {}),
    "stocks that shift": (["hard", "medium"], {"hands": 1, "stock_shift": "any_time"}, {}),
    "a mechanic": (["medium"], {"game": "windmill", "hands": 1}, {}),
}
"""Levels, options and handicaps of matches of different kinds."""


@pytest.mark.parametrize("name", NAMED)
def test_replays_of_every_kind_are_equal(name: str, tmp_path: Path) -> None:
    """Bots play a match to its end."""
    levels, options, handicaps = NAMED[name]
    options = {"countdown_ms": 2_000, "tally_ms": 500} | options
    record = recording(bytes(32), levels, Options.model_validate(options), handicaps=handicaps)
    assert compare(record, tmp_path / "record.jsonl") > 50


def test_replays_of_any_options_are_equal(tmp_path: Path) -> None:
    """Bots play matches with options, handicaps and teams that chance draws."""
    compared = 0
    for number in range(SEED, SEED + MATCHES):
        rng = random.Random(number)
        asked = draw(rng)
        levels = rng.choices(["easy", "medium", "hard"], k=asked.bots)
        options = Options.model_validate(asked.options)
        try:
            record = recording(asked.seed, levels, options, handicaps=asked.handicaps)
        except CommandRefused:
            continue
        compared += compare(record, tmp_path / "record.jsonl")
    assert compared > MATCHES


def test_replays_of_odd_evenings_are_equal(tmp_path: Path) -> None:
    """People come, go, pause, change options and teams, are replaced, muted and put out, in any order."""
    kinds = set[str]()
    for number in range(SEED, SEED + MATCHES):
        record = odd_evening(number)
        kinds |= {type(entry.message).__name__ for entry in record.entries}
        compare(record, tmp_path / "record.jsonl")
    assert kinds >= {"Joined", "Left", "Connected", "Dealt", "Played", "HandOver"}, kinds
    sys.stdout.write(f"{MATCHES} evenings with {', '.join(sorted(kinds))}\n")


def test_replays_of_evenings_with_returns_are_equal(tmp_path: Path) -> None:
    """People leave, come back, start late at the lowest total, and hosts end matches: of version 4."""
    kinds = set[str]()
    is_new = False
    for number in range(SEED, SEED + MATCHES):
        evening = Evening(number)
        for _ in range(STEPS):
            evening.step()
        log = told(evening.sitting.options, evening.sitting.log)
        kinds |= {type(message).__name__ for message in log}
        compare(Record(entries=[TimedMessage(message) for message in log]), tmp_path / "record.jsonl")
        is_new |= '"version": 4' in (tmp_path / "record.jsonl").read_text("utf-8")
    assert is_new
    assert kinds >= {"Returned", "LateStartSet", "LastHandSet"}, kinds


def compare(record: Record, file: Path) -> int:
    """Compare what both programs show of a record, and return after how many events."""
    file.write_text("\n".join(record_lines(record)), encoding="utf-8")
    ran = subprocess.run(  # noqa: S603
        [node(), str(TOOLS / "replay_states.js"), str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    *states, whole = map(json.loads, ran.stdout.splitlines())
    (read,) = read_records(file.read_text(encoding="utf-8").splitlines())
    expected = list(terminal_states(read))
    assert len(states) == len(expected)
    for number, (page, terminal) in enumerate(zip(states, expected, strict=True)):
        elapsed = page.pop("elapsed_ms"), terminal.pop("elapsed_ms")
        differences = {key: (page[key], terminal[key]) for key in terminal if page[key] != terminal[key]}
        assert not differences, (number, read.entries[: number + 2][-1])
        if None not in elapsed:
            assert abs(elapsed[0] - elapsed[1]) <= 1, (number, elapsed)
    assert whole["deals"] == _places(read, Dealt)
    assert whole["races"] == _places(read, Refused)
    return len(states)


def terminal_states(record: Record) -> Iterator[Shown]:
    """Yield what the terminal's replay shows after every event."""
    timeline = Timeline(record)
    view: TableState | None = None
    for position, entry in enumerate(timeline.entries, 1):
        view = next_state(view, entry.message)
        if not isinstance(entry.message, Event):
            continue
        state = shown(view, timeline.elapsed_ms(position))
        if position % SEEK_EVERY == 0:
            assert shown(timeline.view_at(position), timeline.elapsed_ms(position)) == state
        yield state


def shown(view: TableState, elapsed_ms: int) -> Shown:
    """Return what a table shows, as JSON has it."""
    board = view.board
    hand = {} if view.hand is None else view.hand.progress
    by_seat = view.hand_seats if board else ()
    state = {
        "seq": view.seq,
        "code": view.code,
        "options": {name: getattr(view.options, name) for name in Options.model_fields},
        "host": view.host,
        "phase": view.phase,
        "seats": [_plain(view.seats[seat]) for seat in sorted(view.seats)],
        "departed": sorted(view.departed.items()),
        "banned": view.banned,
        "hand": view.hand_number,
        "commitment": view.commitment or "",
        "paused": view.paused,
        "waiting": view.waiting,
        "called": view.called,
        "locked": view.locked,
        "entry_closed": view.entry_closed,
        "last_hand": view.last_hand,
        "sitting_out": list(view.sitting_out),
        "late_start": view.late_start,
        "starts": [list(each) for each in view.starts.items()],
        "results": [_plain(each) for each in view.results],
        "winners": view.winners,
        "hand_seats": view.hand_seats,
        "piles": [list(pile) for pile in board.cards] if board else [],
        "redeals": [board.redeals.get(seat, 0) for seat in by_seat] if board else [],
        "shifts": [board.shifts.get(seat, 0) for seat in by_seat] if board else [],
        "progress": sorted((seat, *reached) for seat, reached in hand.items()),
        "points": [] if _is_trick(view) else sorted(scoring.points(view).items()),
        "totals": sorted(scoring.totals(view).items()),
        "team_totals": sorted(scoring.team_totals(view).items()),
        "elapsed_ms": elapsed_ms if view.phase in DEALT and not view.paused else None,
    }
    plain: Shown = json.loads(json.dumps(state))
    return plain


def _is_trick(view: TableState) -> bool:
    """Return whether a trick is being shown, of which the page tells no points before its end."""
    return view.phase in DEALT and isinstance(GAMES[view.options.game].mechanic, Script)


def _plain(value: Any) -> Any:
    """Return a row, or a list of rows, as lists of their values."""
    if isinstance(value, WireModel):
        return [_plain(getattr(value, name)) for name in type(value).model_fields]
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _places(record: Record, cls: type) -> list[int]:
    """Return before how many events the messages of a kind stand."""
    places, events = [], 0
    for entry in record.entries:
        if isinstance(entry.message, cls):
            places.append(events)
        events += isinstance(entry.message, Event)
    return places


CHANGES: Final[Sequence[tuple[type[cl.Command], Mapping[str, Any]]]] = (
    (cl.SetOptions, {"options": Options(game="classic", hands=1)}),
    (cl.SetOptions, {"options": Options(teams=2, hands=2)}),
    (cl.SetOptions, {"options": Options(game="demon-a", hands=1)}),
    (cl.SetTeam, {"team": 1}),
    (cl.Mute, {"muted": True}),
    (cl.SetHandicap, {"handicap": Handicap(delay_s=2, points=3)}),
    (cl.CloseEntry, {"closed": True}),
    (cl.CloseEntry, {"closed": False}),
    (cl.Unban, {"name": "P1"}),
    (cl.SetLastHand, {"last": True}),
    (cl.EndMatch, {}),
)


def odd_evening(seed: int) -> Record:
    """Return the record of a table at which chance rules."""
    rng = random.Random(seed)
    table = RandomTable(seed, hands=2, countdown_ms=3_000, pause_after_ms=2_000)
    for _ in range(STEPS):
        if rng.random() < 0.2:
            cls, fields = rng.choice(CHANGES)
            if "seat" in cls.model_fields:
                fields = {**fields, "seat": rng.choice([*table.table.view.seats, 7])}
            table.send(table.table.view.host, cls, **fields)
        else:
            table.step()
    begin = TableState("TEST", table.options).snapshot(0)
    entries = [TimedMessage(event, at, at // 1_000) for event, at in table.log]
    first = entries[0]
    return Record(Header(kept_by="server"), [TimedMessage(begin, first.at_us, first.at_ms), *entries])
