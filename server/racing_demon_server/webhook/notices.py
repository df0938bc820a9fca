"""The notices of a match: one for its beginning, one for each hand, and one for its end. Pure functions.

These follow from a table's view, so a restarted server finds those that it has not sent yet: the steps of a
table have an order.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from racing_demon_protocol.engine.commit_reveal import match_of
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult
from racing_demon_server.tables.disclosure import team_rows

NOTICED: Final[frozenset[type[Event]]] = frozenset({ev.Dealt, ev.HandOver, ev.MatchOver})
"""The events after which there may be notices."""
PREPARED: Final = -1
BEGUN: Final = 0
OVER: Final = scoring.MAX_HANDS + 1


class Step(NamedTuple):
    """How far a table is.

    Attributes:
        match: the number of its match, from 1; 0 before the first.
        number: ``PREPARED``, ``BEGUN``, the number of finished hands, or ``OVER``.

    """

    match: int
    number: int


START: Final = Step(0, PREPARED)


class Notice(NamedTuple):
    """A notice for the receiver.

    Attributes:
        id: names it; the same step of the same table has the same id, whichever server sends it.
        type: what has happened.
        data: the facts.

    """

    id: str
    type: str
    data: dict[str, Any]


def step_of(view: TableState) -> Step:
    """Return how far a table is."""
    if not view.hand_id:
        return START
    match = int(match_of(view.hand_id).rpartition("/")[2])
    if view.phase is Phase.OVER:
        return Step(match, OVER)
    is_prepared = view.phase is Phase.SHUFFLING and not view.results
    return Step(match, PREPARED if is_prepared else len(view.results))


def notices_of(view: TableState, events: Sequence[Event], last: Step, *, has_names: bool) -> Iterator[Notice]:
    """Yield the notices of a table's newest events.

    Args:
        view: the table after these events.
        events: the events; none if a table comes back, whose notices after its last step are yielded, too.
        last: the last step that has its notices.
        has_names: whether the players are named.

    """
    name = _names(view) if has_names else _no_name
    if step_of(view) > last:
        is_closed = any(isinstance(event, ev.MatchOver) and event.closed for event in events)
        yield from _since(view, last, name, is_closed=is_closed)


def _since(view: TableState, last: Step, name: "_Namer", *, is_closed: bool) -> Iterator[Notice]:
    """Yield the notices of a table's present match after a step."""
    now = step_of(view)
    match = match_of(view.hand_id)
    first = last.number + 1 if last.match == now.match else BEGUN
    for number in range(first, min(now.number, len(view.results)) + 1):
        if number == BEGUN:
            yield Notice(f"{match}/begun", "match.begun", _begun(view, name))
        else:
            yield Notice(f"{match}/{number}", "hand.over", _hand(view, number, name))
    if now.number == OVER and first <= OVER:
        yield Notice(f"{match}/over", "match.over", _match(view, name, is_closed=is_closed))


_Namer = Callable[[int], dict[str, str]]
"""Returns a player's name as a member of an object; nothing if players are not named."""


def _names(view: TableState) -> _Namer:
    return lambda seat: {"name": view.player(seat)}


def _no_name(_seat: int) -> dict[str, str]:
    return {}


def _begun(view: TableState, name: _Namer) -> dict[str, Any]:
    return {
        **_heading(view),
        "hands": view.options.hands,
        "target": view.options.target,
        "players": [
            {"seat": seat, **name(seat), "bot": state.bot}
            for seat, state in sorted(view.seats.items())
            if not state.left
        ],
    }


def _hand(view: TableState, number: int, name: _Namer) -> dict[str, Any]:
    then = _after_hand(view, number)
    result: HandResult = then.results[-1]
    totals = scoring.totals(then)
    return {
        **_heading(view),
        "hand": result.hand,
        "reason": result.reason.value,
        "out": result.out,
        "elapsed_ms": result.elapsed_ms,
        "scores": [
            {"seat": seat, **name(seat), "points": points, "total": totals[seat]}
            for seat, points in zip(result.seats, result.points, strict=True)
        ],
        "teams": team_rows(then),
    }


def _match(view: TableState, name: _Namer, *, is_closed: bool) -> dict[str, Any]:
    return {
        **_heading(view),
        "hands": len(view.results),
        "closed": is_closed,
        "winners": [{"seat": seat, **name(seat)} for seat in view.winners],
        "scores": [
            {"seat": seat, **name(seat), "total": total}
            for seat, total in sorted(scoring.totals(view).items())
        ],
        "teams": team_rows(view),
    }


def _heading(view: TableState) -> dict[str, Any]:
    options = view.options
    return {
        "code": view.code,
        "game": options.game,
        "casual": options.casual,
        "match": match_of(view.hand_id),
    }


def _after_hand(view: TableState, number: int) -> TableState:
    """Return the view with the tally as it was after a hand."""
    if number == len(view.results):
        return view
    then = view.copy()
    then.record = view.record._replace(results=view.results[:number])
    return then
