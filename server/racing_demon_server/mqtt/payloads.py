"""The JSON payloads: records, states and results of tables, and descriptions for Home Assistant.

Names of people appear in payloads only, never in topics.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from racing_demon_protocol.discovery.directory import VERSION
from racing_demon_protocol.engine.commit_reveal import match_of
from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.games import GAMES, seats_of
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.tables.disclosure import is_open, team_rows

from .topics import Sensor, Topics


class ShownProgress(NamedTuple):
    """How far a match is: what a record tells no sooner than spectators see it.

    Attributes:
        phase: what the table does.
        hand: the number of the hand.
        totals: of each seat, over the finished hands.

    """

    phase: Phase
    hand: int
    totals: dict[int, int]

    @classmethod
    def of(cls, view: TableState) -> "ShownProgress":
        """Return how far the match of a table is."""
        return cls(view.phase, view.hand_number, dict(scoring.totals(view)))


def record(view: TableState, node: str, urls: Sequence[str], shown: ShownProgress | None = None) -> bytes:
    """Return the directory's record of a table: a :class:`~.mqtt.discovery.directory.Listed`.

    Args:
        view: the table as it is, for those who want to join.
        node: the server's name.
        urls: where the table can be joined.
        shown: how far its match is for spectators, if they see that later.

    """
    progress = shown or ShownProgress.of(view)
    there = {seat: state for seat, state in sorted(view.seats.items()) if not state.left}
    named = there if is_open(view) else {}
    taken = len(there if view.between_matches else view.seats)
    return as_json(
        {
            "v": VERSION,
            "node": node,
            "code": view.code,
            "urls": list(urls),
            "game": view.options.game,
            "title": GAMES[view.options.game].title,
            "phase": progress.phase.value,
            "hand": progress.hand,
            "hands": view.options.hands,
            "target": view.options.target,
            "taken": len(there),
            "free": 0 if view.entry_closed else seats_of(view.options) - taken,
            "late_join": view.options.late_join,
            "locked": view.locked,
            "spectators": view.options.spectators,
            "players": [
                {
                    "seat": seat,
                    "name": state.name,
                    "bot": state.bot,
                    "host": seat == view.host,
                    "total": progress.totals.get(seat, 0),
                }
                for seat, state in named.items()
            ],
        }
    )


def state(view: TableState) -> bytes:
    """Return the state of a table: its phase, the scores of this hand and of the match, and who leads."""
    points, totals = scoring.points(view), scoring.totals(view)
    seats = sorted(view.seats.items()) if is_open(view) else []
    leaders, most = scoring.leaders(view) if seats else ((), 0)
    return as_json(
        {
            "v": VERSION,
            "code": view.code,
            "phase": view.phase.value,
            "paused": view.paused,
            "hand": view.hand_number,
            "hands": view.options.hands,
            "scores": [
                {"seat": seat, "name": seat_state.name, "points": points.get(seat, 0), "total": totals[seat]}
                for seat, seat_state in seats
            ],
            **(_teams(view) if seats else {}),
            "leader": " and ".join(map(view.player, leaders)) or None,
            "points": most if leaders else None,
            "players": len(view.seated()),
        }
    )


def as_json(value: dict[str, Any]) -> bytes:
    """Return ASCII-only JSON."""
    return json.dumps(value, separators=(",", ":")).encode()


Result = tuple[str, bytes]
"""A result: one of the ``hands``, of the ``matches``, or a ``demon``; and its payload."""


def results(view: TableState, event: Event) -> list[Result]:
    """Return the results of an event; ``view`` is the table just after it."""
    match event:
        case ev.Called():
            return [_demon(view, event.seat)]
        case ev.HandOver(reason=EndReason.OUT, out=int(out)) if view.called is None:
            # Without a call, going out counts as the call.
            return [_demon(view, out), _hand(view, event)]
        case ev.HandOver():
            return [_hand(view, event)]
        case ev.MatchOver():
            return [_match(view)]
    return []


def _demon(view: TableState, seat: int) -> Result:
    return "demon", as_json({"event_type": "demon", "code": view.code, **_who(view, seat)})


def _hand(view: TableState, event: ev.HandOver) -> Result:
    totals = scoring.totals(view)
    payload = {
        **_heading(view),
        "hand": view.hand_number,
        "hand_id": view.hand_id,
        "reason": event.reason.value,
        "out": event.out,
        "elapsed_ms": event.elapsed_ms,
        "scores": [
            {**_who(view, seat), "points": points, "total": totals[seat]}
            for seat, points in zip(view.hand_seats, event.points, strict=True)
        ],
        **_teams(view),
        "commitment": view.commitment,
        "seed": event.seed,
        "contributions": _contributions(view),
    }
    return "hands", as_json(payload)


def _contributions(view: TableState) -> list[dict[str, Any]]:
    """Return the players' contributions to the seed of the hand, without which it cannot be dealt again."""
    revealed = view.revealed
    return [{"seat": seat, "value": value.hex()} for seat, value in revealed.items()]


def _match(view: TableState) -> Result:
    payload = {
        **_heading(view),
        "match": match_of(view.hand_id),
        "hands": view.hand_number,
        "winners": [_who(view, seat) for seat in view.winners],
        "scores": [
            {**_who(view, seat), "total": total} for seat, total in sorted(scoring.totals(view).items())
        ],
        **_teams(view),
    }
    return "matches", as_json(payload)


def _teams(view: TableState) -> dict[str, Any]:
    """Return the teams as a member; nothing where there are none."""
    rows = team_rows(view)
    return {"teams": rows} if rows else {}


def _heading(view: TableState) -> dict[str, Any]:
    options = view.options
    return {"v": VERSION, "code": view.code, "game": options.game, "casual": options.casual}


def _who(view: TableState, seat: int) -> dict[str, Any]:
    return {"seat": seat, "name": view.player(seat)}


ICONS: Final = {
    Sensor.PHASE: "mdi:cards-playing",
    Sensor.LEADER: "mdi:crown",
    Sensor.POINTS: "mdi:counter",
    Sensor.PLAYERS: "mdi:account-group",
}
COUNTS: Final = {Sensor.POINTS: "points", Sensor.PLAYERS: "players"}
"""The sensors whose states are numbers, with their units."""


def table_config(topics: Topics, code: str, sensor: Sensor) -> bytes:
    """Return the description of a table's sensor. That of its phase has the scores as attributes."""
    state = topics.table(code, "state")
    is_phase, unit = sensor is Sensor.PHASE, COUNTS.get(sensor)
    return as_json(
        {
            "name": f"Table {code.upper()}" + ("" if is_phase else f" {sensor}"),
            "unique_id": f"rd_{topics.node}_{code.lower()}" + ("" if is_phase else f"_{sensor}"),
            "icon": ICONS[sensor],
            "state_topic": state,
            "value_template": f"{{{{ value_json.{sensor} }}}}",
            **({"json_attributes_topic": state} if is_phase else {}),
            **({} if unit is None else {"unit_of_measurement": unit, "state_class": "measurement"}),
            **_common(topics),
        }
    )


def demon_config(topics: Topics) -> bytes:
    """Return the description of the event "Demon!": somebody went out at some table."""
    return as_json(
        {
            "name": "Demon!",
            "unique_id": f"rd_{topics.node}_demon",
            "icon": "mdi:cards-playing-outline",
            "state_topic": topics.demon,
            "event_types": ["demon"],
            **_common(topics),
        }
    )


def _common(topics: Topics) -> dict[str, Any]:
    return {
        "availability_topic": topics.status,
        "device": {"identifiers": [f"rd_{topics.node}"], "name": f"Racing Demon {topics.node}"},
    }
