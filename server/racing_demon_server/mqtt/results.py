"""The results that follow from a table's events and view."""

from typing import Any

from racing_demon_protocol.discovery.directory import VERSION
from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev

from .payloads import as_json

Result = tuple[str, bytes]
"""A result: one of the ``hands``, of the ``matches``, or a ``demon``; and its payload."""


def results(view: TableState, event: Event) -> list[Result]:
    """Return the results of an event; ``view`` is the table just after it."""
    match event:
        case ev.Called():
            return [_demon(view, event.seat)]
        case ev.HandOver(reason=EndReason.OUT, out=int(out)) if view.called is None:
            # Without a call, the card that goes out is the call.
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
        "match": view.hand_id.rpartition("/")[0],
        "hands": view.hand_number,
        "winners": [_who(view, seat) for seat in view.winners],
        "scores": [
            {**_who(view, seat), "total": total} for seat, total in sorted(scoring.totals(view).items())
        ],
    }
    return "matches", as_json(payload)


def _heading(view: TableState) -> dict[str, Any]:
    return {"v": VERSION, "code": view.code, "game": view.options.game}


def _who(view: TableState, seat: int) -> dict[str, Any]:
    return {"seat": seat, "name": view.player(seat)}
