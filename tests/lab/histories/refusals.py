"""Why a table refuses what is no play: said once more, from what everybody sees, for judging histories."""

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import client as cl

PAUSABLE = {Phase.COUNTDOWN, Phase.PLAYING}


def why_refused(view: TableState, dealt_seq: int, seat: int, command: cl.Command) -> Reason | None:
    """Return why a seat's command would be refused now; ``None``: it would not.

    Args:
        view: the table.
        dealt_seq: the number of the event with which its newest hand was dealt.
        seat: whose command it is.
        command: one that is no play.

    """
    is_old = isinstance(command, cl.HAND_COMMANDS) and 0 < command.seen < dealt_seq
    reasons: list[tuple[bool, Reason]] = []
    match command:
        case cl.Stuck() | cl.Call():
            reasons = [
                (is_old, Reason.HAND_OVER),
                (view.phase in {Phase.LOBBY, Phase.SHUFFLING, Phase.COUNTDOWN}, Reason.NOT_STARTED),
                (not view.in_hand, Reason.HAND_OVER),
                (view.paused, Reason.PAUSED),
                (isinstance(command, cl.Stuck) and seat not in view.hand_seats, Reason.NOT_SEATED),
                (view.phase is Phase.GRACE, Reason.NOT_NOW),
                (isinstance(command, cl.Call) and not _is_out(view, seat), Reason.ILLEGAL),
            ]
        case cl.Ready():
            reasons = [(view.phase in DEALT, Reason.NOT_NOW), (is_old, Reason.HAND_OVER)]
        case cl.Pause(paused=paused):
            ends_pause = view.paused and not paused
            reasons = [
                (seat != view.host, Reason.NOT_HOST),
                (is_old, Reason.HAND_OVER),
                (not ends_pause and view.phase not in PAUSABLE, Reason.NOT_NOW),
            ]
        case cl.AddBot():
            reasons = [(seat != view.host, Reason.NOT_HOST)]
    return next((reason for holds, reason in reasons if holds), None)


def _is_out(view: TableState, seat: int) -> bool:
    hand = view.hand
    return hand is not None and seat in hand.seats and hand.rules.is_out(hand.board, seat)
