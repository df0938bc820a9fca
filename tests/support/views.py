"""Views of tables: after a log, of a small table, and as values that can be compared."""

from collections.abc import Iterable
from typing import Any, Final

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.boards import cards

HASH: Final = "0" * 64


def facts(view: TableState) -> dict[str, Any]:
    """Return all that a view holds, as values that can be compared."""
    held = {name: getattr(view, name) for name in TableState.__slots__}
    del held["gone"]  # this is for who was there
    hand = view.hand  # without the deal, with which the judge makes snapshots for others: none holds it
    return {**held, "hand": hand and (hand.rules.game, hand.seats, hand.board, hand.progress)}


def folded(options: Options, log: Iterable[Event], code: str = "SIM") -> TableState:
    """Return the view after a log."""
    view = TableState(code, options)
    for event in log:
        view.apply(event)
    return view


def view_after(*log: Event, **options: object) -> TableState:
    """Return the view of a table of some options after some events."""
    return folded(Options.model_validate(options), log, "T")


def seated(*, playing: bool = True, **options: object) -> TableState:
    """Return the view of a table of two, a person and a bot, in the middle of a hand."""
    view = view_after(
        ev.Joined(seq=1, seat=0, name="Ada"),
        ev.Joined(seq=2, seat=3, name="Bob", bot="easy"),
        ev.Committed(seq=3, hand=1, hand_id="T/1/1", commitment=HASH),
        **options,
    )
    if playing:
        shown = tuple(cards("KS QS JS 10S 9S 8S 7S KH/1 QH/1 JH/1 10H/1 9H/1 8H/1 7H/1"))
        view.apply(ev.Dealt(seq=4, seats=(0, 3), shown=shown, countdown_ms=0))
        view.apply(ev.Signalled(seq=5))
    return view
