"""The proof of how a deal was drawn: all parts of its seed were fixed before anybody knew them all.

A part that is not revealed makes the draw void, and its seat sits out the next draw of the hand. So whoever
works with *k* seats can reach *k* + 1 deals, each further one at the price of a seat, and everybody sees it.
"""

from racing_demon_protocol.engine.shuffle import contribution_hash, redrawn
from racing_demon_protocol.reasons import Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev

from .proof import expect


def check_contributions(view: TableState, event: ev.Event) -> None:
    """Check an event about a hand's seed: all commitments come first, and are kept.

    Args:
        view: the table before the event.
        event: any event.

    Raises:
        InvalidRecord: the event violates the procedure.

    """
    coming, shuffle = view.next_shuffle, view.shuffle
    match event:
        case ev.Prepared() if view.phase is Phase.SHUFFLING:
            is_void = shuffle is not None and bool(shuffle.missing()) and bool(shuffle.revealed())
            expect(event, is_void and coming is None, "no contribution to the draw was missing")
            is_next = event.hand_id == redrawn(view.hand_id)
            expect(event, is_next, f"hand {event.hand_id} is not the next draw of hand {view.hand_id}")
        case ev.Prepared():
            expect(event, view.at_rest, "the hand before was not over")
            is_new = coming is None or coming.hand_id != event.hand_id
            expect(event, is_new, f"hand {event.hand_id} was prepared already")
        case ev.Contributed():
            expect(event, view.at_rest or view.is_draw_void, "the hand before was not over")
            sits_out = view.is_draw_void and event.seat not in view.seats_to_deal
            expect(event, not sits_out, f"seat {event.seat} sits out this hand")
            player = view.seats.get(event.seat)
            is_there = player is not None and not player.left
            expect(event, is_there, f"nobody has seat {event.seat}")
        case ev.Committed():
            promised = (event.hand_id, event.commitment)
            is_same = coming is None or promised == (coming.hand_id, coming.commitment)
            expect(event, is_same, "the commitment is not the one that the hand was prepared with")
        case ev.Revealed():
            _check_revealed(view, event)
        case ev.Dealt():
            expect(event, view.phase is Phase.SHUFFLING and coming is None, "no hand was promised")
            missing = shuffle.missing() if shuffle else ()
            expect(event, event.left_out == missing, "the contributions that were left out are others")
            is_told = view.redrawn_for is not None or not view.is_redrawn  # no snapshot tells who sits out
            expect(event, not is_told or event.seats == view.seats_to_deal, "the seats are others")
        case _ if view.phase is Phase.SHUFFLING:
            is_awaited = shuffle is not None and bool(shuffle.contributions)
            expect(event, is_awaited, "a promise and its deal are not together")


def _check_revealed(view: TableState, event: ev.Revealed) -> None:
    """Check that revealed bytes match the seat's commitment."""
    shuffle = view.shuffle if view.phase is Phase.SHUFFLING and not view.is_draw_void else None
    mine = shuffle.of(event.seat) if shuffle is not None else None
    if shuffle is None or mine is None or mine.value is not None:
        expect(event, False, f"seat {event.seat} had nothing to reveal")
        return
    value = bytes.fromhex(event.value)
    hashed = contribution_hash(value, shuffle.commitment, shuffle.hand_id, event.seat)
    expect(event, hashed == mine.commitment, f"seat {event.seat} had committed to other bytes")
