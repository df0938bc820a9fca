"""What is told of other seats."""

from racing_demon_client.terminal.drawing.seats import seat_ink
from racing_demon_client.terminal.style import Highlight, Role, seat_role
from racing_demon_protocol.wire.messages import events as ev
from tests.support.view_models import moments


def test_players_have_their_colors() -> None:
    """Each name has the color that the page gives it, also a chosen one; one's own stands out."""
    view = next(moments("racing-demon", 0, 100)).view
    view.apply(ev.AppearanceSet(seq=view.seq + 1, seat=1, name="Ben", color=6))
    assert [seat_ink(view, seat, 0) for seat in (0, 1, 2)] == [
        Role.ACCENT | Highlight.STRONG,
        seat_role(6),
        seat_role(2),
    ]
    assert seat_ink(view, 7, 0) == Role.TEXT, "whose seat is gone"
