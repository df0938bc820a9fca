"""What the results of a table are made of, gathered from its events.

Not from its view: that may have gone on already to the next hand when an event is looked at.
"""

from typing import Any, NamedTuple

from racing_demon_protocol.directory import VERSION
from racing_demon_protocol.messages import Event
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.reasons import EndReason
from racing_demon_protocol.view import TableView

from .payloads import as_json

__all__ = ["Ledger", "Result"]


class Result(NamedTuple):
    """Something worth a message of its own: of the ``hands``, the ``matches``, or a ``demon``."""

    kind: str
    payload: bytes


class Ledger:
    """The hand and the match of one table, as far as results need them.

    Args:
        view: the table, as it was opened.

    """

    def __init__(self, view: TableView) -> None:
        self._code = view.code
        self._game = view.options.game
        self._names = {seat: state.name for seat, state in view.seats.items()}
        self._hand = 0
        self._hand_id = ""
        self._commitment = ""
        self._seats: tuple[int, ...] = view.hand_seats
        self._totals: dict[int, int] = {}
        self._called = False

    def follow(self, event: Event) -> list[Result]:
        """Take the table's next event, and return the results that it brings."""
        match event:
            case ev.Joined():
                self._names[event.seat] = event.name
            case ev.OptionsSet():
                self._game = event.options.game
            case ev.Committed():
                self._hand, self._hand_id, self._commitment = event.hand, event.hand_id, event.commitment
                if event.hand == 1:
                    self._totals = {}
            case ev.Dealt():
                self._seats, self._called = event.seats, False
            case ev.Called():
                self._called = True
                return [self._demon(event.seat)]
            case ev.HandOver():
                return self._hand_over(event)
            case ev.MatchOver():
                return [self._match_over(event)]
        return []

    def _demon(self, seat: int) -> Result:
        return Result("demon", as_json({"event_type": "demon", "code": self._code, **self._who(seat)}))

    def _hand_over(self, event: ev.HandOver) -> list[Result]:
        scores: list[dict[str, Any]] = []
        for seat, points in zip(self._seats, event.points, strict=False):
            total = self._totals[seat] = self._totals.get(seat, 0) + points
            scores.append({**self._who(seat), "points": points, "total": total})
        told = {
            **self._heading(),
            "hand": self._hand,
            "hand_id": self._hand_id,
            "reason": event.reason.value,
            "out": event.out,
            "elapsed_ms": event.elapsed_ms,
            "scores": scores,
            "commitment": self._commitment,
            "seed": event.seed,
        }
        hand = Result("hands", as_json(told))
        # Where going out needs no call, the card that goes out is the call.
        went_out = event.reason is EndReason.OUT and event.out is not None and not self._called
        return [self._demon(event.out), hand] if went_out and event.out is not None else [hand]

    def _match_over(self, event: ev.MatchOver) -> Result:
        told = {
            **self._heading(),
            "match": self._hand_id.rpartition("/")[0],
            "hands": self._hand,
            "winners": [self._who(seat) for seat in event.winners],
            "scores": [{**self._who(seat), "total": total} for seat, total in sorted(self._totals.items())],
        }
        return Result("matches", as_json(told))

    def _heading(self) -> dict[str, Any]:
        return {"v": VERSION, "code": self._code, "game": self._game}

    def _who(self, seat: int) -> dict[str, Any]:
        return {"seat": seat, "name": self._names.get(seat, "")}
